"""What every listing takes, and how a member is named in a path."""

from typing import Annotated

from litestar.params import Parameter

from holdfast.paging import LIMIT, LIMIT_MOST

Cursor = Annotated[
    str | None, Parameter(max_length=1024, description="`next` of the page before; absent: the first page.")
]
Limit = Annotated[int, Parameter(ge=1, le=LIMIT_MOST, description="How many items a page holds at most.")]
Search = Annotated[str | None, Parameter(max_length=128, description="Part of the name, in any case.")]
Who = Annotated[str, Parameter(max_length=64, description="A member's name, or his number.")]

DEFAULT_LIMIT = LIMIT
