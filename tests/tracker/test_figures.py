"""A worker's figures: every announce counted once, and no stranger can make them grow."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

from holdfast.observe.merge import merge, snapshot
from holdfast.tracker.figures import MOST_BEGINNINGS, Figures
from holdfast.tracker.model import Holder, Request, Torrent
from holdfast.wire.announce import Announce, Code, Event
from holdfast.wire.peer_id import NAMES

HOLDER, TORRENT = Holder(1, enabled=True, can_leech=True), Torrent(1, "0" * 40)


def batch(*peer_ids: bytes) -> list[tuple[Request, object]]:
    announces = [Announce(bytes(20), peer_id, 1, 0, 0, 0, Event.NONE, -1) for peer_id in peer_ids]
    return [(Request(announce, HOLDER, TORRENT, b"", b""), None) for announce in announces]


def read(figures: Figures, name: str, **labels: str) -> float | None:
    registry = CollectorRegistry()
    registry.register(figures)
    return registry.get_sample_value(f"holdfast_tracker_{name}", labels)


def test_announces_are_told_by_client_with_what_is_not_known_as_other() -> None:
    figures = Figures()
    figures.answered(batch(b"-TR4060-000000000000", b"-TR3000-000000000000", b"\xff" * 20), 0.003)
    figures.answered(batch(b"-qB4650-000000000000"), 0.2)
    assert read(figures, "client_announces_total", client="Transmission") == 2
    assert read(figures, "client_announces_total", client="qBittorrent") == 1
    assert read(figures, "client_announces_total", client="other") == 1
    assert read(figures, "announces_total") == 4


def test_histograms_hold_every_announce_and_every_batch() -> None:
    figures = Figures()
    figures.answered(batch(*[bytes(20)] * 3), 0.003)
    figures.answered(batch(bytes(20)), 99.0)
    assert read(figures, "answer_seconds_bucket", le="0.005") == 3
    assert read(figures, "answer_seconds_bucket", le="10.0") == 3
    assert read(figures, "answer_seconds_bucket", le="+Inf") == read(figures, "answer_seconds_count") == 4
    assert read(figures, "batch_announces_bucket", le="1.0") == 1
    assert read(figures, "batch_announces_bucket", le="4.0") == read(figures, "batch_announces_count") == 2
    assert read(figures, "batch_announces_sum") == 4


def test_refusals_are_told_by_their_reason() -> None:
    figures = Figures()
    for code in (Code.UNKNOWN_PASSKEY, Code.UNKNOWN_PASSKEY, Code.AWAY):
        figures.refused(code)
    assert read(figures, "failures_total", reason="unknown_passkey") == 2
    assert read(figures, "failures_total", reason="away") == 1
    assert read(figures, "failures_total", reason="crowded") == 0


def test_what_strangers_name_is_kept_within_bounds() -> None:
    figures = Figures()
    for number in range(3 * MOST_BEGINNINGS):
        figures.answered(batch(b"%08d" % number + bytes(12)), 0.0)
        assert len(figures._beginnings) <= MOST_BEGINNINGS
    assert read(figures, "client_announces_total", client="other") == 3 * MOST_BEGINNINGS


@given(st.lists(st.binary(min_size=20, max_size=20), max_size=30))
def test_whatever_clients_come_the_page_of_metrics_takes_the_figures(peer_ids: list[bytes]) -> None:
    figures = Figures()
    figures.answered(batch(*peer_ids), 0.01)
    registry = CollectorRegistry()
    registry.register(figures)
    page = merge({"tracker-1": snapshot(registry), "tracker-2": snapshot(registry)}).decode()
    assert "holdfast_metrics_unreadable_parts 0" in page
    told = [line for line in page.splitlines() if line.startswith("holdfast_tracker_client_announces_total{")]
    assert sum(float(line.rpartition(" ")[2]) for line in told) == 2 * len(peer_ids)
    assert len(told) <= 2 * len(NAMES)
