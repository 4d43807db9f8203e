"""One id per request, so that the lines that several parts write about it can be found together."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from structlog.contextvars import bound_contextvars, get_contextvars

SAFE = re.compile(r"[A-Za-z0-9._-]{8,64}")
"""What an id from outside must look like: it goes into log lines and response headers as it is."""


def new_request_id() -> str:
    return secrets.token_hex(8)


def accept_request_id(offered: str | None) -> str:
    """The id that a caller offers in X-Request-Id if it is safe to repeat, else a new one."""
    return offered if offered and SAFE.fullmatch(offered) else new_request_id()


@contextmanager
def request(request_id: str) -> Iterator[None]:
    """Gives every log line within, and every task started within, the id of the request."""
    with bound_contextvars(request_id=request_id):
        yield


def current_request_id() -> str | None:
    """The id of the request being served, to hand on to another part."""
    found = get_contextvars().get("request_id")
    return found if isinstance(found, str) else None
