"""Atomic steps that run inside the store, named by content so that old and new processes run side by side."""

import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from importlib.resources import files
from typing import Self

from holdfast.errors import SettingsError

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
REGISTERED = re.compile(r"""^\s*register\s*\(\s*['"]([^'"]+)['"]""", re.MULTILINE)

# The source begins on the second line, behind `register`: a line's number in the server's errors is one more
# than in the file.
HEAD = """\
#!lua name={library}
local function register(name, run, ...) redis.register_function{{\
function_name = '{prefix}_' .. name .. '_{version}', callback = run, flags = {{...}}}} end """


@dataclass(frozen=True)
class Library:
    """One `functions.lua`. It holds plain Lua and ends with a line per step it offers:

        register('claim', claim)
        register('count', count, 'no-writes')

    The names that the store sees carry the library's name before and the hash of the source after them
    (`items_claim_5f3a9c0d12`), so a changed file is a new library beside the old one, and nobody's calls
    change under them. Nothing is ever replaced.
    """

    name: str
    source: str

    def __post_init__(self) -> None:
        for name in (self.name, *self.offers):
            if not NAME.fullmatch(name):
                raise SettingsError(
                    f"{name!r} cannot name a Lua function: use letters, digits and underscores."
                )
        if not self.offers:
            raise SettingsError(
                f"The Lua of {self.name!r} offers nothing: end it with register('name', step)."
            )

    @classmethod
    def read(cls, package: str, file: str = "functions.lua", *, name: str | None = None) -> Self:
        """The Lua file that lies in a package; the library is called like the package's last part."""
        return cls(name or package.rpartition(".")[2], files(package).joinpath(file).read_text("utf-8"))

    @cached_property
    def offers(self) -> frozenset[str]:
        return frozenset(REGISTERED.findall(self.source))

    @cached_property
    def version(self) -> str:
        return sha256((HEAD + self.source).encode()).hexdigest()[:10]

    @cached_property
    def full_name(self) -> str:
        return f"hf_{self.name}_{self.version}"

    @cached_property
    def code(self) -> str:
        """What FUNCTION LOAD is given."""
        return HEAD.format(library=self.full_name, prefix=self.name, version=self.version) + self.source

    def function(self, name: str) -> "Function":
        if name not in self.offers:
            raise SettingsError(
                f"The Lua of {self.name!r} has no {name!r}; it offers {', '.join(sorted(self.offers))}."
            )
        return Function(self, name)


@dataclass(frozen=True)
class Function:
    """One atomic step of a library."""

    library: Library
    name: str

    @cached_property
    def full_name(self) -> str:
        """The name for FCALL."""
        return f"{self.library.name}_{self.name}_{self.library.version}"
