"""How far a cluster is: what its binding has to look like, and whether its resources have arrived."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

import msgspec

from argosy.api.objects.conditions import is_current
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import (
    AVAILABLE,
    BOUND,
    DIFF_REPORTED,
    ROLLOUT_STARTED,
    Binding,
)
from argosy.api.objects.fleet.updateruns import ClusterUpdatingStatus, UpdateRunStatus
from argosy.api.objects.metadata import find_condition
from argosy.api.rules.integers import AtoiError, atoi
from argosy.base.types import Object
from argosy.placement.updateruns.decisions import Start
from argosy.placement.updateruns.looks import Look
from argosy.placement.updateruns.marking import STARTED

# A cluster that takes longer than this is worth a look by somebody.
STUCK: Final = timedelta(minutes=5)


def start(
    look: Look, status: UpdateRunStatus, cluster: ClusterUpdatingStatus, binding: Binding
) -> Start | None:
    """What has to be written to begin; None if it is there already, as after a crash or an earlier run."""
    if not (is_in_sync(look, status, cluster, binding) and binding.spec.state == BOUND):
        return Start(binding, _spec(look, status, cluster))
    return None if has_started(binding) else Start(binding, None)


def is_undisturbed(
    look: Look, status: UpdateRunStatus, cluster: ClusterUpdatingStatus, binding: Binding
) -> bool:
    """Whether a binding still is what the run made of it."""
    return (
        is_in_sync(look, status, cluster, binding)
        and binding.spec.state == BOUND
        and has_started(binding)
    )


def is_in_sync(
    look: Look, status: UpdateRunStatus, cluster: ClusterUpdatingStatus, binding: Binding
) -> bool:
    spec = binding.spec
    return (
        spec.resource_snapshot_name == _snapshot_name(look, status)
        and spec.resource_override_snapshots == cluster.resource_override_snapshots
        and spec.cluster_resource_override_snapshots == cluster.cluster_resource_override_snapshots
        and spec.apply_strategy == status.applied_strategy
    )


def has_started(binding: Binding) -> bool:
    return _is_true(binding, ROLLOUT_STARTED)


def has_arrived(binding: Binding) -> bool:
    """Its resources are available, or, where nothing is to be applied, compared."""
    return _is_true(binding, AVAILABLE) or _is_true(binding, DIFF_REPORTED)


def is_stuck(look: Look, cluster: ClusterUpdatingStatus) -> bool:
    said = find_condition(cluster.conditions, STARTED)
    since = said.last_transition_time if said is not None else None
    return since is not None and look.now - since > STUCK


def _is_true(binding: Binding, type_: str) -> bool:
    said = find_condition(binding.status.conditions, type_)
    return is_current(said, binding.metadata.generation, "True")


def _snapshot_name(look: Look, status: UpdateRunStatus) -> str:
    try:
        index = atoi(status.resource_snapshot_index_used)
    except AtoiError as error:
        index = error.nearest
    return names.resource_snapshot_name(look.run.spec.placement_name, index)


def _spec(look: Look, status: UpdateRunStatus, cluster: ClusterUpdatingStatus) -> Object:
    """All in one write: a binding is never half of one version."""
    spec: Object = {
        "state": BOUND,
        "resourceSnapshotName": _snapshot_name(look, status),
        "resourceOverrideSnapshots": msgspec.to_builtins(cluster.resource_override_snapshots)
        or None,
        "clusterResourceOverrideSnapshots": list(cluster.cluster_resource_override_snapshots)
        or None,
        "applyStrategy": msgspec.to_builtins(status.applied_strategy),
    }
    return spec
