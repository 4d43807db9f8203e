"""libtorrent, the client inside qBittorrent and Deluge, as a member runs it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import libtorrent

from tests.system.running import until

QUIET = {
    "alert_mask": libtorrent.alert.category_t.error_notification
    | libtorrent.alert.category_t.status_notification
    | libtorrent.alert.category_t.tracker_notification,
    "enable_dht": False,
    "enable_lsd": False,
    "enable_upnp": False,
    "enable_natpmp": False,
    "enable_incoming_utp": False,
    "enable_outgoing_utp": False,
    "allow_multiple_connections_per_ip": True,
    "ignore_limits_on_local_network": False,
    "min_reconnect_time": 1,
    # It would ask a tracker on its own machine for nothing but /announce.
    "ssrf_mitigation": False,
}
TROUBLE = (
    libtorrent.tracker_error_alert,
    libtorrent.tracker_warning_alert,
    libtorrent.torrent_error_alert,
    libtorrent.file_error_alert,
    libtorrent.listen_failed_alert,
)
ANNOUNCED, ANSWERED = libtorrent.tracker_announce_alert, libtorrent.tracker_reply_alert
REFUSED = libtorrent.tracker_error_alert


def half(wanted: Any) -> None:
    """Its user has chosen the first file alone, which is half of everything."""
    wanted.file_priorities = [4, *[0] * (wanted.ti.num_files() - 1)]


class Libtorrent:
    """One session with one torrent in `folder`; it goes on with what is there already."""

    def __init__(
        self,
        torrent: bytes,
        folder: Path,
        *,
        scheme: str = "http",
        host: str = "127.0.0.1",
        change: Callable[[Any], None] = lambda _: None,
        magnet: str | None = None,
        **settings: Any,
    ) -> None:
        self._said: list[tuple[type, str]] = []
        chosen: Any = {**QUIET, "listen_interfaces": f"{host}:0", **settings}
        self.session = libtorrent.session(chosen)
        wanted = known = libtorrent.load_torrent_buffer(torrent)
        if magnet:
            wanted = libtorrent.parse_magnet_uri(magnet)
        places = [url.replace("127.0.0.1", host) for url in known.trackers]
        wanted.trackers = [url for url in places if url.startswith(scheme)]
        wanted.tracker_tiers = list(range(len(wanted.trackers)))
        wanted.save_path = str(folder)
        wanted.flags &= ~(libtorrent.torrent_flags.auto_managed | libtorrent.torrent_flags.paused)
        change(wanted)
        self._size = wanted.ti.total_size() if wanted.ti else 0
        self.handle = self.session.add_torrent(wanted)

    def said(self, *kinds: type) -> list[str]:
        """All that it has said of these kinds since it began."""
        # Its own words are gone with the next time it is asked.
        self._said += [(type(alert), alert.message()) for alert in self.session.pop_alerts()]
        return [text for kind, text in self._said if kind in kinds]

    @property
    def trouble(self) -> list[str]:
        return self.said(*TROUBLE)

    def answered(self, times: int) -> None:
        """Wait until the tracker has answered so often, from the beginning on."""
        until(f"{times} answers of the tracker", lambda: len(self.said(ANSWERED)) >= times)

    def limit(self, rate: int) -> None:
        self.handle.set_upload_limit(rate)

    def announce(self) -> None:
        """Returns when the tracker has said something to it."""
        before = len(self.said(ANSWERED, REFUSED))
        self.handle.force_reannounce(0, -1, libtorrent.torrent_handle.ignore_min_interval)
        until("the tracker answers", lambda: len(self.said(ANSWERED, REFUSED)) > before)

    def share(self) -> float:
        status = self.handle.status()
        if status.state == libtorrent.torrent_status.checking_files:
            return 0.0
        return 1.0 if status.is_seeding else status.total_done / self._size

    @property
    def has_what_it_wants(self) -> bool:
        return bool(self.handle.status().state == libtorrent.torrent_status.finished)

    def moved(self) -> tuple[int, int]:
        """As it tells it: payload, but not what failed its hash or came twice or in vain."""
        status = self.handle.status()
        spoilt = status.total_failed_bytes + status.total_redundant_bytes
        return status.total_payload_upload, status.total_payload_download - spoilt

    def stop(self) -> None:
        """Pausing drops all connections first, so that nothing is counted after it was told.

        Who has not yet heard that the tracker knows of him does not tell it that he goes.
        """
        until("it has heard", lambda: len(self.said(ANNOUNCED)) <= len(self.said(ANSWERED, REFUSED)))
        before = len(self.said(ANNOUNCED)), len(self.said(ANSWERED))
        self.handle.pause()
        until("it says that it stops", lambda: self._stopping(before[0]))
        self.answered(before[1] + self._stopping(before[0]))

    def _stopping(self, before: int) -> int:
        """In how many announces; a hybrid is announced by both its hashes."""
        return sum("(stopped)" in text for text in self.said(ANNOUNCED)[before:])

    def end(self) -> None:
        self.session.pause()
        del self.handle, self.session
