"""The audit through the web door."""

from typing import Annotated

from litestar import get
from litestar.handlers import HTTPRouteHandler
from litestar.params import QueryParameter

from holdfast.api import DEFAULT_LIMIT, Cursor, Kept, Limit
from holdfast.catalogue.model import AuditEntry, Page
from holdfast.catalogue.store import audit

Word = Annotated[str | None, QueryParameter(max_length=64)]


@get("/audit", may="audit.read", summary="List who changed what")
async def list_audit(
    catalogue: Kept,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
    actor_name: Annotated[str | None, QueryParameter(name="actor", max_length=64)] = None,
    action: Word = None,
    target_kind: Word = None,
    target_id: Word = None,
) -> Page[AuditEntry]:
    return await catalogue.read(
        lambda tx: audit.listing(
            tx,
            cursor=cursor,
            limit=limit,
            actor=actor_name,
            action=action,
            target_kind=target_kind,
            target_id=target_id,
        )
    )


handlers: list[HTTPRouteHandler] = [list_audit]
