"""Alarms: what is wrong with the store is said, the worst first, and nothing when all is well."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.store.live.health import LiveHealth, ServerHealth, alarms, read_info

WELL = ServerHealth(
    address="unix:///live.sock",
    software="valkey",
    version="9.1.2",
    run_id="ab",
    role="primary",
    used_memory=10,
    max_memory=100,
    policy="noeviction",
    notifications="xK",
    append_only=True,
    persistence_error=None,
    replication_error=None,
    replicas=0,
    uptime=1,
    clients=1,
)


def told(server: ServerHealth, needed: str = "Kx") -> list[str]:
    return alarms(LiveHealth((server,)), notifications_needed=needed)


def test_a_healthy_store_raises_no_alarm() -> None:
    assert told(WELL) == []
    assert told(replace(WELL, max_memory=0, policy="allkeys-lru")) == []
    assert told(replace(WELL, version="7.0.15", notifications=None)) == []
    assert told(replace(WELL, notifications="AK")) == []


@pytest.mark.parametrize(
    ("server", "words"),
    [
        (replace(WELL, used_memory=80), "at 80% of its memory ceiling"),
        (replace(WELL, used_memory=95), "nearly at its memory ceiling"),
        (replace(WELL, policy="allkeys-lru"), "drops data when full"),
        (replace(WELL, persistence_error="the last write failed"), "cannot keep its data"),
        (replace(WELL, notifications=""), "does not report"),
        (replace(WELL, notifications="AE"), "does not report"),
        (replace(WELL, replication_error="down"), "replication is broken: down"),
        (replace(WELL, role="replica"), "is a replica"),
        (replace(WELL, version="6.2.14"), "needs 7.0 or newer"),
        (replace(WELL, version=""), "needs 7.0 or newer"),
    ],
)
def test_each_fault_has_its_sentence(server: ServerHealth, words: str) -> None:
    [alarm] = told(server)
    assert words in alarm
    assert alarm.endswith(".")


def test_the_worst_comes_first_and_a_clusters_servers_are_named() -> None:
    sick = replace(WELL, address="b:2", used_memory=85, persistence_error="the disk")
    found = alarms(LiveHealth((WELL, sick)), notifications_needed="Kx")
    assert [alarm.endswith("(b:2)") for alarm in found] == [True, True]
    assert "cannot keep" in found[0]
    assert "memory" in found[1]


@given(st.integers(0, 120))
def test_memory_alarms_begin_at_four_fifths(used: int) -> None:
    assert bool(told(replace(WELL, used_memory=used))) == (used >= 80)


def test_a_cluster_adds_up() -> None:
    health = LiveHealth((WELL, replace(WELL, run_id="cd", version="7.2.1", used_memory=5)))
    assert (health.used_memory, health.max_memory) == (15, 200)
    assert (health.version, health.run_ids) == ("7.2.1", ("ab", "cd"))
    assert LiveHealth((WELL, replace(WELL, max_memory=0))).max_memory == 0


def test_what_the_server_says_is_read() -> None:
    said = (
        "# Server\r\nredis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:9.1.2\r\nrun_id:ff\r\n"
        "# Memory\r\nused_memory:5\r\nmaxmemory:7\r\nmaxmemory_policy:noeviction\r\n"
        "# Persistence\r\naof_enabled:1\r\naof_last_write_status:err\r\n"
        "# Replication\r\nrole:master\r\nconnected_slaves:2\r\n"
        "slave0:ip=a,port=1,state=online\r\nslave1:ip=b,port=1,state=wait_bgsave\r\n"
    )
    server = read_info("here", said, {"notify-keyspace-events": "xK"})
    assert (server.software, server.version, server.run_id, server.role) == (
        "valkey",
        "9.1.2",
        "ff",
        "primary",
    )
    assert (server.used_memory, server.max_memory, server.policy) == (5, 7, "noeviction")
    assert server.persistence_error == "the last write to the append-only file failed"
    assert server.replication_error == "1 of its replicas are not online"
    assert server.notifications == "xK"
    assert read_info("here", "role:slave\r\nmaster_link_status:down\r\n", None).replication_error


def test_a_failed_rewrite_or_snapshot_is_a_persistence_error() -> None:
    rewrite = "aof_enabled:1\r\naof_last_bgrewrite_status:err\r\n"
    snapshot = "aof_enabled:0\r\nrdb_last_bgsave_status:err\r\n"
    assert "rewrite" in str(read_info("", rewrite, None).persistence_error)
    assert "snapshot" in str(read_info("", snapshot, None).persistence_error)
