"""What the tracker offers on the command line; everything goes through the API of the running system."""

import typer

from holdfast.tracker.commands import members, reports, swarm, whole

app = typer.Typer(no_args_is_help=True, help="The tracker: swarms as they are now, and what keeps them true.")
COMMANDS = (
    whole.top,
    whole.reap,
    whole.rebuild_indexes,
    swarm.peers,
    swarm.torrent,
    members.member,
    members.exempt,
    reports.reports,
    reports.settle,
)
for command in COMMANDS:
    app.command()(command)

apps = {"tracker": app}

__all__ = ["apps"]
