"""What the clerk lends to a duty: a loop of a part that needs the records, and runs until it is cancelled."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypeAlias

from holdfast.clock import Clock
from holdfast.observe.metrics import Metrics
from holdfast.settings import Settings
from holdfast.store.live import LiveStore
from holdfast.store.records import Records


@dataclass(frozen=True)
class Office:
    settings: Settings
    clock: Clock
    records: Records
    live: LiveStore
    metrics: Metrics


Duty: TypeAlias = Callable[[Office], Coroutine[Any, Any, None]]
