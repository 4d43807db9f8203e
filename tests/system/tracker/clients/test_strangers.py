"""Real clients without a passkey, in open mode, over each way in: one has a folder, the other gets it."""

from contextlib import ExitStack
from pathlib import Path

import libtorrent
import pytest

from holdfast.certificate import Certificate
from tests.certificates import make_certificate
from tests.servers import RunningServer
from tests.system.running import until
from tests.system.tracker.clients.ground import contents, something
from tests.system.tracker.clients.libtorrents import Libtorrent
from tests.system.tracker.ground import tracker


def made(folder: Path, address: str) -> bytes:
    """A torrent as anybody makes it."""
    maker = libtorrent.create_torrent(libtorrent.list_files(str(folder)))
    maker.add_tracker(address)
    libtorrent.set_piece_hashes(maker, str(folder.parent))
    return bytes(libtorrent.bencode(maker.generate()))


@pytest.mark.parametrize("scheme", ["http", "https", "udp"])
def test_strangers_fetch_from_one_another(live_server: RunningServer, tmp_path: Path, scheme: str) -> None:
    certificate = Certificate(*make_certificate(tmp_path)) if scheme == "https" else None
    folder = something(tmp_path / "ann" / "folder")
    (tmp_path / "bob").mkdir()
    with tracker(live_server, is_open=True, certificate=certificate) as door, ExitStack() as stack:
        torrent = made(folder, f"{scheme}://127.0.0.1:{door.port}/announce")
        # Nobody whom a client knows vouches for the certificate.
        anns = Libtorrent(torrent, tmp_path / "ann", scheme=scheme, validate_https_trackers=False)
        stack.callback(anns.end)
        anns.answered(1)
        bobs = Libtorrent(torrent, tmp_path / "bob", scheme=scheme, validate_https_trackers=False)
        stack.callback(bobs.end)
        until("bob has all of it", lambda: bobs.share() == 1.0)
        assert contents(tmp_path / "bob" / "folder") == contents(folder)
        for one in (anns, bobs):
            one.stop()
        assert anns.trouble == bobs.trouble == []
        until("nobody is left", lambda: door.server.ask("GET", "t:stats:open") == b"0")
        assert door.server.ask("KEYS", "t:u:*") == []
