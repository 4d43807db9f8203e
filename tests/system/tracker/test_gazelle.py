"""A Gazelle site drives the tracker: its own requests, and what clients see of them afterwards."""

import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from holdfast.settings.tree import Reports
from holdfast.settings.tree import Tracker as Settings
from holdfast.settings.values import Secret
from holdfast.store.live import Layout
from holdfast.tracker.guessing import BURST
from holdfast.tracker.model import Limits
from holdfast.wire.announce import Code
from tests.servers import RunningServer
from tests.system.tracker.ground import EVE, Tracker, tracker, until

SECRET, REPORT = "s" * 31 + "1", "r" * 31 + "2"
HASH = b"\x00&=%/ ?#+\xff" + bytes(range(10))
ZOE, YAN = "z" * 32, "Y4n" * 10 + "99"
GIB = 1 << 30


@pytest.fixture
def site(live_server: RunningServer) -> Iterator["Site"]:
    settings = Settings(gazelle_secret=Secret(SECRET), report_secret=Secret(REPORT))
    with tracker(live_server, settings=settings, limits=Limits(min_interval=0, interval=1800)) as one:
        yield Site(one)


@pytest.fixture
def old_site(live_server: RunningServer) -> Iterator["Site"]:
    settings = Settings(report_secret=Secret(REPORT), gazelle_reports=Reports.LINES)
    with tracker(live_server, settings=settings) as one:
        yield Site(one)


class Site:
    """Says what Gazelle says, letter by letter, and reads the answer as it does."""

    def __init__(self, door: Tracker) -> None:
        self.door = door
        self.ask = door.server.ask

    def raw(self, target: str, *headers: str) -> bytes:
        lines = [f"GET /{target} HTTP/1.1", *headers, "Connection: Close", "", ""]
        return self.door.say("\r\n".join(lines).encode("latin-1"))

    def request(self, target: str) -> str | None:
        """What stands above the last line; None unless that is `success`."""
        answer = self.raw(target, "Host: tracker.example.org").decode()
        end = answer.rindex("\n")
        return answer[answer.index("\r\n\r\n") + 4 : end] if answer[end + 1 :] == "success" else None

    def update(self, action: str, **words: object) -> str | None:
        said = "".join(f"&{name}={value}" for name, value in words.items())
        return self.request(f"{SECRET}/update?action={action}{said}")

    def report(self, query: str) -> str | None:
        return self.request(f"{REPORT}/report?{query}")

    def told(self, query: str) -> Any:
        return json.loads(self.report(query) or "null")

    def add(self, info_hash: bytes = HASH, number: int = 70, free: int = 0) -> None:
        assert (
            self.update("add_torrent", id=number, info_hash=quote(info_hash, safe=""), freetorrent=free) == ""
        )

    def join(self, passkey: str = ZOE, number: int = 501) -> None:
        assert self.update("add_user", passkey=passkey, id=number, visible=1) == ""

    def client(self, passkey: str = ZOE, info_hash: bytes = HASH, **said: Any) -> Any:
        return self.door.announce(passkey, info_hash=info_hash, **said)

    def served(self, what: str, passkey: str = ZOE, **said: Any) -> Any:
        """The first answer that is no refusal: workers hear of changes a moment later."""
        return until(what, lambda: b"peers" in (answer := self.client(passkey, **said)) and answer)

    def refused(self, what: str, code: Code, passkey: str = ZOE, **said: Any) -> str:
        def asked() -> Any:
            answer = self.client(passkey, **said)
            return answer.get(b"failure code") == code and answer[b"failure reason"].decode()

        return str(until(what, asked))

    def totals(self, number: int = 501) -> tuple[int, int]:
        up, down = (self.ask("HGET", f"t:u:{number}", name) for name in ("uploaded", "downloaded"))
        return int(up or 0), int(down or 0)

    def moves(self, passkey: str = ZOE, number: int = 501, info_hash: bytes = HASH) -> tuple[int, int]:
        """What is credited to a member who takes and gives a GiB each."""
        before = self.totals(number)
        peer_id = f"-TR4000-{number:012}".encode()
        self.client(passkey, info_hash, peer_id=peer_id, left=9, event="started")
        self.client(passkey, info_hash, peer_id=peer_id, left=9, uploaded=GIB, downloaded=GIB)
        self.client(
            passkey, info_hash, peer_id=peer_id, left=9, uploaded=GIB, downloaded=GIB, event="stopped"
        )
        after = self.totals(number)
        return after[0] - before[0], after[1] - before[1]


# Torrents --------------------------------------------------------------------------------------------------


def test_a_torrent_and_a_user_that_the_site_adds_are_served(site: Site) -> None:
    site.refused("before", Code.UNKNOWN_PASSKEY)
    site.join()
    site.refused("only the user", Code.UNKNOWN_TORRENT)
    site.add()
    assert site.served("both", left=5)[b"incomplete"] == 1
    assert site.ask("GET", f"t:info_hash:{HASH.hex()}") == b"70"
    assert site.ask("SCARD", f"t:tpeers:{HASH.hex()}") == 1


def test_a_request_without_a_host_as_older_sites_make_it_is_taken(site: Site) -> None:
    said = f"{SECRET}/update?action=add_user&passkey={ZOE}&id=501"
    assert site.raw(said).endswith(b"\r\n\r\nsuccess")


@pytest.mark.parametrize(("free", "credited"), [(0, (GIB, GIB)), (1, (GIB, 0)), (2, (0, 0))])
def test_freeleech_and_neutral_leech_from_the_start(site: Site, free: int, credited: tuple[int, int]) -> None:
    site.join()
    site.add(free=free)
    site.served("both")
    assert site.moves() == credited


@pytest.mark.parametrize(("free", "credited"), [("0", (GIB, GIB)), ("1", (GIB, 0)), ("2", (0, 0))])
def test_a_torrents_leech_changes_while_it_is_announced(
    site: Site, free: str, credited: tuple[int, int]
) -> None:
    site.join()
    site.add(free=1 if free == "0" else 0)
    site.served("both")
    assert site.update("update_torrent", info_hash=quote(HASH, safe=""), freetorrent=free) == ""
    until("the worker has heard", lambda: site.moves() == credited)


def test_many_torrents_change_at_once_and_unknown_ones_among_them_do_no_harm(site: Site) -> None:
    site.join()
    hashes = [bytes([number]) * 20 for number in range(100)]
    for number, info_hash in enumerate(hashes[:3]):
        site.add(info_hash, 100 + number)
    listed = "".join(quote(info_hash, safe="") for info_hash in hashes)
    assert len(listed) > 4096, "longer than Ocelot could read"
    assert site.update("update_torrents", info_hashes=listed, freetorrent=2) == ""
    until("neutral", lambda: [site.moves(info_hash=each) for each in hashes[:3]] == [(0, 0)] * 3)
    assert site.ask("EXISTS", f"t:t:{hashes[50].hex()}") == 0


@pytest.mark.parametrize("verb", ["delete_torrent", "remove_torrent"])
def test_whoever_announces_a_deleted_torrent_is_told_why(site: Site, verb: str) -> None:
    site.join()
    site.add()
    site.served("both", left=5)
    assert site.update(verb, id=70, info_hash=quote(HASH, safe=""), reason=1) == ""
    assert site.refused("deleted", Code.UNKNOWN_TORRENT) == "Unregistered torrent: Trump"
    assert 0 < site.ask("TTL", f"t:x:gone:{HASH.hex()}") <= 7 * 86_400


@pytest.mark.parametrize("reason", ["", "&reason=-1", "&reason=23", "&reason=", "&reason=none"])
def test_a_reason_that_has_no_name_is_not_made_up(site: Site, reason: str) -> None:
    site.join()
    site.add()
    site.served("both")
    target = f"{SECRET}/update?action=delete_torrent&info_hash={quote(HASH, safe='')}{reason}"
    assert site.request(target) == ""
    assert site.refused("deleted", Code.UNKNOWN_TORRENT) == "Unregistered torrent"


def test_a_deleted_torrent_leaves_nobody_behind_and_makes_nobody_a_hit_and_run(site: Site) -> None:
    for number in range(3):
        site.join(str(number) * 32, 600 + number)
    site.add()
    for number in range(3):
        peer_id = f"-TR4000-00000000000{number}".encode()
        said: Any = {"peer_id": peer_id, "port": 7000 + number, "left": number}
        site.served("joined", str(number) * 32, **said)
        site.client(str(number) * 32, downloaded=GIB, **said)
    assert site.ask("GET", "t:stats:leechers") == b"2"
    site.update("delete_torrent", info_hash=quote(HASH, safe=""), reason=0)
    assert [site.ask("GET", f"t:stats:{role}") for role in ("seeders", "leechers")] == [b"0", b"0"]
    assert site.ask("SCARD", f"t:tpeers:{HASH.hex()}") == 0
    assert site.ask("ZCARD", "t:x:deadlines") == site.ask("ZCARD", "t:x:owing") == 0
    assert site.ask("ZCARD", "t:i:snatches") == 0
    assert [site.ask("SCARD", f"t:u:60{number}:hnr") for number in range(3)] == [0, 0, 0]
    assert site.ask("HGET", "t:ut:601:70", "downloaded") == b"%d" % GIB


def test_a_torrent_uploaded_anew_begins_an_empty_swarm_under_its_new_number(site: Site) -> None:
    site.join()
    site.add(number=70)
    site.served("both", left=0, event="started")
    site.update("delete_torrent", info_hash=quote(HASH, safe=""), reason=0)
    site.add(number=71)
    answer = site.served("again", left=5, peer_id=b"-TR4000-another-one-")
    assert (answer[b"complete"], answer[b"incomplete"]) == (0, 1)
    assert site.ask("HGET", f"t:t:{HASH.hex()}", "torrent_id") == b"71"
    assert site.ask("EXISTS", f"t:x:gone:{HASH.hex()}") == 0


def test_a_torrent_that_gets_another_number_unasked_keeps_no_peers_under_the_old_one(site: Site) -> None:
    site.join()
    site.add(number=70)
    site.served("both", left=0)
    site.add(number=71)
    assert site.ask("SMEMBERS", "t:u:501:active") == []
    until("new number", lambda: site.client() and site.ask("SMEMBERS", "t:u:501:active") == [b"71"])
    assert site.ask("GET", "t:stats:seeders") == b"1"


# Tokens ----------------------------------------------------------------------------------------------------


def test_a_token_is_one_members_freeleech_on_one_torrent(site: Site) -> None:
    other = bytes([7]) * 20
    site.join()
    site.join(YAN, 502)
    site.add()
    site.add(other, 71)
    site.served("both")
    assert site.update("add_token", info_hash=quote(HASH, safe=""), userid=501) == ""
    until("the token counts", lambda: site.moves() == (GIB, 0))
    assert site.moves(YAN, 502) == (GIB, GIB), "another member"
    assert site.moves(info_hash=other) == (GIB, GIB), "another torrent"
    assert site.update("remove_token", info_hash=quote(HASH, safe=""), userid=501) == ""
    until("the token is gone", lambda: site.moves() == (GIB, GIB))


def test_a_token_outlives_a_changed_passkey_and_is_worth_nothing_on_a_neutral_torrent(site: Site) -> None:
    site.join()
    site.add()
    site.update("add_token", info_hash=quote(HASH, safe=""), userid=501)
    site.update("change_passkey", oldpasskey=ZOE, newpasskey=YAN)
    site.served("under the new passkey", YAN)
    assert site.moves(YAN) == (GIB, 0)
    site.update("update_torrent", info_hash=quote(HASH, safe=""), freetorrent=2)
    until("neutral", lambda: site.moves(YAN) == (0, 0))


# Users -----------------------------------------------------------------------------------------------------


def test_a_changed_passkey_is_known_and_the_old_one_is_not(site: Site) -> None:
    site.join()
    site.add()
    site.served("both")
    for _ in range(2):
        assert site.update("change_passkey", oldpasskey=ZOE, newpasskey=YAN) == "", "and once more"
    site.refused("the old one", Code.UNKNOWN_PASSKEY)
    site.served("the new one", YAN)
    assert site.ask("HGET", f"t:user:{YAN}", "user_id") == b"501"


def test_a_user_may_be_kept_from_leeching_and_allowed_again(site: Site) -> None:
    site.join()
    site.add()
    site.served("both", left=5)
    assert site.update("update_user", passkey=ZOE, can_leech=0, visible=1) == ""
    site.refused("leeching", Code.LEECHING_DENIED, left=5)
    site.served("seeding", left=0)
    assert site.update("update_user", passkey=ZOE, can_leech=1, visible=0) == ""
    site.served("leeching again", left=5)


def test_nobody_is_made_by_changing_him(site: Site) -> None:
    assert site.update("update_user", passkey=EVE, can_leech=1, visible=1) == ""
    assert site.update("change_passkey", oldpasskey=EVE, newpasskey="f" * 32) == ""
    assert site.update("remove_user", passkey=EVE) == ""
    assert site.ask("EXISTS", f"t:user:{EVE}", f"t:user:{'f' * 32}") == 0


def test_users_are_removed_one_by_one_and_in_a_list_without_separators(site: Site) -> None:
    passkeys = [f"{number:032}" for number in range(120)]
    site.add()
    for number, passkey in enumerate(passkeys):
        site.join(passkey, 1000 + number)
    site.served("one of them", passkeys[7])
    assert site.update("remove_user", passkey=passkeys[0]) == ""
    assert site.update("remove_users", passkeys="".join(passkeys[1:])) == ""
    assert site.update("remove_users", passkeys="") == "", "as a site says it that has nobody to remove"
    site.refused("removed", Code.UNKNOWN_PASSKEY, passkeys[7])
    assert site.ask("EXISTS", *[f"t:user:{passkey}" for passkey in passkeys]) == 0


# The whitelist and the pace --------------------------------------------------------------------------------


def test_clients_are_let_in_and_shut_out(site: Site) -> None:
    site.join()
    site.add()
    site.served("an empty list lets everybody in")
    assert site.update("remove_whitelist", peer_id="-XX99") == "", "that was never there"
    assert site.update("add_whitelist", peer_id="-qB4") == ""
    site.refused("another client", Code.CLIENT_DENIED)
    assert site.update("edit_whitelist", old_peer_id="-qB4", new_peer_id="-TR4") == ""
    site.served("ours", peer_id=b"-TR4000-0123456789ab")
    site.refused("the old one", Code.CLIENT_DENIED, peer_id=b"-qB4000-0123456789ab")
    assert site.update("remove_whitelist", peer_id="-TR4") == ""
    assert site.ask("EXISTS", "t:whitelist") == 0


def test_the_pace_changes_for_all_clients_and_over_both_doors_until_it_is_set_again(site: Site) -> None:
    site.join()
    site.add()
    assert site.update("update_announce_interval", new_announce_interval=1200) == ""
    assert site.update("update_announce_jitter", new_announce_jitter=0) == ""
    until("asked to come every 1200 s", lambda: site.client().get(b"interval") == 1200)
    assert site.told("get=stats")["announce interval"]["value"] == 1200
    assert site.told("get=stats")["announce jitter"]["value"] == 0
    answer = site.raw(f"{SECRET}/update?action=update_announce_interval&new_announce_interval=2700")
    assert answer.startswith(b"HTTP/1.1 400 "), "peers would be given up before they come again"
    assert b"tracker.timeout" in answer
    assert site.client()[b"interval"] == 1200


def test_what_one_tracker_is_told_all_of_them_follow(site: Site, live_server: RunningServer) -> None:
    with tracker(live_server) as other:
        beside = Site(other)
        site.join()
        site.add()
        beside.served("known beside", left=5)
        site.update("add_token", info_hash=quote(HASH, safe=""), userid=501)
        until("free beside", lambda: beside.moves() == (GIB, 0))
        site.update("update_announce_interval", new_announce_interval=1234)
        site.update("update_announce_jitter", new_announce_jitter=0)
        until("paced beside", lambda: beside.client()[b"interval"] == 1234)
        site.update("add_whitelist", peer_id="-qB4")
        beside.refused("a client that is not listed", Code.CLIENT_DENIED)
        site.update("remove_whitelist", peer_id="-qB4")
        site.update("update_user", passkey=ZOE, can_leech=0)
        beside.refused("leeching", Code.LEECHING_DENIED, left=5)
        site.update("delete_torrent", info_hash=quote(HASH, safe=""), reason=0)
        beside.refused("deleted", Code.UNKNOWN_TORRENT)
        site.update("remove_user", passkey=ZOE)
        beside.refused("removed", Code.UNKNOWN_PASSKEY)


def test_a_pace_that_was_told_is_kept_over_a_restart(site: Site, live_server: RunningServer) -> None:
    site.join()
    site.add()
    site.update("update_announce_interval", new_announce_interval=1234)
    site.update("update_announce_jitter", new_announce_jitter=0)
    with tracker(live_server) as other:
        until("paced", lambda: Site(other).client().get(b"interval") == 1234)


def test_names_of_keys_may_carry_the_tag_of_a_cluster(live_server: RunningServer) -> None:
    settings = Settings(gazelle_secret=Secret(SECRET), report_secret=Secret(REPORT))
    with tracker(live_server, settings=settings, layout=Layout.TAGGED) as door:
        site = Site(door)
        site.join()
        site.add()
        site.served("both", left=5)
        site.update("add_token", info_hash=quote(HASH, safe=""), userid=501)
        site.update("change_passkey", oldpasskey=ZOE, newpasskey=YAN)
        site.served("under the new passkey", YAN)
        assert site.told(f"get=torrent&info_hash={quote(HASH, safe='')}")["fltoken_list"] == [501]
        site.update("delete_torrent", info_hash=quote(HASH, safe=""), reason=0)
        site.refused("deleted", Code.UNKNOWN_TORRENT, YAN)
        assert site.ask("ZCARD", "{t}:x:deadlines") == 0
        assert [key for key in site.ask("KEYS", "*") if not key.startswith(b"{t}:")] == []


# Reports ---------------------------------------------------------------------------------------------------


def test_the_site_of_today_reads_how_the_house_stands(site: Site) -> None:
    site.join()
    site.add()
    site.served("both", left=5)
    stats = site.told("get=stats")
    assert (stats["leechers tracked"]["value"], stats["seeders tracked"]["value"]) == (1, 0)
    assert stats["successful announcements"]["value"] >= 1
    assert {each["type"] for each in stats.values()} == {"number"}


def test_the_site_of_old_reads_lines_of_a_number_and_its_name(old_site: Site) -> None:
    old_site.door.announce(left=5)
    old_site.door.announce(peer_id=b"-TR4000-seeding-----", port=6999)
    lines = [line.split(" ", 1) for line in (old_site.report("get=stats") or "").split("\n")]
    read = {name: value for value, name in lines}
    assert (read["leechers tracked"], read["seeders tracked"]) == ("1", "1")
    assert old_site.report(f"get=user&key={'a' * 32}") == "1 leeching\n0 seeding"
    assert old_site.report("get=user&key=nobody") == ""


def test_a_users_report_says_what_he_does_and_may(site: Site) -> None:
    site.join()
    site.add()
    site.add(bytes([7]) * 20, 71)
    site.served("leeching", left=5)
    site.served("seeding", info_hash=bytes([7]) * 20)
    rights = {"deleted": 0, "protected": 0, "can_leech": 1, "traced": 0}
    assert site.told(f"get=user&key={ZOE}") == {"id": 501, "leeching": 1, "seeding": 1, **rights}
    site.update("update_user", passkey=ZOE, can_leech=0, visible=0)
    found = site.told(f"get=user&key={ZOE}")
    assert (found["can_leech"], found["protected"]) == (0, 1), "from the moment that the change was answered"
    assert site.report(f"get=user&key={EVE}") == "", "nobody is no error"


def test_a_torrents_report_names_its_members(site: Site) -> None:
    site.join()
    site.join(YAN, 502)
    site.add(free=1)
    site.update("add_token", info_hash=quote(HASH, safe=""), userid=502)
    site.served("seeding")
    site.served("leeching", YAN, left=5, peer_id=b"-TR4000-yan---------", port=6999)
    found = site.told(f"get=torrent&info_hash={quote(HASH, safe='')}")
    assert (found["id"], found["free"], found["fltoken_list"]) == (70, 1, [502])
    assert (found["seeder_list"], found["leecher_list"]) == ([501], [502])
    shown = json.loads(site.update("info_torrent", info_hash=quote(HASH, safe="")) or "")
    assert shown == {"hash": HASH.hex(), "id": 70, "free": 1}
    assert json.loads(site.update("info_torrent", info_hash="x" * 20) or "")["fail"] == 1


# Strangers and nonsense ------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", ["update?action=add_user&passkey=" + EVE + "&id=1", "report?get=stats"])
@pytest.mark.parametrize("secret", ["", "x" * 32, SECRET[:-1], SECRET + "x", "s" * 5000, "%00", "ann/ann"])
def test_a_wrong_secret_is_answered_as_any_path_that_is_not_ours(site: Site, secret: str, verb: str) -> None:
    answer = site.raw(f"{secret}/{verb}")
    assert answer == site.raw("nothing/here")
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert site.ask("EXISTS", f"t:user:{EVE}") == 0


def test_each_secret_opens_its_own_verb_alone(site: Site) -> None:
    assert site.raw(f"{SECRET}/report?get=stats").startswith(b"HTTP/1.1 404 ")
    assert site.raw(f"{REPORT}/update?action=remove_user&passkey={ZOE}").startswith(b"HTTP/1.1 404 ")
    assert site.raw(f"{'a' * 32}/update?action=remove_user&passkey={ZOE}").startswith(b"HTTP/1.1 404 ")


def test_a_tracker_without_secrets_has_no_such_paths(live_server: RunningServer) -> None:
    with tracker(live_server) as door:
        for secret in ("", "x" * 32):
            answer = Site(door).raw(f"{secret}/update?action=add_user&passkey={EVE}&id=1")
            assert answer.startswith(b"HTTP/1.1 404 ")


def test_who_guesses_on_is_not_even_compared_but_the_site_beside_him_is_served(site: Site) -> None:
    site.join()
    for number in range(BURST + 5):
        site.raw(f"{number:032}/update?action=remove_user&passkey={ZOE}")
    assert site.update("add_user", passkey=YAN, id=502) == "", "its secret was right before"
    assert site.raw(f"{REPORT}/report?get=stats").startswith(b"HTTP/1.1 404 "), "a first try like any other"
    site.door.clock.ahead += 3600
    assert site.told("get=stats")


@pytest.mark.parametrize(
    "said",
    [
        "",
        "action=",
        "action=drop_table",
        "action=add_torrent",
        "action=add_torrent&info_hash=short&id=5&freetorrent=0",
        "action=add_torrent&info_hash=" + "x" * 20 + "&id=0&freetorrent=0",
        "action=add_torrent&info_hash=" + "x" * 20 + "&id=4294967296&freetorrent=0",
        "action=add_torrent&info_hash=" + "x" * 20 + "&id=5&freetorrent=3",
        "action=update_torrents&info_hashes=" + "x" * 21 + "&freetorrent=0",
        "action=add_user&passkey=a:b&id=5",
        "action=add_user&passkey=%2a&id=5",
        "action=add_user&passkey=" + "a" * 65 + "&id=5",
        "action=add_user&passkey=abc&id=-5",
        "action=remove_users&passkeys=" + "a" * 33,
        "action=remove_users&passkeys=" + "*" * 32,
        "action=add_token&info_hash=" + "x" * 20 + "&userid=abc",
        "action=add_whitelist&peer_id=" + "x" * 21,
        "action=add_whitelist&peer_id=%00",
        "action=update_announce_interval&new_announce_interval=5",
        "action=update_announce_jitter&new_announce_jitter=-1",
        "action=trace_user&passkey=" + "a" * 32 + "&trace=1",
    ],
)
def test_nonsense_changes_nothing_and_is_never_taken_for_done(site: Site, said: str) -> None:
    before = sorted(site.ask("KEYS", "*"))
    answer = site.raw(f"{SECRET}/update?{said}")
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert not answer.endswith(b"success")
    assert sorted(site.ask("KEYS", "*")) == before
    assert site.door.crashes() == 0


def test_a_key_of_another_kind_is_a_fault_that_the_site_hears_of(site: Site) -> None:
    site.ask("SET", f"t:user:{ZOE}", "501")
    answer = site.raw(f"{SECRET}/update?action=add_user&passkey={ZOE}&id=501")
    assert answer.startswith(b"HTTP/1.1 503 ")
    assert site.ask("GET", f"t:user:{ZOE}") == b"501"
