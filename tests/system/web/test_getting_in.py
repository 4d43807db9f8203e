"""Signing in, staying in, being thrown out: the sessions of people."""

import asyncio
from http.cookies import SimpleCookie
from pathlib import Path

import httpx
import pytest
from argon2 import PasswordHasher
from sqlalchemy import select, update

from holdfast.catalogue.store import members
from holdfast.catalogue.tables import audit
from holdfast.web.access import links, rules
from holdfast.web.access.tables import password, session
from tests.servers import RunningServer
from tests.system.web.house import PASSWORD, SYSTEM, House, in_house, problem

API = "/api/v1"


def cookie_of(answer: httpx.Response) -> SimpleCookie:
    jar: SimpleCookie = SimpleCookie()
    jar.load(answer.headers["set-cookie"])
    return jar


async def signing_in(house: House, name: str, secret: str) -> httpx.Response:
    async with httpx.AsyncClient(base_url=house.url, timeout=20) as client:
        return await client.post(f"{API}/session", json={"name": name, "password": secret})


def test_who_signs_in_gets_a_cookie_that_scripts_and_other_sites_cannot_use(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        morsel = cookie_of(await signing_in(house, "ANN", PASSWORD))["holdfast_session"]
        assert morsel["httponly"]
        assert morsel["samesite"].lower() == "lax"
        assert morsel["path"] == "/"
        assert not morsel["secure"]
        assert len(morsel.value) == 43

    in_house(tmp_path, live, work)


def test_behind_https_the_cookie_is_secure_and_browsers_are_told_to_stay(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        answer = await signing_in(house, "ann", PASSWORD)
        assert cookie_of(answer)["holdfast_session"]["secure"]
        assert "max-age" in answer.headers["strict-transport-security"]

    in_house(tmp_path, live, work, url="https://holdfast.example.org")


def test_only_what_the_secret_hashes_to_is_kept(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        secret = cookie_of(await signing_in(house, "ann", PASSWORD))["holdfast_session"].value
        row = await house.read(lambda tx: tx.execute(select(session)).one())
        assert row.digest == rules.digest(secret)
        assert secret not in str(row)

    in_house(tmp_path, live, work)


def test_a_session_that_somebody_else_chose_is_never_taken_over(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        await house.member("eve")
        eve = await house.sign_in("eve")
        planted = eve.cookies["holdfast_session"]
        async with httpx.AsyncClient(base_url=house.url, cookies={"holdfast_session": planted}) as victim:
            answer = await victim.post(f"{API}/session", json={"name": "ann", "password": PASSWORD})
            fresh = cookie_of(answer)["holdfast_session"].value
        assert fresh != planted
        problem(await eve.get(f"{API}/session"), 401, "nobody")
        await eve.aclose()

    in_house(tmp_path, live, work)


def test_a_name_that_nobody_has_is_refused_like_a_wrong_password(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        await house.member("bob", password=None)
        tries = [
            ("ann", "wrong password"),
            ("nobody", PASSWORD),
            ("bob", PASSWORD),
            ("ann", PASSWORD + "\u00e9"),
        ]
        told = [problem(await signing_in(house, *each), 401, "nobody")["detail"] for each in tries]
        assert len(set(told)) == 1
        rows = await house.read(
            lambda tx: tx.execute(select(audit).where(audit.c.action == "session.refused")).all()
        )
        assert [row.target_name for row in rows] == ["ann", "an unknown name", "bob", "ann"]

    in_house(tmp_path, live, work)


def test_hashing_takes_its_turn_whether_the_name_exists_or_not(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        asked: list[str] = []
        fits = house.web.passwords.fits

        async def counted(password: str, hashed: str | None) -> bool:
            asked.append("known" if hashed else "unknown")
            return await fits(password, hashed)

        house.web.passwords.fits = counted  # type: ignore[method-assign]
        await house.member("ann")
        await signing_in(house, "ann", "wrong password")
        await signing_in(house, "nobody", "wrong password")
        assert asked == ["known", "unknown"]

    in_house(tmp_path, live, work)


def test_after_too_many_failures_even_the_right_password_has_to_wait(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        for _ in range(3):
            problem(await signing_in(house, "ann", "wrong password"), 401, "nobody")
        answer = await signing_in(house, "ANN", PASSWORD)
        problem(answer, 429, "throttled")
        assert 1 <= int(answer.headers["retry-after"]) <= 60
        live.ask("FLUSHALL")
        assert (await signing_in(house, "ann", PASSWORD)).status_code == 200

    in_house(tmp_path, live, work, sign_in_attempts=3, sign_in_window=60.0)


def test_guessing_on_does_not_push_the_end_of_the_wait_away(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await signing_in(house, "ann", "wrong password")
        for key in live.ask("KEYS", "hf:sign_in:*"):
            live.ask("EXPIRE", key, 30)
        for _ in range(3):
            await signing_in(house, "ann", "wrong password")
        left = [live.ask("TTL", key) for key in live.ask("KEYS", "hf:sign_in:*")]
        assert len(left) == 2
        assert max(left) <= 30

    in_house(tmp_path, live, work, sign_in_attempts=2, sign_in_window=600.0)


def test_many_guesses_at_once_do_not_slip_through(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        answers = await asyncio.gather(*(signing_in(house, "ann", f"wrong password {n}") for n in range(12)))
        assert sorted(answer.status_code for answer in answers) == [401] * 4 + [429] * 8

    in_house(tmp_path, live, work, sign_in_attempts=4)


def test_one_address_cannot_try_one_name_after_the_other(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        statuses = [(await signing_in(house, f"name{n}", "wrong password")).status_code for n in range(5)]
        assert statuses == [401, 401, 401, 429, 429]

    in_house(tmp_path, live, work, sign_in_attempts=3)


def test_who_signs_in_well_is_never_throttled(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        for _ in range(5):
            assert (await signing_in(house, "ann", PASSWORD)).status_code == 200

    in_house(tmp_path, live, work, sign_in_attempts=2)


def test_guesses_are_counted_while_the_live_store_is_away(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        live.kill()
        try:
            statuses = [(await signing_in(house, "ann", "wrong password")).status_code for _ in range(3)]
        finally:
            live.start()
        assert statuses == [401, 401, 429]

    in_house(tmp_path, live, work, sign_in_attempts=2, wait=0.05)


def test_a_disabled_member_is_out_at_once(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        ann = await house.sign_in("ann")
        assert (await ann.get(f"{API}/session")).status_code == 200
        await house.write(lambda tx: members.change(tx, house.clock.now(), SYSTEM, "ann", enabled=False))
        problem(await ann.get(f"{API}/session"), 401, "nobody")
        problem(await signing_in(house, "ann", PASSWORD), 403, "refused")
        await ann.aclose()

    in_house(tmp_path, live, work)


def test_roles_count_from_the_next_request_on(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("boss", "operator")
        await house.member("ann")
        ann = await house.sign_in("ann")
        problem(await ann.get(f"{API}/audit"), 403, "refused")
        await house.write(
            lambda tx: members.change(tx, house.clock.now(), SYSTEM, "ann", roles=("moderator",))
        )
        assert (await ann.get(f"{API}/audit")).status_code == 200
        await ann.aclose()

    in_house(tmp_path, live, work)


def test_a_session_lives_on_while_it_is_used_and_ends_when_it_is_not(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        ann = await house.sign_in("ann")
        for _ in range(3):
            house.clock.moved += 3000
            assert (await ann.get(f"{API}/session")).status_code == 200
        house.clock.moved += 3601
        problem(await ann.get(f"{API}/session"), 401, "nobody")
        await ann.aclose()

    in_house(tmp_path, live, work, session_lifetime=3600.0)


def test_signing_out_ends_the_session_and_takes_the_cookie_back(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        ann = await house.sign_in("ann")
        kept = dict(ann.cookies)
        answer = await ann.delete(f"{API}/session")
        assert answer.status_code == 204
        assert cookie_of(answer)["holdfast_session"]["max-age"] == "0"
        async with httpx.AsyncClient(base_url=house.url, cookies=kept) as thief:
            problem(await thief.get(f"{API}/session"), 401, "nobody")
        await ann.aclose()

    in_house(tmp_path, live, work)


def test_own_sessions_are_listed_and_ended_and_nobody_elses(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        await house.member("eve")
        here, there, eve = [await house.sign_in(name) for name in ("ann", "ann", "eve")]
        listed = (await here.get(f"{API}/sessions")).json()["items"]
        assert [each["current"] for each in listed] == [False, True]
        problem(await eve.delete(f"{API}/sessions/{listed[0]['id']}"), 404, "not_found")
        assert (await here.delete(f"{API}/sessions/{listed[0]['id']}")).status_code == 204
        problem(await there.get(f"{API}/session"), 401, "nobody")
        assert (await here.get(f"{API}/session")).status_code == 200
        for client in (here, there, eve):
            await client.aclose()

    in_house(tmp_path, live, work)


def test_a_new_password_needs_the_old_one_and_ends_the_other_sessions(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        here, there = await house.sign_in("ann"), await house.sign_in("ann")
        wanted = {"current": "wrong password", "new": "another long password"}
        problem(await here.put(f"{API}/me/password", json=wanted), 403, "refused")
        problem(await here.put(f"{API}/me/password", json={"new": wanted["new"]}), 403, "refused")
        short = {"current": PASSWORD, "new": "short"}
        problem(await here.put(f"{API}/me/password", json=short), 400, "invalid")
        wanted["current"] = PASSWORD
        assert (await here.put(f"{API}/me/password", json=wanted)).status_code == 204
        problem(await there.get(f"{API}/session"), 401, "nobody")
        assert (await here.get(f"{API}/session")).status_code == 200
        problem(await signing_in(house, "ann", PASSWORD), 401, "nobody")
        assert (await signing_in(house, "ann", wanted["new"])).status_code == 200
        await here.aclose()
        await there.aclose()

    in_house(tmp_path, live, work)


def test_a_hash_of_older_parameters_is_made_anew_at_the_next_sign_in(
    tmp_path: Path, live: RunningServer
) -> None:
    async def work(house: House) -> None:
        await house.member("ann", password=None)
        weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
        await house.write(lambda tx: links.keep_password(tx, house.clock.now(), 1, weak))
        assert (await signing_in(house, "ann", PASSWORD)).status_code == 200
        kept = await house.read(lambda tx: tx.execute(select(password.c.password)).scalar_one())
        assert "m=19456,t=2,p=1" in kept
        assert (await signing_in(house, "ann", PASSWORD)).status_code == 200

    in_house(tmp_path, live, work)


def test_there_is_an_end_to_sessions_and_the_oldest_make_room(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        await house.member("ann")
        first = await house.sign_in("ann")
        await house.write(lambda tx: tx.execute(update(session).values(last_used=1.0)))
        for _ in range(rules.SESSIONS_MOST):
            assert (await signing_in(house, "ann", PASSWORD)).status_code == 200
        problem(await first.get(f"{API}/session"), 401, "nobody")
        await first.aclose()

    in_house(tmp_path, live, work)


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[]", b"null", b'{"name": "ann"}', b'{"name": 1, "password": "x"}', b'"\xff"',
        b'{"name": "ann", "password": "x", "admin": true}', b'{"name": "", "password": "x"}',
        b'{"name": "a\\u0000b", "password": "x"}', b'{"name": "\\ud800", "password": "x"}',
        b'{"name": "ann", "password": "' + b"x" * 1001 + b'"}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_a_sign_in_that_is_none_is_refused_with_a_reason(
    tmp_path: Path, live: RunningServer, body: bytes
) -> None:
    async def work(house: House) -> None:
        answer = await house.client.post(
            f"{API}/session", content=body, headers={"Content-Type": "application/json"}
        )
        assert problem(answer, 400, "invalid")["detail"]

    in_house(tmp_path, live, work)


def test_a_body_of_another_kind_or_too_large_is_refused(tmp_path: Path, live: RunningServer) -> None:
    async def work(house: House) -> None:
        form = await house.client.post(f"{API}/session", data={"name": "ann", "password": "x"})
        problem(form, 415, "media_type")
        text = await house.client.post(
            f"{API}/session", content=b"{}", headers={"Content-Type": "text/plain"}
        )
        problem(text, 415, "media_type")
        json = {"Content-Type": "application/json"}
        large = await house.client.post(f"{API}/session", content=b" " * (2 << 20), headers=json)
        problem(large, 413, "too_large")

    in_house(tmp_path, live, work)
