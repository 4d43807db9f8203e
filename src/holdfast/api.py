"""What handlers of every part take: pages of a listing, names in paths, and what the door hands over."""

from pathlib import Path
from typing import Annotated

from litestar.di import NamedDependency
from litestar.params import PathParameter, QueryParameter, SkipValidation

from holdfast.catalogue.model import Actor
from holdfast.catalogue.service.catalogue import Catalogue
from holdfast.paging import LIMIT, LIMIT_MOST
from holdfast.store.live import LiveStore

Cursor = Annotated[
    str | None,
    QueryParameter(max_length=1024, description="`next` of the page before; absent: the first."),
]
Limit = Annotated[int, QueryParameter(ge=1, le=LIMIT_MOST, description="How many items a page has at most.")]
Search = Annotated[str | None, QueryParameter(max_length=128, description="Part of the name, in any case.")]
Who = Annotated[str, PathParameter(max_length=64, description="A member's name, or his number.")]

Number = Annotated[int, PathParameter(ge=1, le=2**63 - 1, description="The number of the thing.")]
MemberName = Annotated[
    str | None, QueryParameter(max_length=64, description="A member's name, or his number.")
]

# What the door hands to every handler that names it.
Asker = NamedDependency[Actor]
Kept = NamedDependency[Catalogue]
Folder = NamedDependency[Path]
Live = NamedDependency[SkipValidation[LiveStore]]

DEFAULT_LIMIT = LIMIT
