"""How the live store is, as its servers say of themselves, and what of it should alarm somebody."""

from collections.abc import Mapping
from dataclasses import dataclass

OLDEST = (7, 0)
NEARLY_FULL, FULL = 0.80, 0.95


@dataclass(frozen=True, slots=True)
class ServerHealth:
    """One server, as it describes itself."""

    address: str
    software: str
    version: str
    run_id: str
    role: str
    used_memory: int
    max_memory: int
    """0: no ceiling."""
    policy: str
    notifications: str | None
    """The keyspace notification flags; None where the server does not let us ask."""
    append_only: bool
    persistence_error: str | None
    replication_error: str | None
    replicas: int
    uptime: int
    clients: int


@dataclass(frozen=True, slots=True)
class LiveHealth:
    """All primaries of the store: one, unless it is a cluster."""

    servers: tuple[ServerHealth, ...]

    @property
    def used_memory(self) -> int:
        return sum(server.used_memory for server in self.servers)

    @property
    def max_memory(self) -> int:
        """0 when any server is without a ceiling."""
        ceilings = [server.max_memory for server in self.servers]
        return sum(ceilings) if all(ceilings) else 0

    @property
    def version(self) -> str:
        return min((server.version for server in self.servers), key=_version, default="")

    @property
    def run_ids(self) -> tuple[str, ...]:
        """Who answers; when one changes, that server was started anew."""
        return tuple(server.run_id for server in self.servers)


def read_info(address: str, info: str, config: Mapping[str, str] | None) -> ServerHealth:
    """What INFO says, and CONFIG GET where it is allowed."""
    said = dict(line.split(":", 1) for line in info.splitlines() if ":" in line and not line.startswith("#"))
    return ServerHealth(
        address=address,
        software=said.get("server_name", "redis"),
        version=said.get("valkey_version", said.get("redis_version", "")),
        run_id=said.get("run_id", ""),
        role="primary" if said.get("role") == "master" else "replica",
        used_memory=int(said.get("used_memory", 0)),
        max_memory=int(said.get("maxmemory", 0)),
        policy=said.get("maxmemory_policy", ""),
        notifications=None if config is None else config.get("notify-keyspace-events"),
        append_only=said.get("aof_enabled") == "1",
        persistence_error=_persistence_error(said),
        replication_error=_replication_error(said),
        replicas=int(said.get("connected_slaves", 0)),
        uptime=int(said.get("uptime_in_seconds", 0)),
        clients=int(said.get("connected_clients", 0)),
    )


def _persistence_error(said: Mapping[str, str]) -> str | None:
    if said.get("aof_enabled") == "1":
        if said.get("aof_last_write_status", "ok") != "ok":
            return "the last write to the append-only file failed"
        if said.get("aof_last_bgrewrite_status", "ok") != "ok":
            return "the last rewrite of the append-only file failed"
    elif said.get("rdb_last_bgsave_status", "ok") != "ok":
        return "the last snapshot failed"
    return None


def _replication_error(said: Mapping[str, str]) -> str | None:
    if said.get("role") != "master" and said.get("master_link_status", "up") != "up":
        return "the link to its primary is down"
    behind = [said[f"slave{n}"] for n in range(int(said.get("connected_slaves", 0))) if f"slave{n}" in said]
    lost = sum("state=online" not in replica for replica in behind)
    return f"{lost} of its replicas are not online" if lost else None


def alarms(health: LiveHealth, *, notifications_needed: str = "") -> list[str]:
    """Sentences on what is wrong, the worst first; `notifications_needed` are flags such as `Kx`."""
    several = len(health.servers) > 1
    found = [
        (rank, f"{sentence} ({server.address})" if several else sentence)
        for server in health.servers
        for rank, sentence in _alarms_of(server, notifications_needed)
    ]
    return [sentence for _, sentence in sorted(found, key=lambda alarm: alarm[0])]


def _alarms_of(server: ServerHealth, needed: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    if server.role != "primary":
        found.append((0, "The live store is a replica and takes no writes; point Holdfast at its primary."))
    if server.persistence_error:
        found.append((1, f"The live store cannot keep its data: {server.persistence_error}; see its disk."))
    share = server.used_memory / server.max_memory if server.max_memory else 0.0
    if share >= NEARLY_FULL:
        state = "nearly at" if share >= FULL else f"at {share:.0%} of"
        found.append(
            (
                1 if share >= FULL else 4,
                f"The live store is {state} its memory ceiling; raise it before writes fail.",
            )
        )
    if server.max_memory and server.policy != "noeviction":
        found.append(
            (
                2,
                f"The live store drops data when full ({server.policy}); set maxmemory-policy noeviction.",
            )
        )
    if server.replication_error:
        found.append((3, f"The live store's replication is broken: {server.replication_error}."))
    if server.notifications is not None and not _covers(server.notifications, needed):
        found.append((5, f"The live store does not report {needed!r}; set notify-keyspace-events {needed}."))
    if _version(server.version) < OLDEST:
        found.append((2, f"The live store is version {server.version}; Holdfast needs 7.0 or newer."))
    return found


def _covers(flags: str, needed: str) -> bool:
    """`A` stands for every kind of event, not for the two channels K and E, nor for misses and new keys."""
    return all(flag in flags or ("A" in flags and flag not in "KEmn") for flag in needed)


def _version(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split(".")[:2] if number.isdigit())
