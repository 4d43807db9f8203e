"""Carries the metrics of every part to the one page that shows them: snapshots in, Prometheus text out."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Literal

import msgspec
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

LARGEST = 4 << 20
UNREADABLE = "holdfast_metrics_unreadable_parts"

FamilyName = Annotated[str, msgspec.Meta(pattern=r"^holdfast_[a-z0-9_]+\Z", max_length=120)]
LabelName = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9_]*\Z", max_length=60)]
Short = Annotated[str, msgspec.Meta(max_length=200)]
PART = re.compile(r"[a-z0-9][a-z0-9._-]{0,60}")
Owner = tuple[str, str]
"""The name and kind of the family that a name on the page belongs to."""
Number = float | Literal["NaN", "+Inf", "-Inf"]

SUFFIXES: Mapping[str, Mapping[str, frozenset[str]]] = {
    "counter": {"_total": frozenset()},
    "gauge": {"": frozenset()},
    "histogram": {"_bucket": frozenset({"le"}), "_sum": frozenset(), "_count": frozenset()},
}
"""The samples each kind of family has, by what follows the family's name, with the labels it must have."""


class Sample(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    suffix: str
    labels: dict[LabelName, Short]
    value: Number


class Family(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    name: FamilyName
    kind: Literal["counter", "gauge", "histogram"]
    doc: Short
    samples: list[Sample]


def snapshot(registry: CollectorRegistry) -> bytes:
    """All families of a registry as compact JSON, for the part's heartbeat."""
    return msgspec.json.encode([_family(metric) for metric in registry.collect()])


def merge(snapshots: Mapping[str, bytes]) -> bytes:
    """One page in Prometheus' text format, each sample labelled with its part.

    A part whose snapshot cannot be used is left out and counted: one sick part never hides the others.
    """
    pages: dict[str, Metric] = {}
    owners: dict[str, Owner] = {}
    unreadable = 0
    for part in sorted(snapshots):
        try:
            families = _checked(part, snapshots[part], owners)
        except ValueError:  # what msgspec raises is one too
            unreadable += 1
            continue
        for family in families:
            owners |= dict.fromkeys(_shown(family), (family.name, family.kind))
            page = pages.setdefault(family.name, Metric(family.name, family.doc, family.kind))
            for sample in family.samples:
                labels = {"part": part, **sample.labels}
                page.add_sample(family.name + sample.suffix, labels, float(sample.value))
    count = Metric(UNREADABLE, "Parts whose metrics could not be read.", "gauge")
    count.add_sample(UNREADABLE, {}, unreadable)
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Collected([count, *(pages[name] for name in sorted(pages))]))
    return generate_latest(registry)


def sums(snapshots: Iterable[bytes], name: str, label: str) -> dict[str, float]:
    """What a counter says in all parts together, by one label; a part that cannot be read says nothing."""
    found: dict[str, float] = {}
    for snapshot in snapshots:
        try:
            families = msgspec.json.decode(snapshot, type=list[Family])
        except msgspec.DecodeError:
            continue
        for sample in (one for family in families if family.name == name for one in family.samples):
            value = sample.labels.get(label)
            if value is not None and sample.suffix == "_total":
                found[value] = found.get(value, 0.0) + float(sample.value)
    return found


class _Collected(Collector):
    def __init__(self, pages: list[Metric]) -> None:
        self._pages = pages

    def collect(self) -> Iterator[Metric]:
        yield from self._pages


def _family(metric: Metric) -> Family:
    # When a series began says little and would double the page.
    began = "_created" if metric.type in ("counter", "histogram") else None
    samples = [
        Sample(each.name.removeprefix(metric.name), dict(each.labels), _number(each.value))
        for each in metric.samples
        if each.name.removeprefix(metric.name) != began
    ]
    return msgspec.convert([metric.name, metric.type, metric.documentation[:200], samples], Family)


def _number(value: float) -> Number:
    if math.isfinite(value):
        return float(value)
    return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"


def _shown(family: Family) -> set[str]:
    """Every name that a family brings to the page; two families with one name would spoil all of it."""
    return {family.name, *(family.name + suffix for suffix in SUFFIXES[family.kind])}


def _checked(part: str, written: bytes, owners: Mapping[str, Owner]) -> list[Family]:
    """The families of a snapshot, if all of it holds together and agrees with what other parts said."""
    if len(written) > LARGEST or not PART.fullmatch(part):
        raise ValueError(part)
    families = msgspec.json.decode(written, type=list[Family])
    seen = {UNREADABLE}
    for family in families:
        shown = _shown(family)
        owner = (family.name, family.kind)
        if seen & shown or any(owners.get(name, owner) != owner for name in shown):
            raise ValueError(family.name)
        seen |= shown
        _check_samples(family)
    return families


def _check_samples(family: Family) -> None:
    seen = set()
    for sample in family.samples:
        needed = SUFFIXES[family.kind].get(sample.suffix)
        key = (sample.suffix, *sorted(sample.labels.items()))
        if needed is None or not needed <= sample.labels.keys() or "part" in sample.labels or key in seen:
            raise ValueError(f"{family.name}{sample.suffix}")
        seen.add(key)
