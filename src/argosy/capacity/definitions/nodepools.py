"""The CRD of NodePool: structure, defaults, rules, and what `kubectl get nodepools` shows.

Rules that need two fields are CEL, with a sentence each that names what to change. Node names are POOL-xxxxx and
become a label value, which is why a pool's name is shorter than others.
"""

from __future__ import annotations

from typing import Final

from argosy.api.wellknown import HOSTNAME, NODE_POOL, PROVIDER, RUNTIME, SPOT
from argosy.base.types import Object
from argosy.capacity.definitions.schemas import (
    KEY,
    amount,
    conditions,
    duration,
    text,
    time,
    whole,
)
from argosy.capacity.definitions.simulations import described_simulation
from argosy.capacity.occupancy import LEAVING, RECLAIMED
from argosy.client.resources import NODE_POOLS

# 63 characters of a label value without the dash and the five characters of a suffix.
_NAME_CHARACTERS: Final = 57
_LABEL: Final = r"^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$"
# Labels by which Argosy's parts meet.
_OWNED: Final = (HOSTNAME, NODE_POOL, RUNTIME, SPOT, PROVIDER)

# Taints by which nodes are marked while they live: a pool that had one would lose every node it makes.
_MARKS: Final = (LEAVING, RECLAIMED)
_LIFECYCLE: Final = "node.kubernetes.io/"
# Names are made of five characters and every machine is an object: far more than one cluster holds, far from a hang.
_MOST_MACHINES: Final = 100_000

# Title, type, path; those of the second tuple show with -o wide.
_COLUMNS: Final = (
    ("Nodes", "integer", ".status.nodes"),
    ("Ready", "integer", ".status.ready"),
    ("Min", "integer", ".spec.minimum"),
    ("Max", "integer", ".spec.maximum"),
    ("Price", "number", ".spec.pricePerHour"),
    ("Pending", "integer", ".status.pending"),
    ("Runtime", "string", ".spec.runtime"),
    ("Spot", "boolean", ".spec.spot"),
    ("Age", "date", ".metadata.creationTimestamp"),
)
_WIDE: Final = (
    ("Booting", "integer", ".status.booting"),
    ("Cost", "number", ".status.costPerHour"),
    ("CPU", "string", ".spec.machine.cpu"),
    ("Memory", "string", ".spec.machine.memory"),
    ("GPUs", "integer", ".spec.machine.gpus"),
    ("Provider", "string", ".spec.provider"),
    ("Region", "string", ".spec.region"),
    ("Zone", "string", ".spec.zone"),
    ("Status", "string", '.status.conditions[?(@.type=="Ready")].reason'),
)


def node_pool_definition() -> Object:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": NODE_POOLS.qualified},
        "spec": {
            "group": NODE_POOLS.group,
            "scope": "Cluster",
            "names": {
                "kind": NODE_POOLS.kind,
                "listKind": "NodePoolList",
                "plural": NODE_POOLS.plural,
                "singular": "nodepool",
                "shortNames": ["np"],
            },
            "versions": [
                {
                    "name": NODE_POOLS.version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": _schema()},
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [
                        *(_column(*column, priority=0) for column in _COLUMNS),
                        *(_column(*column, priority=1) for column in _WIDE),
                    ],
                }
            ],
        },
    }


def _column(name: str, type_: str, path: str, *, priority: int) -> Object:
    column: Object = {"name": name, "type": type_, "jsonPath": path}
    if priority:
        column["priority"] = priority
    return column


def _schema() -> Object:
    return {
        "description": "A kind of machine, and how many of it the cluster may have.",
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": _spec(),
            "status": _status(),
        },
        "x-kubernetes-validations": [
            {
                "rule": f"self.metadata.name.size() <= {_NAME_CHARACTERS}",
                "message": f"a NodePool's name may have at most {_NAME_CHARACTERS} characters, because its nodes are "
                "named after it",
            },
            {
                # A new runtime would begin the pods of the old one anew, and could run as processes what was simulated.
                "rule": "self.spec.runtime == oldSelf.spec.runtime || !has(oldSelf.status) || "
                "!has(oldSelf.status.nodes) || oldSelf.status.nodes == 0",
                "message": "runtime cannot be changed while the pool has nodes; create another pool",
                "fieldPath": ".spec.runtime",
            },
        ],
    }


def _spec() -> Object:
    return {
        "description": "What the machines are like and how many there may be.",
        "type": "object",
        "required": ["machine"],
        "properties": {
            "machine": _machine(),
            "labels": _labels(),
            "taints": _taints(),
            "provider": text(
                "Who bills the machines; a label of the nodes.",
                "simulated",
                longest=63,
                pattern=_LABEL,
            ),
            "region": text("A label of the nodes.", longest=63, pattern=_LABEL),
            "zone": text("A label of the nodes.", longest=63, pattern=_LABEL),
            "spot": {
                "description": "Whether the provider may take machines back.",
                "type": "boolean",
                "default": False,
            },
            "noticeSeconds": whole(
                "How many seconds before it takes a machine back the provider says so.",
                0,
                30,
                86_400,
            ),
            "pricePerHour": {
                "description": "What an hour of one machine costs, in the currency of all pools. The cheapest pool "
                "that fits grows first.",
                "type": "number",
                "minimum": 0,
                "default": 0,
            },
            "minimum": whole("There are always at least so many machines.", 0, 0, _MOST_MACHINES),
            "maximum": whole("Never are machines added beyond this.", 0, 10, _MOST_MACHINES),
            "overProvision": whole(
                "So many idle machines are kept beyond what is needed, within the maximum.",
                0,
                0,
                _MOST_MACHINES,
            ),
            "stock": whole(
                "How many machines the provider has for this pool in all; asking for more is a stock-out. Without it "
                "there are as many as anybody wants.",
                0,
            ),
            "bootTime": duration("The time from asking for a machine to its node.", "0s"),
            "runtime": {
                "description": "Who runs the pods: simulated, or process, which runs containers' commands on the host "
                "and needs --allow-processes.",
                "type": "string",
                "enum": ["simulated", "process"],
                "default": "simulated",
            },
            "simulation": described_simulation(),
            "scaling": _scaling(),
        },
        "x-kubernetes-validations": [
            {
                "rule": "self.minimum <= self.maximum",
                "message": "minimum must not exceed maximum",
                "fieldPath": ".minimum",
            },
            {
                "rule": "self.overProvision <= self.maximum",
                "message": "overProvision must not exceed maximum",
                "fieldPath": ".overProvision",
            },
        ],
    }


def _machine() -> Object:
    return {
        "description": "The shape of one machine. A change is for new nodes only.",
        "type": "object",
        "required": ["cpu", "memory"],
        "properties": {
            "cpu": amount("CPUs, such as 8 or 500m.", "cpu", "1M"),
            "memory": amount("Memory in bytes, such as 32Gi.", "memory", "1Pi"),
            "ephemeralStorage": amount(
                "Local disk in bytes, such as 100Gi.", "ephemeralStorage", "1Pi", "100Gi"
            ),
            "pods": whole("How many pods a machine takes.", 1, 110, 10_000),
            "gpus": whole("GPUs, which pods ask for as nvidia.com/gpu.", 0, 0, 1024),
            "gpuType": text(
                "The product; becomes the label nvidia.com/gpu.product.", longest=63, pattern=_LABEL
            ),
            "extendedResources": {
                "description": "Other things that pods ask for by name, such as example.com/nic: 8.",
                "type": "object",
                "maxProperties": 16,
                "additionalProperties": amount(
                    "How many.", "an extended resource", "1G", is_whole=True
                ),
                "x-kubernetes-validations": [
                    {
                        "rule": f"self.all(name, name.contains('/') && name.matches('{KEY}') && "
                        "!name.startsWith('kubernetes.io/'))",
                        "message": "an extended resource has a domain, such as example.com/fpga, and not kubernetes.io",
                    },
                    {
                        "rule": "!('nvidia.com/gpu' in self)",
                        "message": "set machine.gpus instead of the extended resource nvidia.com/gpu",
                    },
                ],
            },
            "instanceType": text(
                "The provider's name for the shape; a label of the nodes.",
                longest=63,
                pattern=_LABEL,
            ),
        },
        "x-kubernetes-validations": [
            {
                "rule": "!has(self.gpuType) || self.gpuType == '' || self.gpus > 0",
                "message": "gpuType needs gpus of at least 1",
            }
        ],
    }


def _labels() -> Object:
    owned = ", ".join(f"'{key}'" for key in _OWNED)
    return {
        "description": "Labels of every node. A change reaches the nodes there are.",
        "type": "object",
        "maxProperties": 64,
        "additionalProperties": {"type": "string", "maxLength": 63, "pattern": _LABEL},
        "x-kubernetes-validations": [
            {
                "rule": f"self.all(key, key.matches('{KEY}'))",
                "message": "a label's key is a name of at most 63 characters, perhaps after a domain and a slash, such "
                "as example.com/team",
            },
            {
                "rule": f"self.all(key, !(key in [{owned}]))",
                "message": f"{', '.join(_OWNED)} are set by the pool itself",
            },
        ],
    }


def _taints() -> Object:
    marks = ", ".join(f"'{key}'" for key in _MARKS)
    return {
        "description": "Taints of every node. A change reaches the nodes there are.",
        "type": "array",
        "maxItems": 32,
        "items": {
            "type": "object",
            "required": ["key", "effect"],
            "properties": {
                "key": text("What pods have to tolerate.", longest=317, minLength=1, pattern=KEY),
                "value": text("The value that goes with the key.", longest=63, pattern=_LABEL),
                "effect": {
                    "description": "What happens to pods that do not tolerate it.",
                    "type": "string",
                    "enum": ["NoSchedule", "PreferNoSchedule", "NoExecute"],
                },
            },
        },
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["key", "effect"],
        "x-kubernetes-validations": [
            {
                "rule": f"self.all(taint, !(taint.key in [{marks}]) && !taint.key.startsWith('{_LIFECYCLE}'))",
                "message": f"{', '.join(_MARKS)} and keys that begin with {_LIFECYCLE} are put on nodes and taken off "
                "them by the cluster itself; choose a key of your own, such as example.com/team",
            }
        ],
    }


def _scaling() -> Object:
    return {
        "description": "How much and how often the number of machines changes.",
        "type": "object",
        "default": {},
        "properties": {
            "maxStepUp": whole(
                "The most machines added at a time. The minimum does not wait for it.", 1, 100
            ),
            "maxStepDown": whole("The most nodes removed at a time.", 1, 10),
            "interval": duration("The least time between two steps in the same direction.", "10s"),
            "idleTime": duration("How long a node is idle before it may go.", "5m"),
            "stabilizationWindow": duration(
                "The most machines that were needed within this time are kept.", "5m"
            ),
            "stockOutCooldown": duration(
                "How long the provider is not asked again after a stock-out.", "5m"
            ),
            "unreadyTime": duration("After how long an empty node that is not ready goes.", "20m"),
        },
    }


def _status() -> Object:
    return {
        "description": "What there is.",
        "type": "object",
        "properties": {
            "observedGeneration": {
                "description": "The generation of the pool that this was said of.",
                "type": "integer",
                "format": "int64",
            },
            "nodes": whole("Node objects of the pool.", 0),
            "ready": whole("Nodes that are ready.", 0),
            "booting": whole("Machines on their way.", 0),
            "boots": {
                "description": "Which machines are on their way.",
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["readyAt", "names"],
                    "properties": {
                        "readyAt": time("When they become nodes."),
                        "names": {
                            "description": "What the nodes will be called.",
                            "type": "array",
                            "items": {"type": "string"},
                        },
                    },
                },
                "x-kubernetes-list-type": "atomic",
            },
            "pending": whole("Unschedulable pods that machines of this pool could run.", 0),
            "outdated": whole("Nodes of a shape that the pool no longer has.", 0),
            "costPerHour": {
                "description": "Machines, booting ones included, times their price.",
                "type": "number",
            },
            "lastScaleUpTime": time("When machines were last asked for."),
            "lastScaleDownTime": time("When nodes were last chosen to go."),
            "stockOutUntil": time("The provider is not asked before this."),
            "conditions": conditions(),
        },
    }
