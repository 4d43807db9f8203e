"""The HTTP door: every client gets its answer, and none can hold up the others."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from holdfast.tracker.connection import IDLE, LONGEST_HEAD, SLOW
from holdfast.tracker.guessing import BURST
from holdfast.tracker.http import HttpDoor
from holdfast.tracker.model import Limits
from holdfast.wire.announce import Code
from tests.servers import RunningServer, embedded_valkey
from tests.system.tracker.ground import (
    ANN,
    BOB,
    EVE,
    UPLOAD,
    Tracker,
    announce_target,
    body,
    need_ipv6,
    one_answer,
    request,
    tracker,
    until,
    until_closed,
)


@pytest.fixture
def door(live_server: RunningServer) -> Iterator[Tracker]:
    with tracker(live_server) as one:
        yield one


def peer(number: int) -> bytes:
    return f"-TR4000-{number:012}".encode()


def code(answer: Any) -> int:
    assert b"failure reason" in answer, answer
    return int(answer[b"failure code"])


# How requests come -----------------------------------------------------------------------------------


def test_an_announce_on_a_connection_of_its_own_is_answered_and_the_connection_closed(door: Tracker) -> None:
    answer = door.announce(left=5)
    assert (answer[b"complete"], answer[b"incomplete"], answer[b"peers"]) == (0, 1, b"")
    assert answer[b"external ip"] == bytes([127, 0, 0, 1])
    assert answer[b"interval"] >= answer[b"min interval"]


def test_one_connection_serves_many_requests(door: Tracker) -> None:
    with door.connect() as connection:
        rest = b""
        for number in range(20):
            connection.sendall(request(announce_target(left=number)))
            answer, rest = one_answer(connection, rest)
            assert b"Connection: close" not in answer
            assert b"peers" in body(answer)


def test_pipelined_requests_are_answered_in_order(door: Tracker) -> None:
    for number in range(200):
        door.upload(number.to_bytes(20, "big"), 100 + number)
    asked = [
        request(announce_target(info_hash=number.to_bytes(20, "big"), numwant=0, left=number % 3))
        if number % 5
        else request(f"/{ANN}/scrape?info_hash={'%00' * 19}%{number:02x}")
        if number % 2
        else request(announce_target(info_hash="short"))
        for number in range(200)
    ]
    with door.connect() as connection:
        # Much more than is read at once, sent without waiting for anything.
        connection.sendall(b"".join(asked))
        rest = b""
        for number in range(200):
            answer, rest = one_answer(connection, rest)
            if number % 5:
                assert body(answer)[b"complete"] == (1 if number % 3 == 0 else 0), number
            elif number % 2:
                assert set(body(answer)[b"files"]) == {number.to_bytes(20, "big")}
            else:
                assert code(body(answer)) == Code.INVALID_INFO_HASH
    assert rest == b""


def test_thousands_of_pipelined_refusals_are_answered_without_exhausting_the_stack(door: Tracker) -> None:
    with door.connect() as connection:
        connection.sendall(b"GET /x/scrape HTTP/1.1\r\n\r\n" * 3000)
        connection.shutdown(socket.SHUT_WR)
        answers = until_closed(connection)
    assert answers.count(b"HTTP/1.1 200 OK") == 3000
    assert door.crashes() == 0


def test_a_request_may_arrive_byte_by_byte(door: Tracker) -> None:
    with door.connect() as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for byte in request(announce_target()):
            connection.sendall(bytes([byte]))
        answer, _ = one_answer(connection)
    assert body(answer)[b"complete"] == 1


def test_a_client_that_stops_sending_still_gets_all_its_answers(door: Tracker) -> None:
    with door.connect() as connection:
        connection.sendall(request(announce_target(numwant=1)) * 3)
        connection.shutdown(socket.SHUT_WR)
        assert until_closed(connection).count(b"8:complete") == 3


def test_a_connection_is_closed_after_an_answer_in_http_1_0(door: Tracker) -> None:
    target = announce_target()
    said = door.say(f"GET {target} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n".encode())
    assert b"Connection: close" in said
    assert body(said)[b"complete"] == 1


def test_a_body_ends_the_connection_so_that_it_cannot_pass_for_the_next_request(door: Tracker) -> None:
    hidden = request(announce_target(BOB))
    said = door.say(request(announce_target(), f"Content-Length: {len(hidden)}") + hidden)
    assert said.count(b"HTTP/1.1") == 1
    said = door.say(request(announce_target(), "Transfer-Encoding: chunked") + b"0\r\n\r\n" + hidden)
    assert said.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        (b"HEAD / HTTP/1.1\r\n\r\n", b"405"),
        (b"POST /x/announce HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", b"405"),
        (b"GET / HTTP/1.1\r\n\r\n", b"404"),
        (b"GET /a/b/c/d HTTP/1.1\r\n\r\n", b"404"),
        (b"\r\n\r\n", b"400"),
        (b"GET /x/announce\r\n\r\n", b"400"),
        (b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", b"400"),
        (b"GET /x/announce HTTP/2.0\r\n\r\n", b"400"),
    ],
)
def test_what_no_client_asks_is_answered_as_http_has_it(door: Tracker, asked: bytes, status: bytes) -> None:
    said = door.say(asked)
    assert said.split()[1] == status
    assert b"Connection: close" in said
    if asked.startswith(b"HEAD"):
        assert said.endswith(b"\r\n\r\n")


def test_a_request_line_of_ten_megabytes_is_refused_and_the_refusal_can_be_read(door: Tracker) -> None:
    with door.connect() as connection:
        connection.sendall(b"GET /" + b"a" * 10_000_000)
        connection.shutdown(socket.SHUT_WR)
        assert until_closed(connection).startswith(b"HTTP/1.1 431 ")
    assert door.announce()[b"complete"] == 1


def test_a_head_of_the_longest_length_is_read_and_one_more_byte_is_not(door: Tracker) -> None:
    bare = len(request(announce_target(), "X: ", "Connection: close")) - len("\r\n\r\n")
    for more, status in ((0, b"200"), (1, b"431")):
        padding = "a" * (LONGEST_HEAD - bare + more)
        said = door.say(request(announce_target(), "X: " + padding, "Connection: close"))
        assert said.split()[1] == status


# Who would hold up the others ------------------------------------------------------------------------


def test_who_says_nothing_or_dribbles_is_sent_away_and_others_are_served(door: Tracker) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(door.connect()) for _ in range(20)]
        for connection in idle:
            connection.sendall(request(announce_target()))
            one_answer(connection)
        slow = [stack.enter_context(door.connect()) for _ in range(20)]
        for connection in slow:
            connection.sendall(b"G")
        until("all are listened to", lambda: len(door.http.waiting) == 40)
        door.clock.ahead += SLOW / 2
        for connection in slow:
            # One byte more does not buy more time.
            connection.sendall(b"E")
        door.clock.ahead += SLOW / 2 + 1
        for connection in slow:
            assert until_closed(connection) == b""
        assert len(door.http.waiting) == 20
        assert door.announce()[b"complete"] == 1
        door.clock.ahead += IDLE
        for connection in idle:
            assert until_closed(connection) == b""
        until("none is open", lambda: door.http.count == 0)


def test_two_thousand_half_open_connections_stop_nobody(door: Tracker) -> None:
    with ExitStack() as stack:
        half = []
        for _ in range(2000):
            connection = stack.enter_context(door.connect())
            connection.sendall(b"GET /")
            half.append(connection)
        until("all are listened to", lambda: len(door.http.waiting) == 2000)
        for number in range(20):
            assert b"peers" in door.announce(left=number)
        door.clock.ahead += 2 * SLOW
        until("all were sent away", lambda: door.http.count == 0)


def test_at_the_limit_the_quietest_makes_room(door: Tracker) -> None:
    door.http._most = 3
    with ExitStack() as stack:
        connections = [stack.enter_context(door.connect()) for _ in range(3)]
        for connection in connections:
            connection.sendall(request(announce_target()))
            one_answer(connection)
        until("they are listened to", lambda: len(door.http.waiting) == 3)
        assert door.announce()[b"complete"] == 1
        assert until_closed(connections[0]) == b""
        until("two are left", lambda: door.http.count == 2)


def test_a_client_that_never_reads_is_sent_away(door: Tracker) -> None:
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        connection.settimeout(1)
        connection.connect(("127.0.0.1", door.port))
        with pytest.raises((TimeoutError, ConnectionError)):
            connection.sendall(request("/x/scrape") * 1_000_000)
        assert door.announce()[b"complete"] == 1
        assert door.http.count == 1
        door.clock.ahead += SLOW + 1
        until("it was sent away", lambda: door.http.count == 0)


def test_when_no_descriptor_is_left_the_door_rests_and_goes_on(
    door: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    rested: list[OSError] = []
    told = HttpDoor._rest

    def rest(self: HttpDoor, error: OSError) -> None:
        rested.append(error)
        told(self, error)

    class Without:
        """The listener of a process that has used up its descriptors, three times."""

        def __init__(self, listener: socket.socket) -> None:
            self.listener, self.times = listener, 3

        def accept(self) -> Any:
            if self.times:
                self.times -= 1
                raise OSError(24, "Too many open files")
            return self.listener.accept()

        def fileno(self) -> int:
            return self.listener.fileno()

    monkeypatch.setattr(HttpDoor, "_rest", rest)
    real = door.http._listener
    door.http._listener = Without(real)  # type: ignore[assignment]
    try:
        assert door.announce()[b"complete"] == 1
    finally:
        door.http._listener = real
    assert len(rested) == 3


# What is asked ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["/{key}/announce?", "/announce/{key}?", "/announce.php?passkey={key}&"])
def test_every_form_of_the_address_leads_to_the_same_swarm(door: Tracker, form: str) -> None:
    query = announce_target().partition("?")[2]
    assert door.get(form.format(key=ANN) + query)[b"complete"] == 1


def test_an_address_may_be_named_whole_as_proxies_do(door: Tracker) -> None:
    assert door.get(f"http://tracker:6969{announce_target()}")[b"complete"] == 1


def test_peers_meet_and_never_themselves(door: Tracker) -> None:
    door.announce(ANN, peer_id=peer(1), port=1001, left=0)
    found = door.announce(BOB, peer_id=peer(2), port=1002, left=9)
    assert found[b"peers"] == bytes([127, 0, 0, 1]) + (1001).to_bytes(2, "big")
    assert (found[b"complete"], found[b"incomplete"]) == (1, 1)


def test_peers_come_as_dictionaries_to_who_cannot_read_the_compact_form(door: Tracker) -> None:
    door.announce(ANN, peer_id=peer(1), port=1001)
    found = door.announce(BOB, peer_id=peer(2), port=1002, left=9, compact=0)
    assert found[b"peers"] == [{b"ip": b"127.0.0.1", b"port": 1001}]


def test_a_scrape_tells_counts_of_known_uploads_up_to_the_cap(live_server: RunningServer) -> None:
    with tracker(live_server, limits=Limits(min_interval=0, scrape=2)) as door:
        door.upload(b"\xff" * 20, 9)
        door.announce(left=0)
        door.announce(BOB, peer_id=peer(2), left=4)
        known = "".join(f"%{byte:02x}" for byte in UPLOAD)
        scraped = door.get(f"/{ANN}/scrape?info_hash={known}&info_hash={'x' * 20}&info_hash={'%ff' * 20}")
        counts = {b"complete": 1, b"downloaded": 0, b"incomplete": 1, b"downloaders": 1}
        assert scraped == {b"files": {UPLOAD: counts}}
        door.server.ask("HSET", f"t:t:{UPLOAD.hex()}", "enabled", 0)
        assert door.get(f"/{ANN}/scrape?info_hash={known}") == {b"files": {}}


def test_a_scrape_of_everything_is_refused(door: Tracker) -> None:
    assert code(door.get(f"/{ANN}/scrape")) == Code.MISSING_INFO_HASH


def test_a_scrape_needs_an_enabled_member(door: Tracker) -> None:
    door.member(EVE, 3, enabled=0)
    asked = f"scrape?info_hash={'x' * 20}"
    assert code(door.get(f"/{'f' * 32}/{asked}")) == Code.UNKNOWN_PASSKEY
    for _ in range(2):
        assert code(door.get(f"/{EVE}/{asked}")) == Code.DISABLED


def test_why_an_announce_is_not_taken(door: Tracker) -> None:
    door.member(EVE, 3, enabled=0)
    assert code(door.announce(EVE)) == Code.DISABLED
    door.member(EVE, 3, enabled=1, can_leech=0)
    until("the change is known", lambda: b"peers" in door.announce(EVE, peer_id=peer(3)))
    assert code(door.announce(EVE, peer_id=peer(3), left=1)) == Code.LEECHING_DENIED
    assert b"peers" in door.announce(EVE, peer_id=peer(3), left=1, event="stopped", port=0)
    assert code(door.announce(info_hash=b"x" * 20)) == Code.UNKNOWN_TORRENT
    door.announce()
    door.server.ask("HSET", f"t:t:{UPLOAD.hex()}", "enabled", 0, "reason", "Replaced by a better one.")
    door.server.ask("PUBLISH", "t:pub:torrent", UPLOAD.hex())
    told = until("it is removed", lambda: (a := door.announce()) and b"failure reason" in a and a)
    assert told[b"failure reason"] == b"Replaced by a better one."
    assert code(told) == Code.UNKNOWN_TORRENT


def test_whoever_announces_a_removed_upload_is_told_why_for_as_long_as_the_house_wants(
    door: Tracker,
) -> None:
    gone = b"x" * 20
    asked = f"/{ANN}/scrape?info_hash={'x' * 20}"
    door.server.ask("SET", f"t:x:gone:{gone.hex()}", "It was a fake.")
    before = commands(door.server)
    for _ in range(20):
        told = door.announce(info_hash=gone)
        assert (code(told), told[b"failure reason"]) == (Code.UNKNOWN_TORRENT, b"It was a fake.")
    assert commands(door.server) - before < 20
    assert door.get(asked) == {b"files": {}}
    door.server.ask("DEL", f"t:x:gone:{gone.hex()}")
    door.clock.ahead += 2
    told = door.announce(info_hash=gone)
    assert (code(told), b"not in the catalogue" in told[b"failure reason"]) == (Code.UNKNOWN_TORRENT, True)
    assert code(door.announce(EVE, info_hash=gone)) == Code.UNKNOWN_PASSKEY


def test_only_listed_clients_take_part_once_there_is_a_list(live_server: RunningServer) -> None:
    with tracker(live_server, require_whitelist=True) as door:
        assert code(door.announce()) == Code.CLIENT_DENIED
        door.server.ask("HSET", "t:whitelist", "-TR4", "Transmission 4")
        door.server.ask("PUBLISH", "t:pub:whitelist", "")
        until("it is let in", lambda: b"peers" in door.announce())
        assert code(door.announce(peer_id=b"-XX4000-0123456789ab")) == Code.CLIENT_DENIED


def test_the_list_is_read_before_the_first_client_is_let_in(live_server: RunningServer) -> None:
    live_server.ask("HSET", "t:whitelist", "-qB", "qBittorrent")
    with tracker(live_server) as door:
        assert code(door.announce()) == Code.CLIENT_DENIED


def test_unknown_passkeys_of_every_shape_get_the_same_answer(door: Tracker) -> None:
    shapes = ["f" * 32, "f", "f" * 64, "f" * 65, "f" * 1000, "%00", "t:user:x", "..", "a" * 31 + "b"]
    answers = {door.say(request(announce_target(key), "Connection: close")) for key in shapes}
    assert len(answers) == 1
    assert code(body(answers.pop())) == Code.UNKNOWN_PASSKEY


# Whose word is taken ---------------------------------------------------------------------------------


def test_forwarded_addresses_are_believed_of_listed_proxies_alone(live_server: RunningServer) -> None:
    with tracker(live_server) as door:
        assert door.announce(ANN, "X-Forwarded-For: 198.51.100.1")[b"external ip"] == bytes([127, 0, 0, 1])
    with tracker(live_server, proxies=["127.0.0.0/8"]) as door:
        forged = door.announce(ANN, "X-Forwarded-For: 192.0.2.9", "x-forwarded-for:198.51.100.1")
        assert forged[b"external ip"] == bytes([198, 51, 100, 1])
        six = door.announce(BOB, "X-Forwarded-For: 2001:db8::5", peer_id=peer(2))
        assert six[b"external ip"] == socket.inet_pton(socket.AF_INET6, "2001:db8::5")
        nonsense = door.announce(ANN, "X-Forwarded-For: unknown")
        assert nonsense[b"external ip"] == bytes([127, 0, 0, 1])


def test_what_a_client_says_of_its_own_address_is_not_believed(door: Tracker) -> None:
    assert door.announce(ip="198.51.100.1")[b"external ip"] == bytes([127, 0, 0, 1])


def test_clients_of_a_trusted_network_name_their_own_addresses(live_server: RunningServer) -> None:
    with tracker(live_server, believed=["127.0.0.0/8"], proxies=["127.0.0.1/32"]) as door:
        named = door.announce(ANN, peer_id=peer(1), port=1001, ip="198.51.100.1", ipv6="[2001:db8::5]:1009")
        assert named[b"external ip"] == bytes([198, 51, 100, 1])
        six = door.announce(BOB, "X-Forwarded-For: 2001:db8::7", peer_id=peer(2), left=1, ip="203.0.113.9")
        assert six[b"external ip"] == socket.inet_pton(socket.AF_INET6, "2001:db8::7")
        assert six[b"peers6"] == socket.inet_pton(socket.AF_INET6, "2001:db8::5") + (1009).to_bytes(2, "big")
        door.member(EVE, 3)
        four = door.announce(EVE, peer_id=peer(3), left=1, ip="nonsense")
        assert four[b"external ip"] == bytes([127, 0, 0, 1])
        assert four[b"peers"] == bytes([198, 51, 100, 1]) + (1001).to_bytes(2, "big")


def test_ipv4_and_ipv6_clients_share_one_listener(live_server: RunningServer) -> None:
    need_ipv6()
    with tracker(live_server, host="::") as door:
        old = door.announce(ANN, peer_id=peer(1), port=1001, host="127.0.0.1")
        assert old[b"external ip"] == bytes([127, 0, 0, 1])
        new = door.announce(BOB, peer_id=peer(2), port=1002, left=1, host="::1")
        assert new[b"external ip"] == bytes(15) + b"\x01"
        door.member(EVE, 3)
        third = door.announce(EVE, peer_id=peer(3), port=1003, host="::1")
        assert third[b"peers6"] == bytes(15) + b"\x01" + (1002).to_bytes(2, "big")
        assert third[b"peers"] == b""


# Guessing, floods and faults ------------------------------------------------------------------------------


def test_who_guesses_passkeys_is_stopped_and_his_neighbours_are_not(door: Tracker) -> None:
    assert b"peers" in door.announce(ANN)
    guesses = [code(door.announce(f"{number:032}")) for number in range(BURST + 5)]
    assert guesses == [Code.UNKNOWN_PASSKEY] * BURST + [Code.TOO_FAST] * 5
    # A passkey that is a member's, but not seen lately, tells the guesser nothing either.
    assert code(door.announce(BOB)) == Code.TOO_FAST
    assert b"peers" in door.announce(ANN)
    # Nor is anybody's who was here before, though every member must be looked up again.
    door.server.ask("PUBLISH", "t:pub:user", "")
    assert b"peers" in door.announce(ANN)
    # The same stale torrent again is no new guess.
    assert code(door.announce(f"{0:032}")) == Code.UNKNOWN_PASSKEY
    door.clock.ahead += 60
    assert b"peers" in door.announce(BOB, peer_id=peer(2))


def test_members_who_come_back_together_from_one_address_are_not_taken_for_guessers(door: Tracker) -> None:
    for number in range(3 * BURST):
        door.member(f"{number:032}", 100 + number)
    for number in range(3 * BURST):
        assert b"peers" in door.announce(f"{number:032}", peer_id=peer(number), port=1000 + number)


def commands(server: RunningServer) -> int:
    """How often the store was asked, beside what it is told of the doors' counts by the second."""
    told = server.info("commandstats").get("cmdstat_incrby", "calls=0,")
    return int(server.info("stats")["total_commands_processed"]) - int(told.split(",")[0][len("calls=") :])


def test_a_flood_of_what_is_not_there_does_not_reach_the_live_store(door: Tracker) -> None:
    assert b"peers" in door.announce()
    nothing = request(announce_target(info_hash=b"x" * 20))
    nobody = request(announce_target(EVE))
    before = commands(door.server)
    with door.connect() as connection:
        rest = b""
        for _ in range(200):
            connection.sendall(nothing + nobody)
            answer, rest = one_answer(connection, rest)
            assert code(body(answer)) == Code.UNKNOWN_TORRENT
            answer, rest = one_answer(connection, rest)
            assert code(body(answer)) == Code.UNKNOWN_PASSKEY
    assert commands(door.server) - before < 100
    door.member(EVE, 3)
    door.upload(b"x" * 20, 8)
    until("both are known", lambda: b"peers" in door.announce(EVE, info_hash=b"x" * 20))


def test_without_the_live_store_clients_are_told_when_to_try_again() -> None:
    with embedded_valkey() as server, tracker(server) as door:
        assert b"peers" in door.announce()
        server.kill()
        for passkey, asked in ((ANN, UPLOAD), (BOB, UPLOAD), (ANN, b"y" * 20)):
            told = door.announce(passkey, info_hash=asked)
            assert (code(told), told[b"retry in"]) == (Code.AWAY, 1)
        told = door.get(f"/{ANN}/scrape?info_hash={'x' * 20}")
        assert (code(told), told[b"retry in"]) == (Code.AWAY, 1)
        server.start()
        until("it goes on by itself", lambda: b"peers" in door.announce())
        assert door.crashes() == 0


def test_a_request_that_meets_a_fault_of_ours_is_answered_and_counted_and_others_go_on(
    door: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> bytes:
        raise ZeroDivisionError("a fault of ours")

    door.announce()
    for place in (
        "holdfast.tracker.connection.endpoints",
        "holdfast.tracker.records.pack",
        "holdfast.tracker.records.unpack",
        "holdfast.tracker.register._holder",
        "holdfast.tracker.scrape._counts",
    ):
        before = door.crashes()
        with monkeypatch.context() as spoilt:
            spoilt.setattr(place, broken)
            if place.endswith("_counts"):
                told = door.get(announce_target().replace("announce", "scrape"))
            else:
                told = door.announce(BOB if place.endswith("_holder") else ANN)
        assert code(told) == Code.CRASHED, place
        assert door.crashes() == before + 1
        assert b"peers" in door.announce()


@pytest.mark.parametrize(
    ("key", "field", "value"),
    [
        ("t:user:" + ANN, "user_id", "99999999999"),
        ("t:user:" + ANN, "user_id", "-1"),
        ("t:user:" + ANN, "user_id", "ann"),
        ("t:user:" + ANN, "multi_up", "nan"),
        ("t:user:" + ANN, "multi_up", "1e300"),
        ("t:user:" + ANN, "multi_up", "-3"),
        ("t:user:" + ANN, "multi_up", "much"),
        (f"t:t:{UPLOAD.hex()}", "multi_dn", "70"),
        (f"t:t:{UPLOAD.hex()}", "reason", b"\xff\xfe"),
    ],
)
def test_nonsense_that_others_wrote_into_the_live_store_crashes_nothing(
    door: Tracker, key: str, field: str, value: str | bytes
) -> None:
    if field == "reason":
        door.server.ask("HSET", key, "enabled", 0)
    door.server.ask("HSET", key, field, value)
    answer = door.announce()
    if field == "user_id":
        assert code(answer) == Code.UNKNOWN_PASSKEY
    elif field == "reason":
        assert answer[b"failure reason"].decode() == "��"
    else:
        assert b"peers" in answer
    assert door.crashes() == 0


def test_passkeys_that_a_site_keeps_as_plain_strings_are_read(door: Tracker) -> None:
    door.server.ask("SET", f"t:user:{EVE}", "5")
    assert b"peers" in door.announce(EVE)
    door.server.ask("LPUSH", f"t:user:{'f' * 32}", "5")
    assert code(door.announce("f" * 32)) == Code.AWAY
