"""The child's side of supervision, run inside this very process."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Iterator

import pytest

from holdfast.errors import Exit, InvalidError
from holdfast.part import Main, PartContext, report_failure, run_part
from holdfast.supervise.sockets import Listen


@pytest.fixture
def status(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The parent's end of the pipe that a part reports to."""
    read_end, write_end = os.pipe()
    os.set_blocking(read_end, False)
    monkeypatch.setenv("HOLDFAST_STATUS_FD", str(write_end))
    yield read_end
    os.close(read_end)
    os.close(write_end)


@pytest.fixture
def lifeline(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The end that only the parent has."""
    read_end, write_end = os.pipe()
    monkeypatch.setenv("HOLDFAST_LIFELINE_FD", str(read_end))
    yield write_end
    os.close(read_end)


async def until_stopped(context: PartContext) -> None:
    context.ready()
    await context.stopping.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_part_reports_that_it_is_ready_and_stops_cleanly_when_asked(
    status: int, number: signal.Signals
) -> None:
    async def main(context: PartContext) -> None:
        context.ready()
        os.kill(os.getpid(), number)
        await context.stopping.wait()

    assert run_part("web", main) == Exit.OK
    assert os.read(status, 100) == b"ready\n"


def test_a_part_stops_when_its_parent_is_gone(lifeline: int) -> None:
    async def main(context: PartContext) -> None:
        assert context.supervised
        os.close(lifeline)
        await context.stopping.wait()

    assert run_part("web", main) == Exit.OK


def test_a_part_takes_the_sockets_it_is_handed(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("HOLDFAST_SOCKETS", f"web={os.dup(server.fileno())}")

        async def main(context: PartContext) -> None:
            assert context.place("web") == server.getsockname()
            assert not os.get_inheritable(context.sockets["web"].fileno())
            assert "HOLDFAST_SOCKETS" not in os.environ
            os.kill(os.getpid(), signal.SIGTERM)

        assert run_part("web", until(main), listen_on={"web": Listen(("127.0.0.1", 1))}) == Exit.OK


def test_a_part_alone_binds_its_own_sockets() -> None:
    async def main(context: PartContext) -> None:
        assert not context.supervised
        assert context.place("tracker") == context.place("tracker.udp")
        os.kill(os.getpid(), signal.SIGTERM)

    assert (
        run_part("tracker", until(main), listen_on={"tracker": Listen(("127.0.0.1", 0), udp=True)}) == Exit.OK
    )


def test_an_address_that_is_taken_is_told_to_the_parent_in_a_sentence(status: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert (
            run_part("web", until_stopped, listen_on={"web": Listen(server.getsockname())}) == Exit.CONFLICT
        )
    assert os.read(status, 1000).startswith(b"failed Cannot listen on 127.0.0.1:")


def test_an_error_for_people_is_told_in_one_sentence_without_a_traceback(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def main(context: PartContext) -> None:
        raise InvalidError("No such database; name another.")

    assert run_part("web", main) == Exit.USAGE
    assert os.read(status, 100) == b"failed No such database; name another.\n"
    assert "Traceback" not in caplog.text


def test_a_crash_is_told_in_one_line_and_its_traceback_logged(
    status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async def main(context: PartContext) -> None:
        raise KeyError("first\nsecond")

    assert run_part("web", main) == Exit.FAILED
    assert os.read(status, 100) == b"failed KeyError: 'first\\nsecond'\n"
    assert "Traceback" in caplog.text


def test_a_part_that_ends_unasked_has_failed(caplog: pytest.LogCaptureFixture) -> None:
    async def main(context: PartContext) -> None:
        context.ready()

    assert run_part("web", main) == Exit.FAILED
    assert "web ended although nobody asked it to" in caplog.text


def test_a_part_that_is_slow_to_stop_is_interrupted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("HOLDFAST_STOP_SECONDS", "0.5")

    async def main(context: PartContext) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.Event().wait()

    with caplog.at_level(logging.WARNING):
        assert run_part("web", main) == Exit.OK
    assert "slow to stop" in caplog.text


def test_a_part_whose_parent_left_does_not_fail_over_reporting(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    monkeypatch.setenv("HOLDFAST_STATUS_FD", str(write_end))

    async def main(context: PartContext) -> None:
        context.ready()
        os.kill(os.getpid(), signal.SIGTERM)

    assert run_part("web", until(main)) == Exit.OK
    os.close(write_end)


def test_an_error_before_the_part_runs_reaches_the_parent_too(status: int) -> None:
    report_failure(InvalidError("A setting is wrong."))
    assert os.read(status, 100) == b"failed A setting is wrong.\n"


def until(main: Main) -> Main:
    """A part that does this and then waits to be stopped."""

    async def and_wait(context: PartContext) -> None:
        await main(context)
        await context.stopping.wait()

    return and_wait
