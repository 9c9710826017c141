"""The kinds of placement.kubernetes-fleet.io and cluster.kubernetes-fleet.io as CustomResourceDefinitions.

These are the hub's; a member needs AppliedWork alone (`argosy.member.definitions`), which no hub has. `argosy crds`
prints them, `fleet` installs them. That they say what upstream's say, field by field, is checked by
tests/unit/placement/definitions against the contract's schemas.
"""

from __future__ import annotations

from typing import Final

from argosy.base.types import Object
from argosy.placement.definitions.bindings import CLUSTER_RESOURCE_BINDING, RESOURCE_BINDING
from argosy.placement.definitions.evictions import DISRUPTION_BUDGET, EVICTION
from argosy.placement.definitions.members import INTERNAL_MEMBER_CLUSTER, MEMBER_CLUSTER
from argosy.placement.definitions.overrides import (
    CLUSTER_RESOURCE_ENVELOPE,
    CLUSTER_RESOURCE_OVERRIDE,
    CLUSTER_RESOURCE_OVERRIDE_SNAPSHOT,
    RESOURCE_ENVELOPE,
    RESOURCE_OVERRIDE,
    RESOURCE_OVERRIDE_SNAPSHOT,
)
from argosy.placement.definitions.placements import (
    CLUSTER_RESOURCE_PLACEMENT,
    CLUSTER_RESOURCE_PLACEMENT_STATUS,
    RESOURCE_PLACEMENT,
)
from argosy.placement.definitions.profiles import CLUSTER_PROFILE
from argosy.placement.definitions.snapshots import (
    CLUSTER_RESOURCE_SNAPSHOT,
    CLUSTER_SCHEDULING_POLICY_SNAPSHOT,
    RESOURCE_SNAPSHOT,
    SCHEDULING_POLICY_SNAPSHOT,
)
from argosy.placement.definitions.stages import (
    CLUSTER_STAGED_UPDATE_STRATEGY,
    STAGED_UPDATE_STRATEGY,
)
from argosy.placement.definitions.updateruns import (
    APPROVAL_REQUEST,
    CLUSTER_APPROVAL_REQUEST,
    CLUSTER_STAGED_UPDATE_RUN,
    STAGED_UPDATE_RUN,
)
from argosy.placement.definitions.works import WORK

KINDS: Final = (
    MEMBER_CLUSTER,
    INTERNAL_MEMBER_CLUSTER,
    CLUSTER_RESOURCE_PLACEMENT,
    RESOURCE_PLACEMENT,
    CLUSTER_RESOURCE_PLACEMENT_STATUS,
    CLUSTER_SCHEDULING_POLICY_SNAPSHOT,
    SCHEDULING_POLICY_SNAPSHOT,
    CLUSTER_RESOURCE_SNAPSHOT,
    RESOURCE_SNAPSHOT,
    CLUSTER_RESOURCE_BINDING,
    RESOURCE_BINDING,
    CLUSTER_RESOURCE_OVERRIDE,
    RESOURCE_OVERRIDE,
    CLUSTER_RESOURCE_OVERRIDE_SNAPSHOT,
    RESOURCE_OVERRIDE_SNAPSHOT,
    CLUSTER_RESOURCE_ENVELOPE,
    RESOURCE_ENVELOPE,
    WORK,
    CLUSTER_STAGED_UPDATE_STRATEGY,
    STAGED_UPDATE_STRATEGY,
    CLUSTER_STAGED_UPDATE_RUN,
    STAGED_UPDATE_RUN,
    CLUSTER_APPROVAL_REQUEST,
    APPROVAL_REQUEST,
    EVICTION,
    DISRUPTION_BUDGET,
    CLUSTER_PROFILE,
)


def definitions() -> list[Object]:
    """All of them, to be applied before anything of a hub runs."""
    return [kind.document() for kind in KINDS]
