"""One page shows the metrics of all parts, and no part, however sick, can spoil it for the others."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from holdfast.observe.merge import LARGEST, merge, snapshot, sums
from holdfast.observe.metrics import Metrics

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def page(snapshots: dict[str, bytes]) -> Samples:
    """What a Prometheus server would read; a sample or a family that stands there twice is a failure."""
    families = list(text_string_to_metric_families(merge(snapshots).decode()))
    assert len({family.name for family in families}) == len(families)
    samples = [
        ((sample.name, tuple(sorted(sample.labels.items()))), sample.value)
        for family in families
        for sample in family.samples
    ]
    assert len(dict(samples)) == len(samples)
    return dict(samples)


def part(requests: int = 1) -> bytes:
    metrics = Metrics()
    metrics.counter("web_requests_total", "Requests.", method=("GET",)).at(method="GET").inc(requests)
    metrics.gauge("live_jobs_created", "A gauge that is named like a time.").at().set(float("inf"))
    metrics.histogram("web_request_seconds", "Seconds.", buckets=(1,)).at().observe(0.5)
    return snapshot(metrics.registry)


UNREADABLE = ("holdfast_metrics_unreadable_parts", ())


def test_every_sample_of_every_part_stands_there_with_its_part() -> None:
    found = page({"web": part(1), "tracker": part(2)})
    assert found["holdfast_web_requests_total", (("method", "GET"), ("part", "web"))] == 1
    assert found["holdfast_web_requests_total", (("method", "GET"), ("part", "tracker"))] == 2
    assert found["holdfast_live_jobs_created", (("part", "web"),)] == float("inf")
    assert found["holdfast_web_request_seconds_bucket", (("le", "1.0"), ("part", "web"))] == 1
    assert found["holdfast_process_resident_memory_bytes", (("part", "web"),)] > 0
    assert found[UNREADABLE] == 0
    assert not any(name.endswith("_seconds_created") for name, _ in found)


def test_a_counter_of_all_parts_is_summed_by_a_label() -> None:
    heard = [part(1), part(2), b"not a snapshot", b"[]"]
    assert sums(heard, "holdfast_web_requests", "method") == {"GET": 3.0}
    assert sums(heard, "holdfast_web_requests", "colour") == {}
    assert sums(heard, "holdfast_web_request_seconds", "le") == {}


def test_no_parts_at_all_is_a_page_too() -> None:
    assert page({}) == {UNREADABLE: 0}


def family(name: str = "holdfast_x", kind: str = "gauge", doc: str = "X.", samples: Any = None) -> bytes:
    return json.dumps([[name, kind, doc, [["", {}, 1.0]] if samples is None else samples]]).encode()


@pytest.mark.parametrize(
    "sick",
    [
        b"",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'[["holdfast_x","gauge","",[["",{},1,' + b"[" * 100_000,
        part()[:-3],
        b" " * (LARGEST + 1),
        family(name="evil\nname 1"),
        family(name="holdfast_x\n"),
        family(kind="summary"),
        family(doc="x" * 201),
        family(name="holdfast_metrics_unreadable_parts"),
        family(name="holdfast_web_requests"),  # a counter in the other part
        family(name="holdfast_web_requests_total"),  # its sample's name there
        family(samples=[["", {}, 1], ["", {}, 2]]),
        family(samples=[["_total", {}, 1]]),
        family(samples=[["", {"part": "web"}, 1]]),
        family(samples=[["", {"a b": "x"}, 1]]),
        family(samples=[["", {"a": 1}, 1]]),
        family(samples=[["", {"a": "x" * 201}, 1]]),
        family(samples=[["", {}, "1\n2"]]),
        family(samples=[["", {}, None]]),
        family(samples=[["", {}, 1, 2]]),
        family(kind="histogram", samples=[["_bucket", {}, 1]]),
        family()[:-1] + b"," + family()[1:],
        b'[["holdfast_x","gauge","",[["",{"a":"\\ud800"},1]]]]',
        b'[["holdfast_x","gauge","",[["",{},1e999]]]]',
    ],
)
def test_a_sick_part_is_left_out_and_counted(sick: bytes) -> None:
    found = page({"a": part(), "sick": sick})
    assert found[UNREADABLE] == 1
    assert found["holdfast_web_requests_total", (("method", "GET"), ("part", "a"))] == 1
    assert not any(("part", "sick") in labels for _, labels in found)


@pytest.mark.parametrize("name", ["", "a b", 'a"', "\ud800", "A", "x" * 99])
def test_a_part_with_an_impossible_name_is_left_out_and_counted(name: str) -> None:
    assert page({name: family()}) == {UNREADABLE: 1}


@given(st.text(max_size=200), st.text(max_size=200))
def test_whatever_a_label_or_description_holds_reads_back_as_it_was(doc: str, value: str) -> None:
    found = page({"web": json.dumps([["holdfast_x", "gauge", doc, [["", {"a": value}, 1]]]]).encode()})
    assert found[UNREADABLE] == 0
    assert ("holdfast_x", (("a", value), ("part", "web"))) in found


NAMES = st.sampled_from(["holdfast_a", "holdfast_a_total", "holdfast_a_bucket", "holdfast_b"])
KINDS = st.sampled_from(["counter", "gauge", "histogram"])
SAMPLE = st.tuples(
    st.sampled_from(["", "_total", "_bucket", "_sum", "_count"]),
    st.dictionaries(st.sampled_from(["le", "a"]), st.sampled_from(["1", "x"])),
    st.floats(0, 9),
)
FAMILIES = st.lists(st.tuples(NAMES, KINDS, st.just("X."), st.lists(SAMPLE, max_size=3)), max_size=3)


@given(
    st.dictionaries(
        st.sampled_from("abc"), FAMILIES.map(lambda each: json.dumps(each).encode()) | st.binary()
    )
)
def test_no_mixture_of_snapshots_ever_spoils_the_page(snapshots: dict[str, bytes]) -> None:
    assert 0 <= page(snapshots)[UNREADABLE] <= len(snapshots)
