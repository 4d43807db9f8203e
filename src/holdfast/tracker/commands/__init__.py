"""What the tracker offers on the command line; everything goes through the API of the running system."""

import typer

from holdfast.tracker.commands import swarm, whole

app = typer.Typer(no_args_is_help=True, help="The tracker: swarms as they are now, and what keeps them true.")
for command in (whole.top, whole.reap, swarm.peers, swarm.torrent):
    app.command()(command)

apps = {"tracker": app}

__all__ = ["apps"]
