"""A connection under TLS that looks like a plain one to whoever reads requests from it, and never waits."""

import socket
import ssl
from contextlib import suppress
from typing import TypeAlias


class SecureSocket:
    """The handshake is made by the first calls of `recv`, as the client's bytes come."""

    __slots__ = ("_socket",)

    def __init__(self, accepted: socket.socket, context: ssl.SSLContext) -> None:
        self._socket = context.wrap_socket(accepted, server_side=True, do_handshake_on_connect=False)

    def fileno(self) -> int:
        return self._socket.fileno()

    def recv(self, size: int) -> bytes:
        try:
            data = self._socket.recv(size)
            # What was decrypted together is read together: the network would not tell of it again.
            while pending := self._socket.pending():
                data += self._socket.recv(pending)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise BlockingIOError from None
        return data

    def send(self, data: bytes) -> int:
        try:
            return self._socket.send(data)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            raise BlockingIOError from None

    def shutdown(self, how: int) -> None:
        self._say_goodbye()
        # What the client still says is decrypted and dropped, so that it is not refused in mid-sentence.
        socket.socket.shutdown(self._socket, how)

    def close(self) -> None:
        self._say_goodbye()
        self._socket.close()

    def _say_goodbye(self) -> None:
        """So that the client can tell a whole answer from one cut off; he need not reply."""
        with suppress(OSError, ValueError):
            self._socket.unwrap()


Stream: TypeAlias = socket.socket | SecureSocket
