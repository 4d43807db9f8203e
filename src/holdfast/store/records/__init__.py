"""Records: what is true even if every live store burns down, kept in SQLite or PostgreSQL."""

from holdfast.store.records.engine import Records, open_records
from holdfast.store.records.metadata import metadata

__all__ = ["Records", "metadata", "open_records"]
