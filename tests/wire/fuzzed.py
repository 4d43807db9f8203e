"""What must hold for any bytes from strangers: one function for each parser, which fails when it does not."""

from collections.abc import Callable

from holdfast.errors import InvalidError
from holdfast.wire import named_address, peer_id, tracker_answer, tracker_request, udp_announce
from holdfast.wire.announce import LARGEST_COUNT, RefusedAnnounceError, read_announce, read_scrape
from holdfast.wire.bencode import BencodeError, decode, encode
from holdfast.wire.gazelle import read_report, read_update
from holdfast.wire.metainfo import parse_torrent

MOST = 50


def _check_sentence(refusal: InvalidError) -> None:
    assert str(refusal)
    assert "\n" not in str(refusal)


def _check_refusal(refusal: RefusedAnnounceError) -> None:
    """It can be answered."""
    _check_sentence(refusal)
    answer = decode(tracker_answer.failure(refusal))
    assert answer == {b"failure code": refusal.code, b"failure reason": refusal.reason.encode()}


def head(data: bytes) -> None:
    asked = tracker_request.read_head(data)
    assert b" " not in asked.passkey
    assert asked.passkey in data
    assert asked.query in data
    for hop in tracker_request.forwarded_for(data):
        assert "\n" not in hop
    query(asked.query)


def query(data: bytes) -> None:
    try:
        asked = read_announce(data)
    except RefusedAnnounceError as reason:
        _check_refusal(reason)
    else:
        assert len(asked.info_hash) == len(asked.peer_id) == 20
        assert 0 <= asked.port <= 65535
        assert all(0 <= count <= LARGEST_COUNT for count in (asked.uploaded, asked.downloaded, asked.left))
        assert len(asked.key) <= 32
        assert peer_id.client_of(asked.peer_id).name in peer_id.NAMES
    try:
        four, six = named_address.named_endpoints(data, 6881)
    except RefusedAnnounceError as reason:
        _check_refusal(reason)
    else:
        assert len(four) in (0, 6)
        assert len(six) in (0, 18)
    try:
        asked_for = read_scrape(data, MOST)
    except RefusedAnnounceError:
        return
    assert 0 < len(asked_for) <= MOST
    assert all(len(each) == 20 for each in asked_for)


def packet(data: bytes) -> None:
    asked = udp_announce.read_packet(data, MOST)
    if isinstance(asked, udp_announce.UdpAnnounce):
        assert udp_announce.passkey_in(asked.path) in data
        assert asked.announce.numwant >= -1
        assert max(asked.announce.uploaded, asked.announce.downloaded, asked.announce.left) <= LARGEST_COUNT
    if isinstance(asked, udp_announce.UdpScrape):
        assert 0 < len(asked.info_hashes) <= MOST


def bencode(data: bytes) -> None:
    """What is read strictly has one way to be written."""
    try:
        value = decode(data)
    except BencodeError as refusal:
        _check_sentence(refusal)
    else:
        assert encode(value) == data


def torrent(data: bytes) -> None:
    for strict in (True, False):
        try:
            read = parse_torrent(data, limit=1 << 20, strict=strict)
        except InvalidError as refusal:
            _check_sentence(refusal)
        else:
            assert read.tracker_hashes
            assert read.total_size == sum(each.size for each in read.files) > 0
            for each in read.files:
                assert each.path
                assert not {"", ".", ".."} & set(each.path)
                assert not any("/" in part or "\0" in part for part in each.path)


def site(data: bytes) -> None:
    """Whoever knows the secret may still be wrong."""
    for read in (read_update, read_report):
        try:
            read(data)
        except InvalidError as refusal:
            _check_sentence(refusal)


PARSERS: dict[str, Callable[[bytes], None]] = {
    "head": head,
    "query": query,
    "packet": packet,
    "bencode": bencode,
    "torrent": torrent,
    "site": site,
}
