"""Lines are for people on a terminal and JSON elsewhere, complete, in UTC and without secrets."""

import asyncio
import io
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from structlog.contextvars import bound_contextvars

from holdfast.observe.logs import Lines, configure_logs
from holdfast.settings import LogFormat, LogLevel, Secret
from holdfast.settings.tree import Logs

NOON = 1795003200.25


class StoppedClock:
    def now(self) -> float:
        return NOON

    def steady(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise AssertionError("nothing sleeps here")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    root, ours = logging.getLogger(), logging.getLogger("holdfast")
    before = (root.handlers[:], root.level, ours.level)
    yield
    root.handlers[:], root.level, ours.level = before
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


def told(say: Callable[[Any], object], logs: Logs | None = None) -> list[dict[str, Any]]:
    stream = io.StringIO()
    configure_logs(logs or Logs(), "web", stream, StoppedClock())
    say(structlog.get_logger())
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_is_json_with_time_part_and_process_when_nobody_watches() -> None:
    assert told(lambda log: log.info("started", port=8080)) == [
        {
            "timestamp": "2026-11-18T12:00:00.250Z",
            "level": "info",
            "event": "started",
            "port": 8080,
            "part": "web",
            "pid": os.getpid(),
        }
    ]


def test_a_terminal_gets_lines_for_people() -> None:
    terminal = Terminal()
    configure_logs(Logs(), "web", terminal, StoppedClock())
    structlog.get_logger().info("started", port=8080)
    assert "started" in terminal.getvalue()
    assert not terminal.getvalue().startswith("{")


def test_the_format_can_be_forced_either_way() -> None:
    terminal, pipe = Terminal(), io.StringIO()
    configure_logs(Logs(format=LogFormat.JSON), "web", terminal, StoppedClock())
    structlog.get_logger().info("a")
    configure_logs(Logs(format=LogFormat.HUMAN), "web", pipe, StoppedClock())
    structlog.get_logger().info("a")
    assert json.loads(terminal.getvalue())["event"] == "a"
    assert pipe.getvalue().startswith("2026-11-18T12:00:00.250Z [info")
    assert "\x1b" not in pipe.getvalue()


def test_hostile_text_can_neither_forge_a_line_nor_steer_a_terminal() -> None:
    pipe = io.StringIO()
    configure_logs(Logs(format=LogFormat.HUMAN), "web", pipe, StoppedClock())
    structlog.get_logger().info("agent\n2026 [info] forged", agent="\x1b[2J\r\n\u202e", **{"na\nme": 1})
    assert pipe.getvalue().count("\n") == 1
    assert pipe.getvalue().rstrip("\n").isprintable()


def test_the_standard_library_speaks_through_the_same_lines() -> None:
    def say(_: object) -> None:
        logging.getLogger("holdfast.part").info("%d of %s", 3, "web")
        logging.getLogger("sqlalchemy").warning("100%% slow")
        logging.getLogger("uvicorn").log(35, "between the levels")
        logging.getLogger("odd").error("wrong %d", "arguments")

    lines = told(say)
    assert [(line["logger"], line["level"], line["event"]) for line in lines] == [
        ("holdfast.part", "info", "3 of web"),
        ("sqlalchemy", "warning", "100%% slow"),
        ("uvicorn", "warning", "between the levels"),
        ("odd", "error", "wrong %d ('arguments',)"),
    ]
    assert all(line["part"] == "web" for line in lines)


def test_what_a_dependency_calls_information_is_told_at_debug_only() -> None:
    def say(_: object) -> None:
        logging.getLogger("httpx").info("sent a request")

    assert told(say) == []
    assert len(told(say, Logs(level=LogLevel.DEBUG))) == 1


def test_lines_below_the_level_are_left_out() -> None:
    def say(log: Any) -> None:
        log.info("quiet")
        log.warning("loud")
        logging.getLogger("holdfast.x").info("quiet")

    assert [line["event"] for line in told(say, Logs(level=LogLevel.WARNING))] == ["loud"]


def test_the_id_of_a_request_stands_in_every_line_of_its_tasks_and_threads_but_no_other() -> None:
    async def serve(log: Any, name: str) -> None:
        with bound_contextvars(request_id=name):
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(asyncio.to_thread(log.info, name))
            logging.getLogger("holdfast.x").info(name)

    async def both(log: Any) -> None:
        await asyncio.gather(serve(log, "one"), serve(log, "two"))
        log.info("after")

    lines = told(lambda log: asyncio.run(both(log)))
    assert sorted((line["event"], line.get("request_id")) for line in lines) == [
        ("after", None),
        ("one", "one"),
        ("one", "one"),
        ("two", "two"),
        ("two", "two"),
    ]


@pytest.mark.parametrize("form", [LogFormat.HUMAN, LogFormat.JSON])
def test_no_secret_stands_in_any_line_not_even_in_a_traceback(form: LogFormat) -> None:
    stream = io.StringIO()
    configure_logs(Logs(format=form), "web", stream, StoppedClock())
    log = structlog.get_logger()
    local = "hush-hush-4711"
    try:
        int(f"redis://ann:{local}@db")
    except ValueError as wrong:
        log.exception("away", cause=wrong, password=local, kept=Secret(local))
        logging.getLogger("redis").exception("away from %s", f"redis://:{local}@db")
    path = f"/{'a1' * 16}/announce"
    log.info("GET", path=path, headers={"Cookie": local})
    assert "ValueError: invalid literal for int() with base 10: 'redis://ann:***@db'" in stream.getvalue()
    assert local not in stream.getvalue()
    assert "a1a1" not in stream.getvalue()


class FullDisk(io.StringIO):
    full = True

    def write(self, text: str) -> int:
        if self.full:
            raise OSError(28, "No space left on device")
        return super().write(text)


def test_a_full_disk_stops_nobody_and_the_loss_is_told_when_there_is_room_again() -> None:
    disk = FullDisk()
    configure_logs(Logs(), "web", disk, StoppedClock())
    log = structlog.get_logger()
    log.info("lost")
    log.info("lost too")
    disk.full = False
    log.info("kept")
    log.info("kept too")
    lines = [json.loads(line) for line in disk.getvalue().splitlines()]
    assert [(line["event"], line.get("lines_lost")) for line in lines] == [("kept", 2), ("kept too", None)]


def test_a_stream_that_cannot_take_a_character_or_is_closed_stops_nobody() -> None:
    narrow = io.TextIOWrapper(io.BytesIO(), "ascii")
    configure_logs(Logs(format=LogFormat.HUMAN), "web", narrow, StoppedClock())
    structlog.get_logger().info("Söhne")
    narrow.close()
    structlog.get_logger().info("after the end")


def write(lines: Lines) -> None:
    for _ in range(50):
        lines.msg("x" * 200)


class Halting(io.StringIO):
    """Lets another thread in between the two halves of what it writes."""

    def write(self, text: str) -> int:
        half = len(text) // 2
        super().write(text[:half])
        time.sleep(0.0001)
        return half + super().write(text[half:])


def test_threads_never_mix_their_lines() -> None:
    stream = Halting()
    lines = Lines(stream)
    threads = [threading.Thread(target=write, args=(lines,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stream.getvalue() == ("x" * 200 + "\n") * 200
