"""The first words on every new connection: who we are, which database, and the Lua that must be there."""

from collections.abc import Iterable

from holdfast.store.live.address import Login
from holdfast.store.live.conversation import Conversation, pack
from holdfast.store.live.errors import LiveReplyError
from holdfast.store.live.functions import Library


class WrongRoleError(Exception):
    """Somebody answered, who is not the primary."""


async def introduce(conversation: Conversation, login: Login, db: int, name: str) -> None:
    """Raises the server's refusal: of the password, the database, or of all work while it loads its data."""
    if login.password is not None:
        who = (login.user,) if login.user else ()
        _accepted(await conversation.do("AUTH", *who, login.password))
    if db:
        _accepted(await conversation.do("SELECT", db))
    await conversation.do("CLIENT", "SETNAME", name)  # a help to operators; where it is forbidden, so be it
    _accepted(await conversation.do("PING"))


async def bring(conversation: Conversation, libraries: Iterable[Library]) -> list[LiveReplyError]:
    """Load what is missing; returns the refusals. To find the library there already is none."""
    commands = [pack(("FUNCTION", "LOAD", library.code)) for library in libraries]
    if not commands:
        return []
    replies = await conversation.ask(b"".join(commands), len(commands))
    return [
        reply
        for reply in replies
        if isinstance(reply, LiveReplyError) and "already exists" not in reply.answer
    ]


async def require_primary(conversation: Conversation) -> None:
    reply = await conversation.do("ROLE")
    if not isinstance(reply, list) or reply[0] != b"master":
        raise WrongRoleError("it is not the primary")


def _accepted(reply: object) -> None:
    if isinstance(reply, LiveReplyError):
        raise reply
