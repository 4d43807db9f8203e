"""Who may announce what: decided from what is known of member, upload and client, without asking anybody."""

from holdfast.tracker.model import Holder, Status, Torrent
from holdfast.wire.announce import Announce, Code, Event, RefusedAnnounceError

RETRY_MINUTES = 30
REFUSALS = {
    Status.FOREIGN: (
        Code.INVALID_PEER_ID,
        "Another member's client has this peer id already; restart your BitTorrent client.",
    ),
    Status.FULL: (
        Code.TOO_MANY_PEERS,
        "Too many of your clients take part in this upload already; stop one of them.",
    ),
    Status.NO_SLOT: (
        Code.NO_SLOT,
        "All your download slots are taken; wait until a download is complete, or stop one.",
    ),
}


def admit(
    announce: Announce,
    holder: Holder | None,
    torrent: Torrent | None,
    clients: tuple[bytes, ...],
    strict: bool,
) -> tuple[Holder, Torrent]:
    """The member and the upload, or the reason why this announce is not taken."""
    known = admit_holder(holder)
    if torrent is None:
        raise RefusedAnnounceError(
            Code.UNKNOWN_TORRENT,
            "This torrent is not in the catalogue, or was removed; look for it on the pages.",
        )
    if not torrent.enabled:
        raise RefusedAnnounceError(Code.UNKNOWN_TORRENT, torrent.reason or "This upload was removed.")
    if announce.left and not known.can_leech and announce.event is not Event.STOPPED:
        raise RefusedAnnounceError(
            Code.LEECHING_DENIED, "You may seed but not download at present; your member page says why."
        )
    if (clients or strict) and not announce.peer_id.startswith(clients):
        raise RefusedAnnounceError(
            Code.CLIENT_DENIED, "This BitTorrent client is not allowed here; the pages list those that are."
        )
    return known, torrent


def admit_holder(holder: Holder | None) -> Holder:
    """The member, or the reason why he is told nothing."""
    if holder is None:
        raise unknown_passkey()
    if not holder.enabled:
        raise RefusedAnnounceError(Code.DISABLED, "Your membership is disabled; ask an operator.")
    return holder


def unknown_passkey() -> RefusedAnnounceError:
    return RefusedAnnounceError(
        Code.UNKNOWN_PASSKEY,
        "This passkey is not known, or was rotated; fetch the torrent again from the upload's page.",
    )


def too_many_guesses() -> RefusedAnnounceError:
    return RefusedAnnounceError(
        Code.TOO_FAST,
        "Too many unknown passkeys came from your address; your client will try again by itself.",
        1,
    )


def crashed() -> RefusedAnnounceError:
    return RefusedAnnounceError(
        Code.CRASHED, "The tracker made a mistake and has noted it; your client will try again by itself.", 5
    )


def refusal(status: Status) -> RefusedAnnounceError:
    code, reason = REFUSALS[status]
    return RefusedAnnounceError(code, reason, RETRY_MINUTES)


def interval(base: int, jitter: int, chance: int) -> int:
    """When to come again: spread, so that clients that began together do not come together for ever."""
    return base + chance % (jitter + 1)
