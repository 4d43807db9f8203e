"""When to start, restart, give up on, stop and kill a part: decided from (now, house, event) alone."""

import signal
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf

from holdfast.errors import Exit
from holdfast.supervise.model import PartSpec, Phase

FIRST_REST = 1.0
LONGEST_REST = 30.0
WELL_AFTER = 60.0
"""A part that was ready for so long has recovered: its next death counts as the first."""
JITTER = 0.2
"""The share of a rest left to chance, so that parts felled by one cause do not return in one stampede."""
START_ATTEMPTS = 3
SLOW_START = 10.0
STOP_TOTAL = 9.0
"""The longest chain of stops; a second less than the ten promised, for what the kernel and we need."""
HURRIED_STOP = 1.0

NO_PROGRAM = 127
FINAL = frozenset({NO_PROGRAM, Exit.USAGE, Exit.NOT_FOUND, Exit.REFUSED, Exit.CONFLICT, Exit.SETTINGS})
"""Exit codes after which a person must act, so that trying again cannot help."""

RUNNING = frozenset({Phase.STARTING, Phase.READY})
ALIVE = RUNNING | {Phase.STOPPING, Phase.KILLED}
IDLE = frozenset({Phase.WAITING, Phase.RESTING})


@dataclass(frozen=True)
class Life:
    """How one part stands; `run` counts its starts, so that late word of an earlier process is known."""

    phase: Phase = Phase.WAITING
    since: float = 0.0
    run: int = 0
    deaths: int = 0
    """Deaths in a row, without a minute of wellbeing between them."""
    proven: bool = False
    """Has been ready at least once."""
    due: float = inf
    """When something must be decided even if nothing happens."""


@dataclass(frozen=True)
class Failure:
    """Why the whole was given up."""

    sentence: str
    exit_code: int


@dataclass(frozen=True)
class House:
    """All parts of one run and what was decided about the whole."""

    specs: Mapping[str, PartSpec]
    lives: Mapping[str, Life]
    announced: bool = False
    stopping: bool = False
    failure: Failure | None = None

    @property
    def finished(self) -> bool:
        return self.stopping and all(life.phase is Phase.STOPPED for life in self.lives.values())

    @property
    def due(self) -> float:
        return min((life.due for life in self.lives.values()), default=inf)


# What happens


@dataclass(frozen=True)
class Ticked:
    """Time passed."""


@dataclass(frozen=True)
class BecameReady:
    name: str
    run: int


@dataclass(frozen=True)
class Died:
    name: str
    run: int
    exit_code: int
    """As `subprocess` has it: negative for the signal that killed it."""
    words: str = ""
    """The last it had to say."""
    chance: float = 0.0
    """Between 0 and 1, from the caller's source of chance."""


@dataclass(frozen=True)
class StopAsked:
    """Stop all; asked again, hurry."""


Event = Ticked | BecameReady | Died | StopAsked


# What is to be done


@dataclass(frozen=True)
class Start:
    name: str
    run: int


@dataclass(frozen=True)
class Stop:
    name: str


@dataclass(frozen=True)
class Kill:
    name: str


@dataclass(frozen=True)
class Tell:
    sentence: str
    name: str | None = None


@dataclass(frozen=True)
class Announce:
    """Everything is ready for the first time."""


Action = Start | Stop | Kill | Tell | Announce


def found(specs: Iterable[PartSpec], now: float) -> House:
    """The house before anything was started; refuses a plan that cannot be started or stopped in time."""
    by_name: dict[str, PartSpec] = {}
    for spec in specs:
        if spec.name in by_name:
            raise ValueError(f"two parts are named {spec.name}")
        by_name[spec.name] = spec
    for name in by_name:
        chain = stop_chain(by_name, name)
        if chain > STOP_TOTAL:
            raise ValueError(f"stopping {name} and what it stands on may take {chain} s, over {STOP_TOTAL} s")
    return House(by_name, {name: Life(since=now) for name in by_name})


def stop_chain(specs: Mapping[str, PartSpec], name: str, above: tuple[str, ...] = ()) -> float:
    """The longest that stopping a part, and then everything it stands on, may take."""
    if name not in specs:
        raise ValueError(f"{above[-1]} comes after {name}, which is no part")
    if name in above:
        raise ValueError(f"parts wait for each other in a ring: {' after '.join([*above, name])}")
    below = (stop_chain(specs, other, (*above, name)) for other in specs[name].after)
    return specs[name].stop_seconds + max(below, default=0.0)


def rest(deaths: int, chance: float) -> float:
    """How long to wait before the start after so many deaths in a row."""
    whole = min(LONGEST_REST, FIRST_REST * 2.0 ** min(deaths - 1, 16))
    return whole * (1 - JITTER * chance)


def step(house: House, now: float, event: Event) -> tuple[House, list[Action]]:
    """What an event changes and what is to be done about it."""
    actions: list[Action] = []
    match event:
        case BecameReady():
            house = _became_ready(house, now, event, actions)
        case Died():
            house = _died(house, now, event, actions)
        case StopAsked():
            house = _stop_asked(house, now, actions)
        case Ticked():
            pass
    advance = _wind_down if house.stopping else _bring_up
    return advance(house, now, actions), actions


def _with(house: House, name: str, life: Life) -> House:
    return replace(house, lives={**house.lives, name: life})


def _became_ready(house: House, now: float, event: BecameReady, actions: list[Action]) -> House:
    life = house.lives[event.name]
    if life.phase is not Phase.STARTING or life.run != event.run:
        return house
    if life.run > 1:
        actions.append(Tell(f"{event.name} is running again", event.name))
    return _with(house, event.name, replace(life, phase=Phase.READY, since=now, proven=True, due=inf))


def _died(house: House, now: float, event: Died, actions: list[Action]) -> House:
    life = house.lives[event.name]
    if life.run != event.run or life.phase not in ALIVE:
        return house
    if house.stopping:
        return _with(house, event.name, replace(life, phase=Phase.STOPPED, since=now, due=inf))
    recovered = life.phase is Phase.READY and now - life.since >= WELL_AFTER
    deaths = 1 if recovered else life.deaths + 1
    if not life.proven and (deaths >= START_ATTEMPTS or event.exit_code in FINAL):
        return _give_up(house, now, event, deaths)
    wait = rest(deaths, event.chance)
    said = f": {event.words}" if event.words else ""
    actions.append(
        Tell(f"{event.name} {how(event.exit_code)}{said}; starting it again in {wait:.2g} s", event.name)
    )
    return _with(
        house, event.name, replace(life, phase=Phase.RESTING, since=now, deaths=deaths, due=now + wait)
    )


def _give_up(house: House, now: float, event: Died, deaths: int) -> House:
    tries = "" if deaths == 1 else f", {deaths} times in a row"
    why = event.words or "its messages above say why"
    sentence = (
        f"Holdfast did not start: {event.name} {how(event.exit_code)} before it was ready{tries}: {why}"
    )
    house = _with(
        house, event.name, replace(house.lives[event.name], phase=Phase.STOPPED, since=now, due=inf)
    )
    return replace(house, stopping=True, failure=Failure(sentence, event.exit_code))


def _stop_asked(house: House, now: float, actions: list[Action]) -> House:
    if not house.stopping:
        actions.append(Tell("Stopping; once more to hurry"))
        return replace(house, stopping=True)
    actions.append(Tell("Hurrying"))
    for name, life in house.lives.items():
        if life.phase in RUNNING:
            house = _stop(house, now, name, HURRIED_STOP, actions)
        elif life.phase is Phase.STOPPING:
            house = _with(house, name, replace(life, due=min(life.due, now + HURRIED_STOP)))
    return house


def _stop(house: House, now: float, name: str, seconds: float, actions: list[Action]) -> House:
    actions.append(Stop(name))
    return _with(house, name, replace(house.lives[name], phase=Phase.STOPPING, since=now, due=now + seconds))


def _bring_up(house: House, now: float, actions: list[Action]) -> House:
    for name, spec in house.specs.items():
        life = house.lives[name]
        rested = life.phase is Phase.WAITING or (life.phase is Phase.RESTING and life.due <= now)
        if rested and all(house.lives[other].phase is Phase.READY for other in spec.after):
            actions.append(Start(name, life.run + 1))
            life = replace(life, phase=Phase.STARTING, since=now, run=life.run + 1, due=now + SLOW_START)
        elif rested:
            life = replace(life, phase=Phase.WAITING, due=inf)
        elif life.phase is Phase.STARTING and life.due <= now:
            waited = now - life.since
            actions.append(Tell(f"{name} is still starting after {waited:.0f} s", name))
            life = replace(life, due=now + waited)
        house = _with(house, name, life)
    if not house.announced and all(life.phase is Phase.READY for life in house.lives.values()):
        actions.append(Announce())
        house = replace(house, announced=True)
    return house


def _wind_down(house: House, now: float, actions: list[Action]) -> House:
    for name, life in house.lives.items():
        if life.phase in IDLE:
            house = _with(house, name, replace(life, phase=Phase.STOPPED, since=now, due=inf))
    for name, spec in house.specs.items():
        life = house.lives[name]
        if life.phase in RUNNING and not _stood_upon(house, name):
            house = _stop(house, now, name, spec.stop_seconds, actions)
        elif life.phase is Phase.STOPPING and life.due <= now:
            actions.extend((Tell(f"{name} did not stop in time and is killed", name), Kill(name)))
            house = _with(house, name, replace(life, phase=Phase.KILLED, since=now, due=inf))
    return house


def _stood_upon(house: House, name: str) -> bool:
    return any(
        name in spec.after and house.lives[other].phase is not Phase.STOPPED
        for other, spec in house.specs.items()
    )


def how(exit_code: int) -> str:
    """How a process ended, in words."""
    if exit_code >= 0:
        return f"stopped with exit code {exit_code}"
    try:
        return f"was killed by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"was killed by signal {-exit_code}"
