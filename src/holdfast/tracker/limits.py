"""The rules of the house, as the operator set them."""

from holdfast.settings.tree import Tracker
from holdfast.tracker.model import Limits


def limits_of(settings: Tracker) -> Limits:
    return Limits(
        interval=round(settings.interval),
        min_interval=round(settings.min_interval),
        jitter=round(settings.jitter),
        timeout=round(settings.timeout),
        numwant=settings.numwant,
        most_peers=settings.most_peers,
        peers_per_upload=settings.peers_per_upload,
        download_slots=settings.download_slots,
        hnr_seconds=round(settings.hit_and_run_time),
        hnr_bytes=settings.hit_and_run_bytes,
        hnr_clear_on_complete=settings.hit_and_run_clears,
        hnr_grace=round(settings.hit_and_run_grace),
        remember=round(settings.remember),
        scrape=settings.scrape,
        fastest=settings.fastest,
        near_first=settings.near_first,
        most_open=settings.open_peers,
    )
