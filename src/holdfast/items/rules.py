"""What spread decides, as pure functions: who gets work, what a report may say, how a claim is proven."""

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from holdfast.errors import InvalidError
from holdfast.items.model import Project, State, Status, Unknown
from holdfast.wire.volunteers import LONGEST_ITEM, SLUG

# Addresses that mean something else at the web door.
TAKEN = frozenset(
    {"api", "assets", "backfeed", "dictionary", "global-admin", "health"}
    | {"items", "metrics", "now", "projects"}
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
}


def checked(values: Mapping[str, Any]) -> dict[str, Any]:
    """New values for a project, as they are kept; a sentence for the first that makes no sense."""
    found = dict(values)
    if "item_pattern" in found:
        try:
            re.compile(found["item_pattern"])
        except re.error as error:
            raise InvalidError(f"The pattern of items is no regular expression: {error}.") from error
    for name, least, most in (("lease", 0.0, 3650 * 86400.0), ("attempts", 0, 1000)):
        if name in found and not least <= found[name] <= most:
            raise InvalidError(f"{name} must be from {least:g} to {most:g}; 0 is for never.")
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
    """The names that the project takes, each once, and those that it does not; a name is matched whole."""
    pattern = re.compile(project.item_pattern)
    good: list[str] = []
    refused: list[str] = []
    for item in dict.fromkeys(items):
        whole = len(item.encode()) <= LONGEST_ITEM and pattern.fullmatch(item)
        (good if whole else refused).append(item)
    return good, refused


LONGEST_REASON = 200


def reason(said: str) -> str:
    """Why an item failed, as a client says it: one line that people can read."""
    clean = "".join(sign if sign.isprintable() else " " for sign in said).strip()[:LONGEST_REASON]
    return clean or "the client gave no reason"
