"""Staff sees who holds what, takes claims back, sets limits; everybody sees the board."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.system.items.volunteer import Volunteer, counts, project
from tests.system.running import PATIENCE, Running, running, until


@pytest.fixture(scope="module")
def house() -> Iterator[Running]:
    with running() as one:
        yield one


def ask(house: Running, path: str) -> httpx.Response:
    """As somebody who is not signed in."""
    return httpx.get(f"{house.run.here}/api/v1{path}", timeout=PATIENCE, trust_env=False)


def claims(house: Running, slug: str) -> dict[str, str]:
    with house.door() as door:
        return {one["item"]: one["holder"]["name"] for one in door.items(f"/projects/{slug}/claims", 0)}


def release(house: Running, slug: str, **choice: Any) -> dict[str, Any]:
    with house.door() as door:
        found: dict[str, Any] = door.post(f"/projects/{slug}/releases", choice)
    return found


def test_claims_are_listed_and_taken_back_by_holder_by_pattern_and_by_age(house: Running) -> None:
    project(house, "claims", *[f"item{number}" for number in range(6)])
    for name in ("ann", "bobby"):
        assert Volunteer(house, "/claims/multi=3/", name=name).ask().status_code == 200
    held = claims(house, "claims")
    assert sorted(held.values()) == ["ann"] * 3 + ["bobby"] * 3
    seen = release(house, "claims", downloader="ann", preview=True)
    assert seen["count"] == 3
    assert counts(house, "claims")["out"] == 6, "a preview changes nothing"
    assert set(release(house, "claims", downloader="ann")["some"]) == set(seen["some"])
    assert set(claims(house, "claims").values()) == {"bobby"}
    assert release(house, "claims", hours=1)["count"] == 0
    assert release(house, "claims", pattern="item[0-9]", downloader="nobody")["count"] == 0
    assert release(house, "claims", hours=0)["count"] == 3
    assert counts(house, "claims") == {"todo": 6, "out": 0, "done": 0, "failed": 0, "added": 6}


def test_claims_are_not_taken_back_by_accident(house: Running) -> None:
    project(house, "careful", "aa")
    with house.http() as door:
        answer = door.post("/api/v1/projects/careful/releases", json={})
        assert answer.status_code == 400
        assert "Say which claims" in answer.json()["detail"]
        assert door.post("/api/v1/projects/careful/releases", json={"pattern": "("}).status_code == 400


def test_limits_are_set_shown_and_held(house: Running) -> None:
    project(house, "limited", *[f"item{number}" for number in range(9)])
    with house.door() as door:
        door.put("/projects/limited/limits", {"each": 2})
        assert door.get("/projects/limited/limits") == {"per_minute": None, "monitor": None, "each": 2}
        client = Volunteer(house, "/limited/multi=9/")
        assert len(client.ask().json()["items"]) == 2
        assert client.ask().status_code == 404
        door.put("/projects/limited/limits", {"per_minute": 0})
        assert Volunteer(house, "/limited", name="bobby").ask().status_code == 429
        (entry, *_) = door.items("/audit", 5, action="project.limit")
        assert (entry["before"], entry["after"]) == (
            {"per_minute": None, "each": 2},
            {"per_minute": 0, "each": None},
        )


def test_failed_items_are_listed_with_their_reason_and_tried_again(house: Running) -> None:
    project(house, "failed", "aa")
    with house.door() as door:
        door.patch("/projects/failed", {"attempts": 1})
    client = Volunteer(house, "/failed")
    item = client.ask().text
    until("the rule holds", lambda: client.ask("fail", items=[item], reason="gone") and _failed(house))
    assert _failed(house) == [{"item": "aa", "why": "gone"}]
    with house.door() as door:
        assert door.post("/projects/failed/retries", {"items": ["aa"]})["count"] == 1
    assert client.ask().text == "aa"


def _failed(house: Running) -> list[dict[str, str]]:
    Volunteer(house, "/failed").ask()
    with house.door() as door:
        return list(door.items("/projects/failed/failed", 0))


def test_everybody_sees_the_board_and_who_did_what(house: Running) -> None:
    project(house, "board", *[f"item{number}" for number in range(5)])
    for name, many, size in (("ann", 2, 7), ("bobby", 1, 9)):
        items = Volunteer(house, f"/board/multi={many}/", name=name).ask().json()["items"]
        report = {"items": items, "bytes": {"web": size}, "version": "20260101.01"}
        Volunteer(house, "/board", name=name).ask("done", **report)
    board = ask(house, "/projects/board/board").json()
    assert board["counts"] == {"todo": 2, "out": 0, "done": 3, "failed": 0, "added": 5}
    assert board["domain_bytes"] == {"web": 16}
    assert board["versions"] == {"20260101.01": 2}
    until("the records follow", lambda: len(ask(house, "/projects/board/leaders").json()["items"]) == 2)
    for window in ("day", "week", "all"):
        found = ask(house, f"/projects/board/leaders?window={window}").json()["items"]
        assert [(one["rank"], one["name"], one["items"], one["bytes"]) for one in found] == [
            (1, "bobby", 1, 9),
            (2, "ann", 2, 7),
        ]
    (first,) = ask(house, "/projects/board/leaders?limit=1").json()["items"]
    assert first["name"] == "bobby"
    ann = ask(house, "/volunteers/ann").json()
    assert (ann["items"], ann["bytes"]) == (2, 7)
    assert ann["projects"] == [{"slug": "board", "title": "board", "items": 2, "bytes": 7}]


def test_a_volunteer_is_found_with_the_rank_that_is_his(house: Running) -> None:
    project(house, "ranks", "aa", "bb", "cc")
    for place, name in enumerate(("ranked_ann", "ranked_bobby", "ranked-cara")):
        client = Volunteer(house, "/ranks", name=name)
        client.ask("done", item=client.ask().text, bytes={"web": 9 - place})

    def found(query: str) -> list[tuple[int, str]]:
        return [
            (one["rank"], one["name"])
            for one in ask(house, f"/projects/ranks/leaders{query}").json()["items"]
        ]

    until("the reports are in the records", lambda: len(found("")) == 3)
    assert found("?q=BOB") == [(2, "ranked_bobby")]
    assert found("?q=D_") == [(1, "ranked_ann"), (2, "ranked_bobby")], "no sign means more than itself"
    assert found("?volunteer=ranked_bobby") == [(2, "ranked_bobby")]
    assert found("?volunteer=ranked") == []
    first = ask(house, "/projects/ranks/leaders?q=ranked&limit=2").json()
    rest = ask(house, f"/projects/ranks/leaders?q=ranked&limit=2&cursor={first['next']}").json()
    assert [one["rank"] for one in first["items"] + rest["items"]] == [1, 2, 3]


def test_sums_over_time_are_as_fine_as_the_span_is_narrow(house: Running) -> None:
    project(house, "charted")
    minutes = [
        f"202611{day:02}{hour:02}{minute:02}" for day in (1, 2) for hour in range(24) for minute in range(60)
    ]
    words = "".join(f"{minute}={count:x} " for count, minute in enumerate(minutes))
    house.ask("SET", "charted:chart:total_items", words)
    house.ask("SET", "charted:chart:downloader_bytes:ann", "202611010000=ff ")
    begin = 1793491200  # 2026-11-01
    whole = ask(house, "/projects/charted/charts").json()["items"]
    assert len(whole) == 400
    assert (whole[0], whole[-1]) == ([begin, 0], [begin + 2879 * 60, 2879])
    narrow = ask(house, f"/projects/charted/charts?since={begin + 3630}&until={begin + 3800}").json()
    assert narrow["items"] == [[begin + 60 * at, at] for at in (60, 61, 62, 63)], "and what it was before"
    own = ask(house, "/projects/charted/charts?volunteer=ann").json()
    assert own == {"items": [], "bytes": [[begin, 255]]}
    assert ask(house, "/projects/charted/charts?volunteer=nobody").json() == {"items": [], "bytes": []}


def test_one_volunteer_s_claims_are_found_among_many(house: Running) -> None:
    project(house, "many", *[f"item{number}" for number in range(3000)])
    with house.door() as door:
        for name, count in (*[("ann", 250)] * 6, ("bobby", 30), *[("ann", 250)] * 5):
            assert Volunteer(house, f"/many/multi={count}/", name=name).ask().status_code == 200
        found = [*door.items("/projects/many/claims", 0, downloader="bobby")]
        assert [one["holder"]["name"] for one in found] == ["bobby"] * 30
        assert len([*door.items("/projects/many/claims", 0, downloader="ann")]) == 2750
        assert [*door.items("/projects/many/claims", 0, downloader="an")] == []


def test_an_item_s_whole_story_is_found_wherever_it_lies(house: Running) -> None:
    project(house, "story", "a/b")
    with house.door() as door:
        door.patch("/projects/story", {"item_pattern": "[a-z/]+"})
        door.post("/projects/story/items", {"items": ["a/b"]})
        ann, bobby = Volunteer(house, "/story"), Volunteer(house, "/story", name="bobby")
        assert ann.ask().text == "a/b"
        assert ann.ask("release", items=["a/b"]).status_code == 200
        assert bobby.ask().text == "a/b"
        found = door.get("/projects/story/item", name="a/b")
        assert (found["where"], found["holder"]["name"], found["report"]) == ("out", "bobby", None)
        assert bobby.ask("done", item="a/b", bytes={"web": 5}).text == "OK"
        found = until("it is drained", lambda: _reported(house))
    assert (found["where"], found["holder"], found["line"]) == ("done", None, 0)
    assert (found["report"]["by"], found["report"]["bytes"]) == ("bobby", {"web": 5})
    assert [(one["what"], one["name"]) for one in found["attempts"]] == [("released", "ann")]
    told = house.cli("items", "item", "story", "a/b")
    assert "released by ann" in told.err
    assert "no item" in house.cli("items", "item", "story", "nothing").sentence


def _reported(house: Running) -> Any:
    with house.door() as door:
        found = door.get("/projects/story/item", name="a/b")
    return found if found["report"] and found["attempts"] else None


def test_a_draft_is_nobody_s_business(house: Running) -> None:
    project(house, "draft-board", state="draft")
    for path in ("/projects/draft-board/board", "/projects/draft-board/leaders", "/volunteers/nobody"):
        assert ask(house, path).status_code == 404


def test_claims_and_limits_are_staff_s_alone(house: Running) -> None:
    project(house, "private")
    for path in ("claims", "limits", "failed"):
        assert ask(house, f"/projects/private/{path}").status_code == 401


def test_the_same_on_the_command_line(house: Running) -> None:
    project(house, "typed", "aa", "bb")
    assert Volunteer(house, "/typed").ask().status_code == 200
    (held,) = house.cli("items", "claims", "typed", "--json").json
    assert held["holder"]["name"] == "ann"
    assert (
        house.cli("items", "release", "typed", "--volunteer", "ann", "--preview").out == f"{held['item']}\n"
    )
    assert house.cli("items", "release", "typed", "--volunteer", "ann").code == 0
    assert house.cli("items", "claims", "typed", "--json").json == []
    assert "Say which claims" in house.cli("items", "release", "typed").sentence
    assert house.cli("items", "limits", "typed", "--per-minute", "60", "--json").json["per_minute"] == 60
    assert house.cli("items", "limits", "typed", "--none", "--json").json["per_minute"] is None
    assert house.cli("items", "failed", "typed", "--json").json == []
    assert house.cli("items", "retry", "typed", "aa").code == 0
