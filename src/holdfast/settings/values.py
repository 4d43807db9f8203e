"""The values settings hold beyond plain numbers and text, read and written as people write them."""

import hmac
import re
from decimal import Decimal
from typing import NamedTuple, Self

MASK = "***"


class Secret:
    """A text that shows as *** wherever it is printed, logged or formatted; only `reveal` gives it.

    It is neither a `str` nor a dataclass on purpose: no encoder can write it out by accident, and a type
    checker finds every place that would send the mask instead of the secret.
    """

    __slots__ = ("_text",)

    def __init__(self, text: str = "") -> None:
        self._text = text

    def reveal(self) -> str:
        return self._text

    @property
    def shown(self) -> str:
        return MASK if self._text else ""

    @property
    def is_secret(self) -> bool:
        """Whether showing the text would tell something that must not be told."""
        return self.shown != self._text

    def __str__(self) -> str:
        return self.shown

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.shown!r})"

    def __bool__(self) -> bool:
        return bool(self._text)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return hmac.compare_digest(
            self._text.encode("utf-8", "surrogatepass"), other._text.encode("utf-8", "surrogatepass")
        )

    def __hash__(self) -> int:
        return hash((type(self), self._text))


class Address(Secret):
    """Where a store is: a single word such as `embedded`, or a URL whose password shows as ***."""

    __slots__ = ()

    @property
    def scheme(self) -> str:
        """What comes before `://`, or the whole word."""
        return self._text.partition("://")[0].lower()

    @property
    def shown(self) -> str:
        return mask_url(self._text)


SECRET_QUERY = re.compile(r"([?&][^=&#]*(?:pass|secret|token|key|auth)[^=&#]*=)[^&#]+", re.IGNORECASE)


def mask_url(url: str) -> str:
    """The URL without its password and without query values whose name says that they are secret.

    The user part ends at the last @ and the user's name at the first colon, so that a password pasted without
    quoting its own @, / or ? hides as well; hiding too much of an odd URL does no harm.
    """
    scheme, mark, rest = url.partition("://")
    user, at, place = rest.rpartition("@")
    name, colon, password = user.partition(":")
    if colon and password:
        user = f"{name}:{MASK}"
    return SECRET_QUERY.sub(rf"\1{MASK}", f"{scheme}{mark}{user}{at}{place}")


class HostPort(NamedTuple):
    """An address to listen on: an empty host means every address of the machine, port 0 any free port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @classmethod
    def parse(cls, text: str) -> Self:
        match = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+(?:%[\w.-]+)?)\]|([A-Za-z0-9_.-]*)):([0-9]{1,5})", text)
        if match is None or int(match[3]) > 0xFFFF:
            raise ValueError(text)
        if match[1] is not None and ":" not in match[1]:
            raise ValueError(text)
        return cls(match[1] or match[2] or "", int(match[3]))


DURATIONS = {
    "ms": Decimal("0.001"),
    "s": Decimal(1),
    "min": Decimal(60),
    "h": Decimal(3600),
    "day": Decimal(86400),
    "days": Decimal(86400),
}
SIZES = {"b": Decimal(1)} | {
    prefix + unit: Decimal(base) ** power
    for unit, base in (("ib", 1024), ("b", 1000))
    for power, prefix in enumerate("kmgt", start=1)
}


def parse_duration(text: str) -> float:
    """Seconds from "10 s", "5 min", "1.5 h" or "28 days"."""
    return float(_amount(text, DURATIONS))


def write_duration(seconds: float) -> str:
    """The largest unit that takes a whole number, else seconds; it reads back as the same number."""
    exact = Decimal(repr(seconds))
    for unit in ("days", "h", "min"):
        count = exact / DURATIONS[unit]
        if exact and count == count.to_integral_value():
            return "1 day" if unit == "days" and count == 1 else f"{int(count)} {unit}"
    return f"{exact.normalize():f} s"


def parse_size(text: str) -> int:
    """Bytes from "512 MiB" (powers of 1024), "10 MB" (powers of 1000) or "100 B"."""
    size = _amount(text, SIZES)
    if size != size.to_integral_value():
        raise ValueError(text)
    return int(size)


def write_size(size: int) -> str:
    for unit in ("TiB", "GiB", "MiB", "KiB"):
        count, rest = divmod(size, int(SIZES[unit.lower()]))
        if count and not rest:
            return f"{count} {unit}"
    return f"{size} B"


def _amount(text: str, units: dict[str, Decimal]) -> Decimal:
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,15})?) ?([a-z]{1,4})", text.strip().lower(), re.ASCII)
    if match is None or match[2] not in units:
        raise ValueError(text)
    return Decimal(match[1]) * units[match[2]]
