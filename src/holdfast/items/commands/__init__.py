"""What spread offers on the command line; everything goes through the API of the running system."""

from holdfast.items.commands import projects

apps = {"items": projects.app}

__all__ = ["apps"]
