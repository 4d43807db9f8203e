"""Couriers: each notice is carried until it is taken, refused for good, or tried often enough."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from holdfast.catalogue.model import Delivery, DeliveryState, Member, NoticeRole
from holdfast.catalogue.service.deliver import CLAIM, Courier, keep_delivering, keep_forgetting
from holdfast.catalogue.service.sinks import SECONDS, UndeliveredError
from holdfast.catalogue.store import notices
from holdfast.catalogue.store.notices import EMAIL, WEBHOOK, Due
from holdfast.errors import UnavailableError
from holdfast.store.records import Records
from holdfast.store.records.engine import RecordsAddress
from tests.catalogue.ground import Ground
from tests.clocks import StillClock
from tests.conftest import opened

ATTEMPTS = 4
PENDING, SENT, FAILED = DeliveryState


class Post:
    """A way out of the house that does what the test says."""

    name = EMAIL

    def __init__(self, *outcomes: BaseException | None) -> None:
        self.carried: list[Due] = []
        self._outcomes = list(outcomes)

    async def carry(self, due: Due) -> None:
        self.carried.append(due)
        await asyncio.sleep(0)
        outcome = self._outcomes.pop(0) if self._outcomes else None
        if outcome is not None:
            raise outcome


@pytest.fixture
def ann(ground: Ground) -> Member:
    return ground.member("ann", email="ann@example.org")


def send(ground: Ground, to: Member, *sinks: str) -> None:
    ground.do(notices.send, ground.clock.now(), to.id, "test", NoticeRole.MEMBER, "A", "B", sinks=sinks)


def courier(ground: Ground, post: Post) -> Courier:
    return Courier(ground.records, ground.clock, {EMAIL: post}, ATTEMPTS)


def deliveries(ground: Ground, member: Member) -> list[Delivery]:
    return [one for told in ground.ask(notices.listing, member.id).items for one in told.deliveries]


def test_a_notice_is_carried_once(ground: Ground, ann: Member) -> None:
    send(ground, ann, EMAIL)
    post = Post()
    assert asyncio.run(courier(ground, post).deliver()) == 1
    assert asyncio.run(courier(ground, post).deliver()) == 0
    (due,) = post.carried
    assert (due.subject, due.body, due.member_name, due.email) == ("A", "B", "ann", "ann@example.org")
    assert deliveries(ground, ann) == [Delivery(EMAIL, SENT, 1)]


def test_a_failure_is_tried_again_later_and_then_forgotten(ground: Ground, ann: Member) -> None:
    send(ground, ann, EMAIL)
    post = Post(UndeliveredError("the mail server is asleep"))
    asyncio.run(courier(ground, post).deliver())
    assert deliveries(ground, ann) == [Delivery(EMAIL, PENDING, 1, "the mail server is asleep")]
    asyncio.run(courier(ground, post).deliver())
    assert len(post.carried) == 1
    ground.clock.pass_by(60)
    asyncio.run(courier(ground, post).deliver())
    assert deliveries(ground, ann) == [Delivery(EMAIL, SENT, 2)]


def test_patience_ends(ground: Ground, ann: Member) -> None:
    send(ground, ann, EMAIL)
    post = Post(*[UndeliveredError(f"attempt {n}") for n in range(20)])
    for _ in range(20):
        asyncio.run(courier(ground, post).deliver())
        ground.clock.pass_by(86_400)
    assert len(post.carried) == ATTEMPTS
    assert deliveries(ground, ann) == [Delivery(EMAIL, FAILED, ATTEMPTS, "attempt 3")]


def test_what_is_refused_for_good_is_not_tried_again(ground: Ground, ann: Member) -> None:
    send(ground, ann, EMAIL)
    asyncio.run(courier(ground, Post(UndeliveredError("no such mailbox", in_vain=True))).deliver())
    assert deliveries(ground, ann) == [Delivery(EMAIL, FAILED, 1, "no such mailbox")]


def test_a_sink_that_is_no_longer_set_up_fails_with_its_name(ground: Ground, ann: Member) -> None:
    send(ground, ann, WEBHOOK)
    asyncio.run(courier(ground, Post()).deliver())
    assert deliveries(ground, ann) == [Delivery(WEBHOOK, FAILED, 1, "webhook is no longer set up")]


def test_two_couriers_at_once_carry_each_notice_once(address: RecordsAddress, clock: StillClock) -> None:
    with opened(address) as one, opened(address) as two:
        ground = Ground(one, clock)
        ann = ground.member("ann", email="ann@example.org")
        for _ in range(15):
            send(ground, ann, EMAIL)
        post = Post()

        async def both() -> list[int]:
            couriers = [Courier(records, clock, {EMAIL: post}, ATTEMPTS) for records in (one, two)]
            return list(await asyncio.gather(*(courier.deliver() for courier in couriers)))

        assert sum(asyncio.run(both())) == 15
        assert len({due.notice_id for due in post.carried}) == len(post.carried) == 15
        assert all(delivery == Delivery(EMAIL, SENT, 1) for delivery in deliveries(ground, ann))


class KilledError(BaseException):
    """The process ends here."""


def test_a_notice_whose_courier_was_killed_is_carried_by_another(ground: Ground, ann: Member) -> None:
    send(ground, ann, EMAIL)
    post = Post(KilledError())
    with pytest.raises(KilledError):
        asyncio.run(courier(ground, post).deliver())
    asyncio.run(courier(ground, post).deliver())
    assert len(post.carried) == 1
    ground.clock.pass_by(CLAIM)
    asyncio.run(courier(ground, post).deliver())
    assert deliveries(ground, ann) == [Delivery(EMAIL, SENT, 2)]


def test_a_notice_that_kills_every_courier_is_given_up(ground: Ground, ann: Member) -> None:
    send(ground, ann, EMAIL)
    post = Post(*[KilledError()] * 50)
    for _ in range(ATTEMPTS):
        with pytest.raises(KilledError):
            asyncio.run(courier(ground, post).deliver())
        ground.clock.pass_by(CLAIM)
    asyncio.run(courier(ground, post).deliver())
    assert len(post.carried) == ATTEMPTS
    assert [one.state for one in deliveries(ground, ann)] == [FAILED]


def test_nobody_else_tries_while_a_slow_sink_is_being_tried() -> None:
    assert CLAIM > 10 * SECONDS


def until(ground: Ground, work: Callable[[], Any], done: Callable[[], bool]) -> None:
    """Run a loop that never ends until something has happened."""

    async def run() -> None:
        loop = asyncio.create_task(work())
        while not done():
            assert not loop.done()
            await asyncio.sleep(0.001)
        loop.cancel()
        await asyncio.gather(loop, return_exceptions=True)

    asyncio.run(run())


def test_delivering_goes_on_when_the_records_were_away(ground: Ground, ann: Member) -> None:
    send(ground, ann, EMAIL)
    post = Post()
    patient = courier(ground, post)
    away = iter([True, True])
    deliver = patient.deliver

    async def deliver_when_there() -> int:
        if next(away, False):
            raise UnavailableError("The records do not answer.")
        return await deliver()

    patient.deliver = deliver_when_there  # type: ignore[method-assign]
    until(ground, lambda: keep_delivering(patient, ground.clock), lambda: bool(post.carried))


def test_old_notices_are_forgotten_day_by_day(ground: Ground, ann: Member) -> None:
    send(ground, ann)
    ground.do(notices.mark_all_read, ground.clock.now(), ann.id)
    days = 10
    started = ground.clock.now()
    until(
        ground,
        lambda: keep_forgetting(ground.records, ground.clock, days * 86_400.0),
        lambda: not ground.ask(notices.listing, ann.id).items,
    )
    assert ground.clock.now() - started > days * 86_400


def test_a_clock_that_jumps_back_delivers_late_but_delivers(records: Records, clock: StillClock) -> None:
    ground = Ground(records, clock)
    ann = ground.member("ann", email="ann@example.org")
    send(ground, ann, EMAIL)
    clock.jump(-3600)
    post = Post()
    assert asyncio.run(courier(ground, post).deliver()) == 0
    clock.pass_by(3600)
    assert asyncio.run(courier(ground, post).deliver()) == 1
