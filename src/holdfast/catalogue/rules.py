"""What the catalogue decides, as pure functions: who may do what, which names are good, who is told."""

import math
import re
import unicodedata
from collections.abc import Iterable

from holdfast.catalogue.model import SHARE, Actor, MemberRef, NoticeRole, Preferences, Role, Scope, Sinks
from holdfast.errors import InvalidError, RefusedError

EVERYBODY = frozenset(Role)
STAFF = frozenset({Role.MODERATOR, Role.OPERATOR})
OPERATORS = frozenset({Role.OPERATOR})

# The one place that says who may do what. What a member may do with what is his own comes on top.
MAY: dict[str, tuple[frozenset[Role], Scope]] = {
    "overview.read": (EVERYBODY, Scope.READ),
    "member.list": (EVERYBODY, Scope.READ),
    "member.read": (EVERYBODY, Scope.READ),
    "member.private": (OPERATORS, Scope.READ),
    "member.add": (OPERATORS, Scope.OPERATE),
    "member.change": (OPERATORS, Scope.OPERATE),
    "member.link": (OPERATORS, Scope.OPERATE),
    "passkey.read": (OPERATORS, Scope.OPERATE),
    "passkey.rotate": (OPERATORS, Scope.WRITE),
    "member.import": (OPERATORS, Scope.OPERATE),
    "upload.import": (OPERATORS, Scope.OPERATE),
    "participation.import": (OPERATORS, Scope.OPERATE),
    "points.read": (STAFF, Scope.READ),
    "points.give": (OPERATORS, Scope.OPERATE),
    "upload.list": (EVERYBODY, Scope.READ),
    "upload.read": (EVERYBODY, Scope.READ),
    "upload.fetch": (EVERYBODY, Scope.READ),
    "upload.add": (EVERYBODY, Scope.WRITE),
    "upload.add_for": (OPERATORS, Scope.OPERATE),
    "upload.change": (STAFF, Scope.WRITE),
    "upload.credit": (OPERATORS, Scope.OPERATE),
    "upload.remove": (STAFF, Scope.WRITE),
    "category.list": (EVERYBODY, Scope.READ),
    "category.change": (OPERATORS, Scope.OPERATE),
    "whitelist.list": (STAFF, Scope.READ),
    "whitelist.change": (OPERATORS, Scope.OPERATE),
    "swarm.read": (EVERYBODY, Scope.READ),
    "swarm.private": (STAFF, Scope.READ),
    "tracker.read": (STAFF, Scope.READ),
    "tracker.reap": (OPERATORS, Scope.OPERATE),
    "tracker.rebuild": (OPERATORS, Scope.OPERATE),
    "participation.read": (STAFF, Scope.READ),
    "participation.exempt": (STAFF, Scope.WRITE),
    "report.list": (STAFF, Scope.READ),
    "report.settle": (STAFF, Scope.WRITE),
    "freeleech.list": (EVERYBODY, Scope.READ),
    "freeleech.plan": (STAFF, Scope.READ),
    "freeleech.change": (OPERATORS, Scope.OPERATE),
    "project.list": (EVERYBODY, Scope.READ),
    "project.change": (OPERATORS, Scope.OPERATE),
    "project.fill": (STAFF, Scope.WRITE),
    "project.limit": (STAFF, Scope.WRITE),
    "claim.read": (STAFF, Scope.READ),
    "claim.release": (STAFF, Scope.WRITE),
    "block.list": (STAFF, Scope.READ),
    "block.change": (STAFF, Scope.WRITE),
    "target.list": (STAFF, Scope.READ),
    "target.change": (OPERATORS, Scope.OPERATE),
    "notice.list": (EVERYBODY, Scope.READ),
    "notice.mark": (EVERYBODY, Scope.WRITE),
    "notice.list_of": (OPERATORS, Scope.READ),
    "audit.read": (STAFF, Scope.READ),
    "system.read": (STAFF, Scope.READ),
    "settings.read": (OPERATORS, Scope.READ),
    "metrics.read": (OPERATORS, Scope.METRICS),
    "session.own": (EVERYBODY, Scope.WRITE),
    "token.own": (EVERYBODY, Scope.WRITE),
}


def may(actor: Actor, action: str) -> bool:
    roles, scope = MAY[action]
    return bool(actor.roles & roles) and scope in actor.scopes


def require(actor: Actor, action: str, *, own: MemberRef | None = None) -> None:
    """Refuse unless the actor may; `own` is the member to whom the thing belongs, if it is somebody's own."""
    if may(actor, action):
        return
    _, scope = MAY[action]
    mine = own is not None and own.id is not None and own.id == actor.member_id
    if mine and actor.roles and _own_scope(scope) in actor.scopes:
        return
    if scope not in actor.scopes:
        raise RefusedError(f"This token lacks the scope “{scope}”; make one that has it under your own page.")
    raise RefusedError(f"{actor.name} may not do this ({action}); ask an operator.")


def _own_scope(scope: Scope) -> Scope:
    return Scope.WRITE if scope is Scope.OPERATE else scope


NAME = re.compile(r"[^\W_](?:[\w.-]{0,62}[\w-])?")
UNFIT = re.compile(r"[^\w.-]+")
LONGEST_NAME = 64
MOST_BYTES = 2**53 - 1
"""More nobody counts honestly, and some readers of JSON could not tell them apart."""
PASSKEY = re.compile(r"[0-9A-Za-z]{1,32}")
LONGEST_EMAIL = 254
LONGEST_REMARK = 4096
EMAIL = re.compile(r"[^@\s<>\"(),:;\\]{1,64}@[^@\s<>\"(),:;\\]{1,180}\.[^@\s<>\"(),:;\\.]{2,63}")


def member_name(name: str) -> str:
    """A name that reads the same everywhere: in addresses, in chat and in a sentence."""
    if not NAME.fullmatch(name) or name_key(name).isdecimal():
        raise InvalidError(
            f"“{name[:64]}” cannot be a member's name; use 1 to 64 letters, digits, dots, dashes or "
            "underscores, beginning with a letter or digit, ending with no dot, and not digits alone."
        )
    return name


def mended_name(name: str) -> str:
    """The member's name that comes closest to whatever somebody was called elsewhere."""
    fit = UNFIT.sub("_", unicodedata.normalize("NFKC", name)).strip("_.-")[:LONGEST_NAME].strip("_.-")
    if not fit:
        return "member"
    return f"member-{fit}"[:LONGEST_NAME] if name_key(fit).isdecimal() else fit


def next_name(name: str, number: int) -> str:
    """The same name told apart by a number."""
    return f"{name[: LONGEST_NAME - len(str(number)) - 1]}-{number}"


def is_passkey(text: str) -> bool:
    return PASSKEY.fullmatch(text) is not None


def passkey(text: str) -> str:
    """A passkey that another tracker has given out; ours are 32 hex digits."""
    if not is_passkey(text):
        raise InvalidError("A passkey is 1 to 32 of the letters A to Z, large and small, and digits.")
    return text


def name_key(name: str) -> str:
    """Two names with one key are one name to a reader."""
    return unicodedata.normalize("NFKC", name).casefold()


def email_address(address: str) -> str:
    if not EMAIL.fullmatch(address) or len(address) > LONGEST_EMAIL or not address.isprintable():
        raise InvalidError(f"“{address[:80]}” is no e-mail address; write it as name@example.org.")
    return address


def line(what: str, text: str, longest: int = 255) -> str:
    """One line that people read: no control characters, not empty, not endless."""
    clean = text.strip()
    if not clean or len(clean) > longest or any(not c.isprintable() for c in clean):
        raise InvalidError(f"The {what} must be one line of 1 to {longest} printable characters.")
    return clean


def remark(text: str) -> str:
    """What a torrent says of itself, as much of it as people read; PostgreSQL has no room for NUL."""
    return text[:LONGEST_REMARK].replace("\0", "\ufffd")


def roles_of(roles: Iterable[str]) -> tuple[Role, ...]:
    """Every member is a member; the order never varies."""
    try:
        wanted = {Role(role) for role in roles} | {Role.MEMBER}
    except ValueError as error:
        raise InvalidError(f"{error}; roles are {', '.join(Role)}.") from error
    return tuple(role for role in Role if role in wanted)


PREFIX = re.compile(r"[!-~]{1,20}")


def client_prefix(prefix: str) -> str:
    """A peer id begins with its client's prefix, such as `-TR4`; both are at most 20 bytes."""
    if not PREFIX.fullmatch(prefix):
        raise InvalidError(
            f"“{prefix[:40]}” cannot begin a peer id; a prefix is 1 to 20 visible ASCII characters, as -TR4."
        )
    return prefix


def points_value(points: int) -> int:
    if not 0 <= points <= 1_000_000:
        raise InvalidError("A category's points are a whole number from 0 to 1,000,000.")
    return points


def points_amount(amount: int) -> int:
    if amount == 0 or abs(amount) > 1_000_000_000:
        raise InvalidError("Points are given or taken as a whole number other than 0, up to 1,000,000,000.")
    return amount


def removal_reason(reason: str) -> str:
    return line("reason", reason, 500)


MOST_MULTIPLIED = 8
FARTHEST_FREELEECH = 36_525 * 86_400.0


def share(multiplier: float) -> int:
    """A multiplier as people write it, in thousandths."""
    thousandths = round(multiplier * SHARE) if 0 <= multiplier <= MOST_MULTIPLIED else -1
    if thousandths < 0 or abs(thousandths - multiplier * SHARE) > 1e-6:
        raise InvalidError(
            f"A multiplier is a number from 0 to {MOST_MULTIPLIED} with at most three decimals, such as 0.5; "
            "0 credits nothing, 1 all that was moved."
        )
    return thousandths


def shares(multi_up: float | None, multi_down: float | None, reason: str | None) -> dict[str, int]:
    """What of a member's or an upload's shares is changed; that is always done for a reason."""
    given = {"multi_up": multi_up, "multi_down": multi_down}
    found = {name: share(multiplier) for name, multiplier in given.items() if multiplier is not None}
    if found and reason is None:
        raise InvalidError("Say why the multipliers are changed, with a reason.")
    if reason is not None and not found:
        raise InvalidError("A reason goes with multipliers; name multi_up, multi_down or both.")
    return found


def freeleech_time(now: float, starts: float, ends: float) -> tuple[float, float]:
    """Beginning and end of a freeleech, in whole seconds, as every tracker reads them."""
    if not (0 <= starts < ends and now < ends <= now + FARTHEST_FREELEECH):
        raise InvalidError(
            "A freeleech ends after it began, in the future, and within a hundred years; mend its times."
        )
    return float(int(starts)), float(math.ceil(ends))


def wanted_sinks(preferences: Preferences, role: NoticeRole) -> Sinks:
    """Which sinks a notice may use; what is sent to somebody as a member or operator cannot be declined."""
    match role:
        case NoticeRole.UPLOADER:
            return preferences.as_uploader
        case NoticeRole.SNATCHER:
            return preferences.as_snatcher
        case NoticeRole.MEMBER | NoticeRole.OPERATOR:
            return Sinks()


def next_delivery(attempts: int, now: float) -> float:
    """Try again after one minute, then twice as long each time, at most a day."""
    return now + min(60.0 * 2.0 ** max(attempts - 1, 0), 86_400.0)
