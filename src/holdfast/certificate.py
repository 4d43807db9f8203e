"""The certificate that a door shows, with its key: read with care, and again when the files have changed."""

import re
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import structlog

from holdfast.clock import Clock
from holdfast.errors import SettingsError

log = structlog.get_logger()
EVERY: Final = 10.0
VALIDITY: Final = re.compile(rb"0[\x1e\x20\x22]\x17\x0d\d{12}Z\x17\x0d(\d{12}Z)")
"""In a certificate: the sequence of the two times between which it is good, until 2049."""

Stamp = tuple[int, ...]


class Certificate:
    """Whoever connects from now on is shown `context`."""

    def __init__(self, file: Path, key: Path) -> None:
        self._file, self._key = file, key
        self._stamp = self._stamps()
        self.context = load(file, key)

    def renew(self) -> None:
        """Files that cannot be used, or not yet, leave the certificate as it was."""
        stamp = self._stamps()
        if stamp == self._stamp:
            return
        self._stamp = stamp
        try:
            self.context = load(self._file, self._key)
        except SettingsError as error:
            log.error("certificate not renewed", reason=str(error))  # noqa: TRY400 - the files are wrong
        else:
            log.info("certificate renewed", file=str(self._file))

    def _stamps(self) -> Stamp:
        """What changes when a file is written anew, or another put in its place."""
        stamp: list[int] = []
        for path in (self._file, self._key):
            try:
                seen = path.stat()
            except OSError:
                continue
            stamp += (seen.st_mtime_ns, seen.st_size, seen.st_ino)
        return tuple(stamp)


async def keep_fresh(certificate: Certificate, clock: Clock) -> None:
    """Until cancelled."""
    while True:
        await clock.sleep(EVERY)
        certificate.renew()


def load(file: Path, key: Path) -> ssl.SSLContext:
    """A context for a server; a `SettingsError` says what is wrong with the files."""
    for path in (file, key):
        _check_readable(path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    try:
        context.load_cert_chain(file, key, password=_refused(key))
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise SettingsError(
                f"The key {key} is not that of the certificate {file}; name the two that belong together."
            ) from None
        raise SettingsError(
            f"{file} and {key} are no certificate and key that can be used "
            f"({error.reason or error}); both must be in PEM form."
        ) from None
    return context


def good_until(file: Path) -> float | None:
    """When the first certificate in the file ends, in seconds since 1970; None when it does not say."""
    pem = re.search(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", file.read_text(), re.DOTALL)
    found = VALIDITY.search(ssl.PEM_cert_to_DER_cert(pem[0])) if pem else None
    if found is None:
        return None
    text = found[1].decode()
    return datetime.strptime(text, "%y%m%d%H%M%SZ").replace(tzinfo=UTC).timestamp()


def _check_readable(path: Path) -> None:
    try:
        path.read_bytes()
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be read ({error.strerror or error}); see tracker.tls_certificate and "
            "tracker.tls_key."
        ) from None


def _refused(key: Path) -> Callable[[], str]:
    """Nobody is there to type a password, and OpenSSL would wait for one."""

    def password() -> str:
        raise SettingsError(f"The key {key} wants a password; leave it without one, for its owner alone.")

    return password
