"""Whom the doctor visits: a data folder with its settings, and the system that runs in it, if one does."""

from dataclasses import dataclass

from holdfast.clock import Clock
from holdfast.errors import HoldfastError
from holdfast.runfile import Run, is_locked, read_run
from holdfast.settings import Settings


@dataclass(frozen=True)
class Patient:
    settings: Settings
    clock: Clock
    running: bool
    run: Run | None
    """What run.json tells; None when nothing runs, or it cannot be read."""
    refusal: str = ""
    """Why run.json cannot be read though a parent is alive."""

    @property
    def embedded(self) -> bool:
        return self.settings.live.address.scheme == "embedded"


def find_patient(settings: Settings, clock: Clock) -> Patient:
    running = is_locked(settings.data)
    try:
        run = read_run(settings.data) if running else None
    except HoldfastError as error:
        return Patient(settings, clock, running, None, str(error))
    return Patient(settings, clock, running, run)
