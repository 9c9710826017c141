"""What quota is of, and who comes first: ResourceFlavor, Topology, WorkloadPriorityClass."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.kinds import column
from argosy.api.definitions.metadata import QUALIFIED, labels
from argosy.api.definitions.vocabulary import atomic, int32, must, rule, ruled, struct, text
from argosy.client.resources import RESOURCE_FLAVORS, TOPOLOGIES, WORKLOAD_PRIORITY_CLASSES
from argosy.queueing.definitions.values import (
    IMMUTABLE,
    TAINT,
    TAINT_RULE,
    UNIQUE,
    name,
    tolerations,
)
from argosy.queueing.definitions.versions import beta2, differs, kueue

RESOURCE_FLAVOR: Final = kueue(
    RESOURCE_FLAVORS,
    short_names=("flavor", "flavors", "rf"),
    said="A kind of node that quota is counted in.",
    fields={
        "spec": ruled(
            struct(
                "Which nodes they are, and what their pods get.",
                nodeLabels=labels(
                    "Labels of the nodes; pods are kept to nodes that have them.", maxProperties=8
                )
                | {"x-kubernetes-map-type": "atomic"},
                nodeTaints=ruled(
                    atomic(
                        "Taints of the nodes; only workloads that tolerate them get this flavor.",
                        TAINT,
                        maxItems=8,
                    ),
                    TAINT_RULE,
                ),
                tolerations=tolerations("Tolerations that pods of this flavor get."),
                topologyName=name("The Topology of the nodes, for pods that want to be close."),
            ),
            rule(
                "at least one nodeLabel is required when topology is set",
                "!has(self.topologyName) || self.nodeLabels.size() >= 1",
            ),
            rule(
                "topologyName is immutable when topologyName is set",
                "!has(oldSelf.topologyName) || (has(self.topologyName) && "
                "self.topologyName == oldSelf.topologyName)",
            ),
        )
    },
)

_HOST: Final = "'kubernetes.io/hostname'"
TOPOLOGY: Final = kueue(
    TOPOLOGIES,
    short_names=("topo",),
    said="How nodes are arranged: blocks, racks, hosts.",
    fields={
        "spec": struct(
            "The levels.",
            levels=must(
                ruled(
                    atomic(
                        "Levels from the widest to the narrowest.",
                        struct(
                            "One level.",
                            nodeLabel=must(
                                text(
                                    "The label of nodes that says where they are on this level.",
                                    minLength=1,
                                    maxLength=316,
                                    pattern=QUALIFIED,
                                )
                            ),
                        ),
                        minItems=1,
                        maxItems=16,
                    ),
                    differs(
                        IMMUTABLE,
                        rule(
                            "levels are mutable only when kubernetes.io/hostname is the lowest level both before and "
                            "after the change",
                            f"self == oldSelf || (self[size(self) - 1].nodeLabel == {_HOST} && "
                            f"oldSelf[size(oldSelf) - 1].nodeLabel == {_HOST})",
                        ),
                    ),
                    UNIQUE,
                    rule(
                        "the kubernetes.io/hostname label can only be used at the lowest level of topology",
                        f"size(self.filter(i, i.nodeLabel == {_HOST})) == 0 || "
                        f"self[size(self) - 1].nodeLabel == {_HOST}",
                    ),
                )
            ),
        )
    },
)

WORKLOAD_PRIORITY_CLASS: Final = kueue(
    WORKLOAD_PRIORITY_CLASSES,
    short_names=("wpc",),
    said="A priority among workloads that wait, apart from that of their pods.",
    fields={
        "value": must(int32("The higher, the earlier.")),
        "description": text("When to use it.", maxLength=beta2(2048)),
    },
    columns=(column("Value", ".value", "The higher, the earlier.", "integer"),),
    subresources={},
)
