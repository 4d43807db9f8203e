"""A work tracker as a volunteer sees it: any that speaks the protocol, ours or another."""

from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import httpx

from holdfast import __version__
from holdfast.errors import UnavailableError

SECONDS = 20.0
WHY = {
    403: "this name or address is blocked there",
    404: "there are no items just now",
    420: "the project gives out as much as it may already",
    429: "the project gives out as much as it may already",
    455: "this version is too old for the project",
}


@dataclass(frozen=True, slots=True)
class Held:
    """An item that is ours until it is reported."""

    item: str
    claim: str = ""
    """What proves it, where the tracker gives such a thing."""


class NothingError(UnavailableError):
    """No item just now; asking again later may help."""


class Tracker:
    def __init__(self, url: str, project: str, name: str, version: str) -> None:
        self._name = name
        self._version = version
        # What the environment says of proxies holds here: a volunteer's machine may know no other way out.
        self._http = httpx.AsyncClient(
            base_url=f"{url.rstrip('/')}/{project}".rstrip("/"),
            timeout=SECONDS,
            headers={"User-Agent": f"holdfast-work/{__version__}"},
        )

    async def claim(self, many: int) -> list[Held]:
        answer = await self._ask(f"multi={many}/request", {"api_version": "2"})
        if answer.status_code != 200:
            raise NothingError(WHY.get(answer.status_code, f"the tracker answered {answer.status_code}"))
        said = _json(answer)
        items = said.get("items") or str(said.get("item_name", "")).split("\0")
        held = [Held(item, str(said.get("claim", ""))) for item in items if item]
        if not held:
            raise NothingError("the tracker named no item")
        return held

    async def done(self, held: Held, counted: dict[str, int]) -> None:
        """Returns only when the tracker has taken it."""
        answer = await self._ask("done", {"item": held.item, "bytes": counted, "claim": held.claim})
        if answer.status_code != 200 or answer.text.strip() not in ("OK", "Invalid item."):
            raise UnavailableError(f"the tracker answered {answer.status_code}")

    async def fail(self, held: Held, reason: str) -> None:
        """A tracker without such an address takes the item back when its time is over."""
        await self._ask("fail", {"items": [held.item], "reason": reason})

    async def still_there(self, held: list[Held]) -> None:
        await self._ask("heartbeat", {"items": [one.item for one in held]})

    async def target(self, held: Held) -> str | None:
        """Where to bring what was found; None where the tracker names no place."""
        answer = await self._ask("upload", {"item_name": held.item})
        if answer.status_code != 200:
            return None
        target = _json(answer).get("upload_target")
        return str(target) if target else None

    async def bring(self, url: str, body: bytes) -> None:
        answer = await self._http.put(url, content=body)
        if not answer.is_success:
            raise UnavailableError(f"{url} answered {answer.status_code}")

    async def _ask(self, command: str, said: dict[str, Any]) -> httpx.Response:
        body = {"downloader": self._name, "version": self._version} | said
        try:
            return await self._http.post(f"/{command}", json=body)
        except httpx.TransportError as error:
            raise UnavailableError(f"the tracker does not answer ({error})") from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.aclose()


def _json(answer: httpx.Response) -> dict[str, Any]:
    try:
        said = answer.json()
    except ValueError:
        raise UnavailableError("the tracker answered something that is no JSON") from None
    if not isinstance(said, dict):
        raise UnavailableError("the tracker answered JSON of another shape than this protocol has")
    return said
