"""What the catalogue offers on the command line; everything goes through the API of the running system."""

from collections.abc import Callable

from holdfast.catalogue.commands import audit, freeleech, members, notices, points, uploads, whitelist

apps = {
    "member": members.app,
    "upload": uploads.app,
    "points": points.app,
    "whitelist": whitelist.app,
    "freeleech": freeleech.app,
}
commands: dict[str, Callable[..., None]] = {"notices": notices.notices, "audit": audit.audit}

__all__ = ["apps", "commands"]
