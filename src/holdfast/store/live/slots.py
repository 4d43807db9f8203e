"""Which of the cluster's 16384 slots a key belongs to, and where in a command its key stands."""

from binascii import crc_hqx
from collections.abc import Sequence
from dataclasses import dataclass

from holdfast.store.live.address import Endpoint

SLOTS = 16384

# Where the first key stands when it is not the first argument; None: there is no key, any server will do.
KEY_PLACE: dict[str, int | None] = {
    **dict.fromkeys(["BITOP", "MEMORY", "OBJECT", "XGROUP", "XINFO"], 2),
    **dict.fromkeys(["ACL", "CLIENT", "CLUSTER", "COMMAND", "CONFIG", "DBSIZE", "DEBUG", "ECHO"]),
    **dict.fromkeys(["EXEC", "FLUSHALL", "FLUSHDB", "FUNCTION", "INFO", "KEYS", "LATENCY", "MULTI", "PING"]),
    **dict.fromkeys(["PUBLISH", "PUBSUB", "RANDOMKEY", "ROLE", "SCAN", "SCRIPT", "SLOWLOG", "TIME"]),
}
# Commands that count their keys first: where the count stands.
COUNT_PLACE = {
    **dict.fromkeys(["EVAL", "EVALSHA", "EVALSHA_RO", "EVAL_RO", "FCALL", "FCALL_RO"], 2),
    **dict.fromkeys(["LMPOP", "SINTERCARD", "ZDIFF", "ZINTER", "ZINTERCARD", "ZMPOP", "ZUNION"], 1),
}


def slot(key: str | bytes) -> int:
    """The slot of a key: CRC16 (XMODEM) of what stands in its first non-empty braces, else of all of it."""
    name = key.encode() if isinstance(key, str) else key
    start = name.find(b"{")
    if start >= 0:
        end = name.find(b"}", start + 1)
        if end > start + 1:
            name = name[start + 1 : end]
    return crc_hqx(name, 0) % SLOTS


def first_key(command: Sequence[str | int | float | bytes]) -> str | bytes | None:
    """The key that decides where a command goes, or None when any server will do."""
    name = _word(command[0])
    if name in COUNT_PLACE:
        place: int | None = COUNT_PLACE[name] + 1
        if len(command) > COUNT_PLACE[name] and int(command[COUNT_PLACE[name]]) == 0:
            return None
    elif name in {"XREAD", "XREADGROUP"}:
        place = next((at + 1 for at, word in enumerate(command) if _word(word) == "STREAMS"), None)
    else:
        place = KEY_PLACE.get(name, 1)
    if place is None or place >= len(command):
        return None
    key = command[place]
    return key if isinstance(key, (str, bytes)) else str(key)


def _word(arg: str | int | float | bytes) -> str:
    return arg.decode("ascii", "replace").upper() if isinstance(arg, bytes) else str(arg).upper()


@dataclass(frozen=True, slots=True)
class Redirect:
    """The server says who has the slot: for good, or (`asking`) for this one command while the slot moves."""

    slot: int
    endpoint: Endpoint
    asking: bool


def redirect(answer: str, answered_by: Endpoint) -> Redirect | None:
    """What a refusal such as `MOVED 3999 127.0.0.1:6381` says; None when it is another one."""
    match answer.split(" "):
        case [("MOVED" | "ASK") as kind, number, place] if number.isdigit():
            host, _, port = place.rpartition(":")
            return Redirect(int(number), Endpoint(host or answered_by.host, int(port)), kind == "ASK")
    return None


def read_slots(reply: object, answered_by: Endpoint) -> list[Endpoint | None]:
    """The primary of every slot, from what CLUSTER SLOTS answers."""
    owners: list[Endpoint | None] = [None] * SLOTS
    for spread in reply if isinstance(reply, list) else ():
        match spread:
            case [int(first), int(last), [(bytes() | None) as host, int(port), *_], *_]:
                owner = Endpoint((host or b"").decode() or answered_by.host, port)
                owners[first : last + 1] = [owner] * (last + 1 - first)
    return owners
