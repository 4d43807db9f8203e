"""Errors a person can act on: each is one sentence that says what happened and what to do."""

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of the command line; `docs/commands.md` explains them to scripts."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOT_FOUND = 3
    REFUSED = 4
    CONFLICT = 5
    UNAVAILABLE = 6
    SETTINGS = 7
    FINDINGS = 8


class HoldfastError(Exception):
    """The base of every error that is told to a person; anything else is a fault of ours.

    `extra` carries what a program would otherwise have to read out of the sentence.
    """

    exit = Exit.FAILED

    def __init__(self, sentence: str, **extra: object) -> None:
        super().__init__(sentence)
        self.extra = extra


class InvalidError(HoldfastError):
    """What was asked makes no sense as it stands; nothing was changed."""

    exit = Exit.USAGE


class NotFoundError(HoldfastError):
    """The thing named does not exist."""

    exit = Exit.NOT_FOUND


class RefusedError(HoldfastError):
    """Whoever asks may not do this."""

    exit = Exit.REFUSED


class ConflictError(HoldfastError):
    """The thing exists already, or is not in a state that allows the change."""

    exit = Exit.CONFLICT


class UnavailableError(HoldfastError):
    """Something the request needs is away for the moment; trying again later helps."""

    exit = Exit.UNAVAILABLE


class SettingsError(HoldfastError):
    """The settings cannot be used as written."""

    exit = Exit.SETTINGS
