"""Combinations of settings that cannot work are refused with advice; those that work badly are warned of."""

import re
from collections.abc import Iterator, Mapping

from holdfast.settings.tree import Layout, SecureCookies, Settings
from holdfast.settings.values import HostPort

EVERYWHERE = ("", "0.0.0.0", "::")  # noqa: S104 - compared with, never listened on
SITE_SECRET = re.compile(r"[0-9A-Za-z]{16,64}")
CLUSTERS = ("redis+cluster", "rediss+cluster")


def contradictions(settings: Settings) -> list[str]:
    """A sentence for every combination that cannot work."""
    return [*_doors(settings), *_gazelle(settings), *_live(settings), *_email(settings)]


def cautions(settings: Settings, origins: Mapping[str, str]) -> Iterator[str]:
    """A sentence for every combination that works otherwise than it looks."""
    live, email, web = settings.live, settings.notices.email, settings.web
    if live.address.scheme != "embedded":
        for name in ("live.max_memory", "live.fsync"):
            if name in origins:
                yield f"{name} is for the embedded server alone; set it in the server's own configuration."
    tracker = settings.tracker
    if tracker.tls_certificate and (tracker.public_url or "").startswith("http://"):
        yield "tracker.public_url says http:// where the tracker speaks TLS; set it to https://."
    if email.password and not email.starttls:
        yield "notices.email.password travels unencrypted; set notices.email.starttls = true."
    if (web.public_url or "").startswith("https://") and web.secure_cookies == SecureCookies.NEVER:
        yield 'web.secure_cookies = "never" lets a sign-in leak over plain HTTP; set it to "auto".'


def _doors(settings: Settings) -> Iterator[str]:
    web, tracker = settings.web, settings.tracker
    if _collide(web.listen, tracker.listen):
        yield (
            f"web.listen ({web.listen}) and tracker.listen ({tracker.listen}) want the same port; "
            "give one of them another."
        )
    if tracker.timeout <= tracker.interval + tracker.jitter:
        yield (
            "tracker.timeout must be longer than tracker.interval and tracker.jitter together, "
            "or peers are given up before they were due."
        )
    if bool(tracker.tls_certificate) != bool(tracker.tls_key):
        yield "tracker.tls_certificate and tracker.tls_key belong together; set both or neither."
    if (web.public_url or "").startswith("http://") and web.secure_cookies == SecureCookies.ALWAYS:
        yield (
            'web.secure_cookies = "always" makes signing in impossible while web.public_url starts with '
            'http://; use https:// there or set "auto".'
        )


def _gazelle(settings: Settings) -> Iterator[str]:
    tracker = settings.tracker
    secrets = {
        "gazelle_secret": tracker.gazelle_secret,
        "report_secret": tracker.report_secret,
    }
    for name, secret in secrets.items():
        if secret and not SITE_SECRET.fullmatch(secret.reveal()):
            yield (f"tracker.{name} stands in addresses as passkeys do: make it 16 to 64 letters and digits.")


def _collide(one: HostPort, other: HostPort) -> bool:
    shared = one.host == other.host or one.host in EVERYWHERE or other.host in EVERYWHERE
    return shared and one.port == other.port != 0


def _live(settings: Settings) -> Iterator[str]:
    live = settings.live
    if live.layout == Layout.CLASSIC and live.address.scheme in CLUSTERS:
        yield (
            'live.layout = "classic" cannot run on a cluster, where the keys of one torrent must share a '
            'slot; set live.layout = "tagged".'
        )
    if live.tls_ca and not live.address.scheme.startswith("rediss"):
        yield (
            f"live.tls_ca is given but live.address ({live.address}) is not encrypted; "
            "use rediss:// there or leave live.tls_ca empty."
        )


def _email(settings: Settings) -> Iterator[str]:
    email = settings.notices.email
    if email.host and "@" not in email.sender:
        yield "notices.email.host needs an e-mail address in notices.email.sender; set both or neither."
    if bool(email.user) != bool(email.password):
        yield "notices.email.user and notices.email.password belong together; set both or neither."
