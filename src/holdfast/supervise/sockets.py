"""Listening sockets, bound once by the parent and handed down, so that a restart refuses no connection."""

import errno
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass

from holdfast.errors import ConflictError, HoldfastError, InvalidError, RefusedError
from holdfast.supervise.holders import who_holds_port

BACKLOG = 4096
PORT_TRIES = 64


@dataclass(frozen=True)
class Address:
    """Where to listen, or where somebody listens; port 0 asks for any free port."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> "Address":
        host, colon, port = text.rpartition(":")
        if not colon or not port.isascii() or not port.isdigit() or int(port) > 65535:
            raise InvalidError(f"“{text}” is no address; write HOST:PORT, for example 127.0.0.1:8080")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        elif ":" in host:
            raise InvalidError(f"“{text}” is no address; write an IPv6 host in brackets, as in [::1]:8080")
        return cls(host or "0.0.0.0", int(port))  # noqa: S104 - who writes no host means every one

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Listen:
    """A wish to listen: on TCP, and with `udp` on the same port of UDP too, under the name `NAME.udp`."""

    address: Address
    udp: bool = False


def listen(name: str, wish: Listen) -> dict[str, socket.socket]:
    """The sockets of one wish, bound; or a sentence about what is in the way."""
    tries = PORT_TRIES if wish.udp and wish.address.port == 0 else 1
    while True:
        with ExitStack() as undo:
            try:
                stream = undo.enter_context(_bind(name, wish.address, socket.SOCK_STREAM))
                sockets = {name: stream}
                if wish.udp:
                    same = Address(wish.address.host, address_of(stream).port)
                    sockets[f"{name}.udp"] = undo.enter_context(_bind(name, same, socket.SOCK_DGRAM))
            except ConflictError:
                tries -= 1
                if not tries:
                    raise
            else:
                undo.pop_all()
                return sockets


def address_of(bound: socket.socket) -> Address:
    """Where a socket really listens, once the system has chosen a port."""
    host, port = bound.getsockname()[:2]
    return Address(host, port)


def encode(numbers: Mapping[str, int]) -> str:
    """The value of HOLDFAST_SOCKETS: `web=5,tracker=6,tracker.udp=7`."""
    return ",".join(f"{name}={number}" for name, number in numbers.items())


def decode(text: str) -> dict[str, int]:
    """What `encode` wrote."""
    pairs = (entry.partition("=") for entry in text.split(",") if entry)
    return {name: int(number) for name, _, number in pairs}


def _bind(name: str, address: Address, kind: socket.SocketKind) -> socket.socket:
    try:
        family, _, _, _, where = socket.getaddrinfo(
            address.host, address.port, type=kind, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise InvalidError(
            f"Cannot listen on {address}: this machine knows no host {address.host};"
            f" choose another with --{name} HOST:PORT"
        ) from None
    bound = socket.socket(family, kind)
    try:
        if kind is socket.SOCK_STREAM:
            # Connections of an earlier run in TIME_WAIT must not keep the port from us.
            # Not for UDP, where it would let two programs share the port unnoticed.
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6 and address.host == "::":
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        bound.setblocking(False)
        bound.bind(where)
        if kind is socket.SOCK_STREAM:
            bound.listen(BACKLOG)
    except OSError as error:
        bound.close()
        raise _in_the_way(name, address, kind, error) from error
    return bound


def _in_the_way(name: str, address: Address, kind: socket.SocketKind, error: OSError) -> HoldfastError:
    another = f"choose another with --{name} HOST:PORT"
    protocol = "UDP" if kind is socket.SOCK_DGRAM else "TCP"
    match error.errno:
        case errno.EADDRINUSE:
            holder = who_holds_port(address.port, protocol.lower()) or "another program"
            return ConflictError(
                f"Cannot listen on {address} ({protocol}): {holder} listens there already;"
                f" stop it or {another}"
            )
        case errno.EACCES | errno.EPERM:
            return RefusedError(
                f"Cannot listen on {address}: this user may not use port {address.port}; {another},"
                " with a port from 1024 up"
            )
        case errno.EADDRNOTAVAIL:
            return InvalidError(
                f"Cannot listen on {address}: this machine does not have that address; {another}"
            )
        case _:
            return HoldfastError(f"Cannot listen on {address}: {error.strerror or error}; {another}")
