"""Becomes a program that the system tells when its parent has died.

Run by its path with `python -I -S`, before anything is imported that costs: it must import nothing of ours.
"""

import ctypes
import os
import sys

PR_SET_PDEATHSIG = 1
ORPHANED = 143
"""As a shell tells SIGTERM; importing its name would take a quarter of our time."""
NO_PROGRAM = 127


def main(arguments: list[str]) -> int:
    parent, signal_number, *argv = arguments
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal_number), 0, 0, 0)
    # The parent may have died before the line above, which would then never be told to us.
    if os.getppid() != int(parent):
        return ORPHANED
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - becoming that program is the purpose
    except OSError as error:
        return _cannot_start(argv[0], error)


def _cannot_start(program: str, error: OSError) -> int:
    sentence = f"cannot start {program}: {error.strerror}"
    print(sentence, file=sys.stderr)  # noqa: T201 - there is nothing yet to log with
    if number := os.environ.get("HOLDFAST_STATUS_FD"):
        os.write(int(number), f"failed {sentence}\n".encode())
    return NO_PROGRAM


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
