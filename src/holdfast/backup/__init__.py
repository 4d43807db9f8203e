"""`holdfast backup` and `holdfast restore`: the data folder's stores, copied whole while they are in use.

Both stores are made for this: SQLite shows a reader one moment of the records however long it reads, and an
append-only file that lacks its end is how the live store was a moment ago. What the live store holds of the
records is brought up to them at every start, so the two moments need not be the same.
"""
