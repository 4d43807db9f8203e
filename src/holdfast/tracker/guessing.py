"""How many unknown passkeys may come from one place, so that nobody finds a member's by trying."""

from typing import Final

from holdfast.clock import Clock

BURST: Final = 20
SECONDS_EACH: Final = 3.0
MOST_PLACES: Final = 20_000
MOST_TRIED: Final = 20_000


class Guessing:
    """A place has a few tries, which come back one by one; memory is bounded.

    A passkey is a guess only the first time that it comes from a place: neither a stale torrent nor a member
    who must be looked up again is held up by a guesser behind the same address.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._spent_until: dict[bytes, float] = {}
        self._tried: dict[bytes, bool] = {}
        """Place and passkey, and whether its try may still be given back."""

    def may_try(self, place: bytes, passkey: bytes) -> bool:
        """Whether it may be looked up; a new one is spent at once, since many may be under way together."""
        if place + passkey in self._tried:
            return True
        now = self._clock.steady()
        until = max(self._spent_until.get(place, now), now)
        if until - now > (BURST - 1) * SECONDS_EACH:
            return False
        self._spend(place, until + SECONDS_EACH)
        self._tried[place + passkey] = True
        if len(self._tried) > MOST_TRIED:
            del self._tried[next(iter(self._tried))]
        return True

    def was(self, place: bytes, passkey: bytes, *, right: bool) -> None:
        """Whether it was a member's passkey; then the try is given back, once."""
        spent = self._tried.get(place + passkey, False)
        if spent and right and place in self._spent_until:
            self._spend(place, self._spent_until[place] - SECONDS_EACH)
        if spent:
            self._tried[place + passkey] = False

    def _spend(self, place: bytes, until: float) -> None:
        """The place that has been quiet for longest is forgotten first."""
        self._spent_until.pop(place, None)
        self._spent_until[place] = until
        if len(self._spent_until) > MOST_PLACES:
            del self._spent_until[next(iter(self._spent_until))]
