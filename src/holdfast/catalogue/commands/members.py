"""`holdfast member …`"""

from typing import Annotated, Any

import typer

from holdfast.asked import MOST, Json, Most, Reason, door, share
from holdfast.client import segment
from holdfast.terminal import credited, listed, print_json, said, shown, size, when, yes

app = typer.Typer(no_args_is_help=True, help="Members: add, show, disable, rotate passkeys, give roles.")

Who = Annotated[str, typer.Argument(help="The member's name, or number.")]


@app.command()
def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="What the member is called; it cannot be changed.")],
    role: Annotated[list[str] | None, typer.Option(help="moderator or operator; may be given twice.")] = None,
    email: Annotated[str | None, typer.Option(help="Where notices may be sent.")] = None,
    may_leech: Annotated[bool, typer.Option(help="Whether the member may download.")] = True,
    json: Json = False,
) -> None:
    """Add a member and print his passkey and one-time sign-in link."""
    body = {"name": name, "roles": role, "email": email, "may_leech": may_leech}
    member = door(context).post("/members", body)
    link = door(context).post(f"/members/{member['id']}/link")
    facts = {
        "member": f"{member['name']} ({member['id']})",
        "announce": member["announce_url"],
        "sign in": link["sign_in_link"],
    }
    shown(facts, member | {"sign_in_link": link["sign_in_link"]}, as_json=json)


@app.command("list")
def list_(
    context: typer.Context,
    search: Annotated[str | None, typer.Option(help="Part of the name.")] = None,
    role: Annotated[str | None, typer.Option(help="Only members who have this role.")] = None,
    enabled: Annotated[bool | None, typer.Option("--enabled/--disabled", help="Only these.")] = None,
    limit: Most = MOST,
    json: Json = False,
) -> None:
    """List members in the order in which they joined."""
    columns = [
        ("id", lambda one: one["id"]),
        ("name", lambda one: one["name"]),
        ("roles", lambda one: ", ".join(one["roles"])),
        ("enabled", lambda one: yes(one["enabled"])),
        ("points", lambda one: one["points"]),
        ("uploaded", lambda one: size(one["uploaded"])),
        ("downloaded", lambda one: size(one["downloaded"])),
        ("joined", lambda one: when(one["joined"])),
    ]
    items = door(context).items("/members", limit, q=search, role=role, enabled=_word(enabled))
    listed(items, columns, as_json=json, empty="No members; add one with `holdfast member add NAME`.")


@app.command()
def show(context: typer.Context, who: Who, json: Json = False) -> None:
    """Show a member."""
    _show(door(context).get(f"/members/{segment(who)}"), as_json=json)


@app.command()
def disable(context: typer.Context, who: Who) -> None:
    """Refuse a member everywhere, at once."""
    member = door(context).patch(f"/members/{segment(who)}", {"enabled": False})
    said(f"{member['name']} is disabled.")


@app.command()
def enable(context: typer.Context, who: Who) -> None:
    """Let a disabled member in again."""
    member = door(context).patch(f"/members/{segment(who)}", {"enabled": True})
    said(f"{member['name']} is enabled.")


@app.command()
def leech(
    context: typer.Context, who: Who, may: Annotated[bool, typer.Option("--yes/--no", help="May he?")]
) -> None:
    """Say whether a member may download, or only seed."""
    member = door(context).patch(f"/members/{segment(who)}", {"may_leech": may})
    said(f"{member['name']} {'may' if may else 'may not'} download.")


@app.command()
def multipliers(
    context: typer.Context,
    who: Who,
    reason: Reason,
    up: Annotated[float | None, share("Of what he uploads, the share that is credited.")] = None,
    down: Annotated[float | None, share("Of what he downloads, likewise; 0 is freeleech.")] = None,
) -> None:
    """Say how much of what a member moves is credited to him."""
    body = {"multi_up": up, "multi_down": down, "reason": reason}
    member = door(context).patch(f"/members/{segment(who)}", body)
    said(f"{member['name']} is credited: {credited(member)}.")


@app.command()
def rotate(context: typer.Context, who: Who, json: Json = False) -> None:
    """Give a member a new passkey; the old one is refused at once."""
    answer = door(context).post(f"/members/{segment(who)}/passkey")
    shown({"announce": answer["announce_url"]}, answer, as_json=json)


@app.command()
def role(
    context: typer.Context,
    who: Who,
    roles: Annotated[list[str], typer.Argument(help="All roles he shall have: member, moderator, operator.")],
    json: Json = False,
) -> None:
    """Set a member's roles."""
    _show(door(context).patch(f"/members/{segment(who)}", {"roles": roles}), as_json=json)


@app.command()
def link(context: typer.Context, who: Who, json: Json = False) -> None:
    """Make a link by which a member signs in once, to set a password."""
    answer = door(context).post(f"/members/{segment(who)}/link")
    shown({"sign in": answer["sign_in_link"], "until": when(answer["expires"])}, answer, as_json=json)


def _show(member: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(member)
        return
    facts = {
        "member": f"{member['name']} ({member['id']})",
        "roles": ", ".join(member["roles"]),
        "enabled": yes(member["enabled"]),
        "may download": yes(member["may_leech"]),
        "points": member["points"],
        "uploaded": size(member["uploaded"]),
        "downloaded": size(member["downloaded"]),
        "credited": credited(member),
        "joined": when(member["joined"]),
        "last seen": when(member["last_seen"]),
        "e-mail": member["email"] or "none",
    }
    shown(facts, member, as_json=False)


def _word(flag: bool | None) -> str | None:
    return None if flag is None else str(flag).lower()
