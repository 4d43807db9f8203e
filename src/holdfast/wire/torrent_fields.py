"""Typed reading of a decoded dictionary, so that every wrongly typed field has one clear error."""

from typing import TypeVar

from holdfast.errors import InvalidError
from holdfast.wire.bencode import Value

Field = TypeVar("Field", int, bytes, list[Value], dict[bytes, Value])
Fields = dict[bytes, Value]

_WORDS = {int: "a number", bytes: "a text", list: "a list", dict: "a dictionary"}


def optional(fields: Fields, key: bytes, kind: type[Field]) -> Field | None:
    """The field, None when it is absent; refused when it is of another kind."""
    value = fields.get(key)
    if value is None or type(value) is kind:
        return value
    raise InvalidError(
        f"The torrent's {key.decode()!r} is {_WORDS[type(value)]} where {_WORDS[kind]} belongs; "
        "make it again."
    )


def required(fields: Fields, key: bytes, kind: type[Field]) -> Field:
    """The field; refused when it is absent."""
    value = optional(fields, key, kind)
    if value is None:
        raise InvalidError(f"The torrent has no {key.decode()!r} where one belongs; make it again.")
    return value
