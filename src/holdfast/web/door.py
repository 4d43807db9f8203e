"""What the web door needs to know and to reach; made once by whoever opens it, and handed in whole."""

from dataclasses import dataclass, field
from pathlib import Path

from holdfast.catalogue.service.catalogue import Catalogue
from holdfast.clock import Clock
from holdfast.items.service.herald import Herald
from holdfast.items.service.register import Register
from holdfast.observe.metrics import Metrics
from holdfast.settings import SecureCookies, Settings
from holdfast.store.live.interface import LiveStore
from holdfast.store.records import Records
from holdfast.web.access.hashing import Passwords
from holdfast.web.access.throttle import Throttle
from holdfast.web.feed import Feed

STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Addresses:
    """Where people reach the pages, and where clients announce."""

    web: str
    tracker: str
    tracker_udp: str | None = None

    @property
    def secure(self) -> bool:
        return self.web.startswith("https://")


@dataclass(frozen=True)
class Web:
    """The door's whole world: nothing of it is global."""

    settings: Settings
    records: Records
    live: LiveStore
    clock: Clock
    metrics: Metrics
    catalogue: Catalogue
    projects: Register
    herald: Herald
    feed: Feed
    throttle: Throttle
    addresses: Addresses
    started: float
    passwords: Passwords = field(default_factory=Passwords)
    static: Path = STATIC
    operator_token_hash: str | None = None
    """The SHA-256, in hex, of the token by which the command line of this machine is known."""

    @property
    def secure_cookies(self) -> bool:
        match self.settings.web.secure_cookies:
            case SecureCookies.ALWAYS:
                return True
            case SecureCookies.NEVER:
                return False
            case SecureCookies.AUTO:
                return self.addresses.secure
