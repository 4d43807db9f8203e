"""Where a Gazelle site comes in: at the HTTP door, with a secret where members have their passkeys."""

import hmac
from collections.abc import Mapping
from typing import Final, Protocol

import structlog

from holdfast.clock import Clock
from holdfast.errors import InvalidError, UnavailableError
from holdfast.settings.tree import Reports, Tracker
from holdfast.store.live import LiveReplyError, LiveStore
from holdfast.tracker.desk import Own
from holdfast.tracker.gazelle import Gazelle
from holdfast.tracker.gazelle_report import Reporter
from holdfast.tracker.guessing import Guessing
from holdfast.tracker.mishaps import Mishaps
from holdfast.tracker.model import Limits
from holdfast.tracker.register import Register
from holdfast.wire.announce import RefusedAnnounceError
from holdfast.wire.gazelle import read_report, read_update
from holdfast.wire.tracker_answer import FAULT, NOT_FOUND, NOT_NOW, not_understood, site_answer
from holdfast.wire.tracker_request import Verb

log = structlog.get_logger()
LONGEST_SECRET: Final = 64


class SiteCaller(Protocol):
    def told(self, answer: bytes) -> None:
        """A whole HTTP answer: sites do not read bencoding."""
        ...


class Site:
    """A wrong secret is answered as any path that is not ours, and counts as a guessed passkey."""

    def __init__(
        self,
        gazelle: Gazelle,
        reporter: Reporter,
        secrets: Mapping[Verb, bytes],
        guessing: Guessing,
        own: Own,
        mishaps: Mishaps,
    ) -> None:
        self._gazelle = gazelle
        self._reporter = reporter
        self._secrets = secrets
        self._guessing = guessing
        self._own = own
        self._mishaps = mishaps

    def serve(self, verb: Verb, secret: bytes, query: bytes, place: bytes, caller: SiteCaller) -> None:
        if self._knows(verb, secret, place):
            self._own(self._answer(verb, query, caller))
        else:
            caller.told(NOT_FOUND)

    def _knows(self, verb: Verb, secret: bytes, place: bytes) -> bool:
        ours = self._secrets.get(verb, b"")
        if not ours or not 0 < len(secret) <= LONGEST_SECRET or not self._guessing.may_try(place, secret):
            return False
        right = hmac.compare_digest(secret, ours)
        self._guessing.was(place, secret, right=right)
        if not right:
            log.warning("wrong secret of a site", verb=verb.value)
        return right

    async def _answer(self, verb: Verb, query: bytes, caller: SiteCaller) -> None:
        try:
            if verb is Verb.UPDATE:
                said = await self._gazelle.do(read_update(query))
            else:
                said = await self._reporter.report(read_report(query))
        except InvalidError as error:
            log.warning("the site was not understood", verb=verb.value, reason=str(error))
            caller.told(not_understood(str(error)))
        except (UnavailableError, LiveReplyError) as error:
            log.warning("nothing done for the site", verb=verb.value, reason=str(error))
            caller.told(NOT_NOW)
        except Exception:  # noqa: BLE001 - logged, counted and answered there
            self._mishaps.answer(_Crashed(caller))
        else:
            caller.told(site_answer(said))


def site_of(
    settings: Tracker,
    live: LiveStore,
    clock: Clock,
    limits: Limits,
    register: Register,
    guessing: Guessing,
    own: Own,
    mishaps: Mishaps,
) -> Site:
    """As the operator set it; without secrets it knows nobody."""
    gazelle = Gazelle(live, clock, limits, register, settings.tell_removed)
    as_lines = settings.gazelle_reports is Reports.LINES
    secrets = {
        Verb.UPDATE: settings.gazelle_secret.reveal().encode(),
        Verb.REPORT: settings.report_secret.reveal().encode(),
    }
    reporter = Reporter(live, clock, limits, register, gazelle, as_lines=as_lines)
    return Site(gazelle, reporter, secrets, guessing, own, mishaps)


class _Crashed:
    """Tells a site that we failed in words that it takes for a failure."""

    def __init__(self, caller: SiteCaller) -> None:
        self._caller = caller

    def refused(self, reason: RefusedAnnounceError) -> None:  # noqa: ARG002 - in no words that he reads
        self._caller.told(FAULT)
