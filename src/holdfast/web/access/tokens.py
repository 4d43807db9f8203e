"""Tokens for machines through the web door: listed, made and revoked by whoever they belong to."""

import secrets
from typing import Annotated

import msgspec
from litestar import delete, get, post
from litestar.di import NamedDependency
from litestar.handlers import HTTPRouteHandler
from litestar.params import JSONBody

from holdfast.api import DEFAULT_LIMIT, Cursor, Limit
from holdfast.catalogue.model import Actor, Page, Scope
from holdfast.web.access import rules, store
from holdfast.web.access.api import TAGS, Number, itself
from holdfast.web.access.model import Token
from holdfast.web.door import Web


class TokenWanted(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    scopes: Annotated[list[Scope], msgspec.Meta(min_length=1, max_length=len(Scope))]
    expires: float | None = None
    """Seconds since 1970; null: never."""


class TokenMade(msgspec.Struct, frozen=True):
    """A token, with the secret that is shown this once."""

    id: int
    name: str
    scopes: tuple[Scope, ...]
    created: float
    last_used: float | None
    expires: float | None
    secret: str


@get("/tokens", may="token.own", summary="List your tokens", tags=TAGS)
async def list_tokens(
    actor: NamedDependency[Actor],
    web: NamedDependency[Web],
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Token]:
    member_id = itself(actor)
    return await web.records.read(lambda tx: store.tokens(tx, member_id, cursor, limit))


@post("/tokens", may="token.own", summary="Make a token", tags=TAGS)
async def make_token(
    actor: NamedDependency[Actor], web: NamedDependency[Web], data: JSONBody[TokenWanted]
) -> TokenMade:
    """The secret is shown now and never again; it may do what you may, within its scopes."""
    itself(actor)
    name, scopes = rules.token_name(data.name), rules.token_scopes(actor, data.scopes)
    expires = rules.token_expiry(data.expires, web.clock.now())
    secret = f"hf_{secrets.token_urlsafe(32)}"
    digest = rules.digest(secret)
    made = await web.catalogue.change(
        lambda tx, now: store.make_token(
            tx, now, actor, digest=digest, name=name, scopes=scopes, expires=expires
        )
    )
    return TokenMade(made.id, made.name, made.scopes, made.created, made.last_used, made.expires, secret)


@delete("/tokens/{token_id:int}", may="token.own", summary="Revoke a token", tags=TAGS)
async def revoke_token(actor: NamedDependency[Actor], web: NamedDependency[Web], token_id: Number) -> None:
    """It is refused from the next request on."""
    itself(actor)
    await web.catalogue.change(lambda tx, now: store.revoke_token(tx, now, actor, token_id))
    web.feed.end(f"token:{token_id}")


handlers: list[HTTPRouteHandler] = [list_tokens, make_token, revoke_token]
