"""Where a live store is, read from one line of settings; the password in it is never shown."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self
from urllib.parse import parse_qsl, unquote

from holdfast.errors import SettingsError

PORT, SENTINEL_PORT = 6379, 26379
OPTIONS = frozenset({"ca", "sentinel_user", "sentinel_password"})


class Shape(StrEnum):
    """What kind of installation answers there."""

    SINGLE = "single"
    SENTINEL = "sentinel"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One server: a Unix socket, or a host and port."""

    host: str = ""
    port: int = 0
    path: str = ""

    def __str__(self) -> str:
        return self.path or (f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}")


@dataclass(frozen=True, slots=True)
class Login:
    """Who we are to the server."""

    user: str | None = None
    password: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class LiveAddress:
    """A live store's address, in one of these forms (`rediss` instead of `redis` speaks TLS):

    - `unix:///path/to/socket`, with `?db=1` if need be
    - `redis://[user:password@]host[:port][/db]`
    - `redis+sentinel://[user:password@]host[:port],host[:port]…/service[/db]`
    - `redis+cluster://[user:password@]host[:port],host[:port]…`

    `?ca=FILE` names the certificates that TLS trusts; `?sentinel_user=` and `?sentinel_password=` are for
    sentinels that want their own. Special signs in names and passwords are written as %XX.
    """

    shape: Shape
    endpoints: tuple[Endpoint, ...]
    login: Login = Login()
    db: int = 0
    service: str = ""
    tls: bool = False
    ca: str | None = None
    sentinel_login: Login = Login()

    @classmethod
    def parse(cls, text: str) -> Self:
        scheme, found, rest = text.strip().partition("://")
        if not found:
            raise _refused("it lacks a scheme such as redis:// or unix://")
        rest, _, query = rest.partition("?")
        options = _options(query)
        if scheme == "unix":
            return cls._socket(rest, options)
        kind, plus, shape = scheme.partition("+")
        if kind not in {"redis", "rediss"} or (plus and shape not in {Shape.SENTINEL, Shape.CLUSTER}):
            raise _refused(f"{scheme}:// is none of unix, redis, rediss, redis+sentinel, redis+cluster")
        return cls._network(Shape(shape) if plus else Shape.SINGLE, kind == "rediss", rest, options)

    @classmethod
    def _socket(cls, rest: str, options: dict[str, str]) -> Self:
        path = unquote(rest)
        if not path.startswith("/"):
            raise _refused("a socket needs its whole path, as in unix:///run/live.sock")
        return cls(Shape.SINGLE, (Endpoint(path=path),), db=_db(options.get("db", "0")))

    @classmethod
    def _network(cls, shape: Shape, tls: bool, rest: str, options: dict[str, str]) -> Self:
        place, _, tail = rest.partition("/")
        credentials, _, hosts = place.rpartition("@")
        default = SENTINEL_PORT if shape is Shape.SENTINEL else PORT
        endpoints = tuple(_endpoint(host, default) for host in hosts.split(","))
        if shape is Shape.SINGLE and len(endpoints) > 1:
            raise _refused("it names several servers; say redis+sentinel:// or redis+cluster://")
        service, tail = tail.partition("/")[::2] if shape is Shape.SENTINEL else ("", tail)
        if shape is Shape.SENTINEL and not service:
            raise _refused("it must end with the service that the sentinels watch, as in …/holdfast")
        db = _db(tail or options.get("db", "0"))
        if shape is Shape.CLUSTER and db:
            raise _refused("a cluster has only database 0")
        if "ca" in options and not tls:
            raise _refused("?ca= is for TLS; say rediss instead of redis")
        return cls(
            shape,
            endpoints,
            login=_login(credentials),
            db=db,
            service=unquote(service),
            tls=tls,
            ca=options.get("ca"),
            sentinel_login=Login(options.get("sentinel_user"), options.get("sentinel_password")),
        )

    def __str__(self) -> str:
        """The address without its secrets, for people and logs."""
        scheme = "unix" if self.endpoints[0].path else "rediss" if self.tls else "redis"
        shape = "" if self.shape is Shape.SINGLE else f"+{self.shape}"
        user = f"{self.login.user}@" if self.login.user else ""
        service = f"/{self.service}" if self.service else ""
        db = f"/{self.db}" if self.db and scheme != "unix" else f"?db={self.db}" if self.db else ""
        return f"{scheme}{shape}://{user}{','.join(map(str, self.endpoints))}{service}{db}"


def _options(query: str) -> dict[str, str]:
    try:
        options = dict(parse_qsl(query, strict_parsing=True, keep_blank_values=True)) if query else {}
    except ValueError:
        raise _refused("what follows the ? is not of the form name=value") from None
    unknown = options.keys() - OPTIONS - {"db"}
    if unknown:
        raise _refused(f"?{min(unknown)}= is unknown; there are {', '.join(sorted(OPTIONS))} and db")
    return options


def _login(credentials: str) -> Login:
    if not credentials:
        return Login()
    user, _, password = credentials.partition(":")
    if not password:
        raise _refused("before the @ it takes user:password, or :password alone")
    return Login(unquote(user) or None, unquote(password))


def _endpoint(text: str, default: int) -> Endpoint:
    if text.startswith("["):
        host, bracket, port = text[1:].partition("]")
        wrong = not bracket or (port and not port.startswith(":"))
        port = port[1:]
    else:
        host, _, port = text.partition(":")
        wrong = ":" in port
    if wrong or not host:
        raise _refused(f"{text!r} is no host and port (IPv6 addresses go in [brackets])")
    if port and not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
        raise _refused(f"{port!r} is no port")
    return Endpoint(host, int(port or default))


def _db(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise _refused(f"the database is a number, not {text!r}")
    return int(text)


def _refused(why: str) -> SettingsError:
    """The text itself is left out: there may be a password in it."""
    return SettingsError(f"The live store's address cannot be used: {why}.")
