"""What spread offers on the command line; everything goes through the API of the running system."""

# The commands of `claims` and `work` are those of the one app, too.
from holdfast.items.commands import blocks, claims, headquarters, projects, targets, work

projects.app.add_typer(headquarters.hq, name="hq")
projects.app.add_typer(targets.app, name="targets")
apps = {"items": projects.app}

__all__ = ["apps", "blocks", "claims", "work"]
