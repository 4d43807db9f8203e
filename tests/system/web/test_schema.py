"""The API keeps its own word: what its description allows or forbids is answered as it says."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks

from tests.system.web.house import House, opened, quiet, valkey

EXAMPLES = 15
# Names and sentences have rules that no schema holds; the token that the examples bring is always good.
NOT_ASKED = [checks.positive_data_acceptance, checks.ignored_auth]
DECOYS = 40
"""Tokens with small numbers for the examples to revoke, so that they do not revoke their own."""


@schemathesis.serializer("application/x-bittorrent")
def torrent(_context: schemathesis.SerializationContext, value: object) -> bytes:
    """Whatever the examples think a torrent may be."""
    return value if isinstance(value, bytes) else str(value).encode()


async def furnish(house: House) -> str:
    """An operator's token, and something of everything to be found."""
    await house.member("boss", "operator")
    await house.member("ann")
    boss = await house.sign_in("boss")
    await boss.post("/api/v1/categories", json={"name": "books", "points": 3})
    scopes = ["read", "write", "operate", "metrics"]
    for _ in range(DECOYS):
        answer = await boss.post("/api/v1/tokens", json={"name": "robot", "scopes": scopes})
    await boss.aclose()
    return str(answer.json()["secret"])


@pytest.fixture(scope="module", name="house")
def house_fixture() -> Iterator[tuple[str, str]]:
    """One house for all examples, in a thread of its own, for schemathesis asks from this one."""
    told: list[tuple[str, str]] = []
    ready = threading.Event()
    ending: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def main(folder: Path) -> None:
        done = asyncio.Event()
        ending.append((asyncio.get_running_loop(), done))
        async with opened(folder, server) as house:
            told.append((house.url, await furnish(house)))
            ready.set()
            await done.wait()

    with quiet(), TemporaryDirectory() as folder, valkey() as server:
        thread = threading.Thread(target=lambda: asyncio.run(main(Path(folder))))
        thread.start()
        assert ready.wait(60)
        yield told[0]
        loop, done = ending[0]
        loop.call_soon_threadsafe(done.set)
        thread.join()


@pytest.fixture(scope="module", name="described")
def described_fixture(house: tuple[str, str]) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{house[0]}/api/v1/openapi.json")


def test_every_answer_is_one_that_was_described(
    described: schemathesis.BaseSchema, house: tuple[str, str], subtests: pytest.Subtests
) -> None:
    for found in described.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        with subtests.test(operation.label):
            ask(operation.as_strategy(), {"Authorization": f"Bearer {house[1]}"})


def ask(cases: SearchStrategy[Any], headers: dict[str, str]) -> None:
    @given(case=cases)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def each(case: Any) -> None:
        case.call_and_validate(headers=headers, excluded_checks=NOT_ASKED)

    each()


BOARDS = {
    "/api/v1/projects/{slug}/board",
    "/api/v1/projects/{slug}/leaders",
    "/api/v1/projects/{slug}/charts",
    "/api/v1/volunteers/{name}",
}
"""What everybody may read without being known."""


def test_every_operation_says_what_it_is_for(house: tuple[str, str]) -> None:
    page = httpx.get(f"{house[0]}/api/v1/openapi.json").json()
    assert page["openapi"].startswith("3.1")
    names = set()
    for path, operations in page["paths"].items():
        for method, operation in operations.items():
            assert operation["summary"], path
            names.add(operation["operationId"])
            assert "default" in operation["responses"]
            problems = [answer for code, answer in operation["responses"].items() if code[0] in "45"]
            assert all(
                "application/problem+json" in str(answer) or "Ready" in str(answer) for answer in problems
            )
            public = operation["security"] == []
            signs_in = path.startswith("/api/v1/session") and method == "post"
            board = path in BOARDS and method == "get"
            assert public == (path.startswith("/health") or signs_in or board), (path, method)
    assert len(names) == sum(len(operations) for operations in page["paths"].values())
