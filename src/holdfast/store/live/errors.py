"""What can go wrong between us and the live store, told so that a person or a caller can act on it."""

from holdfast.errors import HoldfastError, UnavailableError

# Answers that a healthy server gives while it cannot do the work just now; the same command may pass later.
PASSING = frozenset(
    {"BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOREPLICAS", "OOM", "READONLY", "TRYAGAIN"}
)

ADVICE = {
    "OOM": "The live store is full and takes no more writes; raise its memory ceiling or remove data.",
    "MISCONF": "The live store cannot write to its disk and takes no more writes; free space there.",
    "READONLY": "The live store is a replica and takes no writes; point Holdfast at the primary.",
    "NOREPLICAS": "The live store has too few replicas in reach and takes no writes; bring them back.",
    "LOADING": "The live store is still reading its data from disk; try again in a moment.",
    "BUSY": "The live store is held up by a long-running script; try again, or end it with SCRIPT KILL.",
    "CLUSTERDOWN": "The live store's cluster does not cover every slot; bring its missing primaries back.",
}


class LiveReplyError(HoldfastError):
    """The store understood a command and refused it; within a batch this stands in the command's place."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.code = answer.partition(" ")[0]
        advice = ADVICE.get(self.code)
        super().__init__(f"{advice} ({answer})" if advice else f"The live store refused a command: {answer}")


class LiveStoreUnready(LiveReplyError, UnavailableError):  # noqa: N818 - named for what a person sees
    """The store is there and cannot do it now: full, loading, read-only, without a quorum."""


class UnexpectedReplyError(LiveReplyError):
    """The store answered in another shape than the caller can read."""

    def __init__(self, wanted: str, reply: object) -> None:
        super().__init__(f"UNEXPECTED {type(reply).__name__} where {wanted} was expected: {str(reply)[:80]}")


class LiveStoreAway(UnavailableError):  # noqa: N818 - named for what a person sees
    """The store cannot be reached; nothing of this call has been sent."""


class LiveAnswerLost(LiveStoreAway):
    """The command went out and the connection broke before the answer: it may or may not have been done."""


def away(name: str, reason: str) -> str:
    """The sentence for a store that cannot be reached."""
    return f"The live store at {name} is away ({reason}); check that it runs, then try again."


def reply_error(answer: str) -> LiveReplyError:
    """The error for one refusal of the server, by its first word."""
    passing = answer.partition(" ")[0] in PASSING
    return LiveStoreUnready(answer) if passing else LiveReplyError(answer)
