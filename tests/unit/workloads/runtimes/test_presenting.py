"""A node is given what it lacks, and nothing when it lacks nothing."""

from __future__ import annotations

from datetime import UTC, datetime

from argosy.workloads.runtimes import presenting
from tests.unit.workloads.runtimes.views import node

NOW = datetime(2026, 1, 1, 0, 5, tzinfo=UTC)
AMOUNTS = {"cpu": "4", "pods": "10"}
READY = {"type": "Ready", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z"}
WHOLE = node(
    labels={
        "kubernetes.io/hostname": "n1",
        "kubernetes.io/os": "linux",
        "kubernetes.io/arch": "arm64",
    },
    annotations={"argosy.dev/heartbeat-lease": "argosy-agent"},
    status={
        "capacity": AMOUNTS,
        "allocatable": AMOUNTS,
        "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
        "conditions": [READY],
    },
)


def test_a_whole_node_gets_nothing() -> None:
    assert presenting.is_presented(WHOLE)
    assert presenting.metadata_patch(WHOLE) is None
    assert presenting.status_patch(WHOLE, NOW) is None


def test_a_bare_node_gets_everything() -> None:
    bare = node(status={"capacity": {"cpu": "2"}})
    assert not presenting.is_presented(bare)
    patch = presenting.status_patch(bare, NOW)
    assert patch is not None
    assert patch["status"].keys() == {
        "capacity",
        "allocatable",
        "addresses",
        "conditions",
        "nodeInfo",
    }
    assert patch["status"]["allocatable"] == {"cpu": "2", "pods": "110"}


def test_a_node_that_was_given_up_is_ready_from_now_on() -> None:
    unknown = {"status": "Unknown", "lastTransitionTime": "2026-01-01T00:02:00Z"}
    healthy = {
        "type": "DiskPressure",
        "status": "False",
        "lastTransitionTime": "2026-01-01T00:01:00Z",
    }
    given = node(
        status={
            "allocatable": AMOUNTS,
            "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
            "conditions": [healthy, {"type": "Ready", **unknown}],
        }
    )
    patch = presenting.status_patch(given, NOW)
    assert patch is not None
    conditions = patch["status"]["conditions"]
    assert {one["type"]: one["lastTransitionTime"] for one in conditions} == {
        "MemoryPressure": "2026-01-01T00:05:00Z",
        "DiskPressure": "2026-01-01T00:01:00Z",
        "PIDPressure": "2026-01-01T00:05:00Z",
        "Ready": "2026-01-01T00:05:00Z",
    }
    assert {one["lastHeartbeatTime"] for one in conditions} == {"2026-01-01T00:05:00Z"}
    assert conditions[-1] == {
        "type": "Ready",
        "status": "True",
        "reason": "KubeletReady",
        "message": "kubelet is posting ready status",
        "lastHeartbeatTime": "2026-01-01T00:05:00Z",
        "lastTransitionTime": "2026-01-01T00:05:00Z",
    }


def test_invented_addresses_stay_in_their_range_and_are_the_same_for_the_same_name() -> None:
    addresses = {presenting.address_of(node(f"n{number}")) for number in range(200)}
    assert len(addresses) == 200
    assert all(64 <= int(address.split(".")[1]) < 96 for address in addresses)
    assert presenting.address_of(node("n1")) == presenting.address_of(node("n1"))
