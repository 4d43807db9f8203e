"""The words of getting in: sessions, tokens, one-time links, and the member a secret stands for."""

from dataclasses import dataclass
from enum import StrEnum

from holdfast.catalogue.model import Role, Scope


class Purpose(StrEnum):
    """What a one-time link lets its finder do."""

    FIRST_OPERATOR = "first_operator"
    SIGN_IN = "sign_in"


@dataclass(frozen=True, slots=True)
class Owner:
    """The member for whom a session or token speaks, as he is at this moment."""

    secret_id: int
    member_id: int
    name: str
    enabled: bool
    roles: frozenset[Role]
    scopes: frozenset[Scope]
    last_used: float | None
    expires: float | None


@dataclass(frozen=True, slots=True)
class Session:
    """One place where a member is signed in."""

    id: int
    created: float
    last_used: float
    expires: float
    address: str | None
    agent: str
    current: bool


@dataclass(frozen=True, slots=True)
class Token:
    """A machine's way in, in its owner's name and within its scopes."""

    id: int
    name: str
    scopes: tuple[Scope, ...]
    created: float
    last_used: float | None
    expires: float | None


@dataclass(frozen=True, slots=True)
class Link:
    """A link that lets somebody in once."""

    purpose: Purpose
    member_id: int | None
    name: str | None
    expires: float
    has_password: bool


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a sign-in is checked against."""

    member_id: int
    name: str
    enabled: bool
    password: str | None
