"""What a worker has done: counted in plain numbers on the way, made into metrics when somebody asks."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from prometheus_client import Metric
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from holdfast.observe.metrics import SECONDS
from holdfast.tracker.model import Request
from holdfast.wire.announce import Code
from holdfast.wire.peer_id import NAMES, client_of

SIZES: Final = tuple(float(2**power) for power in range(9))
MOST_BEGINNINGS: Final = 4096
BEGINNING: Final = 8
"""Of a peer id, what tells its client."""
PREFIX: Final = "holdfast_tracker_"


class Spread:
    """How many of something fell where, as Prometheus' histograms want it."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def add(self, value: float, times: int = 1) -> None:
        self._counts[bisect_left(self._bounds, value)] += times
        self._sum += value * times

    def family(self, name: str, doc: str) -> Metric:
        bounds = [*map(str, self._bounds), "+Inf"]
        buckets = list(zip(bounds, map(float, accumulate(self._counts)), strict=True))
        return HistogramMetricFamily(PREFIX + name, doc, buckets=buckets, sum_value=self._sum)


class Figures(Collector):
    """Of one worker, since it started. Whatever strangers name is kept within bounds."""

    def __init__(self) -> None:
        self.requests = 0
        self.announces = 0
        self.scrapes = 0
        self.connections: Callable[[], int] = int
        """Asked for, since the door counts them anyway."""
        self._failures: Counter[Code] = Counter()
        self._clients: Counter[str] = Counter()
        self._beginnings: Counter[bytes] = Counter()
        self._batches = Spread(SIZES)
        self._seconds = Spread(SECONDS)

    def refused(self, code: Code) -> None:
        self._failures[code] += 1

    def answered(self, batch: Sequence[tuple[Request, object]], seconds: float) -> None:
        """A batch whose answers went out; none of its announces had waited longer than so many seconds."""
        self.announces += len(batch)
        self._batches.add(len(batch))
        self._seconds.add(seconds, len(batch))
        self._beginnings.update([request.announce.peer_id[:BEGINNING] for request, _ in batch])
        if len(self._beginnings) > MOST_BEGINNINGS:
            self._name_clients()

    def collect(self) -> Iterator[Metric]:
        self._name_clients()
        counts = {
            "requests": (self.requests, "Requests at both doors, well-formed or not."),
            "announces": (self.announces, "Announces that the live store has taken."),
            "scrapes": (self.scrapes, "Scrapes answered."),
        }
        for name, (count, doc) in counts.items():
            yield CounterMetricFamily(PREFIX + name, doc, value=count)
        yield GaugeMetricFamily(PREFIX + "connections", "Open connections.", value=self.connections())
        failures = ((code.name.lower(), self._failures[code]) for code in Code)
        yield _labelled("failures", "Requests refused, by the reason.", "reason", failures)
        clients = ((name, self._clients[name]) for name in NAMES if self._clients[name])
        yield _labelled("client_announces", "Announces by the client's name.", "client", clients)
        yield self._batches.family("batch_announces", "Announces that one call to the live store carried.")
        yield self._seconds.family(
            "answer_seconds", "From an announce's coming to its answer; at most, for many are timed as one."
        )

    def _name_clients(self) -> None:
        for beginning, count in self._beginnings.items():
            self._clients[client_of(beginning).name] += count
        self._beginnings.clear()


def _labelled(name: str, doc: str, label: str, counts: Iterable[tuple[str, int]]) -> Metric:
    family = CounterMetricFamily(PREFIX + name, doc, labels=[label])
    for value, count in counts:
        family.add_metric([value], count)
    return family
