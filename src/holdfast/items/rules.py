"""What spread decides, as pure functions: who gets work, what a report may say, how a claim is proven."""

import hashlib
import hmac
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import urlsplit

from holdfast.errors import InvalidError
from holdfast.items.model import Headquarters, Project, State, Status, Target, Unknown
from holdfast.wire.volunteers import LONGEST_ITEM, NAME, SLUG

# Addresses that mean something else at the web door, and words that mean something else to a warrior: who
# is told to choose `auto` asks headquarters again, and again.
TAKEN = frozenset(
    {"api", "assets", "audit", "auto", "backfeed", "dictionary", "explore", "global-admin", "health"}
    | {"items", "members", "metrics", "none", "notices", "now", "projects", "settings", "sign-in"}
    | {"system", "tracker", "uploads", "volunteers", "welcome"}
)
TITLE_MOST = 128
MAC_LENGTH = 20


def slug(name: str) -> str:
    if not SLUG.fullmatch(name) or name in TAKEN:
        raise InvalidError(
            f"“{name[:40]}” cannot name a project; use small letters, digits and dashes, and none of "
            f"{', '.join(sorted(TAKEN))}."
        )
    return name


def gives_out(project: Project, version: str) -> Status | None:
    """None where the live store is to be asked; else why nobody, or this version, gets an item."""
    match project.state:
        case State.PAUSED:
            return Status.LIMITED
        case State.DRAFT | State.DRAINING | State.ARCHIVED:
            return Status.EMPTY
        case State.ACTIVE:
            return None if is_current(project, version) else Status.OUTDATED


def is_current(project: Project, version: str) -> bool:
    """Versions are dates with a running number, and compare as text; none at all is older than any."""
    return version >= project.minimum_version and version not in project.refused_versions


def takes_reports(project: Project) -> bool:
    return project.state is not State.DRAFT


def token(project: Project, name: str, at: float) -> str:
    """What proves a claim made by this name at this moment; it needs to be remembered by nobody."""
    return f"{at:.6f}-{_mac(project, name, f'{at:.6f}')}"


def claimed_at(project: Project, name: str, said: str) -> float | None:
    """The moment that a token names, if it is ours and was given to this name."""
    at, _, mac = said.rpartition("-")
    if not mac or not hmac.compare_digest(mac.encode(), _mac(project, name, at).encode()):
        return None
    return float(at)


def _mac(project: Project, name: str, at: str) -> str:
    text = f"{project.id} {name} {at}".encode()
    return hmac.new(project.secret.encode(), text, hashlib.sha256).hexdigest()[:MAC_LENGTH]


def counts_for(project: Project, counted: Mapping[str, int]) -> bool:
    """Whether the bytes are counted under the project's domains; one that names none takes any."""
    return not project.domains or counted.keys() <= project.domains.keys()


CHANGEABLE = frozenset(each.name for each in fields(Project)) - {
    "id",
    "slug",
    "is_default",
    "secret",
    "created",
    "backfeed_hash",
}
NUMBERS = (
    ("lease", 0.0, 3650 * 86400.0, "0 is for never"),
    ("attempts", 0, 1000, "0 is for never"),
    ("deadline", 0.0, 4e9, "it is in seconds since 1970, and 0 is for none"),
    ("weight", 0.0, 1e6, "0 is for never"),
)


def checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """New values for a project, as they are kept; a sentence for the first that makes no sense."""
    found = dict(values)
    if "item_pattern" in found:
        try:
            re.compile(found["item_pattern"])
        except re.error as error:
            raise InvalidError(f"The pattern of items is no regular expression: {error}.") from error
    for name, least, most, hint in NUMBERS:
        if name in found and not least <= found[name] <= most:
            raise InvalidError(f"{name} must be from {least:g} to {most:g}; {hint}.")
    queue(found.get("backfeed_queue", "todo"))
    _check_dictionary(found.get("dictionary", {}))
    _check_extras(found.get("extras", {}))
    for name, kind in (("state", State), ("unknown", Unknown)):
        if name in found:
            try:
                found[name] = kind(found[name])
            except ValueError as error:
                raise InvalidError(f"{name} is one of {', '.join(kind)}.") from error
    return found


QUEUE = re.compile(r"todo(?::secondary|:redo|:d:[-_a-zA-Z0-9]{3,30})?")


def queue(name: str) -> str:
    if not QUEUE.fullmatch(name):
        raise InvalidError(
            f"There is no queue “{name[:40]}”; there are todo, todo:secondary, todo:redo and todo:d:NAME."
        )
    return name


def sorted_out(project: Project, items: Sequence[str]) -> tuple[list[str], list[str]]:
    """The names that the project takes, each once, and those that it does not; a name is matched whole.

    None has a NUL in it, whatever the pattern says: clients join names with that.
    """
    pattern = re.compile(project.item_pattern)
    good: list[str] = []
    refused: list[str] = []
    for item in dict.fromkeys(items):
        whole = "\0" not in item and len(item.encode()) <= LONGEST_ITEM and pattern.fullmatch(item)
        (good if whole else refused).append(item)
    return good, refused


LONGEST_REASON = 200


def reason(said: str) -> str:
    """Why an item failed, as a client says it: one line that people can read."""
    clean = "".join(sign if sign.isprintable() else " " for sign in said).strip()[:LONGEST_REASON]
    return clean or "the client gave no reason"


DICTIONARY = {"id", "url", "sha256"}
# What an answer to a claim says itself.
RESERVED = frozenset({"item_name", "items", "queues", "claim"})
LARGEST_EXTRAS = 16_384
PLACES = re.compile(r"\{items?\}")


def _check_dictionary(dictionary: Mapping[str, str]) -> None:
    if dictionary and dictionary.keys() != DICTIONARY:
        raise InvalidError("A dictionary has id, url and sha256, and nothing else; {} is for none.")


def _check_extras(extras: Mapping[str, Any]) -> None:
    taken = RESERVED & extras.keys()
    if taken:
        raise InvalidError(
            f"{', '.join(sorted(taken))} is answered by the tracker itself; name it otherwise."
        )
    if len(json.dumps(extras)) > LARGEST_EXTRAS:
        raise InvalidError(f"What goes with every item has at most {LARGEST_EXTRAS} bytes of JSON.")


def extras(project: Project, items: Sequence[str]) -> dict[str, Any]:
    """What is answered beside the items. In its strings, `{item}` stands for the name of the item, several
    joined as in `item_name`; `{items}` stands for them with commas between, and alone for a list of them.
    """
    return {name: _filled(said, items) for name, said in project.extras.items()}


def _filled(said: Any, items: Sequence[str]) -> Any:
    match said:
        case "{items}":
            return list(items)
        case str():
            return PLACES.sub(lambda place: ("\0" if place[0] == "{item}" else ",").join(items), said)
        case list():
            return [_filled(each, items) for each in said]
        case dict():
            return {name: _filled(each, items) for name, each in said.items()}
        case _:
            return said


TARGET = re.compile(r"(?:rsync|https?)://[^\s/?#]+(?:/[^\s?#]*)?")


def target_url(url: str) -> str:
    """Clients put the name of a file behind it, and take it only with a slash in the end."""
    if not TARGET.fullmatch(url) or len(url) > 2000 or not url.isprintable() or _host(url) is None:
        raise InvalidError(
            f"“{url[:80]}” is no place for uploads; use rsync://HOST/MODULE/, http://… or https://…, "
            "with :downloader where the volunteer's name belongs."
        )
    return url if url.endswith("/") else f"{url}/"


def target_weight(weight: float) -> float:
    if not 0 < weight <= 1e6:
        raise InvalidError("A target's weight is more than 0 and at most 1,000,000; switch it off for none.")
    return weight


def well(targets: Sequence[Target], now: float) -> list[Target]:
    """Those to which volunteers may be sent."""
    return [target for target in targets if target.active and target.held_until <= now]


def can_store(targets: Sequence[Target], now: float) -> bool:
    """A project without targets needs none here; one whose targets are all ill gives out no work."""
    return not targets or bool(well(targets, now))


def choose(targets: Sequence[Target], luck: float) -> Target:
    """By weight and luck, from 0 to 1. Chance is wanted: a volunteer asks again when a target failed him."""
    left = luck * sum(target.weight for target in targets)
    for target in targets:
        left -= target.weight
        if left < 0:
            return target
    return targets[-1]


OTHERS = "others"


def server_name(said: str, targets: Sequence[Target]) -> str:
    """Under which name an upload is remembered: only that of a server which we named ourselves."""
    return said if said in {server_name_of(target) for target in targets} else OTHERS


def server_name_of(target: Target) -> str:
    return _host(target.url) or OTHERS


def _host(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


SEESAW = re.compile(r"\d{1,4}\.\d{1,4}(?:\.\d{1,4})?", re.ASCII)


def headquarters(before: Headquarters, values: Mapping[str, Any]) -> Headquarters:
    after = replace(before, **values)
    if not SEESAW.fullmatch(after.seesaw_version):
        raise InvalidError("A version of seesaw is two or three numbers with dots between, such as 0.10.3.")
    return after


def for_warriors(every: Iterable[Project]) -> list[Project]:
    """Those that warriors may choose: they need the address from which a pipeline comes."""
    return [one for one in every if one.repository and one.state in (State.ACTIVE, State.PAUSED)]


def automatic(told: Headquarters, offered: Sequence[Project]) -> str | None:
    """The project for warriors that leave the choice to us."""
    if any(one.slug == told.auto_project for one in offered):
        return told.auto_project
    wanted = [one for one in offered if one.weight > 0 and one.state is State.ACTIVE]
    return max(wanted, key=lambda one: one.weight).slug if wanted else None


def takes_items(project: Project) -> bool:
    return project.state is not State.ARCHIVED


MOST_RESCUED = 100


def rescued(project: Project, text: str) -> list[str]:
    """What somebody's text has of the names that the project takes, in small letters, each once."""
    found = re.finditer(project.item_pattern, text.lower())
    names = list(dict.fromkeys(match[0] for match in found if match[0]))
    if len(names) > MOST_RESCUED:
        raise InvalidError(f"There are {len(names)} items in it; send at most {MOST_RESCUED} at once.")
    return names


def key_hash(key: str) -> str:
    """A key that nobody can guess needs no salt."""
    return hashlib.sha256(key.encode()).hexdigest()


def whom(said: str) -> str:
    """A name, an address or a network, each as it is written everywhere."""
    if NAME.fullmatch(said) or is_address(said):
        return plain_address(said)
    try:
        return str(ip_network(said, strict=False))
    except ValueError:
        raise InvalidError(
            f"“{said[:40]}” is nobody who could be blocked; give a downloader's name, an address, or a "
            "network such as 192.0.2.0/24."
        ) from None


def is_network(said: str) -> bool:
    return "/" in said


def is_address(said: str) -> bool:
    try:
        ip_address(said)
    except ValueError:
        return False
    return True


def plain_address(said: str) -> str:
    """An IPv4 address is one, also where it comes in the form of IPv6; what is no address stays as it is."""
    try:
        address = ip_address(said)
    except ValueError:
        return said
    return str(getattr(address, "ipv4_mapped", None) or address)
