"""The pages: one file for every address a person may type, and the assets it asks for."""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from litestar.datastructures import Headers
from litestar.enums import ScopeType
from litestar.exceptions import MethodNotAllowedException, NotFoundException
from litestar.types import Receive, Scope, Send

from holdfast.web import problems

INDEX = "index.html"
ASSETS = "/assets/"
FOREVER = "public, max-age=31536000, immutable"
ASK_EACH_TIME = "no-cache"
WORTH_SQUEEZING = 1024
TEXTUAL = frozenset({"text/html", "text/css", "text/javascript", "image/svg+xml", "application/json",
                     "application/manifest+json", "text/plain"})  # fmt: skip
KINDS = {".js": "text/javascript", ".webmanifest": "application/manifest+json", ".woff2": "font/woff2"}

UNBUILT = b"""<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Holdfast</title>
<h1>Holdfast runs, its pages are not built yet</h1>
<p>Run <code>make pages</code> in the folder of the sources and load this page again.</p>
<p>The API works already: <a href="/api/v1/openapi.json">its description</a>.</p>
</html>
"""


@dataclass(frozen=True)
class File:
    """One file as it is sent: its headers and both of its bodies are made once, at the start."""

    body: bytes
    squeezed: bytes | None
    etag: str
    headers: tuple[tuple[bytes, bytes], ...]


class Pages:
    """An ASGI application over a folder listed at the start: no request can name a file outside of it."""

    def __init__(self, folder: Path) -> None:
        self._files = {f"/{path.relative_to(folder).as_posix()}": path for path in _files(folder)}
        self._read: dict[str, File] = {}
        self._unbuilt = _file("/index.html", UNBUILT, ".html")

    async def __call__(self, scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["type"] == ScopeType.WEBSOCKET:
            await send({"type": "websocket.close", "code": 1008, "reason": "the feed is at /api/v1/live"})
            return
        if scope["method"] not in ("GET", "HEAD"):
            refusal = MethodNotAllowedException(headers={"allow": "GET, HEAD"})
            await problems.send(scope, send, refusal)
            return
        file = self._wanted(scope["path"])
        if file is None:
            await problems.send(scope, send, NotFoundException())
            return
        await _answer(scope, send, file)

    def _wanted(self, path: str) -> File | None:
        """Any address without a file of its own is a page: the script shows it, or that it is not there."""
        if path not in self._files:
            if path.startswith(ASSETS):
                return None
            path = f"/{INDEX}"
        if path not in self._files:
            return self._unbuilt
        if path not in self._read:
            found = self._files[path]
            self._read[path] = _file(path, found.read_bytes(), found.suffix)
        return self._read[path]


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]


def _file(path: str, body: bytes, suffix: str) -> File:
    kind = KINDS.get(suffix) or mimetypes.types_map.get(suffix, "application/octet-stream")
    squeezed = gzip.compress(body, 9, mtime=0) if kind in TEXTUAL and len(body) >= WORTH_SQUEEZING else None
    charset = "; charset=utf-8" if kind.startswith("text/") else ""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    cache = FOREVER if path.startswith(ASSETS) else ASK_EACH_TIME
    headers = {
        "content-type": kind + charset,
        "cache-control": cache,
        "etag": etag,
        "vary": "accept-encoding",
    }
    return File(
        body,
        squeezed if squeezed is not None and len(squeezed) < len(body) else None,
        etag,
        tuple((name.encode(), value.encode()) for name, value in headers.items()),
    )


async def _answer(scope: Scope, send: Send, file: File) -> None:
    headers = Headers.from_scope(scope)
    if file.etag in (
        given.strip().removeprefix("W/") for given in headers.get("if-none-match", "").split(",")
    ):
        await send({"type": "http.response.start", "status": 304, "headers": list(file.headers)})
        await send({"type": "http.response.body", "body": b"", "more_body": False})
        return
    body, sent = file.body, [*file.headers]
    if file.squeezed is not None and _takes_gzip(headers.get("accept-encoding", "")):
        body = file.squeezed
        sent.append((b"content-encoding", b"gzip"))
    sent.append((b"content-length", str(len(body)).encode()))
    await send({"type": "http.response.start", "status": 200, "headers": sent})
    shown = b"" if scope["method"] == "HEAD" else body  # type: ignore[typeddict-item]
    await send({"type": "http.response.body", "body": shown, "more_body": False})


def _takes_gzip(accepted: str) -> bool:
    for each in accepted.lower().split(","):
        coding, _, weight = each.partition(";")
        if coding.strip() == "gzip":
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False
