"""The CRDs of ClusterResourcePlacement, ResourcePlacement, and the copy of a status that a namespace may read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from argosy.api.definitions.fleet import BETA, PLACEMENT_CATEGORIES, STABLE
from argosy.api.definitions.kinds import AGE, STATUS, Definition, column
from argosy.api.definitions.vocabulary import choice, int32, must, rule, ruled, struct, time
from argosy.base.types import Object
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENT_STATUSES,
    CLUSTER_RESOURCE_PLACEMENTS,
    RESOURCE_PLACEMENTS,
    Resource,
)
from argosy.placement.definitions.policies import ASKED_POLICY
from argosy.placement.definitions.selectors import (
    REPORTING_RULES,
    RESOURCE_SELECTORS,
    SELECTOR_RULES,
)
from argosy.placement.definitions.statuses import PLACEMENT_STATUS
from argosy.placement.definitions.strategies import STRATEGY

_SPEC: Final = struct(
    "What goes where, and how.",
    policy=ASKED_POLICY,
    resourceSelectors=must(RESOURCE_SELECTORS),
    revisionHistoryLimit=int32(
        "How many old snapshots are kept.", minimum=1, maximum=1000, default=10
    ),
    statusReportingScope=choice(
        "Whether the namespace that is placed gets a copy of the status.",
        "ClusterScopeOnly",
        "NamespaceAccessible",
        default="ClusterScopeOnly",
    ),
    strategy=STRATEGY,
)
_KEPT: Final = rule(
    "policy cannot be removed once set", "!(has(oldSelf.policy) && !has(self.policy))"
)


def _stages(resource: Resource) -> Iterator[Object]:
    """How far a placement has come, each with the generation that this was said of."""
    for name, priority in (("Scheduled", 0), ("Work-Synchronized", 1), ("Available", 0)):
        type_ = resource.kind + name.replace("-", "")
        at = f'.status.conditions[?(@.type=="{type_}")]'
        yield column(name, f"{at}.status", f"Whether it is {name.lower()}.", priority=priority)
        yield column(
            f"{name}-Gen", f"{at}.observedGeneration", "Of which generation.", priority=priority
        )


def _columns(resource: Resource) -> tuple[Object, ...]:
    return (
        column("Gen", ".metadata.generation", "Its generation."),
        column("Type", ".spec.policy.placementType", "How clusters are picked.", priority=1),
        *_stages(resource),
        AGE,
    )


CLUSTER_RESOURCE_PLACEMENT: Final = Definition(
    CLUSTER_RESOURCE_PLACEMENTS,
    said="Takes cluster-scoped objects, and namespaces with what is in them, to clusters of the fleet.",
    versions=(STABLE, BETA),
    short_names=("crp",),
    categories=PLACEMENT_CATEGORIES,
    fields={
        "spec": must(ruled(_SPEC, _KEPT, *REPORTING_RULES, *SELECTOR_RULES)),
        "status": PLACEMENT_STATUS,
    },
    columns=_columns(CLUSTER_RESOURCE_PLACEMENTS),
    subresources=STATUS,
)
RESOURCE_PLACEMENT: Final = Definition(
    RESOURCE_PLACEMENTS,
    said="Takes objects of its own namespace to clusters of the fleet that have the namespace.",
    versions=(STABLE, BETA),
    short_names=("rp",),
    categories=PLACEMENT_CATEGORIES,
    fields={"spec": must(ruled(_SPEC, _KEPT, *SELECTOR_RULES)), "status": PLACEMENT_STATUS},
    columns=_columns(RESOURCE_PLACEMENTS),
    subresources=STATUS,
)
CLUSTER_RESOURCE_PLACEMENT_STATUS: Final = Definition(
    CLUSTER_RESOURCE_PLACEMENT_STATUSES,
    said="The status of a ClusterResourcePlacement, for those who see only the namespace that it places.",
    versions=(STABLE, BETA),
    short_names=("crps",),
    categories=PLACEMENT_CATEGORIES,
    fields={
        "sourceStatus": must(PLACEMENT_STATUS),
        "lastUpdatedTime": must(time("When it was copied.")),
    },
    columns=(
        column("Resource-Index", ".sourceStatus.observedResourceIndex", "Which resource snapshot."),
        column("Last-Updated", ".lastUpdatedTime", "When it was copied."),
        AGE,
    ),
    subresources={},
)
