"""Listening sockets: bound once, on the port that was asked for, or a sentence about what is in the way."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.errors import ConflictError, InvalidError
from holdfast.supervise.sockets import Listen, Place, decode, encode, listen, place_of, shares


@pytest.fixture
def doors() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def keep(doors: ExitStack, sockets: dict[str, socket.socket]) -> dict[str, socket.socket]:
    for bound in sockets.values():
        doors.enter_context(bound)
    return sockets


def test_port_zero_takes_one_port_that_is_free_for_tcp_and_udp(doors: ExitStack) -> None:
    sockets = keep(doors, listen("tracker", Listen(("127.0.0.1", 0), udp=True)))
    assert list(sockets) == ["tracker", "tracker.udp"]
    assert place_of(sockets["tracker"]) == place_of(sockets["tracker.udp"])
    assert place_of(sockets["tracker"]).port


def test_an_empty_host_listens_on_every_address(doors: ExitStack) -> None:
    sockets = keep(doors, listen("web", Listen(("", 0))))
    with socket.create_connection(("127.0.0.1", place_of(sockets["web"]).port), timeout=5) as caller:
        assert caller.getpeername()[0] == "127.0.0.1"


def test_a_taken_port_is_told_with_who_holds_it(doors: ExitStack) -> None:
    first = keep(doors, listen("web", Listen(("127.0.0.1", 0))))
    place = place_of(first["web"])
    with pytest.raises(ConflictError) as refusal:
        listen("web", Listen(place))
    assert str(refusal.value).startswith(f"Cannot listen on {place} (TCP): ")
    assert f"(pid {os.getpid()}) listens there already" in str(refusal.value)
    assert str(refusal.value).endswith("choose another with --web HOST:PORT")


def test_a_port_that_only_udp_has_taken_is_refused_and_tcp_given_back(doors: ExitStack) -> None:
    taken = doors.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    taken.bind(("127.0.0.1", 0))
    place = place_of(taken)
    with pytest.raises(ConflictError, match=r"\(UDP\)"):
        listen("tracker", Listen(place, udp=True))
    keep(doors, listen("tracker", Listen(place)))


def test_a_chosen_port_that_udp_has_taken_is_chosen_again(
    doors: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_bind = socket.socket.bind
    refused: list[tuple[str, int]] = []

    class Unlucky(socket.socket):
        def bind(self, where: tuple[str, int]) -> None:  # type: ignore[override]
            if self.type is socket.SOCK_DGRAM and not refused:
                refused.append(where)
                other = doors.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
                real_bind(other, where)
            real_bind(self, where)

    monkeypatch.setattr(socket, "socket", Unlucky)
    sockets = keep(doors, listen("tracker", Listen(("127.0.0.1", 0), udp=True)))
    assert refused
    assert place_of(sockets["tracker"]) == place_of(sockets["tracker.udp"])


def test_workers_share_one_port_each_with_sockets_of_its_own(doors: ExitStack) -> None:
    sockets = keep(doors, listen("tracker", Listen(("127.0.0.1", 0), udp=True, sharers=3)))
    assert set(sockets) == {f"{worker}{kind}" for worker in shares("tracker", 3) for kind in ("", ".udp")}
    assert len({bound.fileno() for bound in sockets.values()}) == 6
    assert len({place_of(bound) for bound in sockets.values()}) == 1


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_port_is_never_shared_with_a_stranger_even_if_he_would(
    doors: ExitStack, kind: socket.SocketKind
) -> None:
    stranger = doors.enter_context(socket.socket(socket.AF_INET, kind))
    stranger.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    stranger.bind(("127.0.0.1", 0))
    if kind is socket.SOCK_STREAM:
        stranger.listen()
    with pytest.raises(ConflictError):
        listen("tracker", Listen(place_of(stranger), udp=True, sharers=2))


@pytest.mark.parametrize(
    ("host", "complaint"),
    [
        ("192.0.2.1", "this machine does not have that address"),
        ("no such host", "this machine knows no host no such host"),
        ("a" * 70 + ".example", "this machine knows no host a"),
    ],
)
def test_a_host_that_is_not_ours_is_refused(host: str, complaint: str) -> None:
    with pytest.raises(InvalidError, match=complaint):
        listen("web", Listen((host, 0)))


def test_a_place_is_written_as_people_write_it() -> None:
    assert str(Place("::1", 80)) == "[::1]:80"
    assert str(Place("127.0.0.1", 80)) == "127.0.0.1:80"


@given(st.dictionaries(st.from_regex(r"[a-z]+(\.udp)?", fullmatch=True), st.integers(0, 10**6)))
def test_numbers_are_handed_down_as_they_are(numbers: dict[str, int]) -> None:
    assert decode(encode(numbers)) == numbers
