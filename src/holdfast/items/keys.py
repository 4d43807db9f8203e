"""Every live key of a project: the seed's names and the original's to the letter, and ours beside."""

from holdfast.store.live.keys import KeyName, Kind, Layout

DEFAULT = "default"
"""What stands for the default project where a name needs a word: its classic names have no prefix at all."""


def _key(name: str, kind: Kind, meaning: str, *, ttl: str = "") -> KeyName:
    return KeyName(f"{{slug}}:{name}", kind=kind, owner="slug", meaning=meaning, ttl=ttl)


TODO = _key("todo", "set", "Items that nobody has claimed.")
SECONDARY = _key("todo:secondary", "set", "Items for when `todo` is empty.")
REDO = _key("todo:redo", "set", "Items for others than who held them last.")
PERSONAL = _key("todo:d:{downloader}", "set", "Items meant for one downloader.")
OUT = _key("out", "zset", "Claimed items by the time of their claim.")
CLAIMS = _key("claims", "hash", "Claimed item -> address, a space, name.")
DONE = _key("done", "set", "Finished items that the records do not have yet.")
DONE_COUNTER = _key("done_counter", "string", "Items finished, those in the records too.")
LOG = _key("log", "list", "A JSON object for each report, until the records have it.")
COUNT = _key("downloader_count", "hash", "Downloader -> items.")
BYTES = _key("downloader_bytes", "hash", "Downloader -> bytes.")
VERSION = _key("downloader_version", "hash", "Downloader -> version of his scripts.")
BUDGET = _key("downloader_budget", "hash", "Downloader -> minus the claims that he holds.")
LEAST_BUDGET = _key("min_downloader_budget", "string", "Minus the claims that each may hold at most.")
DOMAINS = _key("domain_bytes", "hash", "Domain -> bytes.")
CHART = _key("downloader_chartdata:{downloader}", "list", "[time, bytes] pairs, one a minute at most.")
ITEMS_CHART = _key("items_done_chartdata", "list", "[time, items] pairs, one a minute at most.")
POINTS = _key(
    "chart:{series}",
    "string",
    "total_items, total_bytes or downloader_bytes:NAME: `YYYYMMDDHHMM=hex ` a minute at most.",
)
CHART_SEEN = _key("chart:previous_timestamp", "hash", "Series -> the minute of its last point.")
PROCESSED = _key("requests_processed:{minute}", "string", "Requests in that minute of the hour.", ttl="300 s")
GRANTED = _key("requests_granted:{minute}", "string", "Items given in that minute of the hour.", ttl="300 s")
LIMIT = _key("requests_per_minute", "string", "Items given a minute at most; 0 pauses; absent: any number.")
MONITOR = _key("requests_per_minute:monitor", "string", "The same, set by a monitor; the smaller holds.")
BLOCKED = _key("blocked", "set", "Names and addresses that get no items.")
ADDED = _key("x:added", "string", "Items ever added: todo + out + done + failed.")
FAILED = _key("x:failed", "hash", "Items given up -> why.")
LATE = _key("x:late", "hash", "Items taken back -> who held them last, as in `claims`.")
ENDED = _key("x:ended", "hash", "Items -> how many of their claims ended without a report.")
NAMES = _key("x:personal", "set", "Downloaders for whom there is a queue of their own.")
SUMS = _key("x:sums", "hash", "bytes: what all of `domain_bytes` is together.")
BUCKET = _key("x:bucket", "string", "When the smooth limit has its next place free.", ttl="300 s")
UPLOADED = _key(
    "upload_log_{server}",
    "list",
    "A JSON object for each upload that a volunteer reported; `others`: to servers that are no target's.",
)
GIVEN = _key("x:given", "hash", "Number of an upload target -> how often volunteers were sent there.")
REPORTED = _key("x:uploaded", "hash", "Server -> uploads reported.")
RESCUES = _key("x:rescues:{address}", "string", "Forms with items that came from there.", ttl="60 s")
FED = _key("x:fed", "hash", "received, added, refused: items that volunteers discovered.")
STORY = _key("x:story", "list", "A JSON object for each claim that ended without a report, likewise.")
DRAINED = _key("x:drained", "string", "How many lines of the log the records have.")
TOLD = _key("x:told", "string", "How many lines of the story the records have.")

EVERYWHERE = KeyName(
    "global_blocked",
    kind="set",
    meaning="Names and addresses that get no items of any project; kept up from the records, for scripts.",
)
REPORTS = KeyName(
    "tracker-log",
    kind="channel",
    meaning="What was reported, as JSON: downloader, user_agent, item, megabytes, domain_bytes, version, "
    "log_channel, is_duplicate and counts.",
)
WARRIORS = KeyName(
    "warriorhq:ids",
    kind="string",
    realm="warriorhq",
    meaning="The number of the last warrior that registered.",
)
WARRIOR = KeyName(
    "warriorhq:instances:{number}",
    kind="hash",
    realm="warriorhq",
    meaning="What a warrior last said of itself.",
    fields={
        "downloader": "its volunteer",
        "selected_project": "what he chose, or `auto`",
        "lat_lng": "where it is, if it says so",
        "address": "where it asked from",
        "agent": "its program",
        "at": "when, in seconds since 1970",
    },
    ttl="15 minutes",
)
KEYS = (
    TODO, SECONDARY, REDO, PERSONAL, OUT, CLAIMS, DONE, DONE_COUNTER, LOG, COUNT, BYTES, VERSION, BUDGET,
    LEAST_BUDGET, DOMAINS, CHART, ITEMS_CHART, POINTS, CHART_SEEN, PROCESSED, GRANTED, LIMIT, MONITOR,
    BLOCKED, ADDED, FAILED, LATE, ENDED, NAMES, SUMS, BUCKET, STORY,
    DRAINED, TOLD, UPLOADED, GIVEN, REPORTED,
    RESCUES, FED, EVERYWHERE, REPORTS, WARRIORS, WARRIOR,
)  # fmt: skip


def name(key: KeyName, layout: Layout, slug: str, **parts: str | int) -> str:
    """A key of a project; `slug` is empty for the default project, whose classic names have no prefix."""
    if slug:
        return key.name(layout, slug=slug, **parts)
    written = key.name(layout, slug=DEFAULT, **parts)
    return written if layout is Layout.TAGGED else written.removeprefix(f"{DEFAULT}:")
