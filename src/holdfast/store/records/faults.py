"""What a database says when it cannot go on, as a sentence that tells the operator what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from holdfast.errors import InvalidError, UnavailableError

FULL = "The disk that holds {where} is full, so nothing was changed; free some space and try again."
NO_CONNECTION = (
    "The PostgreSQL server of the records at {where} has no connection left; "
    "raise its `max_connections`, or lower `records.pool`."
)
CROWD = "Others changed the same records at {where} again and again meanwhile; try again."
SENTENCES = {
    "disk is full": FULL,
    "No space left": FULL,
    "disk I/O error": "The disk failed while {where} was used; check it with `dmesg` before going on.",
    "readonly database": "The records at {where} are read-only, so nothing was changed; "
    "give the user that runs Holdfast the right to write there.",
    "unable to open database": "The records at {where} cannot be opened; "
    "check that the folder exists and belongs to the user that runs Holdfast.",
    "database is locked": "Another process kept the records at {where} busy for too long; "
    "try again, and find it with `lsof` if this lasts.",
    "malformed": "The records at {where} are damaged; stop Holdfast and restore the last backup.",
    "not a database": "The file at {where} is no records file; move it away or restore the last backup.",
    # PostgreSQL's own.
    "read-only transaction": "The records at {where} take no writes, as a standby does; "
    "point Holdfast at the primary.",
    "connection slots are reserved": NO_CONNECTION,
    "too many clients": NO_CONNECTION,
    "deadlock detected": CROWD,
    "could not serialize": CROWD,
}


@contextmanager
def explained(engine: Engine) -> Iterator[None]:
    """Turn a database that is away, full or damaged into an error for people; our own faults pass."""
    where = engine.url.database if engine.dialect.name == "sqlite" else engine.url.render_as_string()
    try:
        yield
    except PoolTimeout as error:
        raise UnavailableError(
            f"All connections to the records at {where} stayed busy; try again, or raise `records.pool`."
        ) from error
    except DBAPIError as error:
        if "cannot contain NUL" in str(error.orig):
            raise InvalidError("No text here can hold the character NUL; leave it out.") from error
        sentence = _sentence(error)
        if sentence is None:
            raise
        raise UnavailableError(sentence.format(where=where)) from error


def is_fault_of_the_database(error: DBAPIError) -> bool:
    """Whether the database cannot go on, whatever it was asked; False for a mistake in what it was asked."""
    return _sentence(error) is not None


def _sentence(error: DBAPIError) -> str | None:
    # These quote the offending row, whose text may say anything, also that the disk is full.
    if isinstance(error, IntegrityError | DataError | ProgrammingError):
        return None
    text = str(error.orig)
    for sign, sentence in SENTENCES.items():
        if sign in text:
            return sentence
    if isinstance(error, InterfaceError | OperationalError) and _is_postgresql(error):
        return "The records at {where} do not answer; start PostgreSQL or check the address, then try again."
    return None


def _is_postgresql(error: DBAPIError) -> bool:
    return type(error.orig).__module__.startswith("psycopg")
