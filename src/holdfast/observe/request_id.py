"""One id per request, so that the lines that several parts write about it can be found together."""

import re
import secrets

SAFE = re.compile(r"[A-Za-z0-9._-]{8,64}")
"""What an id from outside must look like: it goes into log lines and response headers as it is."""


def new_request_id() -> str:
    return secrets.token_hex(8)


def accept_request_id(offered: str | None) -> str:
    """The id that a caller offers in X-Request-Id if it is safe to repeat, else a new one."""
    return offered if offered and SAFE.fullmatch(offered) else new_request_id()
