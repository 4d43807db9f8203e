"""What a database says when it cannot go on, as a sentence that tells the operator what to do."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from holdfast.errors import UnavailableError

FULL = "The disk that holds {where} is full, so nothing was changed; free some space and try again."
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
        sentence = _sentence(error)
        if sentence is None:
            raise
        raise UnavailableError(sentence.format(where=where)) from error


def _sentence(error: DBAPIError) -> str | None:
    text = str(error.orig)
    for sign, sentence in SENTENCES.items():
        if sign in text:
            return sentence
    if isinstance(error, InterfaceError | OperationalError) and _is_postgresql(error):
        return "The records at {where} do not answer; start PostgreSQL or check the address, then try again."
    return None


def _is_postgresql(error: DBAPIError) -> bool:
    return type(error.orig).__module__.startswith("psycopg")
