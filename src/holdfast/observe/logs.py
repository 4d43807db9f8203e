"""Sets up what a part writes about its work: lines for people on a terminal, JSON for programs elsewhere."""

import logging
import os
import threading
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any, TextIO

import structlog
from structlog.typing import Processor

from holdfast.clock import Clock
from holdfast.observe.masking import escape_controls, mask
from holdfast.settings.tree import LogFormat, LogLevel, Logs

LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR, logging.CRITICAL)

Event = MutableMapping[str, Any]


def configure_logs(settings: Logs, part: str, stream: TextIO, clock: Clock) -> None:
    """Sends structlog's and the standard library's lines to the stream; the last call in a process holds."""
    level = logging.getLevelNamesMapping()[settings.level.upper()]
    human = settings.format == LogFormat.HUMAN or (settings.format == LogFormat.AUTO and stream.isatty())
    sink = Lines(stream)
    structlog.configure(
        processors=_processors(part, clock, sink, human=human, colors=human and stream.isatty()),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=lambda *_: sink,
        cache_logger_on_first_use=False,
    )
    root = logging.getLogger()
    root.handlers[:] = [IntoStructlog()]
    # What libraries call information (each request sent, each migration looked at) is detail to us.
    root.setLevel(level if settings.level == LogLevel.DEBUG else max(level, logging.WARNING))
    logging.getLogger("holdfast").setLevel(level)


def _processors(part: str, clock: Clock, sink: "Lines", *, human: bool, colors: bool) -> list[Processor]:
    def stamp(_logger: object, _method: str, event: Event) -> Event:
        now = datetime.fromtimestamp(clock.now(), UTC).isoformat(timespec="milliseconds")
        event["timestamp"] = now.replace("+00:00", "Z")
        # Known to the process rather than to the context, so that threads of libraries carry them too.
        event.setdefault("part", part)
        event.setdefault("pid", os.getpid())
        if sink.lost:
            event["lines_lost"] = sink.lost
        return event

    return [
        structlog.contextvars.merge_contextvars,
        structlog.processors.StackInfoRenderer(),
        # Plain tracebacks: the pretty ones show local variables, and with them secrets.
        structlog.processors.format_exc_info,
        _hide_secrets,
        structlog.processors.add_log_level,
        stamp,
        *([_escape, _console(colors=colors)] if human else [structlog.processors.JSONRenderer()]),
    ]


def _console(*, colors: bool) -> Processor:
    return structlog.dev.ConsoleRenderer(
        colors=colors, exception_formatter=structlog.dev.plain_traceback, pad_event_to=0
    )


def _hide_secrets(_logger: object, _method: str, event: Event) -> Event:
    return {key: mask(value, key) for key, value in event.items()}


def _escape(_logger: object, _method: str, event: Event) -> Event:
    def escaped(key: str, value: object) -> object:
        kept = "\n\t" if key in ("exception", "stack") else ""
        return escape_controls(value, kept) if isinstance(value, str) else value

    return {escape_controls(key): escaped(key, value) for key, value in event.items()}


class Lines:
    """Writes whole lines; a full disk must not stop what is logged about, so losses are counted and told."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._turn = threading.Lock()
        self.lost = 0
        """Lines that could not be written since the last that could, which tells it."""

    def msg(self, line: str) -> None:
        with self._turn:
            try:
                self._stream.write(line + "\n")
                self._stream.flush()
            except (OSError, ValueError):
                self.lost += 1
            else:
                self.lost = 0

    debug = info = warning = error = critical = exception = msg


class IntoStructlog(logging.Handler):
    """Brings the standard library's records, ours and those of dependencies, into the same lines."""

    def emit(self, record: logging.LogRecord) -> None:
        try:
            told = record.getMessage()
        except (TypeError, ValueError):
            told = f"{record.msg} {record.args}"
        said = {"exc_info": record.exc_info, "stack": record.stack_info}
        # Libraries have levels of their own between the five that structlog knows.
        level = max((each for each in LEVELS if each <= record.levelno), default=logging.DEBUG)
        known = {key: value for key, value in said.items() if value}
        structlog.get_logger().log(level, told, logger=record.name, **known)
