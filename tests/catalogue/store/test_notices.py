"""Notices: an inbox of one's own, and deliveries that one courier at a time may try."""

from typing import Any

import pytest

from holdfast.catalogue.model import Delivery, DeliveryState, Member, NoticeRole, Preferences, Sinks
from holdfast.catalogue.store import members, notices
from holdfast.catalogue.store.notices import EMAIL, WEBHOOK
from holdfast.errors import NotFoundError
from tests.catalogue.ground import Ground

BOTH = (EMAIL, WEBHOOK)
NOWHERE = Sinks(page=False, email=False, webhook=False)
PENDING, SENT, FAILED = DeliveryState


def send(ground: Ground, to: Member, role: NoticeRole = NoticeRole.MEMBER, **named: Any) -> int | None:
    now = ground.clock.now()
    return ground.do(notices.send, now, to.id, "test", role, "A subject", "A body", **named)


def due(ground: Ground) -> list[notices.Due]:
    return ground.ask(notices.due, ground.clock.now(), 100)


@pytest.fixture
def ann(ground: Ground) -> Member:
    return ground.member("ann", email="ann@example.org")


def test_a_notice_is_in_the_inbox_of_its_reader_alone(ground: Ground, ann: Member) -> None:
    bob = ground.member("bob")
    send(ground, ann)
    (one,) = ground.ask(notices.listing, ann.id).items
    assert (one.kind, one.subject, one.body, one.read_at) == ("test", "A subject", "A body", None)
    assert ground.ask(notices.listing, bob.id).items == []
    assert ground.ask(notices.unread, ann.id) == 1


def test_reading_is_noted_once_with_its_time(ground: Ground, ann: Member) -> None:
    number = send(ground, ann)
    assert number is not None
    assert ground.do(notices.mark_read, 7.0, ann.id, number).read_at == 7.0
    assert ground.do(notices.mark_read, 9.0, ann.id, number).read_at == 7.0
    assert ground.ask(notices.unread, ann.id) == 0
    assert ground.ask(notices.listing, ann.id, unread=True).items == []


def test_nobody_reads_anothers_notice(ground: Ground, ann: Member) -> None:
    bob = ground.member("bob")
    number = send(ground, ann)
    assert number is not None
    with pytest.raises(NotFoundError, match="in this inbox"):
        ground.do(notices.mark_read, 7.0, bob.id, number)
    assert ground.do(notices.mark_all_read, 7.0, bob.id) == 0
    assert ground.ask(notices.unread, ann.id) == 1


def test_all_can_be_read_at_once(ground: Ground, ann: Member) -> None:
    for _ in range(3):
        send(ground, ann)
    assert ground.do(notices.mark_all_read, 7.0, ann.id) == 3
    assert ground.do(notices.mark_all_read, 8.0, ann.id) == 0


ROLES = [(NoticeRole.UPLOADER, "as_uploader"), (NoticeRole.SNATCHER, "as_snatcher")]


@pytest.mark.parametrize(("role", "preference"), ROLES)
def test_who_wants_it_nowhere_gets_no_notice_in_that_role(
    ground: Ground, ann: Member, role: NoticeRole, preference: str
) -> None:
    ground.change(members.change, ann.id, preferences=Preferences(**{preference: NOWHERE}))
    assert send(ground, ann, role, sinks=BOTH) is None
    (other,) = (one for one, _ in ROLES if one is not role)
    assert send(ground, ann, other, sinks=BOTH) is not None
    assert send(ground, ann, NoticeRole.MEMBER, sinks=BOTH) is not None


def test_each_sink_is_used_where_it_is_set_up_and_wanted(ground: Ground, ann: Member) -> None:
    send(ground, ann, sinks=())
    assert due(ground) == []
    send(ground, ann, sinks=BOTH)
    assert {one.sink for one in due(ground)} == {EMAIL, WEBHOOK}
    ground.change(
        members.change, ann.id, preferences=Preferences(as_uploader=Sinks(email=False, webhook=True))
    )
    number = send(ground, ann, NoticeRole.UPLOADER, sinks=BOTH)
    assert [one.sink for one in due(ground) if one.notice_id == number] == [WEBHOOK]


def test_without_an_address_there_is_no_mail(ground: Ground) -> None:
    send(ground, ground.member("bob"), sinks=BOTH)
    assert [one.sink for one in due(ground)] == [WEBHOOK]


def test_a_notice_that_is_not_for_the_page_is_kept_for_its_deliveries(ground: Ground, ann: Member) -> None:
    ground.change(members.change, ann.id, preferences=Preferences(as_uploader=Sinks(page=False)))
    number = send(ground, ann, NoticeRole.UPLOADER, sinks=BOTH)
    assert number is not None
    assert ground.ask(notices.listing, ann.id).items == []
    assert ground.ask(notices.unread, ann.id) == 0
    assert len(due(ground)) == 2
    with pytest.raises(NotFoundError):
        ground.do(notices.mark_read, 7.0, ann.id, number)


def test_a_disabled_member_is_told_nothing(ground: Ground, ann: Member) -> None:
    ground.change(members.change, ann.id, enabled=False)
    assert send(ground, ann, sinks=BOTH) is None


def test_what_is_due_comes_in_the_order_of_its_time_and_only_so_much(ground: Ground, ann: Member) -> None:
    numbers = []
    for _ in range(5):
        ground.clock.pass_by(1)
        numbers.append(send(ground, ann, sinks=(EMAIL,)))
    assert [one.notice_id for one in due(ground)] == numbers
    assert [one.notice_id for one in ground.ask(notices.due, ground.clock.now(), 2)] == numbers[:2]
    assert [one.notice_id for one in ground.ask(notices.due, ground.clock.now() - 2, 9)] == numbers[:3]


def test_only_one_of_two_couriers_takes_a_delivery(ground: Ground, ann: Member) -> None:
    send(ground, ann, sinks=(EMAIL,))
    (seen_by_one,), (seen_by_other,) = due(ground), due(ground)
    until = ground.clock.now() + 60
    assert ground.do(notices.claim, seen_by_one, until)
    assert not ground.do(notices.claim, seen_by_other, until)
    assert due(ground) == []


def test_a_delivery_whose_courier_died_is_due_again_with_one_attempt_more(
    ground: Ground, ann: Member
) -> None:
    send(ground, ann, sinks=(EMAIL,))
    (one,) = due(ground)
    ground.do(notices.claim, one, ground.clock.now() + 60)
    ground.clock.pass_by(60)
    (again,) = due(ground)
    assert again.attempts == 1


def test_what_was_sent_is_never_due_again(ground: Ground, ann: Member) -> None:
    number = send(ground, ann, sinks=(EMAIL,))
    (one,) = due(ground)
    ground.do(notices.claim, one, 0.0)
    ground.do(notices.settle, one, SENT)
    assert due(ground) == []
    (shown,) = ground.ask(notices.listing, ann.id).items
    assert shown.id == number
    assert shown.deliveries == (Delivery(EMAIL, SENT, 1),)


def test_a_late_failure_does_not_undo_what_another_courier_achieved(ground: Ground, ann: Member) -> None:
    """The first courier was slow, its claim ran out, the second delivered: nothing is to be sent again."""
    send(ground, ann, sinks=(EMAIL,))
    (slow,) = due(ground)
    ground.do(notices.claim, slow, 0.0)
    (quick,) = due(ground)
    ground.do(notices.claim, quick, ground.clock.now() + 60)
    ground.do(notices.settle, quick, SENT)
    ground.do(notices.settle, slow, PENDING, error="timed out", next_at=0.0)
    assert due(ground) == []
    (shown,) = ground.ask(notices.listing, ann.id).items
    assert shown.deliveries == (Delivery(EMAIL, SENT, 2),)


def test_a_late_success_counts_whoever_tries_meanwhile(ground: Ground, ann: Member) -> None:
    send(ground, ann, sinks=(EMAIL,))
    (slow,) = due(ground)
    ground.do(notices.claim, slow, 0.0)
    (quick,) = due(ground)
    ground.do(notices.claim, quick, 0.0)
    ground.do(notices.settle, slow, SENT)
    ground.do(notices.settle, quick, FAILED, error="refused")
    (shown,) = ground.ask(notices.listing, ann.id).items
    assert shown.deliveries == (Delivery(EMAIL, SENT, 2),)


def test_old_notices_are_forgotten_when_they_were_read(ground: Ground, ann: Member) -> None:
    old_read = send(ground, ann, sinks=BOTH)
    old_unread = send(ground, ann)
    ground.clock.pass_by(100)
    young_read = send(ground, ann)
    for number in (old_read, young_read):
        assert number is not None
        ground.do(notices.mark_read, ground.clock.now(), ann.id, number)
    assert ground.do(notices.forget, ground.clock.now() - 50) == 1
    assert [one.id for one in ground.ask(notices.listing, ann.id).items] == [young_read, old_unread]
    assert due(ground) == []


def test_old_notices_that_no_page_shows_are_forgotten_too(ground: Ground, ann: Member) -> None:
    """Nobody can ever mark them as read."""
    ground.change(members.change, ann.id, preferences=Preferences(as_uploader=Sinks(page=False)))
    send(ground, ann, NoticeRole.UPLOADER, sinks=BOTH)
    assert ground.do(notices.forget, ground.clock.now() + 1) == 1


def test_an_event_tells_only_the_reader(ground: Ground, ann: Member) -> None:
    ground.forget_outbox()
    send(ground, ann)
    (event,) = ground.told()
    assert f'"member_id":{ann.id}' in event
    assert '"notice.added"' in event
    assert "A body" not in event
