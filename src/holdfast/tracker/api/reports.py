"""Reports of what looks like cheating, through the web door: staff looks, and says what it was."""

import msgspec
from litestar import get, post
from litestar.handlers import HTTPRouteHandler
from litestar.params import FromQuery, JSONBody

from holdfast.api import DEFAULT_LIMIT, Asker, Cursor, Kept, Limit, Number
from holdfast.catalogue import rules
from holdfast.catalogue.model import Page
from holdfast.tracker.store import reports
from holdfast.tracker.store.reports import Report, Verdict


class Judgement(msgspec.Struct, forbid_unknown_fields=True):
    verdict: Verdict
    note: str


@get("/tracker/reports", may="report.list", summary="List reports of what looks like cheating")
async def list_reports(
    catalogue: Kept,
    settled: FromQuery[bool | None] = None,
    cursor: Cursor = None,
    limit: Limit = DEFAULT_LIMIT,
) -> Page[Report]:
    """The newest first. `speed`: more claimed than `tracker.fastest`; `balance`: more given than taken."""
    return await catalogue.read(lambda tx: reports.listing(tx, settled=settled, cursor=cursor, limit=limit))


@post(
    "/tracker/reports/{report_id:int}/settle",
    may="report.settle",
    status_code=200,
    summary="Say what a report was about",
)
async def settle_report(
    actor: Asker, catalogue: Kept, report_id: Number, data: JSONBody[Judgement]
) -> Report:
    note = rules.line("note", data.note, 500)
    return await catalogue.change(
        lambda tx, now: reports.settle(tx, now, actor, report_id, data.verdict, note)
    )


handlers: list[HTTPRouteHandler] = [list_reports, settle_report]
