"""Names of live keys: written and read back in one place, in both layouts, and documented from there."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal

from holdfast.errors import InvalidError, SettingsError

Kind = Literal["string", "hash", "set", "zset", "list", "stream", "channel"]

PLACE = re.compile(r"\{(\w+)\}")
GLOB = re.compile(r"([\\*?\[\]])")


class Layout(StrEnum):
    """How names are written."""

    CLASSIC = "classic"
    """The seeds' exact names, for one primary with replicas."""
    TAGGED = "tagged"
    """The same with the owner's id in braces: all keys of one owner share a slot of a cluster."""


@dataclass(frozen=True)
class KeyName:
    """The name of one live key or a family of them, with what it holds.

    `pattern` is the classic name with a place for each part, as in `t:u:{user_id}:active`. `owner` is the
    part whose keys must be changed together: the tagged layout puts it in braces where it stands, or appends
    it when it does not stand in the name. Where steps change keys of many owners at once, `realm` is the
    word that all their names begin with, and the tagged layout puts that in braces instead. Names of
    Holdfast's own begin with `hf:`.
    """

    pattern: str
    kind: Kind
    meaning: str
    owner: str | None = None
    realm: str | None = None
    fields: Mapping[str, str] = field(default_factory=dict, hash=False)
    ttl: str = ""

    def __post_init__(self) -> None:
        plain = PLACE.sub("", self.pattern)
        if "{" in plain or "}" in plain or len(set(self.parts)) < len(self.parts):
            raise SettingsError(f"{self.pattern!r} is no key pattern: braces hold one part, each part once.")
        if self.realm is not None and (self.owner or not self.pattern.startswith(f"{self.realm}:")):
            raise SettingsError(f"{self.pattern!r} must begin with its realm, and belongs to no other owner.")

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The parts of the classic name, in order."""
        return tuple(PLACE.findall(self.pattern))

    def needs(self, layout: Layout) -> frozenset[str]:
        """The parts without which this layout cannot write the name; the owner may always be given."""
        tagged = layout is Layout.TAGGED and self.owner is not None
        return frozenset((*self.parts, self.owner) if tagged else self.parts)  # type: ignore[arg-type]

    def name(self, layout: Layout, **values: str | int) -> str:
        """The key's name; every part is given, and the owner may be given even where it is not written."""
        if not self.needs(layout) <= values.keys() <= {*self.parts, self.owner}:
            wanted = ", ".join(sorted(self.needs(layout))) or "no parts"
            given = ", ".join(values) or "nothing"
            raise InvalidError(f"The key {self.pattern} takes {wanted}, not {given}.")
        shown = {part: str(value) for part, value in values.items()}
        for part, value in shown.items():
            if not value or (layout is Layout.TAGGED and ("{" in value or "}" in value)):
                raise InvalidError(f"{value!r} cannot be the {part} in the key {self.pattern}.")
        return self._written(layout, shown)

    def glob(self, layout: Layout, **known: str | int) -> str:
        """The pattern for scanning or subscribing: known parts as they are, any value for the others."""
        escaped = {part: GLOB.sub(r"\\\1", str(value)) for part, value in known.items()}
        return self._written(layout, dict.fromkeys(self.needs(layout), "*") | escaped)

    def parse(self, layout: Layout, name: str) -> dict[str, str] | None:
        """The parts of a name; None when it is another key's. Refused when it could be read in two ways."""
        least, most = (matcher.fullmatch(name) for matcher in self._matchers[layout])
        if least is None or most is None:
            return None
        if least.groupdict() != most.groupdict():
            raise InvalidError(f"{name!r} can be read in more than one way as {self.pattern}.")
        return most.groupdict()

    def _written(self, layout: Layout, values: Mapping[str, str]) -> str:
        pieces = self._pieces[layout]
        return "".join([values[piece] if at % 2 else piece for at, piece in enumerate(pieces)])

    @cached_property
    def _pieces(self) -> Mapping[Layout, list[str]]:
        """What stands in the name, in turn: text, part, text, part … text."""
        classic = PLACE.split(self.pattern)
        tagged = list(classic)
        if self.owner is not None:
            if self.owner not in self.parts:
                tagged[-1] += ":"
                tagged += [self.owner, ""]
            at = 2 * tagged[1::2].index(self.owner) + 1
            tagged[at - 1] += "{"
            tagged[at + 1] = "}" + tagged[at + 1]
        if self.realm is not None:
            tagged[0] = f"{{{self.realm}}}" + tagged[0].removeprefix(self.realm)
        return {Layout.CLASSIC: classic, Layout.TAGGED: tagged}

    @cached_property
    def _matchers(self) -> Mapping[Layout, tuple[re.Pattern[str], re.Pattern[str]]]:
        """Lazily the first parts come out shortest, greedily longest: if both agree there is one reading."""
        values = {Layout.CLASSIC: ".+", Layout.TAGGED: "[^{}]+"}
        return {
            layout: (_matcher(self._pieces[layout], f"{value}?"), _matcher(self._pieces[layout], value))
            for layout, value in values.items()
        }


def _matcher(pieces: list[str], value: str) -> re.Pattern[str]:
    written = [f"(?P<{piece}>{value})" if at % 2 else re.escape(piece) for at, piece in enumerate(pieces)]
    return re.compile("".join(written), re.DOTALL)


def document(keys: Iterable[KeyName]) -> str:
    """A Markdown table of keys, for the documentation."""
    rows = ["| key | type | kept together by | expires | meaning |", "|---|---|---|---|---|"]
    for key in keys:
        fields = "".join(f"<br>`{name}`: {meaning}" for name, meaning in key.fields.items())
        together = f"`{key.realm}`" if key.realm else key.owner or ""
        cells = (f"`{key.pattern}`", key.kind, together, key.ttl, key.meaning + fields)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"
