"""Every live key of the tracker: the seed's names to the letter, and what quick answers need beside."""

from holdfast.catalogue.keys import REALM
from holdfast.store.live.keys import KeyName

TORRENT = KeyName(
    "t:t:{info_hash}",
    kind="hash",
    realm=REALM,
    meaning="A torrent's swarm, by the info hash under which its keys are named.",
    fields={
        "seeders": "peers that have everything",
        "leechers": "peers that have not, partial seeds among them",
        "partial": "of the leechers, those that have all they want",
        "snatches": "how often it was completed, once for each member",
        "announces": "announces taken",
        "torrent_id": "the upload's number",
        "uploaded, downloaded": "bytes that members moved, by their clients' counts",
        "enabled, reason": "written by the site, if at all: 0 refuses with the reason",
        "time": "seconds that members spent in it, sessions that ended alone",
        "born": "when this hash was made: one made anew counts from zero",
        "lists": "for functions.lua alone",
    },
)
PEERS = KeyName("t:tpeers:{info_hash}", kind="set", realm=REALM, meaning="The active peers' ids, in hex.")
PEER = KeyName(
    "t:p:{torrent_id}:{peer_id}",
    kind="hash",
    realm=REALM,
    meaning="One peer, by his id in hex; kept a while after he left, so that his counts can go on.",
    fields={
        "user_id": "whose client it is",
        "active": "1 while in the swarm",
        "completed": "1 once it completed the torrent",
        "first_announce, last_announce": "seconds since 1970",
        "total_time": "seconds spent in the swarm",
        "uploaded, downloaded, left": "bytes; what the books hold, not what the client claims",
        "speed_up, speed_dn": "bytes a second between the last two announces",
        "ip, port": "where it listens",
        "raw, x, p4, p6, folded": "for functions.lua alone",
    },
)
TIMEOUT = KeyName(
    "t:ptimeout:{torrent_id}:{peer_id}",
    kind="string",
    realm=REALM,
    meaning="There, with the value 1, as long as the peer counts as alive.",
    ttl="the timeout",
)
PEER_TORRENTS = KeyName(
    "t:p:{peer_id}:torrents", kind="set", realm=REALM, meaning="The torrents that a peer id is active in."
)
MEMBER = KeyName(
    "t:u:{user_id}",
    kind="hash",
    realm=REALM,
    meaning="A member's totals as credited.",
    fields={
        "uploaded, downloaded": "bytes",
        "snatches": "torrents completed",
        "time": "seconds in swarms, sessions that ended alone",
        "born": "when this hash was made: one made anew counts from zero",
        "uploaded_rest, downloaded_rest": "thousandths of a byte, for functions.lua alone",
    },
)
ACTIVE = KeyName("t:u:{user_id}:active", kind="set", realm=REALM, meaning="Torrents he takes part in now.")
COMPLETE = KeyName("t:u:{user_id}:complete", kind="set", realm=REALM, meaning="Torrents he has whole.")
INCOMPLETE = KeyName(
    "t:u:{user_id}:incomplete",
    kind="set",
    realm=REALM,
    meaning="Torrents he has in part, hit-and-runs too.",
)
HNR = KeyName("t:u:{user_id}:hnr", kind="set", realm=REALM, meaning="Torrents he took and ran from.")
SESSION = KeyName(
    "t:ut:{user_id}:{torrent_id}",
    kind="hash",
    realm=REALM,
    meaning="A member on a torrent, whatever peer ids his clients had.",
    fields={
        "time, uploaded, downloaded": "of his sessions that ended",
        "snatched": "when he completed it",
        "hnr": "when he was put among the hit-and-runs",
        "exempt": "1 when staff has freed him of it",
        "@PEER_ID": "one for each active client of his",
    },
)
STATS = KeyName(
    "t:stats:{what}",
    kind="string",
    realm=REALM,
    meaning="Over all: leechers, seeders, announces, scrapes, requests; open: peers of strangers' swarms, "
    "who count nowhere else.",
)
INDEX = KeyName(
    "t:i:{count}", kind="zset", realm=REALM, meaning="Torrent ids by their leechers, seeders or snatches."
)
DEADLINES = KeyName(
    "t:x:deadlines",
    kind="zset",
    realm=REALM,
    meaning="TORRENT_ID:PEER_ID of every active peer, by when to look whether he is still there.",
)
DIRTY = KeyName(
    "t:x:dirty",
    kind="hash",
    realm=REALM,
    meaning="What the records do not have yet -> the step that changed it last.",
    fields={
        "uUSER_ID": "a member's totals",
        "tTORRENT_ID": "a torrent's counts",
        "sUSER_ID:TORRENT_ID": "a member's standing on a torrent",
    },
)
STEP = KeyName(
    "t:x:step", kind="string", realm=REALM, meaning="How many steps there were that marked something dirty."
)
ERA = KeyName(
    "t:x:era",
    kind="string",
    realm=REALM,
    meaning="Made by the clerk where there is none: another one than before means that the store was lost.",
)
OWING = KeyName(
    "t:x:owing",
    kind="zset",
    realm=REALM,
    meaning="USER_ID:TORRENT_ID of members who left too early, by when their time of grace is over.",
)
SUSPICIONS = KeyName(
    "t:x:suspicions",
    kind="stream",
    realm=REALM,
    meaning="The last 10,000 announces that staff should look at.",
    fields={
        "kind": "speed: it claimed more than `tracker.fastest` allows, and was credited; leak: it came with "
        "a key that somebody else was given, and was refused",
        "uid, tid, pid": "member, torrent and peer id",
        "up, down, seconds": "speed: bytes claimed, and since when",
        "ip": "leak: from where it came",
        "at": "seconds since 1970",
    },
)
UDP_SECRET = KeyName(
    "t:x:udp",
    kind="string",
    realm=REALM,
    meaning="What UDP connection ids are made with, so that every worker knows those of the others.",
)
TOKENS = KeyName(
    "t:x:tokens:{torrent_id}",
    kind="set",
    realm=REALM,
    meaning="Members to whom a Gazelle site has given freeleech on this torrent.",
)
PACE = KeyName(
    "t:x:pace",
    kind="hash",
    realm=REALM,
    meaning="How often clients are asked to come, where a Gazelle site has said so; else the settings say.",
    fields={"interval, jitter": "seconds, as `tracker.interval` and `tracker.jitter`"},
)
PACKED = KeyName(
    "t:x:{list}:{torrent_id}",
    kind="string",
    realm=REALM,
    meaning="Seeders or leechers (s, l) by family (4, 6): owner and endpoint of each, one behind the other.",
)
PACKED_IDS = KeyName(
    "t:x:{list}:{torrent_id}:p",
    kind="string",
    realm=REALM,
    meaning="Their peer ids, in the same order.",
)
KEYS = (
    TORRENT,
    PEERS,
    PEER,
    TIMEOUT,
    PEER_TORRENTS,
    MEMBER,
    ACTIVE,
    COMPLETE,
    INCOMPLETE,
    HNR,
    SESSION,
    STATS,
    INDEX,
    DEADLINES,
    DIRTY,
    STEP,
    ERA,
    OWING,
    SUSPICIONS,
    UDP_SECRET,
    TOKENS,
    PACE,
    PACKED,
    PACKED_IDS,
)
