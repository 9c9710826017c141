"""The pod sets of a Workload: templates and counts, and how close their pods want to be."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.metadata import labels
from argosy.api.definitions.vocabulary import (
    TEXT,
    atomic,
    embedded,
    flag,
    int32,
    keyed,
    listed,
    must,
    rule,
    ruled,
    struct,
    text,
)
from argosy.queueing.definitions.values import pod_set_name
from argosy.queueing.definitions.versions import beta1, beta2

_TEMPLATE: Final = struct(
    "A pod of the set.",
    metadata=struct(
        "Its metadata.",
        name=text("Its name."),
        namespace=text("Its namespace."),
        labels=labels("Its labels."),
        annotations=labels("Its annotations."),
        finalizers=listed("Its finalizers.", TEXT),
    ),
    spec=embedded("Its containers, and where they may run.", "core/v1 PodSpec"),
)

_TOPOLOGY_REQUEST: Final = struct(
    "How close the pods of the set want to be.",
    required=text("The level on which all of them are in one place.", maxLength=beta2(63)),
    preferred=text(
        "The level on which all of them should be in one place, if that can be.",
        maxLength=beta2(63),
    ),
    unconstrained=flag("They may be anywhere where there is room."),
    podIndexLabel=text("The label of a pod that says its number.", maxLength=beta2(317)),
    subGroupIndexLabel=text(
        "The label of a pod that says the number of its group.", maxLength=beta2(317)
    ),
    subGroupCount=int32("How many groups there are.", minimum=beta2(0)),
    podSetGroupName=text("Pod sets of the same group are in one place.", maxLength=beta2(256)),
    podSetSliceRequiredTopology=text(
        "The level on which each slice is in one place.", maxLength=beta2(63)
    ),
    podSetSliceSize=int32("How many pods a slice has.", minimum=1),
    podsetSliceRequiredTopologyConstraints=beta2(
        atomic(
            "Slices within slices, the larger first.",
            struct(
                "One of them.",
                topology=must(
                    text("The level on which it is in one place.", minLength=1, maxLength=63)
                ),
                size=must(int32("How many pods it has.", minimum=1)),
            ),
            maxItems=3,
        )
    ),
)

_POD_SET: Final = ruled(
    struct(
        "Pods that are alike.",
        name=pod_set_name("The name of the set.", default="main"),
        count=must(int32("How many.", minimum=0, default=1), when=beta1(True)),
        minCount=int32(
            "How few will do. At most one set of a workload has it.",
            minimum=1,
        ),
        template=must(_TEMPLATE),
        topologyRequest=_TOPOLOGY_REQUEST,
    ),
    rule(
        "minCount should be positive and less or equal to count",
        "has(self.minCount) ? self.minCount <= self.count : true",
    ),
)

POD_SETS: Final = must(
    keyed("What the workload consists of.", _POD_SET, "name", minItems=1, maxItems=18),
    when=beta1(True),
)
