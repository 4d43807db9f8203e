"""The settings of Holdfast: this tree is their documentation, the sample file and the environment at once."""

# ruff: noqa: RUF009 - the functions called here describe fields, as dataclasses.field does

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from holdfast.settings.kinds import (
    address,
    choice,
    duration,
    host_port,
    networks,
    path,
    path_or_none,
    secret,
    section,
    size,
    switch,
    text,
    udp_url_or_none,
    web_url_or_none,
    whole,
)
from holdfast.settings.values import Address, HostPort, Secret


class SecureCookies(StrEnum):
    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Layout(StrEnum):
    CLASSIC = "classic"
    TAGGED = "tagged"


class Reports(StrEnum):
    JSON = "json"
    LINES = "lines"


class Fsync(StrEnum):
    EVERYSEC = "everysec"
    ALWAYS = "always"


class LogFormat(StrEnum):
    AUTO = "auto"
    HUMAN = "human"
    JSON = "json"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Web:
    """The web door: pages, API, live feed, health and metrics."""

    listen: HostPort = host_port(
        "127.0.0.1:8080",
        "Where the web door listens. Port 0 takes a free one; an empty host means every address.",
    )
    public_url: str | None = web_url_or_none(
        "The address people reach the pages at, as links and notices give it. Empty: made from `listen`."
    )
    trusted_proxies: tuple[str, ...] = networks(
        "Networks of reverse proxies whose X-Forwarded-For and X-Forwarded-Proto are believed."
    )
    session_lifetime: float = duration(
        "30 days", "How long somebody stays signed in without coming back.", least="1 min", most="3650 days"
    )
    secure_cookies: SecureCookies = choice(
        SecureCookies.AUTO,
        "Whether cookies travel over HTTPS alone: `auto` follows the scheme of `public_url`.",
    )
    sign_in_attempts: int = whole(
        10,
        "Failed sign-ins that one name or one address may make within `sign_in_window`.",
        least=1,
        most=10_000,
    )
    sign_in_window: float = duration(
        "15 min", "The time over which failed sign-ins are counted.", least="1 s", most="7 days"
    )
    feed_queue: int = whole(
        256,
        "Messages kept for one slow client of the live feed before the oldest are dropped and counted.",
        least=1,
        most=65_536,
    )


@dataclass(frozen=True)
class Tracker:
    """The tracker that members' BitTorrent clients announce to."""

    listen: HostPort = host_port(
        "127.0.0.1:6969",
        "Where the tracker listens. Port 0 takes a free one; an empty host means every address.",
    )
    public_url: str | None = web_url_or_none(
        "The address clients reach the tracker at, as torrents name it. Empty: made from `listen`."
    )
    public_udp_url: str | None = udp_url_or_none(
        "The address clients reach the tracker at over UDP, where it listens on the same port; torrents name "
        "it before the other, as it costs both sides less. Clients that send no passkey over UDP go on to "
        "the other. Empty: torrents name none."
    )
    tls_certificate: Path | None = path_or_none(
        "The certificate, with those that vouch for it, that the tracker shows: it then speaks HTTPS. "
        "A renewed one is read without a restart. Empty: plain HTTP, as behind a reverse proxy."
    )
    tls_key: Path | None = path_or_none("The key of that certificate, without a password.")
    workers: int = whole(
        1,
        "Processes that serve the tracker and share its port; 0: one for each core that Holdfast may use.",
        least=0,
        most=256,
    )
    trust_ip: tuple[str, ...] = networks(
        "Networks whose clients may name their own address (`ip=`, `ipv4=`, `ipv6=`), as one behind the same "
        "NAT as the tracker must."
    )
    interval: float = duration(
        "30 min", "How often clients are asked to announce.", least="1 min", most="1 day"
    )
    jitter: float = duration(
        "5 min",
        "How far announces are spread, so that clients that started together do not come together for ever.",
        least="0 s",
        most="6 h",
    )
    min_interval: float = duration(
        "1 min",
        "Who announces again sooner is counted as always, but gets no new peers.",
        least="0 s",
        most="1 h",
    )
    timeout: float = duration(
        "45 min",
        "How long a peer that says nothing counts as alive; longer than `interval` and `jitter` together.",
        least="2 min",
        most="2 days",
    )
    numwant: int = whole(50, "Peers given to a client that does not say how many.", least=1, most=500)
    most_peers: int = whole(100, "Peers given at most.", least=1, most=500)
    peers_per_upload: int = whole(
        3,
        "Clients of one member that may take part in one upload at once; 0: any number.",
        least=0,
        most=1000,
    )
    download_slots: int = whole(
        0, "Uploads that one member may be downloading at once; 0: any number.", least=0, most=100_000
    )
    hit_and_run_time: float = duration(
        "14 days",
        "How long a member seeds what he took; who leaves sooner is listed as hit-and-run.",
        least="0 s",
        most="3650 days",
    )
    hit_and_run_bytes: int = size(
        "50 MiB", "Who took less than this of an upload owes it no time.", least="0 B", most="1 TiB"
    )
    hit_and_run_clears: bool = switch(False, "Whether completing an upload takes it off the list.")
    hit_and_run_grace: float = duration(
        "3 days",
        "How long a member who left too early has to come back before he is listed.",
        least="0 s",
        most="365 days",
    )
    fastest: int = size(
        "4 GiB",
        "Whoever claims to have moved more than this in a second is reported to the staff; 0: nobody is.",
        least="0 B",
        most="1024 TiB",
    )
    near_first: bool = switch(
        False, "Whether clients are told first of peers whose addresses are close to their own."
    )
    remember: float = duration(
        "3 days",
        "How long the counts of a peer that left are kept, in case he comes back.",
        least="1 h",
        most="365 days",
    )
    announce_keys: bool = switch(
        False,
        "Whether each torrent that a member fetches carries a key good for that upload alone instead of his "
        "passkey, so that a leaked one is worth little and is noticed.",
    )
    tell_removed: float = duration(
        "7 days",
        "How long whoever announces a removed upload is told why it was removed; then it is unknown.",
        least="0 s",
        most="3650 days",
    )
    open: bool = switch(
        False,
        "Whether strangers may share what the catalogue does not have, without a passkey: a public tracker "
        "beside the members' own. Uploads stay the members'.",
    )
    open_peers: int = whole(
        100_000,
        "Peers that strangers' swarms may have together; at worst each takes 2 KiB of the live store.",
        least=1,
        most=100_000_000,
    )
    stats: bool = switch(
        False, "Whether anybody may read the tracker's totals at its own door, under /stats and /stats.json."
    )
    scrape: int = whole(50, "Uploads that one scrape may ask for.", least=1, most=1000)
    collect: float = duration(
        "2 s", "How often the records are brought up to the swarms.", least="10 ms", most="1 h"
    )
    patrol: float = duration(
        "1 h",
        "How often swarms are compared with the records even where nothing was said to have changed.",
        least="1 s",
        most="1 day",
    )
    balance_window: float = duration(
        "1 day",
        "Over how long what was uploaded to a swarm is compared with what was downloaded there.",
        least="1 min",
        most="30 days",
    )
    balance_slack: int = size(
        "1 GiB",
        "Swarms where this much more, and a fifth more, was uploaded than downloaded are reported to the "
        "staff; 0: none are.",
        least="0 B",
        most="1024 TiB",
    )
    gazelle_secret: Secret = secret(
        "By which a Gazelle site tells its torrents and users, as its TRACKER_SECRET. Empty: no site may."
    )
    report_secret: Secret = secret(
        "By which such a site asks how the tracker stands, as its TRACKER_REPORTKEY. Empty: no site may."
    )
    gazelle_reports: Reports = choice(
        Reports.JSON, "How it is answered: as Gazelle reads it today, or in `lines`, as it did before 2023."
    )


SCHEMES = ("unix", *(f"redis{tls}{shape}" for tls in ("", "s") for shape in ("", "+sentinel", "+cluster")))


@dataclass(frozen=True)
class Live:
    """The live store: swarms, claims, jobs and everything else that changes by the second."""

    address: Address = address(
        "embedded",
        "The store: `embedded` runs the Valkey server that comes with Holdfast, kept in the data folder; "
        "`redis://USER:PASSWORD@HOST:PORT/DB` uses a server, `unix:///PATH` one on a socket, "
        "`redis+sentinel://HOST:PORT,HOST:PORT/NAME` a Sentinel group, "
        "`redis+cluster://HOST:PORT,HOST:PORT` a cluster; `rediss` instead of `redis` speaks TLS.",
        schemes=SCHEMES,
    )
    layout: Layout = choice(
        Layout.CLASSIC,
        "How keys are named: `classic` uses the names existing scripts and sites read, `tagged` puts the "
        "owner's id in braces, which a cluster needs.",
    )
    max_memory: int = size(
        "512 MiB",
        "The memory ceiling of the embedded server; nothing is evicted, writes are refused above it.",
        least="16 MiB",
        most="16 TiB",
    )
    fsync: Fsync = choice(
        Fsync.EVERYSEC,
        "When the embedded server forces its file to disk: `everysec` may lose a second at a power cut, "
        "`always` loses nothing and is slower.",
    )
    wait: float = duration(
        "2 s",
        "How long a call waits for the store before it fails with a clear error.",
        least="10 ms",
        most="5 min",
    )
    tls_ca: Path | None = path_or_none(
        "The certificate authority of a server behind TLS. Empty: the machine's own list."
    )


@dataclass(frozen=True)
class Records:
    """The records: members, uploads, points, notices and the audit trail, in SQL."""

    address: Address = address(
        "sqlite",
        "The database: `sqlite` is the file records.sqlite in the data folder, "
        "`postgresql://USER:PASSWORD@HOST:PORT/NAME` a PostgreSQL server.",
        schemes=("postgresql",),
    )
    pool: int = whole(5, "Connections each part keeps open at most.", least=1, most=100)
    wait: float = duration(
        "10 s",
        "How long a write waits for its turn before it fails with a clear error.",
        least="10 ms",
        most="10 min",
    )


@dataclass(frozen=True)
class Catalogue:
    """The catalogue: the record of members and uploads that every part shares."""

    sweep: float = duration(
        "1 s",
        "How often the outbox towards the live store is looked at when nothing nudges.",
        least="10 ms",
        most="1 h",
    )
    torrent_limit: int = size(
        "32 MiB", "The largest .torrent file that is read.", least="1 KiB", most="1 GiB"
    )
    upload_award: bool = switch(True, "Whether an uploader is given the points of the upload's category.")
    notices_keep: float = duration(
        "365 days", "How long notices stay in an inbox.", least="1 day", most="36500 days"
    )
    require_whitelist: bool = switch(
        False, "Whether the tracker serves only BitTorrent clients on the whitelist."
    )


@dataclass(frozen=True)
class Email:
    """Notices by e-mail; off while `host` is empty."""

    host: str = text("", "The mail server that takes the messages. Empty: no e-mail is sent.", empty=True)
    port: int = whole(587, "Its port.", least=1, most=65_535)
    sender: str = text("", "The address messages come from; needed once `host` is set.", empty=True)
    user: str = text("", "The name to sign in with. Empty: no sign-in.", empty=True)
    password: Secret = secret("The password to sign in with.")
    starttls: bool = switch(True, "Whether the connection is encrypted by STARTTLS before anything is sent.")


@dataclass(frozen=True)
class Webhook:
    """Notices posted as JSON to another program; off while `url` is empty."""

    url: Secret = secret("Where notices are posted to. Empty: none are.", url=True)
    secret: Secret = secret("The key that signs each notice posted, so that the receiver can trust it.")


@dataclass(frozen=True)
class Notices:
    """Delivery of notices beyond the inbox on the pages."""

    attempts: int = whole(8, "How often a delivery is tried before it is given up.", least=1, most=100)
    email: Email = section(Email)
    webhook: Webhook = section(Webhook)


@dataclass(frozen=True)
class Logs:
    """What each part writes about its work."""

    format: LogFormat = choice(LogFormat.AUTO, "`auto` is `human` on a terminal and `json` elsewhere.")
    level: LogLevel = choice(LogLevel.INFO, "The least important lines that are written.")


@dataclass(frozen=True)
class Settings:
    """Everything that can be set, with where each value came from and what is worth a warning."""

    data: Path = path("./data", "The data folder: embedded stores, torrents and `run.json` live in it.")
    community: str = text("Holdfast", "The name of the community, as the pages show it.", most=80)
    web: Web = section(Web)
    tracker: Tracker = section(Tracker)
    live: Live = section(Live)
    records: Records = section(Records)
    catalogue: Catalogue = section(Catalogue)
    notices: Notices = section(Notices)
    logs: Logs = section(Logs)

    origins: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)
    """Where each value that is not the default came from, by the setting's name."""
    findings: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """Sentences worth a warning at start and in `holdfast doctor`; none stops the system."""
