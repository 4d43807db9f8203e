"""Events leave through the outbox: nobody hears of a change that was undone, or misses one that stood."""

from typing import Any

import msgspec
from sqlalchemy import Connection

from holdfast.store.records import outbox

EVENT = "event"


def note(
    tx: Connection,
    now: float,
    request_id: str,
    event: str,
    topic: str,
    data: dict[str, Any],
    member_id: int | None = None,
) -> None:
    """Tell the other parts, once this transaction is committed; `member_id` keeps it to that member."""
    payload = {"event": event, "topic": topic, "data": data, "at": now, "member_id": member_id}
    outbox.note(tx, now, request_id, [(EVENT, msgspec.json.encode(payload).decode())])
