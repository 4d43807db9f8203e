"""Every live key that the catalogue keeps up, named as the tracker's seed names it."""

from holdfast.store.live.keys import KeyName

REALM = "t"
"""A tracker changes keys of uploads, of members and of the whole house in one step."""

INFO_HASH = KeyName(
    "t:info_hash:{info_hash}",
    kind="string",
    realm=REALM,
    meaning="The number of the upload that an announced info hash means, in decimal; absent: no such upload. "
    "A v2 hash stands here with its first 20 bytes.",
)
GONE = KeyName(
    "t:x:gone:{info_hash}",
    kind="string",
    realm=REALM,
    meaning="Why the upload that this info hash meant was removed.",
    ttl="`tracker.tell_removed` after the removal",
)
CANONICAL = KeyName(
    "t:x:ih:{torrent_id}",
    kind="string",
    realm=REALM,
    meaning="The info hash by which the tracker names an upload's keys: v1 where there is one; kept when the "
    "upload is removed.",
)
USER = KeyName(
    "t:user:{passkey}",
    kind="hash",
    realm=REALM,
    meaning="The member to whom a passkey belongs; absent: the passkey is refused.",
    fields={
        "user_id": "the member's number",
        "enabled": "1, or 0 when an operator has disabled the member",
        "can_leech": "1, or 0 when the member may only seed",
        "passkey, torrent_id": "alone, where this is an announce key: the passkey that it stands in for, and "
        "the one upload that it is good for",
        "visible": "written by a Gazelle site; 0: show his addresses to nobody",
        "multi_up, multi_dn": "his shares of what is credited, unless they are 1",
    },
)
TORRENT = KeyName(
    "t:t:{info_hash}",
    kind="hash",
    realm=REALM,
    meaning="The tracker's hash of a torrent; what stands in it here comes from the records.",
    fields={"multi_up, multi_dn": "the upload's shares of what is credited, unless they are 1"},
)
WINDOWS = KeyName(
    "t:x:windows",
    kind="hash",
    realm=REALM,
    meaning="Times in which everything is credited by other shares: number -> "
    "`START END MULTI_UP MULTI_DN`, times in seconds since 1970.",
)
WHITELIST = KeyName(
    "t:whitelist",
    kind="hash",
    realm=REALM,
    meaning="The clients that may take part: beginning of the peer id -> name; empty: every client may.",
)
CHANGES = KeyName(
    "t:pub:{what}",
    kind="channel",
    meaning="torrent, user, whitelist, windows or pace: whoever writes those keys tells which one; nothing "
    "means all.",
)
EVENTS = KeyName(
    "hf:events",
    kind="channel",
    owner=None,
    meaning="What changed, as JSON with event, topic, data, at and member_id; told at least once.",
)
EVENT_LOG = KeyName(
    "hf:event_log",
    kind="stream",
    owner=None,
    meaning="The last 10,000 events for whoever was away when they were told; `id` tells doubles apart.",
    fields={"id": "number of the event", "event": "the same JSON as on hf:events"},
)
NUDGE = KeyName(
    "hf:outbox",
    kind="channel",
    owner=None,
    meaning="Somebody has written to the records; whoever follows them need not wait for the next sweep.",
)
KEYS = (INFO_HASH, GONE, CANONICAL, USER, TORRENT, WINDOWS, WHITELIST, CHANGES, EVENTS, EVENT_LOG, NUDGE)
