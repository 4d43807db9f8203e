"""How the parent speaks: plain lines on a terminal, one JSON object a line where a program reads."""

import json
from typing import TextIO

from holdfast.clock import Clock
from holdfast.supervise.model import Say


def voice(stream: TextIO, clock: Clock) -> Say:
    """A `say` that writes to the stream."""
    terminal = stream.isatty()

    def say(sentence: str, **facts: object) -> None:
        if terminal:
            line = f"holdfast: {sentence}"
        else:
            line = json.dumps(
                {"time": clock.now(), "event": sentence, **facts}, ensure_ascii=False, default=str
            )
        try:
            stream.write(line + "\n")
            stream.flush()
        except (OSError, ValueError):
            # A closed terminal or a full log disk leaves nobody to tell, and must not fell the house.
            return

    return say
