"""What a database says when it cannot go on becomes one sentence; our own mistakes stay what they are."""

from collections.abc import Callable

import psycopg
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    ProgrammingError,
)

from holdfast.errors import InvalidError, UnavailableError
from holdfast.store.records.faults import SENTENCES, explained

SQLITE = sa.create_engine("sqlite:////srv/records.sqlite")
POSTGRESQL = sa.create_engine("postgresql+psycopg://holdfast:hush@db/records")


def wrapped(kind: Callable[..., DBAPIError], original: BaseException) -> DBAPIError:
    return kind("INSERT …", {}, original)


def said(engine: sa.Engine, error: DBAPIError) -> str:
    with pytest.raises(UnavailableError) as told, explained(engine):
        raise error
    return str(told.value)


@pytest.mark.parametrize("sign", SENTENCES)
def test_every_known_fault_names_the_place_and_says_what_to_do(sign: str) -> None:
    sentence = said(SQLITE, wrapped(OperationalError, Exception(f"database: {sign}")))
    assert "/srv/records.sqlite" in sentence
    assert sentence.endswith(".")
    assert "{" not in sentence


@pytest.mark.parametrize("kind", [OperationalError, InterfaceError])
def test_postgresql_that_does_not_answer_is_named_without_its_password(kind: type[DBAPIError]) -> None:
    sentence = said(POSTGRESQL, wrapped(kind, psycopg.OperationalError("server closed the connection")))
    assert "do not answer" in sentence
    assert "db" in sentence
    assert "hush" not in sentence


@pytest.mark.parametrize("kind", [IntegrityError, ProgrammingError])
def test_a_mistake_of_ours_passes_whatever_its_text(kind: type[DBAPIError]) -> None:
    error = wrapped(kind, psycopg.IntegrityError("Key (name)=(disk is full) already exists"))
    with pytest.raises(kind) as passed, explained(POSTGRESQL):
        raise error
    assert passed.value is error


def test_an_operational_error_that_nobody_knows_passes_on_sqlite() -> None:
    with pytest.raises(OperationalError), explained(SQLITE):
        raise wrapped(OperationalError, Exception("no such table: nowhere"))


def test_a_text_that_postgresql_cannot_hold_is_the_askers_mistake() -> None:
    error = wrapped(DataError, psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes"))
    with pytest.raises(InvalidError, match="NUL"), explained(POSTGRESQL):
        raise error
