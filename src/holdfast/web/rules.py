"""What the door believes of a request: whether a page of ours sent it, and in whose name."""

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
HOST = re.compile(r"[A-Za-z0-9.-]+(?::\d+)?|\[[0-9A-Fa-f:]+\](?::\d+)?", re.ASCII)


def is_ours(headers: Mapping[str, str], public_url: str | None) -> bool:
    """Whether the page that sent this is one of ours, as far as the browser says; programs say nothing."""
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    parts = urlsplit(origin)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return False
    if parts.netloc.lower() == headers.get("host", "").lower():
        return True
    return public_url is not None and origin.lower() == _origin(public_url)


def _origin(url: str) -> str:
    parts = urlsplit(url.lower())
    return f"{parts.scheme}://{parts.netloc}"


def bearer(authorization: str) -> str | None:
    scheme, _, credentials = authorization.partition(" ")
    given = credentials.strip(" ")
    good = scheme.lower() == "bearer" and 0 < len(given) <= 512 and given.isascii() and given.isprintable()
    return given if good else None
