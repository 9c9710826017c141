"""Nodes as pools make them, and what happens to them when their pool changes."""

from __future__ import annotations

import msgspec
import pytest

from argosy.api.objects import Node, NodeSpec, ObjectMeta, Taint
from argosy.api.objects.nodepools import MachineShape, NodePool, NodePoolSpec
from argosy.base.types import Object
from argosy.capacity.machines import (
    APPLIED,
    address_for,
    amounts,
    applied,
    marked_at,
    node_object,
    update_patch,
    with_taint,
    without_taint,
)

TAINT = Taint(key="team", value="a", effect="NoSchedule")
POOL = NodePool(
    metadata=ObjectMeta(name="gpu"),
    spec=NodePoolSpec(
        machine=MachineShape(
            cpu=8,
            memory="32Gi",
            gpus=2,
            gpu_type="h100",
            extended_resources={"example.com/fpga": 1},
            instance_type="g2",
        ),
        labels={"team": "a"},
        taints=(TAINT,),
        provider="aws",
        region="eu",
        zone="eu-1",
        spot=True,
        price_per_hour=2.5,
    ),
)


def test_a_node_is_complete() -> None:
    got = node_object(POOL, "gpu-x", "10.0.0.1", 0.0)
    assert got["metadata"]["labels"] == {
        "argosy.dev/nodepool": "gpu",
        "argosy.dev/provider": "aws",
        "argosy.dev/runtime": "simulated",
        "argosy.dev/spot": "true",
        "beta.kubernetes.io/arch": "amd64",
        "beta.kubernetes.io/os": "linux",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": "gpu-x",
        "kubernetes.io/os": "linux",
        "node.kubernetes.io/instance-type": "g2",
        "nvidia.com/gpu.product": "h100",
        "team": "a",
        "topology.kubernetes.io/region": "eu",
        "topology.kubernetes.io/zone": "eu-1",
    }
    annotations = got["metadata"]["annotations"]
    assert annotations["argosy.dev/price-per-hour"] == "2.5"
    assert annotations["argosy.dev/heartbeat-lease"] == "argosy-agent"
    assert got["spec"]["taints"] == [{"key": "team", "value": "a", "effect": "NoSchedule"}]
    assert got["status"]["allocatable"] == {
        "cpu": "8",
        "memory": "32Gi",
        "ephemeral-storage": "100Gi",
        "pods": "110",
        "nvidia.com/gpu": "2",
        "example.com/fpga": "1",
    }
    conditions = {
        one["type"]: (one["status"], one["reason"]) for one in got["status"]["conditions"]
    }
    assert conditions == {
        "MemoryPressure": ("False", "KubeletHasSufficientMemory"),
        "DiskPressure": ("False", "KubeletHasNoDiskPressure"),
        "PIDPressure": ("False", "KubeletHasSufficientPID"),
        "Ready": ("True", "KubeletReady"),
    }


def test_labels_that_argosy_goes_by_cannot_be_replaced() -> None:
    pool = NodePool(
        metadata=ObjectMeta(name="p"), spec=NodePoolSpec(labels={"argosy.dev/nodepool": "other"})
    )
    got = node_object(pool, "p-x", "10.0.0.1", 0.0)
    assert got["metadata"]["labels"]["argosy.dev/nodepool"] == "p"


def _node(pool: NodePool, *taints: Taint, labels: dict[str, str] | None = None) -> Node:
    made = node_object(pool, "gpu-x", "10.0.0.1", 0.0)["metadata"]
    return Node(
        metadata=ObjectMeta(
            name="gpu-x",
            resource_version="7",
            labels={**made["labels"], **(labels or {})},
            annotations=made["annotations"],
        ),
        spec=NodeSpec(taints=(*pool.spec.taints, *taints)),
    )


def _changed(**spec: object) -> NodePool:
    return msgspec.structs.replace(POOL, spec=msgspec.structs.replace(POOL.spec, **spec))


def _patch(pool: NodePool, node: Node) -> Object | None:
    patch = update_patch(pool, applied(pool), node)
    if patch is not None:
        patch["metadata"]["annotations"].pop(APPLIED)
    return patch


UPDATES: dict[str, tuple[NodePool, Object | None]] = {
    "nothing changed": (POOL, None),
    "a shape is for new nodes": (_changed(machine=MachineShape(cpu=16, memory="32Gi", gpus=2, gpu_type="h100", instance_type="g2")), None),
    "a label changed": (_changed(labels={"team": "b"}), {"labels": {"team": "b"}}),
    "a label was dropped and another added": (
        _changed(labels={"tier": "x"}),
        {"labels": {"team": None, "tier": "x"}},
    ),
    "the price changed": (_changed(price_per_hour=3.0), {"price": "3"}),
    "a taint was dropped, and the one of others stays": (
        _changed(taints=()),
        {"taints": [{"key": "other", "effect": "NoSchedule"}]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", UPDATES.values(), ids=UPDATES.keys())
def test_updates(case: tuple[NodePool, Object | None]) -> None:
    pool, want = case
    node = _node(POOL, Taint(key="other", effect="NoSchedule"), labels={"mine": "1"})
    got = _patch(pool, node)
    if want is None:
        assert got is None
        return
    meta: Object = {
        "resourceVersion": "7",
        "annotations": {"argosy.dev/price-per-hour": want.get("price", "2.5")},
    }
    if "labels" in want:
        meta["labels"] = want["labels"]
    expected: Object = {"metadata": meta}
    if "taints" in want:
        expected["spec"] = {"taints": want["taints"]}
    assert got == expected


def test_a_node_without_its_annotation_is_brought_up_to_date() -> None:
    bare = Node(metadata=ObjectMeta(name="n", annotations={APPLIED: "{broken"}))
    got = _patch(POOL, bare)
    assert got is not None
    assert got["metadata"]["labels"]["team"] == "a"
    assert got["spec"]["taints"] == [{"key": "team", "value": "a", "effect": "NoSchedule"}]


def test_taints_come_and_go_one_at_a_time() -> None:
    node = _node(POOL)
    mark = Taint(key="m", value="12", effect="NoSchedule")
    both = [
        {"key": "team", "value": "a", "effect": "NoSchedule"},
        {"key": "m", "value": "12", "effect": "NoSchedule"},
    ]
    assert with_taint(node, mark) == {
        "metadata": {"resourceVersion": "7"},
        "spec": {"taints": both},
    }
    marked = msgspec.structs.replace(node, spec=NodeSpec(taints=(mark,)))
    assert without_taint(marked, "m")["spec"] == {"taints": None}
    assert [marked_at(mark), marked_at(TAINT)] == [12.0, 0.0]


def test_addresses_are_stable_and_unique() -> None:
    taken: dict[str, str] = {}
    for number in range(3000):
        taken[address_for(f"pool-{number}", taken)] = f"pool-{number}"
    assert len(taken) == 3000
    assert address_for("a", {}) == address_for("a", {})
    for address in taken:
        first, second, _, last = (int(part) for part in address.split("."))
        assert first == 10
        assert second < 64
        assert 0 < last < 255


def test_a_machine_without_extras_has_the_four_usual_resources() -> None:
    assert set(amounts(MachineShape())) == {"cpu", "memory", "ephemeral-storage", "pods"}
