"""How commands and scripts speak to the running system: over its API, found by `run.json` or by address."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote, urlsplit

from holdfast import __version__
from holdfast.errors import (
    ConflictError,
    HoldfastError,
    InvalidError,
    NotFoundError,
    RefusedError,
    UnavailableError,
)
from holdfast.runfile import read_run

if TYPE_CHECKING:
    import httpx

PAGE = 200
SECONDS = 60.0
REFUSALS: dict[int, type[HoldfastError]] = {
    400: InvalidError,
    401: RefusedError,
    403: RefusedError,
    404: NotFoundError,
    409: ConflictError,
    413: InvalidError,
    415: InvalidError,
    422: InvalidError,
    429: UnavailableError,
    503: UnavailableError,
}


@dataclass(frozen=True)
class Place:
    """Where a running Holdfast is, and the token that it takes from us."""

    url: str
    token: str

    @classmethod
    def find(cls, data: Path, environ: Mapping[str, str] = os.environ) -> Self:
        """The system that HOLDFAST_URL and HOLDFAST_TOKEN name, else the one in the data folder."""
        url = environ.get("HOLDFAST_URL")
        if url:
            return cls(_checked(url.rstrip("/")), environ.get("HOLDFAST_TOKEN", ""))
        run = read_run(data)
        return cls(run.here or run.web, run.token)


def _checked(url: str) -> str:
    try:
        found = urlsplit(url)
        good = found.scheme in ("http", "https") and bool(found.hostname) and found.port != 0
    except ValueError:
        good = False
    if not good:
        raise InvalidError(
            f"HOLDFAST_URL is {url}, which is no address such as https://example.org; mend it."
        )
    return url


class Door:
    """The API of a running system; what it refuses is raised as the error that it was there."""

    def __init__(self, place: Place, *, seconds: float = SECONDS) -> None:
        import httpx  # noqa: PLC0415 - help and completion need not wait for it

        self._away = httpx.TransportError
        self.url = place.url
        headers = {"Authorization": f"Bearer {place.token}", "User-Agent": f"holdfast/{__version__}"}
        # The environment's proxies are for the internet; our system is where run.json says.
        self._http = httpx.Client(
            base_url=f"{place.url}/api/v1", headers=headers, timeout=seconds, trust_env=False
        )

    def get(self, path: str, **query: Any) -> Any:
        return self._ask("GET", path, params=_given(query)).json()

    def fetch(self, path: str, **query: Any) -> bytes:
        return self._ask("GET", path, params=_given(query)).content

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return self._ask("POST", path, json=None if body is None else _given(body)).json()

    def send(self, path: str, content: bytes, media_type: str, **query: Any) -> Any:
        headers = {"Content-Type": media_type}
        return self._ask("POST", path, params=_given(query), content=content, headers=headers).json()

    def patch(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._ask("PATCH", path, json=_given(body)).json()

    def put(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._ask("PUT", path, json=_given(body)).json()

    def delete(self, path: str) -> None:
        self._ask("DELETE", path)

    def items(self, path: str, most: int, **query: Any) -> Iterator[dict[str, Any]]:
        """The items of a listing, page by page, up to `most` (0: all)."""
        left = most or float("inf")
        cursor: str | None = None
        while left > 0:
            page = self.get(path, cursor=cursor, limit=int(min(PAGE, left)), **query)
            yield from page["items"]
            left -= len(page["items"])
            cursor = page["next"]
            if cursor is None:
                return

    def _ask(self, method: str, path: str, **rest: Any) -> "httpx.Response":
        try:
            answer = self._http.request(method, path, **rest)
        except self._away as error:
            raise UnavailableError(
                f"Holdfast at {self.url} does not answer ({error}); `holdfast doctor` looks for the cause."
            ) from error
        if answer.is_success:
            return answer
        raise _refusal(answer)

    def close(self) -> None:
        self._http.close()


def segment(name: str) -> str:
    """A name as one step of a path, whatever signs a person typed."""
    return quote(name, safe="")


def _refusal(answer: "httpx.Response") -> HoldfastError:
    try:
        problem = answer.json()
        sentence = str(problem["detail"])
    except (ValueError, KeyError, TypeError):
        return HoldfastError(f"Holdfast answered {answer.status_code} with nothing readable; see its log.")
    fields = [f"{one['field']}: {one['detail']}" for one in problem.get("errors") or ()]
    kind = REFUSALS.get(answer.status_code, HoldfastError)
    return kind(" ".join([sentence, *fields]), **problem)


def _given(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
