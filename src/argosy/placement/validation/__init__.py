"""What the hub's webhooks refuse: pure functions from an object (and what it was) to the reason, "" if there is none.

They see objects in v1beta1 that have passed their schema and its rules. `admission` asks them on every write.
"""

from __future__ import annotations

from argosy.placement.validation.evictions import validate_budget, validate_eviction
from argosy.placement.validation.members import validate_member_cluster
from argosy.placement.validation.overrides import validate_cluster_override, validate_override
from argosy.placement.validation.placements import Catalog, validate_placement

__all__ = [
    "Catalog",
    "validate_budget",
    "validate_cluster_override",
    "validate_eviction",
    "validate_member_cluster",
    "validate_override",
    "validate_placement",
]
