"""`holdfast upload …`"""

from pathlib import Path
from typing import Annotated, Any

import typer

from holdfast.asked import MOST, Json, Most, Reason, door, share
from holdfast.client import Door, segment
from holdfast.errors import InvalidError, NotFoundError, RefusedError, UnavailableError
from holdfast.terminal import credited, listed, print_json, progress, said, shown, size, when
from holdfast.wire.metainfo import TorrentVersion
from holdfast.wire.torrent_write import write_torrent

app = typer.Typer(no_args_is_help=True, help="Uploads: add, show, fetch, remove.")

Id = Annotated[int, typer.Argument(metavar="ID", help="The upload's number.", min=1)]
TORRENT = "application/x-bittorrent"
LARGEST = 1 << 30
"""Beyond what the server can be set to take, so that a wrong file is not read and sent in vain."""


@app.command()
def add(
    context: typer.Context,
    path: Annotated[Path, typer.Argument(help="A folder or file to share, or a .torrent file.", exists=True)],
    by: Annotated[str, typer.Option(help="The member who uploads it.")],
    category: Annotated[str, typer.Option(help="What kind of thing it is.")] = "General",
    name: Annotated[str | None, typer.Option(help="Its name in the catalogue.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Where to put the uploader's torrent.", dir_okay=False)
    ] = None,
    version: Annotated[
        TorrentVersion, typer.Option(help="Which clients it is for: v1 for all, the others for newer ones.")
    ] = TorrentVersion.V1,
    source: Annotated[
        str | None, typer.Option(help="A word that makes its hash this community's own.")
    ] = None,
    json: Json = False,
) -> None:
    """Add a folder, a file or a torrent to the catalogue."""
    here = door(context)
    if out is not None:
        _check_place(out)
    if path.suffix == ".torrent" and path.is_file():
        torrent = _read(path)
    else:
        _check_names(here, by, category)
        torrent = _make(path, version, source)
    upload = here.send("/uploads", torrent, TORRENT, by=by, category=category, name=name)
    _show(upload, as_json=json)
    if out is not None:
        _fetch(here, upload["id"], by, out)
        said(f"Load {out} into {by}'s BitTorrent client to seed it.")


@app.command("list")
def list_(
    context: typer.Context,
    search: Annotated[str | None, typer.Option(help="Part of the name.")] = None,
    category: Annotated[str | None, typer.Option(help="Only this category.")] = None,
    uploader: Annotated[str | None, typer.Option(help="Only what this member uploaded.")] = None,
    removed: Annotated[bool, typer.Option("--removed", help="The removed ones.")] = False,
    limit: Most = MOST,
    json: Json = False,
) -> None:
    """List uploads, the newest first."""
    columns = [
        ("id", lambda one: one["id"]),
        ("name", lambda one: one["name"]),
        ("category", lambda one: one["category"]["name"]),
        ("size", lambda one: size(one["size"])),
        ("uploader", lambda one: one["uploader"]["name"] if one["uploader"] else "nobody"),
        ("seeders", lambda one: one["seeders"]),
        ("leechers", lambda one: one["leechers"]),
        ("created", lambda one: when(one["created"])),
    ]
    items = door(context).items(
        "/uploads", limit, q=search, category=category, uploader=uploader, removed=str(removed).lower()
    )
    listed(
        items, columns, as_json=json, empty="No uploads; add one with `holdfast upload add PATH --by NAME`."
    )


@app.command()
def show(context: typer.Context, upload: Id, json: Json = False) -> None:
    """Show an upload."""
    _show(door(context).get(f"/uploads/{upload}"), as_json=json)


@app.command()
def files(context: typer.Context, upload: Id, limit: Most = MOST, json: Json = False) -> None:
    """List an upload's files."""
    columns = [("size", lambda one: size(one["size"])), ("path", lambda one: one["path"])]
    items = door(context).items(f"/uploads/{upload}/files", limit)
    listed(items, columns, as_json=json, empty="No files.")


@app.command()
def fetch(
    context: typer.Context,
    upload: Id,
    to: Annotated[str, typer.Option("--for", help="The member whose torrent it shall be.")],
    out: Annotated[Path, typer.Option(help="Where to put it.", dir_okay=False)],
) -> None:
    """Fetch an upload's torrent with a member's announce address."""
    here = door(context)
    _check_place(out)
    _fetch(here, upload, to, out)
    said(f"Wrote {out}.")


@app.command()
def change(
    context: typer.Context,
    upload: Id,
    name: Annotated[str | None, typer.Option(help="Its new name.")] = None,
    category: Annotated[str | None, typer.Option(help="Its new category.")] = None,
    multi_up: Annotated[float | None, share("Of what is uploaded, the share that is credited.")] = None,
    multi_down: Annotated[float | None, share("Of what is downloaded, likewise; 0 is freeleech.")] = None,
    reason: Annotated[str | None, typer.Option(help="Why the shares are changed, in one line.")] = None,
    json: Json = False,
) -> None:
    """Rename an upload, move it to another category, or change what is credited."""
    body = {
        "name": name,
        "category": category,
        "multi_up": multi_up,
        "multi_down": multi_down,
        "reason": reason,
    }
    _show(door(context).patch(f"/uploads/{upload}", body), as_json=json)


@app.command()
def remove(context: typer.Context, upload: Id, reason: Reason, json: Json = False) -> None:
    """Take an upload out of the catalogue; its tombstone keeps the reason."""
    _show(door(context).post(f"/uploads/{upload}/removal", {"reason": reason}), as_json=json)


@app.command()
def categories(context: typer.Context, json: Json = False) -> None:
    """List the categories and the points each is worth."""
    columns = [
        ("id", lambda one: one["id"]),
        ("name", lambda one: one["name"]),
        ("points", lambda one: one["points"]),
    ]
    listed(door(context).get("/categories")["items"], columns, as_json=json, empty="No categories.")


@app.command()
def category(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The category's name; made if it is new.")],
    points: Annotated[int, typer.Option(min=0, help="What an upload of this kind earns.")] = 0,
) -> None:
    """Add a category, or change what it is worth."""
    here = door(context)
    known = _category(here, name)
    if known is None:
        here.post("/categories", {"name": name, "points": points})
    else:
        here.patch(f"/categories/{known['id']}", {"points": points})
    said(f"An upload in {name} earns {points} points.")


def _category(here: Door, name: str) -> dict[str, Any] | None:
    same = [one for one in here.get("/categories")["items"] if one["name"].casefold() == name.casefold()]
    return same[0] if same else None


def _check_names(here: Door, member: str, category: str) -> None:
    """Refuse before hashing, which may take hours, what the catalogue would refuse after it."""
    here.get(f"/members/{segment(member)}")
    if _category(here, category) is None:
        raise NotFoundError(
            f"There is no category “{category}”; `holdfast upload categories` lists what there is."
        )


def _check_place(out: Path) -> None:
    """Refuse, before anything is done, a place where the torrent could not be put afterwards."""
    folder = out.absolute().parent
    if not folder.is_dir():
        raise InvalidError(f"There is no folder {folder}; make it, or name another place with --out.")
    was_there = out.exists()
    try:
        out.open("ab").close()
        if not was_there:
            out.unlink()
    except OSError as error:
        raise RefusedError(f"{out} cannot be written ({error.strerror}); name another with --out.") from error


def _fetch(here: Door, upload: int, member: str, out: Path) -> None:
    torrent = here.fetch(f"/uploads/{upload}/torrent", member=member)
    try:
        out.write_bytes(torrent)
    except OSError as error:
        again = f"holdfast upload fetch {upload} --for {member} --out FILE"
        raise UnavailableError(
            f"The torrent of upload {upload} cannot be written to {out} ({error.strerror}); mend that, then"
            f" fetch it with `{again}`."
        ) from error


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > LARGEST:
            raise InvalidError(
                f"{path} is {size(path.stat().st_size)} long, which no torrent is; name a .torrent file."
            )
        return path.read_bytes()
    except OSError as error:
        raise InvalidError(
            f"{path} cannot be read ({error.strerror}); make it readable and try again."
        ) from error


def _make(path: Path, version: TorrentVersion, source: str | None) -> bytes:
    if not path.resolve().name:
        raise InvalidError(f"{path} has no name that an upload could have; name a folder or file below it.")
    from holdfast.catalogue.torrent_maker import make_torrent  # noqa: PLC0415 - most commands need it not

    with progress(f"Hashing {path.name}") as tell:
        made = make_torrent(path, version=version, source=source, progress=tell)
    return write_torrent(made.info, made.piece_layers, [])


def _show(upload: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(upload)
        return
    removed = upload["removed"]
    facts = {
        "upload": f"{upload['name']} ({upload['id']})",
        "category": upload["category"]["name"],
        "uploader": upload["uploader"]["name"] if upload["uploader"] else "nobody",
        "size": f"{size(upload['size'])} in {upload['file_count']} files, {upload['piece_count']} pieces",
        "hash v1": upload["info_hash_v1"] or "none",
        "hash v2": upload["info_hash_v2"] or "none",
        "created": when(upload["created"]),
        "last seeded": when(upload["last_action"]),
        "swarm": f"{upload['seeders']} seeders, {upload['leechers']} leechers",
        "snatches": upload["completed"],
        "credited": credited(upload),
    }
    if removed:
        facts["removed"] = f"{when(removed['at'])}: {removed['reason']}"
    shown(facts, upload, as_json=False)
