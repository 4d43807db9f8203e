"""One typed tree of settings that is its own documentation, sample file and list of environment variables."""

from holdfast.settings.load import load_settings, settings_file
from holdfast.settings.sample import Seen, as_seen, reference, sample
from holdfast.settings.tree import Fsync, Layout, LogFormat, LogLevel, SecureCookies, Settings
from holdfast.settings.values import Address, HostPort, Secret

__all__ = [
    "Address",
    "Fsync",
    "HostPort",
    "Layout",
    "LogFormat",
    "LogLevel",
    "Secret",
    "SecureCookies",
    "Seen",
    "Settings",
    "as_seen",
    "load_settings",
    "reference",
    "sample",
    "settings_file",
]
