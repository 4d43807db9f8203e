"""What getting in demands, as pure functions: the shape of secrets, their age, what a password must be."""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable

from holdfast.catalogue.model import Actor, Scope
from holdfast.errors import ConflictError, InvalidError, RefusedError

SECRET = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)
TOKEN = re.compile(r"hf_[A-Za-z0-9_-]{43}", re.ASCII)
HOLDS_NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")
"""PostgreSQL keeps no text with one."""

LINK_LIFETIME = 86_400.0
NOTED_EVERY = 60.0
"""A use is written down at most this often: a reader must not cost a write each time."""
SESSIONS_MOST = 50
TOKENS_MOST = 100
PASSWORD_LEAST, PASSWORD_MOST = 10, 1000


def digest(secret: str) -> str:
    """What is kept of a secret. Ours are 256 random bits: guessing is hopeless without a slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def csrf_of(secret: str) -> str:
    """The session's second secret, which only a page of ours can send along; it follows from the cookie."""
    made = hmac.digest(secret.encode(), b"holdfast csrf", "sha256")
    return base64.urlsafe_b64encode(made).decode().rstrip("=")


def same(given: str, expected: str) -> bool:
    """Compare without telling by the time it takes how much of it was right."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode())


def worth_noting(last_used: float | None, now: float) -> bool:
    """The clock may have jumped back since, hence the distance and not the difference."""
    return last_used is None or abs(now - last_used) >= NOTED_EVERY


def new_password(password: str) -> str:
    if not PASSWORD_LEAST <= len(password) <= PASSWORD_MOST:
        raise InvalidError(
            f"A password has {PASSWORD_LEAST} to {PASSWORD_MOST} characters; take several words."
        )
    return password


def token_name(name: str) -> str:
    clean = name.strip()
    if not 1 <= len(clean) <= 64 or not clean.isprintable():
        raise InvalidError("A token's name is one line of 1 to 64 characters that says what it is for.")
    return clean


def token_scopes(actor: Actor, scopes: Iterable[Scope]) -> tuple[Scope, ...]:
    """A token can hand on no more than its maker was let in with."""
    wanted = set(scopes)
    if not wanted:
        raise InvalidError(f"A token needs at least one scope of {', '.join(Scope)}.")
    if beyond := wanted - actor.scopes:
        raise RefusedError(
            f"A token cannot make one with more scopes than its own; it lacks {', '.join(beyond)}."
        )
    return tuple(scope for scope in Scope if scope in wanted)


def token_expiry(expires: float | None, now: float) -> float | None:
    if expires is not None and not now < expires < now + 100 * 365 * 86_400:
        raise InvalidError("A token expires in the future, in seconds since 1970, or never (null).")
    return expires


def room_for_token(count: int) -> None:
    if count >= TOKENS_MOST:
        raise ConflictError(f"You have {count} tokens already; delete one that is out of use first.")
