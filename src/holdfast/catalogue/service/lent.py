"""What the catalogue lends to other parts for transactions of their own; they touch nothing else of it."""

from holdfast.catalogue.store.audit import record as audit
from holdfast.catalogue.store.events import note as tell
from holdfast.catalogue.store.members import get as member
from holdfast.catalogue.store.members import refs as members
from holdfast.catalogue.store.notices import send as notify
from holdfast.catalogue.store.pages import paged
from holdfast.catalogue.store.swarms import (
    Counts,
    Credit,
    changed,
    counts,
    credit,
    members_after,
    populated,
    still_seeded,
)
from holdfast.catalogue.store.uploads import get as upload
from holdfast.catalogue.store.uploads import refs as uploads

__all__ = [
    "Counts",
    "Credit",
    "audit",
    "changed",
    "counts",
    "credit",
    "member",
    "members",
    "members_after",
    "notify",
    "paged",
    "populated",
    "still_seeded",
    "tell",
    "upload",
    "uploads",
]
