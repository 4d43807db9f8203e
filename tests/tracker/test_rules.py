"""What a tracker decides without asking anybody."""

from hypothesis import given
from hypothesis import strategies as st

from holdfast.tracker import rules
from holdfast.tracker.model import SHARE, Window

WINDOWS = st.builds(
    Window, st.integers(0, 50), st.integers(0, 50), st.integers(0, 8000), st.integers(0, 8000)
)


@given(st.lists(WINDOWS, max_size=5), st.integers(0, 50))
def test_only_windows_that_are_open_count(windows: list[Window], now: int) -> None:
    opened = [window for window in windows if window.starts <= now < window.ends]
    assert rules.in_force(windows, now) == rules.in_force(opened, now)
    if len(opened) == 1:
        assert rules.in_force(windows, now) == (opened[0].share_up, opened[0].share_down)
    if not opened:
        assert rules.in_force(windows, now) == (SHARE, SHARE)
    if any(window.share_down == 0 for window in opened):
        assert rules.in_force(windows, now)[1] == 0


def test_two_windows_at_once_are_multiplied() -> None:
    both = (Window(0, 10, 2000, 500), Window(5, 15, 1500, 500))
    assert rules.in_force(both, 4.9) == (2000, 500)
    assert rules.in_force(both, 5.0) == (3000, 250)
    assert rules.in_force(both, 9.999) == (3000, 250)
    assert rules.in_force(both, 10.0) == (1500, 500)
    assert rules.in_force(both, 15.0) == (SHARE, SHARE)
