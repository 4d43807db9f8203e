# mypy: ignore-errors

"""A pipeline as volunteers run them: claims, works, measures and reports; set up by its environment."""

import hashlib
import os
from pathlib import Path

from seesaw.item import ItemInterpolation, ItemValue
from seesaw.pipeline import Pipeline
from seesaw.project import Project
from seesaw.task import SimpleTask
from seesaw.tracker import (
    GetItemFromTracker,
    PrepareStatsForTracker,
    SendDoneToTracker,
    TrackerRequest,
    UploadWithTracker,
)

VERSION = "20260101.01"
TRACKER = os.environ["TRACKER"]
DOWNLOADER = globals()["downloader"]
# What makes a volunteer patient would make a test slow.
TrackerRequest.DEFAULT_RETRY_DELAY = 1

project = Project(title="Test", project_html="<p>Test</p>")


class Work(SimpleTask):
    def __init__(self):
        SimpleTask.__init__(self, "Work")

    def process(self, item):
        names = item["item_name"].split("\0")
        folder = Path(item["data_dir"], hashlib.sha256(repr(names).encode()).hexdigest())
        folder.mkdir()
        (folder / "found").write_text("x" * 100 * len(names))
        item["item_dir"] = str(folder)


FOUND = ItemInterpolation("%(item_dir)s/found")

pipeline = Pipeline(
    GetItemFromTracker(f"{TRACKER}/{os.environ.get('MULTI', '')}", DOWNLOADER, VERSION),
    Work(),
    PrepareStatsForTracker(
        defaults={"downloader": DOWNLOADER, "version": VERSION},
        file_groups={"data": [FOUND]},
        id_function=lambda _: {"python": "3"},
    ),
    *([UploadWithTracker(TRACKER, DOWNLOADER, [FOUND], VERSION)] if os.environ.get("UPLOAD") else []),
    SendDoneToTracker(tracker_url=TRACKER, stats=ItemValue("stats")),
)
