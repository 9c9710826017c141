"""Quota as ClusterQueues and Cohorts give it (groups of resources, the flavors of each, amounts), and its use."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.vocabulary import (
    TEXT,
    atomic,
    int32,
    keyed,
    listed,
    must,
    quantity,
    rule,
    ruled,
    struct,
)
from argosy.base.types import Json, Object
from argosy.queueing.definitions.values import FLAVOR, RESOURCE, USAGE_HISTORY, WEIGHTED_SHARE
from argosy.queueing.definitions.versions import beta1, beta2

_RESOURCE_QUOTA: Final = struct(
    "How much there is of one resource in one flavor.",
    name=must(RESOURCE),
    nominalQuota=must(quantity("What is its own: it can always be used, or taken back.")),
    borrowingLimit=quantity(
        "How much more may be borrowed from the cohort; as much as there is, if not given."
    ),
    lendingLimit=quantity(
        "How much of the nominal quota others may borrow; all of it, if not given."
    ),
)
_FLAVOR_QUOTAS: Final = struct(
    "The quota of one flavor.",
    name=must(FLAVOR),
    resources=must(
        keyed(
            "An entry for each covered resource, in the same order.",
            _RESOURCE_QUOTA,
            "name",
            minItems=1,
            maxItems=64,
        )
    ),
)
_RESOURCE_GROUP: Final = ruled(
    struct(
        "Resources that a pod set gets in one and the same flavor.",
        coveredResources=must(
            listed("The resources of this group, which no other group has.", TEXT)
            | {"minItems": 1, "maxItems": 64, "x-kubernetes-list-type": beta2("atomic")}
        ),
        flavors=must(
            keyed(
                "Flavors in the order in which they are tried.",
                _FLAVOR_QUOTAS,
                "name",
                minItems=1,
                maxItems=64,
            )
        ),
    ),
    rule(
        "flavors must have the same number of resources as the coveredResources",
        "self.flavors.all(x, size(x.resources) == size(self.coveredResources))",
    ),
)
RESOURCE_GROUPS: Final = atomic("What there is to be used.", _RESOURCE_GROUP, maxItems=16)

PENDING: Final = int32("Workloads that wait to be let in.")
RESERVING: Final = int32("Workloads that have quota reserved.")
ADMITTED: Final = int32("Workloads that are let in and not finished.")
SHARE: Final = struct(
    "How much of what can be lent is borrowed.",
    weightedShare=must(WEIGHTED_SHARE),
    admissionFairSharingStatus=beta1(USAGE_HISTORY),
)


def usage(said: str, /, **more: Json) -> Object:
    """Amounts by flavor and resource."""
    total = quantity("How much.")
    return keyed(
        said,
        struct(
            "One flavor.",
            name=must(FLAVOR),
            resources=must(
                keyed(
                    "What of it.",
                    struct("One resource.", name=must(RESOURCE), total=total, **more),
                    "name",
                    maxItems=64,
                )
            ),
        ),
        "name",
        maxItems=64,
    )
