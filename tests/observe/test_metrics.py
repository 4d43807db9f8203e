"""Metrics are well named, and no label can make more series than were declared."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import REGISTRY

from holdfast.observe.metrics import Metrics


def series(metrics: Metrics, family: str) -> dict[tuple[str, ...], float]:
    (found,) = [each for each in metrics.registry.collect() if each.name == family]
    return {
        tuple(each.labels.values()): each.value
        for each in found.samples
        if not each.name.endswith("_created")
    }


def test_a_declared_label_value_is_counted_by_its_name_and_any_other_as_other() -> None:
    metrics = Metrics()
    requests = metrics.counter("web_requests_total", "Requests.", method=("GET", "POST"))
    requests.at(method="GET").inc()
    requests.at(method="BREW").inc()
    requests.at(method="PROPFIND").inc(2)
    assert series(metrics, "holdfast_web_requests") == {("GET",): 1, ("other",): 3}


@given(st.lists(st.tuples(st.text(), st.text()), max_size=50))
def test_the_number_of_series_never_exceeds_what_was_declared(seen: list[tuple[str, str]]) -> None:
    metrics = Metrics()
    seconds = metrics.gauge("web_open_requests", "Open.", method=("GET", "a"), status=("200",))
    for method, status in seen:
        seconds.at(method=method, status=status).inc()
    found = series(metrics, "holdfast_web_open_requests")
    assert len(found) <= 3 * 2
    assert sum(found.values()) == len(seen)


def test_a_metric_without_labels_needs_none() -> None:
    metrics = Metrics()
    metrics.histogram("live_call_seconds", "Calls.", buckets=(0.1, 1)).at().observe(0.5)
    assert series(metrics, "holdfast_live_call_seconds")[("1.0",)] == 1


def test_labels_that_were_not_declared_or_not_given_are_refused() -> None:
    requests = Metrics().counter("web_requests_total", "Requests.", method=("GET",))
    for labels in ({}, {"status": "200"}, {"method": "GET", "status": "200"}):
        with pytest.raises(ValueError, match="the labels are"):
            requests.at(**labels)


@pytest.mark.parametrize(
    "name", ["requests", "Web_requests_total", "web__requests", "web_requests_", "web-requests_total"]
)
def test_a_name_that_does_not_say_part_and_what_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        Metrics().counter(name, "Requests.")


def test_labels_that_multiply_beyond_bounds_are_refused() -> None:
    many = [str(number) for number in range(50)]
    with pytest.raises(ValueError, match="2601 series"):
        Metrics().counter("web_requests_total", "Requests.", a=many, b=many)


def test_the_label_part_is_kept_for_the_merged_page() -> None:
    with pytest.raises(ValueError, match="label `part`"):
        Metrics().counter("web_requests_total", "Requests.", part=("a",))


def test_two_registries_in_one_process_know_nothing_of_each_other_or_of_the_global_one() -> None:
    one, other = Metrics(), Metrics()
    one.counter("web_requests_total", "Requests.").at().inc()
    other.counter("web_requests_total", "Requests.").at()
    assert series(one, "holdfast_web_requests") == {(): 1}
    assert series(other, "holdfast_web_requests") == {(): 0}
    assert not [each for each in REGISTRY.collect() if each.name.startswith("holdfast")]


def test_the_process_tells_what_it_uses() -> None:
    metrics = Metrics()
    assert series(metrics, "holdfast_process_resident_memory_bytes")[()] > 1_000_000
    assert series(metrics, "holdfast_process_open_fds")[()] >= 3
    assert series(metrics, "holdfast_process_start_time_seconds")[()] > 0
    assert series(metrics, "holdfast_process_cpu_seconds")[()] > 0
