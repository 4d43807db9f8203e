"""What the catalogue lends to other parts for transactions of their own; they touch nothing else of it."""

from holdfast.catalogue.store.audit import record as audit
from holdfast.catalogue.store.events import note as tell
from holdfast.catalogue.store.members import get as member
from holdfast.catalogue.store.notices import send as notify
from holdfast.catalogue.store.pages import paged
from holdfast.catalogue.store.swarms import (
    Counts,
    Credit,
    changed,
    credit,
    members_among,
    populated,
    still_seeded,
    uploads_among,
)
from holdfast.catalogue.store.uploads import get as upload

__all__ = [
    "Counts",
    "Credit",
    "audit",
    "changed",
    "credit",
    "member",
    "members_among",
    "notify",
    "paged",
    "populated",
    "still_seeded",
    "tell",
    "upload",
    "uploads_among",
]
