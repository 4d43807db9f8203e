"""What volunteers' clients send, by hand."""

import json
from typing import Any

import httpx

from tests.system.running import PATIENCE, Running, until


class Volunteer:
    """One client at one address."""

    def __init__(self, house: Running, path: str, name: str = "ann", agent: str = "curl/7.88") -> None:
        self._place = house.run.here + path
        self._agent = agent
        self._name = name

    def ask(self, command: str = "request", **said: Any) -> httpx.Response:
        body = json.dumps({"downloader": self._name} | said)
        # As curl -d does: nobody insists on a content type.
        headers = {"Content-Type": "application/x-www-form-urlencoded", "User-Agent": self._agent}
        place = f"{self._place}/{command}"
        return httpx.post(place, content=body, headers=headers, timeout=PATIENCE, trust_env=False)


def project(house: Running, slug: str, *items: str, state: str = "active", **values: Any) -> None:
    assert house.cli("items", "new", slug, "--title", slug).code == 0
    with house.door() as door:
        door.patch(f"/projects/{slug}", {"state": state} | values)
        if items:
            door.post(f"/projects/{slug}/items", {"items": list(items)})
    until("it is served", lambda: Volunteer(house, f"/{slug}").ask("nothing").status_code)


def counts(house: Running, slug: str) -> dict[str, int]:
    found: dict[str, int] = house.cli("items", "show", slug, "--json").json["counts"]
    return found
