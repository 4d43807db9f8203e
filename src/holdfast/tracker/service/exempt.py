"""Whom staff has freed of what he owes, the live store is told: at once, or by the clerk when it is back."""

import structlog

from holdfast.errors import UnavailableError
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.store.records import Records
from holdfast.tracker.desk import EXEMPT
from holdfast.tracker.keys import DEADLINES
from holdfast.tracker.store import participations
from holdfast.tracker.store.marks import Pair

log = structlog.get_logger()
AT_ONCE = 200


async def tell_exemptions(records: Records, live: LiveStore) -> int:
    """Tell all that was not told yet; returns how many exemptions that were."""
    count = 0
    keys = (DEADLINES.name(live.layout),)
    while found := await records.read(lambda tx: participations.untold(tx, AT_ONCE)):
        for pair, on in found.items():
            await live.function(EXEMPT, keys, (*pair, int(on)), repeat=True)
            await _told(records, pair, on=on)
        count += len(found)
    return count


async def tell_exemptions_soon(records: Records, live: LiveStore) -> None:
    """The same, for a door that has committed and must answer even while the live store is away."""
    try:
        await tell_exemptions(records, live)
    except (UnavailableError, LiveReplyError) as error:
        log.warning("exemptions will be told later", reason=str(error))


async def _told(records: Records, pair: Pair, *, on: bool) -> None:
    await records.write(lambda tx: participations.told(tx, pair, on=on))
