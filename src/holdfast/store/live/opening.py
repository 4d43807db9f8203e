"""Opens the live store that an address names, whatever it runs on."""

import ssl
from pathlib import Path
from random import Random

from holdfast.clock import Clock
from holdfast.errors import SettingsError
from holdfast.store.live.address import LiveAddress, Shape
from holdfast.store.live.cluster import ClusterStore
from holdfast.store.live.interface import LiveStore, Patience
from holdfast.store.live.keys import Layout
from holdfast.store.live.link import Line
from holdfast.store.live.single import SingleStore


def open_live(
    address: LiveAddress | str,
    *,
    layout: Layout = Layout.CLASSIC,
    ca_file: Path | None = None,
    clock: Clock,
    patience: Patience = Patience(),  # noqa: B008 - it is frozen
    random: Random | None = None,
    client_name: str = "holdfast",
) -> LiveStore:
    """A store to be used as `async with open_live(...) as store`; entering does not wait for the server."""
    where = LiveAddress.parse(address) if isinstance(address, str) else address
    line = Line(clock, patience, random or Random(), _tls(where, ca_file))  # noqa: S311 - it only spreads pauses
    if where.shape is Shape.CLUSTER:
        if layout is Layout.CLASSIC:
            raise SettingsError("A cluster needs the layout `tagged`, which keeps an owner's keys together.")
        return ClusterStore(where, layout, line, client_name)
    return SingleStore(where, layout, line, client_name)


def _tls(address: LiveAddress, ca_file: Path | None) -> ssl.SSLContext | None:
    if not address.tls:
        return None
    trusted = ca_file or address.ca
    try:
        return ssl.create_default_context(cafile=trusted)
    except (OSError, ssl.SSLError) as fault:
        raise SettingsError(f"The live store's certificates in {trusted} cannot be read: {fault}.") from fault
