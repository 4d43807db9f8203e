"""The kinds of value a setting can have: how each is read, written, bounded and described in one place.

A section is a frozen dataclass whose fields are made by the functions below. What they store beside the
default (kind and documentation) is the only source of the sample file, the reference and every refusal.
"""

import dataclasses
import ipaddress
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlsplit

from holdfast.settings.values import (
    Address,
    HostPort,
    Secret,
    parse_duration,
    parse_size,
    write_duration,
    write_size,
)

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

Plain = str | int | float | bool | list[str]
"""What a TOML value of a setting can be once it is read by the parser."""


@dataclass(frozen=True)
class Kind(Generic[T]):
    """How a value is taken from TOML or a typed override, from a variable's text, and back."""

    expected: str
    take: Callable[[object], T]
    """From what TOML holds, or a value of the right type; raises ValueError."""
    plain: Callable[[T], Plain]
    """Back to what TOML holds."""
    from_text: Callable[[str], object] = lambda text: text
    """From an environment variable to what TOML would hold; raises ValueError."""
    secret: bool = False

    def read(self, value: object, *, as_text: bool) -> T:
        return self.take(self.from_text(value) if as_text and isinstance(value, str) else value)


@dataclass(frozen=True)
class Leaf:
    """One setting of the tree, under its dotted name."""

    name: str
    kind: Kind[Any]
    default: Any
    doc: str

    @property
    def variable(self) -> str:
        return variable(self.name)


def variable(name: str) -> str:
    """The environment variable of a setting: dots become underscores, `web.listen` is HOLDFAST_WEB_LISTEN."""
    return "HOLDFAST_" + name.replace(".", "_").upper()


def leaves(section_type: type, prefix: str = "") -> Iterator[Leaf]:
    for entry in dataclasses.fields(section_type):
        if "kind" in entry.metadata:
            yield Leaf(prefix + entry.name, entry.metadata["kind"], entry.default, entry.metadata["doc"])
    for name, inner in sections(section_type).items():
        yield from leaves(inner, f"{prefix}{name}.")


def sections(section_type: type) -> Mapping[str, type]:
    """The sections directly inside a section, by name."""
    return {
        entry.name: entry.metadata["section"]
        for entry in dataclasses.fields(section_type)
        if "section" in entry.metadata
    }


def section(of: Callable[[], T]) -> T:
    return dataclasses.field(default_factory=of, metadata={"section": of})


def _setting(kind: Kind[T], default: object, doc: str) -> T:
    return dataclasses.field(default=kind.take(default), metadata={"kind": kind, "doc": doc})


def _instance(value: object, *types: type) -> None:
    if not isinstance(value, types) or (isinstance(value, bool) and bool not in types):
        raise ValueError(value)


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.isprintable():
        raise ValueError(value)
    return value


def _bounded(take: Callable[[object], T], least: T, most: T) -> Callable[[object], T]:
    def bounded(value: object) -> T:
        taken = take(value)
        if not least <= taken <= most:  # type: ignore[operator]
            raise ValueError(value)
        return taken

    return bounded


def _or_none(kind: Kind[T]) -> Kind[T | None]:
    """The same kind, where an empty text means that nothing is set."""
    return Kind(
        f"{kind.expected}, or empty",
        take=lambda value: None if value in ("", None) else kind.take(value),
        plain=lambda value: "" if value is None else kind.plain(value),
        from_text=kind.from_text,
    )


# What a section's fields are made with.


def text(default: str, doc: str, *, empty: bool = False, most: int = 200) -> str:
    def take(value: object) -> str:
        taken = _text(value).strip()
        if len(taken) > most or not (taken or empty):
            raise ValueError(value)
        return taken

    return _setting(
        Kind(f"a text of {0 if empty else 1} to {most} printable characters", take, str), default, doc
    )


def whole(default: int, doc: str, *, least: int, most: int) -> int:
    def take(value: object) -> int:
        _instance(value, int)
        return int(value)  # type: ignore[call-overload, no-any-return]

    kind = Kind(f"a whole number from {least} to {most}", _bounded(take, least, most), int, from_text=int)
    return _setting(kind, default, doc)


def number(default: float, doc: str, *, least: float, most: float) -> float:
    def take(value: object) -> float:
        _instance(value, int, float)
        try:
            return float(value)  # type: ignore[arg-type]
        except OverflowError as large:
            raise ValueError(value) from large

    kind = Kind(f"a number from {least} to {most}", _bounded(take, least, most), float, from_text=float)
    return _setting(kind, default, doc)


def switch(default: bool, doc: str) -> bool:
    def take(value: object) -> bool:
        _instance(value, bool)
        return bool(value)

    def from_text(written: str) -> bool:
        if written.lower() not in ("true", "false"):
            raise ValueError(written)
        return written.lower() == "true"

    return _setting(Kind("true or false", take, bool, from_text=from_text), default, doc)


def choice(default: E, doc: str) -> E:
    options = type(default)
    names = [f'"{option.value}"' for option in options]
    kind = Kind(
        f"{', '.join(names[:-1])} or {names[-1]}",
        lambda value: options(_text(value)),
        lambda value: value.value,
    )
    return _setting(kind, default, doc)


def _path(value: object) -> Path:
    _instance(value, str, Path)
    if not str(value) or "\0" in str(value):
        raise ValueError(value)
    try:
        return Path(str(value)).expanduser()
    except RuntimeError as homeless:
        raise ValueError(value) from homeless


PATH: Kind[Path] = Kind("a path", _path, str)


def path(default: str, doc: str) -> Path:
    return _setting(PATH, default, doc)


def path_or_none(doc: str) -> Path | None:
    return _setting(_or_none(PATH), None, doc)


def networks(doc: str) -> tuple[str, ...]:
    """Networks in CIDR notation, none by default; a variable separates them by commas."""

    def take(value: object) -> tuple[str, ...]:
        _instance(value, list, tuple)
        return tuple(str(ipaddress.ip_network(_text(each))) for each in value)  # type: ignore[attr-defined]

    def from_text(written: str) -> list[str]:
        return [each.strip() for each in written.split(",") if each.strip()]

    kind = Kind('a list of networks such as ["10.0.0.0/8", "::1/128"]', take, list, from_text=from_text)
    return _setting(kind, (), doc)


def duration(default: str, doc: str, *, least: str, most: str) -> float:
    def take(value: object) -> float:
        return parse_duration(_text(value))

    bounded = _bounded(take, parse_duration(least), parse_duration(most))
    kind = Kind(
        f'a duration with its unit such as "10 s", "5 min" or "28 days", from {least} to {most}',
        bounded,
        write_duration,
    )
    return _setting(kind, default, doc)


def size(default: str, doc: str, *, least: str, most: str) -> int:
    def take(value: object) -> int:
        return parse_size(_text(value))

    bounded = _bounded(take, parse_size(least), parse_size(most))
    kind = Kind(f'a size with its unit such as "512 MiB", from {least} to {most}', bounded, write_size)
    return _setting(kind, default, doc)


def host_port(default: str, doc: str) -> HostPort:
    def take(value: object) -> HostPort:
        return value if isinstance(value, HostPort) else HostPort.parse(_text(value))

    return _setting(Kind('HOST:PORT such as "127.0.0.1:8080", "[::1]:0" or ":8080"', take, str), default, doc)


def _public_url(value: object, *schemes: str) -> str:
    url = _text(value).rstrip("/")
    parts = urlsplit(url)
    if parts.scheme not in schemes or not parts.hostname or parts.query or parts.fragment or " " in url:
        raise ValueError(value)
    if parts.username is not None or (parts.port or 1) > 0xFFFF:
        raise ValueError(value)
    return url


def _web_url(value: object) -> str:
    return _public_url(value, "http", "https")


WEB_URL: Kind[str] = Kind('a web address such as "https://holdfast.example.org"', _web_url, str)


def web_url_or_none(doc: str) -> str | None:
    return _setting(_or_none(WEB_URL), None, doc)


def _udp_url(value: object) -> str:
    url = _public_url(value, "udp")
    parts = urlsplit(url)
    if not parts.port or parts.path:
        raise ValueError(value)
    return url


UDP_URL: Kind[str] = Kind('an address such as "udp://tracker.example.org:6969"', _udp_url, str)


def udp_url_or_none(doc: str) -> str | None:
    return _setting(_or_none(UDP_URL), None, doc)


def secret(doc: str, *, url: bool = False) -> Secret:
    def take(value: object) -> Secret:
        taken = value if isinstance(value, Secret) else Secret(_text(value))
        if url and taken and not taken.reveal().lower().startswith(("https://", "http://")):
            raise ValueError(value)
        return taken

    expected = "a web address starting with https://, or empty" if url else "a text, or empty"
    return _setting(Kind(expected, take, lambda value: value.shown, secret=True), "", doc)


def address(default: str, doc: str, *, schemes: tuple[str, ...]) -> Address:
    """The word of the default, or a URL with one of the schemes; secret, as it may hold a password."""

    def take(value: object) -> Address:
        taken = value if isinstance(value, Address) else Address(_text(value))
        revealed = taken.reveal()
        if revealed == default:
            return taken
        rest = revealed.partition("://")[2]
        if taken.scheme not in schemes or not rest.rpartition("@")[2].lstrip("/?#") or " " in revealed:
            raise ValueError(value)
        return taken

    starts = [f"{scheme}://" for scheme in schemes]
    expected = f'"{default}" or an address starting with {", ".join(starts)}'
    return _setting(Kind(expected, take, lambda value: value.shown, secret=True), default, doc)


def literal(value: Plain) -> str:
    """The value as TOML writes it: as JSON does, but for DEL, which TOML wants escaped."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
