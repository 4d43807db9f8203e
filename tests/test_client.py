"""The client of the API, against a server that answers what a test wants."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.client import PAGE, REFUSALS, Door, Place, segment
from holdfast.errors import HoldfastError, InvalidError, UnavailableError

Reply = Callable[[str, str, bytes], tuple[int, Any]]


@contextmanager
def served(reply: Reply) -> Iterator[Door]:
    """A door to a server; `reply` is given method, target and body."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle_one_request(self) -> None:
            self.raw_requestline = self.rfile.readline(65537)
            if not self.raw_requestline or not self.parse_request():
                self.close_connection = True
                return
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            seen.append(dict(self.headers))
            status, answer = reply(self.command, self.path, body)
            content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.wfile.write(
                f"HTTP/1.1 {status} X\r\nContent-Length: {len(content)}\r\n\r\n".encode() + content
            )

    seen: list[dict[str, str]] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        door = Door(Place(f"http://127.0.0.1:{server.server_address[1]}", "hf_token"))
        try:
            yield door
        finally:
            door.close()
            server.shutdown()
            thread.join()
    assert all(headers["Authorization"] == "Bearer hf_token" for headers in seen)


@pytest.mark.parametrize(("status", "kind"), [*REFUSALS.items(), (500, HoldfastError), (418, HoldfastError)])
def test_a_refusal_is_raised_as_the_error_that_it_was_at_the_door(
    status: int, kind: type[HoldfastError]
) -> None:
    problem = {"status": status, "detail": "So it is.", "code": "word", "upload_id": 7}
    with served(lambda *_: (status, problem)) as door, pytest.raises(kind, match=r"^So it is\.$") as caught:
        door.get("/anything")
    assert type(caught.value) is kind
    assert caught.value.extra["upload_id"] == 7


def test_the_fields_that_are_wrong_are_named() -> None:
    problem = {"detail": "Two fields are wrong.", "errors": [{"field": "name", "detail": "is too long"}]}
    with served(lambda *_: (400, problem)) as door, pytest.raises(InvalidError, match="name: is too long"):
        door.post("/members", {})


@pytest.mark.parametrize("answer", [b"<html>gateway</html>", b"", b"[]", b"null", b'{"detail"'])
def test_an_answer_of_somebody_else_is_no_traceback(answer: bytes) -> None:
    with served(lambda *_: (502, answer)) as door, pytest.raises(HoldfastError, match="502"):
        door.get("/x")


def test_nobody_at_the_address_is_an_error_that_names_it() -> None:
    door = Door(Place("http://127.0.0.1:9", ""))
    with pytest.raises(UnavailableError, match=r"http://127\.0\.0\.1:9 does not answer"):
        door.get("/x")
    door.close()


@given(total=st.integers(0, 3 * PAGE + 1), most=st.integers(0, 3 * PAGE + 1))
def test_items_are_asked_for_page_by_page_and_no_more_than_wanted(total: int, most: int) -> None:
    asked: list[int] = []

    class Paged(Door):
        def __init__(self) -> None:
            """Without a connection."""

        def get(self, path: str, **query: Any) -> Any:
            start, limit = int(query["cursor"] or 0), query["limit"]
            assert 0 < limit <= PAGE
            asked.append(limit)
            end = min(start + limit, total)
            return {
                "items": [{"id": n} for n in range(start, end)],
                "next": str(end) if end < total else None,
            }

    wanted = min(total, most) if most else total
    assert [one["id"] for one in Paged().items("/x", most)] == list(range(wanted))
    assert len(asked) == max(1, -(-wanted // PAGE))


def test_what_is_none_is_left_out_and_the_rest_is_sent() -> None:
    def reply(method: str, target: str, body: bytes) -> tuple[int, Any]:
        return 200, {"query": parse_qs(urlsplit(target).query), "body": json.loads(body or b"null")}

    with served(reply) as door:
        assert door.get("/x", a=None, b="ö&")["query"] == {"b": ["ö&"]}
        assert door.post("/x", {"a": None, "b": [1]})["body"] == {"b": [1]}
        assert door.patch("/x", {"b": False})["body"] == {"b": False}
        assert door.put("/x", {"name": "n"})["body"] == {"name": "n"}
        assert door.send("/x", b"1", "application/x-bittorrent", by="ann")["query"] == {"by": ["ann"]}


@given(st.text(min_size=1))
def test_a_name_is_one_step_of_a_path_whatever_it_holds(name: str) -> None:
    name = name.encode("utf-8", "replace").decode()
    step = segment(name)
    assert step.isascii()
    assert not set(step) & set("/?#")


@pytest.mark.parametrize("url", ["nonsense", "http://", "ftp://x", "http://[::1", "http://x:99999"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(InvalidError, match="HOLDFAST_URL"):
        Place.find(Path("nowhere"), {"HOLDFAST_URL": url})


def test_the_environment_names_a_system_before_the_folder_does(tmp_path: Path) -> None:
    place = Place.find(tmp_path, {"HOLDFAST_URL": "https://h.example/", "HOLDFAST_TOKEN": "t"})
    assert place == Place("https://h.example", "t")
    with pytest.raises(UnavailableError, match="not running"):
        Place.find(tmp_path, {})
