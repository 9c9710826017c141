"""The CRDs of ClusterResourcePlacementEviction, the wish to leave a cluster, and of the budget that may refuse it."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.fleet import ALPHA, BETA, PLACEMENT_CATEGORIES, beta
from argosy.api.definitions.kinds import STATUS, Definition, column
from argosy.api.definitions.metadata import CONDITION
from argosy.api.definitions.vocabulary import (
    int_or_string,
    listed,
    must,
    rule,
    ruled,
    struct,
    text,
)
from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS,
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
)

_SHARE: Final = "^(100|[0-9]{1,2})%$"


def _name(said: str, called: str) -> Object:
    kept = rule(f"The {called} field is immutable", "self == oldSelf")
    return ruled(text(said, maxLength=255), kept)


def _some(said: str) -> Object:
    return ruled(
        int_or_string(said),
        rule(
            f"If supplied value is String should match regex '{_SHARE}' or If supplied value is Integer must be "
            "greater than or equal to 0",
            f"type(self) == string ? self.matches('{_SHARE}') : self >= 0",
        ),
    )


def _condition(type_: str) -> str:
    return f'.status.conditions[?(@.type=="{type_}")].status'


EVICTION: Final = Definition(
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
    said="Takes a ClusterResourcePlacement away from one cluster, once.",
    versions=(ALPHA, BETA),
    short_names=("crpe",),
    categories=PLACEMENT_CATEGORIES,
    fields={
        "spec": must(
            struct(
                "What leaves which cluster.",
                clusterName=must(_name("The cluster.", "ClusterName")),
                placementName=must(_name("The placement.", "PlacementName")),
            )
        ),
        "status": struct(
            "What became of it.",
            conditions=listed("Whether it made sense, and whether it was done.", CONDITION),
        ),
    },
    columns=(
        beta(column("Valid", _condition("Valid"), "Whether it made sense.")),
        beta(column("Executed", _condition("Executed"), "Whether it was done.")),
    ),
    subresources=STATUS,
)
DISRUPTION_BUDGET: Final = Definition(
    CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS,
    said="How many clusters evictions may take from the ClusterResourcePlacement of the same name.",
    versions=(ALPHA, BETA),
    short_names=("crpdb",),
    categories=PLACEMENT_CATEGORIES,
    fields={
        "spec": must(
            ruled(
                struct(
                    "The limit.",
                    maxUnavailable=_some("How many clusters may be without it."),
                    minAvailable=_some("How many clusters have to have it."),
                ),
                rule(
                    "Both MaxUnavailable and MinAvailable cannot be specified",
                    "!(has(self.maxUnavailable) && has(self.minAvailable))",
                ),
            )
        )
    },
)
