"""The live store: one small interface over Valkey or Redis, alone, under Sentinel or as a cluster."""

from holdfast.store.live.address import LiveAddress
from holdfast.store.live.errors import (
    LiveAnswerLost,
    LiveReplyError,
    LiveStoreAway,
    LiveStoreUnready,
    UnexpectedReplyError,
)
from holdfast.store.live.functions import Function, Library
from holdfast.store.live.health import LiveHealth, ServerHealth, alarms
from holdfast.store.live.interface import Arg, Command, Gap, LiveStore, Message, Patience, Reply, Traffic
from holdfast.store.live.keys import KeyName, Layout, document
from holdfast.store.live.opening import open_live

__all__ = [
    "Arg",
    "Command",
    "Function",
    "Gap",
    "KeyName",
    "Layout",
    "Library",
    "LiveAddress",
    "LiveAnswerLost",
    "LiveHealth",
    "LiveReplyError",
    "LiveStore",
    "LiveStoreAway",
    "LiveStoreUnready",
    "Message",
    "Patience",
    "Reply",
    "ServerHealth",
    "Traffic",
    "UnexpectedReplyError",
    "alarms",
    "document",
    "open_live",
]
