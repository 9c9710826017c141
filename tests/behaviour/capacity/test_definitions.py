"""What a NodePool may say, what is filled in, what is refused and in which words, and what kubectl prints."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest
import yaml

from argosy.api.objects import decoder
from argosy.api.objects.nodepools import MachineShape, NodePool, NodePoolSpec
from argosy.base.errors import Invalid
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.capacity import NODE_POOLS, definitions
from argosy.capacity.definitions.nodepools import node_pool_definition
from argosy.client.local import LocalClient
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS
from tests.fakes.clusters import memory_client

MACHINE: Object = {"cpu": 8, "memory": "32Gi"}
EXAMPLES = Path(__file__).parents[3] / "examples" / "nodepools"


def served(story: Callable[[LocalClient], Coroutine[None, None, None]]) -> None:
    async def main() -> None:
        client = await memory_client()
        for definition in definitions():
            await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
        await asyncio.sleep(0)
        await story(client)

    run_virtual(main())


def test_defaults_of_the_crd_are_those_of_the_view() -> None:
    async def story(client: LocalClient) -> None:
        raw = await client.create(
            NODE_POOLS, {"metadata": {"name": "p"}, "spec": {"machine": MACHINE}}
        )
        got = decoder(NodePool)(bytes(raw.body)).spec
        assert got == NodePoolSpec(machine=MachineShape(cpu=8, memory="32Gi"))

    served(story)


REFUSED: dict[str, tuple[Object, str]] = {
    "more machines than a cluster can hold are a slip, not an order": (
        {"minimum": 20_000_000, "maximum": 20_000_000},
        "spec.minimum: Invalid value: 20000000: spec.minimum in body should be less than or equal to 100000",
    ),
    "a pool does not mark its nodes for removal": (
        {"taints": [{"key": "ToBeDeletedByClusterAutoscaler", "effect": "NoSchedule"}]},
        "spec.taints: Invalid value: ToBeDeletedByClusterAutoscaler, argosy.dev/reclaimed and keys that begin with",
    ),
    "a pool does not call its nodes unreachable": (
        {"taints": [{"key": "node.kubernetes.io/unreachable", "effect": "NoExecute"}]},
        "spec.taints: Invalid value: ToBeDeletedByClusterAutoscaler, argosy.dev/reclaimed",
    ),
    "a pool needs a machine": ({"machine": None}, "spec.machine: Required value"),
    "the minimum is at most the maximum": (
        {"minimum": 11},
        "spec.minimum: Invalid value: minimum must not exceed maximum",
    ),
    "spare machines fit below the maximum": (
        {"overProvision": 11},
        "spec.overProvision: Invalid value: overProvision must not exceed maximum",
    ),
    "no CPU is no machine": (
        {"machine": {"cpu": 0, "memory": "1Gi"}},
        "spec.machine.cpu: Invalid value: 0: cpu must be a quantity above zero and at most 1M",
    ),
    "memory is a quantity": (
        {"machine": {"cpu": 1, "memory": "much"}},
        'spec.machine.memory: Invalid value: "much": memory must be a quantity above zero and at most 1Pi',
    ),
    "there are two runtimes": (
        {"runtime": "docker"},
        'spec.runtime: Unsupported value: "docker": supported values: "simulated", "process"',
    ),
    "boot time is a duration": (
        {"bootTime": "5 minutes"},
        'spec.bootTime: Invalid value: "5 minutes": spec.bootTime in body should match',
    ),
    "prices are not negative": (
        {"pricePerHour": -1},
        "spec.pricePerHour: Invalid value: -1: spec.pricePerHour in body should be greater than or equal to 0",
    ),
    "a GPU type needs GPUs": (
        {"machine": {**MACHINE, "gpuType": "h100"}},
        "spec.machine: Invalid value: gpuType needs gpus of at least 1",
    ),
    "GPUs have a field of their own": (
        {"machine": {**MACHINE, "extendedResources": {"nvidia.com/gpu": 1}}},
        "set machine.gpus instead of the extended resource nvidia.com/gpu",
    ),
    "taints have an effect": (
        {"taints": [{"key": "a", "effect": "Never"}]},
        (
            'spec.taints[0].effect: Unsupported value: "Never": supported values: "NoSchedule", "PreferNoSchedule", '
            '"NoExecute"'
        ),
    ),
    "a taint's key is a name": (
        {"taints": [{"key": "a b", "effect": "NoSchedule"}]},
        'spec.taints[0].key: Invalid value: "a b": spec.taints[0].key in body should match',
    ),
    "a label's key is a name": (
        {"labels": {"bad key!": "x"}},
        "spec.labels: Invalid value: a label's key is a name of at most 63 characters",
    ),
    "labels by which pools go cannot be set": (
        {"labels": {"argosy.dev/nodepool": "x"}},
        "are set by the pool itself",
    ),
    "half of an extended resource is none": (
        {"machine": {**MACHINE, "extendedResources": {"example.com/fpga": "1.5"}}},
        "an extended resource must be a whole number above zero and at most 1G",
    ),
    "no machine has as many CPUs": (
        {"machine": {"cpu": "1e30", "memory": "1Gi"}},
        "cpu must be a quantity above zero and at most 1M",
    ),
    "a number counts as much as its text": (
        {"machine": {"cpu": 10**7, "memory": "1Gi"}},
        "cpu must be a quantity above zero and at most 1M",
    ),
    "boot time is not for ever": (
        {"bootTime": "9000h"},
        'spec.bootTime: Invalid value: "9000h": a duration must be at most 8760h, which is a year',
    ),
    "boot time fits the integers of Go": (
        {"bootTime": "99999999h"},
        'spec.bootTime: Invalid value: "99999999h": spec.bootTime in body should match',
    ),
    "a step is at least one machine": (
        {"scaling": {"maxStepUp": 0}},
        "spec.scaling.maxStepUp in body should be greater than or equal to 1",
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_refused(case: tuple[Object, str]) -> None:
    spec, want = case

    async def story(client: LocalClient) -> None:
        merged = {key: value for key, value in {"machine": MACHINE, **spec}.items() if value}
        merged |= {key: value for key, value in spec.items() if value == 0}
        with pytest.raises(Invalid) as caught:
            await client.create(NODE_POOLS, {"metadata": {"name": "p"}, "spec": merged})
        assert want in str(caught.value)

    served(story)


def test_a_name_that_leaves_no_room_for_node_names_is_refused() -> None:
    async def story(client: LocalClient) -> None:
        body = {"metadata": {"name": "p" * 58}, "spec": {"machine": MACHINE}}
        with pytest.raises(Invalid, match="at most 57 characters"):
            await client.create(NODE_POOLS, body)

    served(story)


def test_what_kubectl_prints() -> None:
    (version,) = node_pool_definition()["spec"]["versions"]
    columns = version["additionalPrinterColumns"]
    want = ["Nodes", "Ready", "Min", "Max", "Price", "Pending", "Runtime", "Spot", "Age"]
    assert [one["name"] for one in columns if not one.get("priority")] == want


def test_kubectl_explain_has_a_sentence_for_every_field() -> None:
    (version,) = node_pool_definition()["spec"]["versions"]
    missing = []

    def walk(path: str, schema: Object) -> None:
        for name, field in schema.get("properties", {}).items():
            if "description" not in field and path + name not in {"apiVersion", "kind", "metadata"}:
                missing.append(path + name)
            walk(f"{path}{name}.", field)

    walk("", version["schema"]["openAPIV3Schema"])
    assert missing == []


def test_every_example_is_accepted() -> None:
    files = sorted(EXAMPLES.glob("*.yaml"))
    assert files

    async def story(client: LocalClient) -> None:
        for file in files:
            for body in yaml.safe_load_all(file.read_text()):
                if body["kind"] == "NodePool":
                    await client.create(NODE_POOLS, body)

    served(story)


def test_the_runtime_stays_while_there_are_nodes() -> None:
    async def story(client: LocalClient) -> None:
        body = {"metadata": {"name": "p"}, "spec": {"machine": MACHINE, "runtime": "process"}}
        await client.create(NODE_POOLS, body)
        await client.patch(NODE_POOLS, "p", {"spec": {"runtime": "simulated"}})
        await client.patch(NODE_POOLS, "p", {"status": {"nodes": 2}}, subresource="status")
        want = "spec.runtime: Invalid value: runtime cannot be changed while the pool has nodes"
        with pytest.raises(Invalid) as caught:
            await client.patch(NODE_POOLS, "p", {"spec": {"runtime": "process"}})
        assert want in str(caught.value)
        await client.patch(NODE_POOLS, "p", {"spec": {"maximum": 20}})

    served(story)
