"""Every error is told in the same shape, with the right status, and tells nothing that it should not."""

import json

import pytest
from litestar.exceptions import HTTPException, MethodNotAllowedException, ValidationException

from holdfast.errors import (
    ConflictError,
    HoldfastError,
    InvalidError,
    NotFoundError,
    RefusedError,
    SettingsError,
    UnavailableError,
)
from holdfast.web.problems import ForgedError, NobodyError, ThrottledError, encode, problem


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (InvalidError("a"), 400, "invalid"),
        (NobodyError("a"), 401, "nobody"),
        (RefusedError("a"), 403, "refused"),
        (ForgedError("a"), 403, "forged"),
        (NotFoundError("a"), 404, "not_found"),
        (ConflictError("a"), 409, "conflict"),
        (ThrottledError("a", retry_after=3), 429, "throttled"),
        (UnavailableError("a"), 503, "unavailable"),
        (SettingsError("a"), 500, "fault"),
        (HoldfastError("a"), 500, "fault"),
        (HTTPException(status_code=413), 413, "too_large"),
        (HTTPException(status_code=415), 415, "media_type"),
        (MethodNotAllowedException(), 405, "method"),
    ],
)
def test_each_error_has_its_status_and_word(error: Exception, status: int, code: str) -> None:
    told, _, _ = problem(error, "r")
    assert (told.status, told.code, told.request_id) == (status, code, "r")


def test_a_fault_of_ours_tells_nothing_of_itself() -> None:
    told, headers, extra = problem(RuntimeError("the secret is 12345"), "r1")
    assert "12345" not in encode(told, extra).decode()
    assert (told.status, headers) == (500, {})


def test_waiting_is_told_in_seconds() -> None:
    assert problem(ThrottledError("a", retry_after=3), "r")[1] == {"Retry-After": "3"}
    assert problem(UnavailableError("a"), "r")[1] == {"Retry-After": "2"}


def test_what_a_program_needs_beside_the_sentence_comes_along() -> None:
    told, _, extra = problem(ConflictError("There is one already.", upload_id=7), "r")
    assert json.loads(encode(told, extra))["upload_id"] == 7


def test_nothing_extra_can_stand_in_for_the_problem_itself() -> None:
    told, _, extra = problem(ConflictError("a", status=200, type="x"), "r")
    assert json.loads(encode(told, extra)) == {
        "title": "Conflict", "status": 409, "detail": "a", "code": "conflict", "request_id": "r",
        "type": "about:blank",
    }  # fmt: skip


def test_wrong_fields_are_named() -> None:
    error = ValidationException(extra=[{"message": "Expected `int` >= 1", "key": "limit", "source": "query"}])
    told, _, _ = problem(error, "r")
    assert [(each.field, each.detail) for each in told.errors] == [("limit", "Expected `int` >= 1")]
    assert told.detail == "limit: Expected `int` >= 1"
