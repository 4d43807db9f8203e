"""Who may announce what: decided from what is known of member, upload and client, without asking anybody."""

from collections.abc import Sequence

from holdfast.tracker.model import (
    SHARE,
    Holder,
    Limits,
    Participation,
    Seen,
    Standing,
    Status,
    Tally,
    Torrent,
    Window,
)
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
    Status.CROWDED: (
        Code.CROWDED,
        "The tracker has as many peers as it can serve; your client will try again by itself.",
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
    if known.only and known.only != torrent.torrent_id:
        raise RefusedAnnounceError(
            Code.WRONG_UPLOAD,
            "This announce address is good for another upload; fetch this one's torrent from its own page.",
        )
    if announce.left and not known.can_leech and announce.event is not Event.STOPPED:
        raise RefusedAnnounceError(
            Code.LEECHING_DENIED, "You may seed but not download at present; your member page says why."
        )
    admit_client(announce, clients, strict)
    return known, torrent


def admit_client(announce: Announce, clients: tuple[bytes, ...], strict: bool) -> None:
    if (clients or strict) and not announce.peer_id.startswith(clients):
        raise RefusedAnnounceError(
            Code.CLIENT_DENIED, "This BitTorrent client is not allowed here; the pages list those that are."
        )


def admit_holder(holder: Holder | None) -> Holder:
    """The member, or the reason why he is told nothing."""
    if holder is None:
        raise unknown_passkey()
    if not holder.enabled:
        raise RefusedAnnounceError(Code.DISABLED, "Your membership is disabled; ask an operator.")
    return holder


def no_passkey() -> RefusedAnnounceError:
    return RefusedAnnounceError(
        Code.UNKNOWN_PASSKEY,
        "The passkey is missing; a client that sends none over UDP goes on to the torrent's other address.",
    )


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


def in_force(windows: Sequence[Window], now: float) -> tuple[int, int]:
    """By which shares up and down everything is credited at a moment: the product of what is in force."""
    up = down = SHARE
    for window in windows:
        if window.starts <= now < window.ends:
            up, down = up * window.share_up // SHARE, down * window.share_down // SHARE
    return up, down


def interval(base: int, jitter: int, chance: int) -> int:
    """When to come again: spread, so that clients that began together do not come together for ever."""
    return base + chance % (jitter + 1)


# What the records learn from the live store ---------------------------------------------------------------


def goes_on(seen: Tally, live: Tally) -> bool:
    """Whether these are the counts that were seen before, and not others that began at zero.

    Counts may get their birth late: a site may have written them first.
    """
    if seen.born == live.born:
        return True
    lower = (live.uploaded < seen.uploaded, live.downloaded < seen.downloaded, live.time < seen.time)
    return not seen.born and not any(lower)


def moved(seen: Tally, live: Tally) -> Tally:
    """What came on top since the counts were last seen; a store that lost its last second says it again."""
    if not goes_on(seen, live):
        return live
    return Tally(
        live.born,
        max(0, live.uploaded - seen.uploaded),
        max(0, live.downloaded - seen.downloaded),
        max(0, live.time - seen.time),
    )


def seen_now(seen: Seen, live: Tally) -> Seen:
    """What is to be compared with the next time."""
    before = seen if goes_on(seen, live) else Seen()
    return Seen(
        live.born,
        max(before.uploaded, live.uploaded),
        max(before.downloaded, live.downloaded),
        max(before.time, live.time),
        isinstance(live, Standing) and live.hnr is not None,
        seen.version + 1,
    )


def follow(before: Participation, seen: Seen, live: Standing, hnr_seconds: int) -> Participation:
    """A participation brought up to the live store, which may have forgotten but never takes back."""
    more = moved(seen, live)
    time = before.time + more.time
    return Participation(
        seeding=live.seeding,
        leeching=live.leeching,
        complete=before.complete if live.complete is None else live.complete,
        snatched=live.snatched if before.snatched is None else before.snatched,
        time=time,
        uploaded=before.uploaded + more.uploaded,
        downloaded=before.downloaded + more.downloaded,
        hnr=_hnr(before, seen, live, time >= hnr_seconds),
        exempt=before.exempt,
    )


def _hnr(before: Participation, seen: Seen, live: Standing, worked_off: bool) -> float | None:
    """Since when he is listed; a store that forgot that it listed him has not taken him off."""
    if before.exempt:
        return None
    if live.hnr is not None:
        return live.hnr if before.hnr is None else before.hnr
    taken_off = seen.hnr and goes_on(seen, live)
    return None if taken_off or worked_off else before.hnr


def time_owed(one: Participation, limits: Limits) -> int:
    """How long a member must still seed what he took, in seconds."""
    cleared = limits.hnr_clear_on_complete and one.complete
    if one.exempt or cleared or one.downloaded < limits.hnr_bytes:
        return 0
    return max(0, limits.hnr_seconds - one.time)


def balanced(uploaded: int, downloaded: int, slack: int) -> bool:
    """Whether a swarm gave about what it took; a slack of 0 believes everything.

    What is moved is counted twice, by two clients that announce at different times and may crash.
    """
    too_much = uploaded - downloaded > slack and 5 * uploaded > 6 * downloaded
    return slack == 0 or not too_much
