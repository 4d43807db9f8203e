"""Listening sockets, bound once by the parent and handed down, so that a restart refuses no connection."""

import contextlib
import errno
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from holdfast.errors import ConflictError, HoldfastError, InvalidError, RefusedError
from holdfast.supervise.holders import who_holds_port

BACKLOG = 4096
PORT_TRIES = 64


class Place(NamedTuple):
    """Where to listen, or where somebody listens: an empty host means every address, port 0 any free port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Listen:
    """A wish to listen: on TCP, and with `udp` on the same port of UDP too, under the name `NAME.udp`."""

    at: tuple[str, int]
    udp: bool = False
    sharers: int = 1
    """How many processes share the port, each with sockets of its own, named by `shares`."""


def shares(name: str, count: int) -> tuple[str, ...]:
    """What those are called who share something of that name; who has it alone is called like it."""
    return (name,) if count == 1 else tuple(f"{name}-{number}" for number in range(1, count + 1))


def listen(name: str, wish: Listen) -> dict[str, socket.socket]:
    """The sockets of one wish, bound; or a sentence about what is in the way."""
    place = Place(*wish.at)
    tries = PORT_TRIES if wish.udp and place.port == 0 else 1
    for _ in range(tries - 1):
        with contextlib.suppress(ConflictError):  # a port that TCP has free and UDP has not
            return _bind_all(name, place, wish)
    return _bind_all(name, place, wish)


def place_of(bound: socket.socket) -> Place:
    """Where a socket really listens, once the system has chosen a port."""
    host, port = bound.getsockname()[:2]
    return Place(host, port)


def encode(numbers: Mapping[str, int]) -> str:
    """The value of HOLDFAST_SOCKETS: `web=5,tracker=6,tracker.udp=7`."""
    return ",".join(f"{name}={number}" for name, number in numbers.items())


def decode(text: str) -> dict[str, int]:
    """What `encode` wrote."""
    pairs = (entry.partition("=") for entry in text.split(",") if entry)
    return {name: int(number) for name, _, number in pairs}


def _bind_all(name: str, place: Place, wish: Listen) -> dict[str, socket.socket]:
    kinds = {"": socket.SOCK_STREAM} | ({".udp": socket.SOCK_DGRAM} if wish.udp else {})
    sockets: dict[str, socket.socket] = {}
    with contextlib.ExitStack() as undo:
        for more, kind in kinds.items():
            # Whoever shares a port cannot be told that a stranger has it, so one asks who does not share.
            alone = undo.enter_context(_bind(name, place, kind))
            place = Place(place.host, place_of(alone).port)
            if wish.sharers == 1:
                sockets[name + more] = alone
                continue
            alone.close()
            for share in shares(name, wish.sharers):
                sockets[share + more] = undo.enter_context(_bind(name, place, kind, shared=True))
        undo.pop_all()
    return sockets


def _bind(name: str, place: Place, kind: socket.SocketKind, *, shared: bool = False) -> socket.socket:
    every = "::" if socket.has_dualstack_ipv6() else "0.0.0.0"  # noqa: S104 - who names no host means all
    host = place.host or every
    try:
        family, _, _, _, where = socket.getaddrinfo(host, place.port, type=kind, flags=socket.AI_PASSIVE)[0]
    except (socket.gaierror, UnicodeError):
        raise InvalidError(
            f"Cannot listen on {place}: this machine knows no host {place.host};"
            f" choose another with --{name} HOST:PORT"
        ) from None
    bound = socket.socket(family, kind)
    try:
        if kind is socket.SOCK_STREAM:
            # Connections of an earlier run in TIME_WAIT must not keep the port from us.
            # Not for UDP, where it would let two programs share the port unnoticed.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6 and host == "::":
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        bound.setblocking(False)
        bound.bind(where)
        if kind is socket.SOCK_STREAM:
            bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise _in_the_way(name, place, kind, error) from error
    return bound


def _in_the_way(name: str, place: Place, kind: socket.SocketKind, error: OSError) -> HoldfastError:
    another = f"choose another with --{name} HOST:PORT"
    protocol = "UDP" if kind is socket.SOCK_DGRAM else "TCP"
    match error.errno:
        case errno.EADDRINUSE:
            holder = who_holds_port(place.port, protocol.lower()) or "another program"
            return ConflictError(
                f"Cannot listen on {place} ({protocol}): {holder} listens there already; stop it or {another}"
            )
        case errno.EACCES | errno.EPERM:
            return RefusedError(
                f"Cannot listen on {place}: this user may not use port {place.port}; {another},"
                " with a port from 1024 up"
            )
        case errno.EADDRNOTAVAIL:
            return InvalidError(
                f"Cannot listen on {place}: this machine does not have that address; {another}"
            )
        case _:
            return HoldfastError(f"Cannot listen on {place}: {error.strerror or error}; {another}")
