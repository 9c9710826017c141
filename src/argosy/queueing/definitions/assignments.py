"""What a Workload was given (`status.admission`): flavors, amounts, and places for its pods.

In v1beta2 places are packed, because a workload may have a hundred thousand pods: slices of places whose names have
parts in common. v1beta1 lists one place after the other.
"""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.vocabulary import (
    AMOUNT,
    TEXT,
    atomic,
    int32,
    keyed,
    listed,
    mapped,
    must,
    rule,
    ruled,
    struct,
    text,
)
from argosy.queueing.definitions.values import FLAVOR, name, pod_set_name
from argosy.queueing.definitions.versions import beta1, beta2

# More than any workload has places.
_MOST: Final = 100_000
_COUNT: Final = {"type": "integer", "format": "int32", "minimum": 1}
_LABEL: Final = {"type": "string", "maxLength": 63}

_LEVEL_VALUES: Final = ruled(
    struct(
        "Where the places of a slice are on one level.",
        universal=text("All in this one.", maxLength=63),
        individual=struct(
            "Each in one of its own: prefix, root and suffix put together.",
            prefix=text("How all names begin.", maxLength=63),
            suffix=text("How all names end.", maxLength=63),
            roots=must(
                atomic("What is between, one for each place.", _LABEL, minItems=1, maxItems=_MOST)
            ),
        ),
    ),
    rule(
        "exactly one of the fields in [universal individual] must be set",
        "has(self.universal) != has(self.individual)",
    ),
)
_POD_COUNTS: Final = ruled(
    struct(
        "How many pods each place has.",
        universal=int32("All have so many.", minimum=1),
        individual=atomic("One number for each place.", _COUNT, minItems=1, maxItems=_MOST),
    ),
    rule(
        "exactly one of the fields in [universal individual] must be set",
        "[has(self.universal),has(self.individual)].filter(x,x==true).size() == 1",
    ),
)
_SLICE: Final = ruled(
    struct(
        "Places whose names have parts in common.",
        domainCount=must(int32("How many places.", minimum=1)),
        valuesPerLevel=must(
            atomic("Their names, level by level.", _LEVEL_VALUES, minItems=1, maxItems=16)
        ),
        podCounts=must(_POD_COUNTS),
    ),
    rule(
        "podCounts.individual must have length equal to domainCount",
        "!has(self.podCounts.individual) || size(self.podCounts.individual) == self.domainCount",
    ),
    rule(
        "valuesPerLevel.individual, if set, must have roots of length equal to domainCount of this "
        "TopologyAssignmentSlice",
        "self.valuesPerLevel.all(x, !has(x.individual) || size(x.individual.roots) == self.domainCount)",
    ),
)
_DOMAIN: Final = struct(
    "One place.",
    values=must(atomic("Its name, level by level.", TEXT, minItems=1, maxItems=16)),
    count=must(int32("How many pods it has.", minimum=1)),
)
_TOPOLOGY_ASSIGNMENT: Final = struct(
    "Places for the pods.",
    levels=must(
        atomic(
            "Labels of the levels, from the widest to the narrowest.",
            {"type": "string", "maxLength": beta2(317)},
            minItems=1,
            maxItems=16,
        )
    ),
    domains=must(beta1(listed("The places.", _DOMAIN))),
    slices=must(beta2(atomic("The places, packed.", _SLICE, maxItems=1000))),
) | {
    "x-kubernetes-validations": beta2(
        (
            rule(
                "valuesPerLevel must have the same length as the number of levels in this TopologyAssignment",
                "self.slices.all(x, size(x.valuesPerLevel) == size(self.levels))",
            ),
        )
    )
}

_ASSIGNMENT: Final = struct(
    "What one pod set was given.",
    name=must(pod_set_name("The pod set.", default="main"), when=beta1(True)),
    flavors=mapped("The flavor of each resource.", FLAVOR),
    resourceUsage=mapped("How much of each resource, for all pods of the set together.", AMOUNT),
    count=int32("For how many pods.", minimum=0),
    topologyAssignment=_TOPOLOGY_ASSIGNMENT,
    delayedTopologyRequest=text("Whether places are still to be found.")
    | {"enum": beta2(("Pending", "Ready")), "maxLength": beta2(7)},
)
ADMISSION: Final = struct(
    "What the workload was given; nothing, while it waits.",
    clusterQueue=must(name("Whose quota it is."), when=beta1(True)),
    podSetAssignments=must(
        keyed("An entry for each pod set.", _ASSIGNMENT, "name", maxItems=18), when=beta1(True)
    ),
)
