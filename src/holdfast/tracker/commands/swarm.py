"""`holdfast tracker peers` and `holdfast tracker torrent`"""

from typing import Annotated

import typer

from holdfast.asked import MOST, Json, Most, door
from holdfast.status import span
from holdfast.terminal import listed, print_json, shown, size

Id = Annotated[int, typer.Argument(metavar="ID", help="The upload's number.", min=1)]

WANTS = ("", ", all it wants")


def peers(context: typer.Context, upload: Id, limit: Most = MOST, json: Json = False) -> None:
    """List who is in an upload's swarm now."""
    columns = [
        ("member", lambda one: one["member"]["name"] if one["member"] else "somebody who left"),
        ("client", lambda one: one["client"]),
        ("has", lambda one: f"{one['progress']:.0%}{WANTS[one['role'] == 'partial']}"),
        ("down/s", lambda one: size(one["speed_down"])),
        ("up/s", lambda one: size(one["speed_up"])),
        ("downloaded", lambda one: size(one["downloaded"])),
        ("uploaded", lambda one: size(one["uploaded"])),
        ("here for", lambda one: span(one["time"])),
        ("address", lambda one: _address(one["ip"], one["port"])),
    ]
    items = door(context).items(f"/uploads/{upload}/peers", limit)
    listed(items, columns, as_json=json, empty="Nobody is in this swarm.")


def torrent(context: typer.Context, upload: Id, json: Json = False) -> None:
    """Show what the live store holds of an upload: its counts and its keys."""
    here = door(context)
    found = here.get(f"/uploads/{upload}")
    swarm = here.get(f"/uploads/{upload}/swarm")
    keys = here.get(f"/uploads/{upload}/keys")["items"]
    if json:
        print_json({"upload": found, "swarm": swarm, "keys": keys})
        return
    facts = {
        "upload": f"{found['id']}, {found['name']}, {size(found['size'])}",
        "seeders": swarm["seeders"],
        "leechers": f"{swarm['leechers']}, {swarm['partial']} of them have all they want",
        "snatches": swarm["snatches"],
        "announces": swarm["announces"],
        "uploaded": size(swarm["uploaded"]),
        "downloaded": size(swarm["downloaded"]),
    }
    shown(facts, found, as_json=False)
    typer.echo()
    columns = [
        ("key", lambda one: one["key"]),
        ("type", lambda one: one["kind"]),
        ("holds", lambda one: one["value"] or one["size"]),
    ]
    listed(keys, columns, as_json=False, empty="No key of it is in the live store.")


def _address(ip: str, port: int) -> str:
    return f"[{ip}]:{port}" if ":" in ip else f"{ip}:{port}"
