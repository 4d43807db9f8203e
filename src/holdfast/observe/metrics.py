"""Counts what a part does, in a registry of its own whose labels cannot grow without end."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Generic, TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.process_collector import ProcessCollector

M = TypeVar("M", bound=MetricWrapperBase)

NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
OTHER = "other"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
MOST_SERIES = 2000
"""The series that one metric may have: what its labels could make, multiplied."""


class Labelled(Generic[M]):
    """A metric whose labels take declared values alone; whatever else is counted as `other`."""

    def __init__(self, metric: M, allowed: Mapping[str, Iterable[str]]) -> None:
        self._metric = metric
        self._allowed = {label: frozenset(values) for label, values in allowed.items()}

    def at(self, **labels: str) -> M:
        """The metric at these labels; every declared label must be given."""
        if labels.keys() != self._allowed.keys():
            raise ValueError(f"the labels are {sorted(self._allowed)}, not {sorted(labels)}")
        if not labels:
            return self._metric
        bounded = {name: value if value in self._allowed[name] else OTHER for name, value in labels.items()}
        return self._metric.labels(**bounded)


class Metrics:
    """The metrics of one process: made once where the part starts, and handed to what counts.

    A name is `<part>_<what>_<unit>`, such as `tracker_announces_total` or `web_request_seconds`;
    `holdfast_` goes before all.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        ProcessCollector(namespace="holdfast", registry=self.registry)

    def counter(self, name: str, doc: str, **labels: Iterable[str]) -> Labelled[Counter]:
        return self._made(partial(Counter, registry=self.registry), name, doc, labels)

    def gauge(self, name: str, doc: str, **labels: Iterable[str]) -> Labelled[Gauge]:
        return self._made(partial(Gauge, registry=self.registry), name, doc, labels)

    def histogram(
        self, name: str, doc: str, *, buckets: Sequence[float] = SECONDS, **labels: Iterable[str]
    ) -> Labelled[Histogram]:
        return self._made(partial(Histogram, registry=self.registry, buckets=buckets), name, doc, labels)

    def _made(
        self,
        make: Callable[[str, str, Sequence[str]], M],
        name: str,
        doc: str,
        labels: Mapping[str, Iterable[str]],
    ) -> Labelled[M]:
        allowed = {label: frozenset(values) for label, values in labels.items()}
        series = 1
        for values in allowed.values():
            series *= len(values) + 1
        if not NAME.fullmatch(name) or "part" in allowed:
            raise ValueError(
                f"{name} must be <part>_<what>_<unit>, and the label `part` is given when parts are merged"
            )
        if series > MOST_SERIES:
            raise ValueError(f"{name} could have {series} series; its labels may make {MOST_SERIES} at most")
        return Labelled(make(f"holdfast_{name}", doc, list(allowed)), allowed)
