"""Where the live store is, as the settings name it, and the way in; who needs no records imports no SQL."""

from dataclasses import replace

from holdfast.clock import Clock
from holdfast.settings import Settings
from holdfast.store.live import Layout, LiveStore, Patience, open_live
from holdfast.store.live.address import LiveAddress
from holdfast.store.live.embedded import EmbeddedServer


def embedded_server(settings: Settings) -> EmbeddedServer | None:
    """The server that `holdfast up` runs itself; None when the settings name one that runs elsewhere."""
    if settings.live.address.scheme != "embedded":
        return None
    return EmbeddedServer(settings.data, max_memory=settings.live.max_memory, fsync=settings.live.fsync.value)


def live_address(settings: Settings) -> LiveAddress:
    embedded = embedded_server(settings)
    address = LiveAddress.parse(embedded.address if embedded else settings.live.address.reveal())
    if settings.live.tls_ca is not None and address.ca is None:
        address = replace(address, ca=str(settings.live.tls_ca))
    return address


def live_of(settings: Settings, clock: Clock, part: str) -> LiveStore:
    return open_live(
        live_address(settings),
        layout=Layout(settings.live.layout.value),
        clock=clock,
        patience=Patience(wait=settings.live.wait),
        client_name=f"holdfast-{part}",
    )
