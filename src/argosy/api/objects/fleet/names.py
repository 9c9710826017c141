"""The labels, annotations, finalizers and names by which the objects of a placement find each other.

Whether a placement is of one namespace or of the whole cluster, the same keys are used; a placement of a namespace has
its children there, and its Works tell the namespace in a label of their own.
"""

from __future__ import annotations

from typing import Final

_PREFIX: Final = "kubernetes-fleet.io/"

# Labels.
PARENT: Final = _PREFIX + "parent-CRP"
PARENT_NAMESPACE: Final = _PREFIX + "parent-placement-namespace"
PARENT_BINDING: Final = _PREFIX + "parent-resource-binding"
PARENT_SNAPSHOT_INDEX: Final = _PREFIX + "parent-resource-snapshot-index"
PARENT_OVERRIDE: Final = _PREFIX + "parent-resource-override"
IS_LATEST: Final = _PREFIX + "is-latest-snapshot"
POLICY_INDEX: Final = _PREFIX + "policy-index"
RESOURCE_INDEX: Final = _PREFIX + "resource-index"
OVERRIDE_INDEX: Final = _PREFIX + "override-index"
ENVELOPE_TYPE: Final = _PREFIX + "envelope-work"
ENVELOPE_NAME: Final = _PREFIX + "envelope-name"
ENVELOPE_NAMESPACE: Final = _PREFIX + "envelope-namespace"
IS_FLEET_RESOURCE: Final = _PREFIX + "is-fleet-resource"
MEMBER_NAME: Final = _PREFIX + "member-name"
TARGET_UPDATE_RUN: Final = _PREFIX + "targetUpdateRun"
TARGET_UPDATING_STAGE: Final = _PREFIX + "targetUpdatingStage"
TASK_TYPE: Final = _PREFIX + "taskType"
IS_LATEST_APPROVAL: Final = _PREFIX + "isLatestUpdateRunApproval"

# Annotations.
PLACEMENT_GENERATION: Final = _PREFIX + "CRP-generation"
NUMBER_OF_CLUSTERS: Final = _PREFIX + "number-of-clusters"
RESOURCE_HASH: Final = _PREFIX + "resource-hash"
NUMBER_OF_SNAPSHOTS: Final = _PREFIX + "number-of-resource-snapshots"
NUMBER_OF_ENVELOPES: Final = _PREFIX + "number-of-enveloped-object"
SUBINDEX: Final = _PREFIX + "subindex-of-resource-snapshot"
NEXT_CANDIDATE: Final = _PREFIX + "next-resource-snapshot-candidate-detection-time"
PARENT_SNAPSHOT_NAME: Final = _PREFIX + "parent-resource-snapshot-name"
OVERRIDE_HASH: Final = _PREFIX + "parent-resource-override-snapshot-hash"
CLUSTER_OVERRIDE_HASH: Final = _PREFIX + "parent-cluster-resource-override-snapshot-hash"
PREVIOUS_STATE: Final = _PREFIX + "previous-binding-state"
SPEC_HASH: Final = _PREFIX + "spec-hash"
LAST_APPLIED: Final = _PREFIX + "last-applied-configuration"

# Finalizers.
PLACEMENT_CLEANUP: Final = _PREFIX + "crp-cleanup"
SCHEDULER_CLEANUP: Final = _PREFIX + "scheduler-cleanup"
BINDING_CLEANUP: Final = _PREFIX + "scheduler-crb-cleanup"
WORK_CLEANUP: Final = _PREFIX + "work-cleanup"
MEMBER_CLEANUP: Final = _PREFIX + "membercluster-finalizer"
PROFILE_CLEANUP: Final = _PREFIX + "cluster-profile-cleanup"
OVERRIDE_CLEANUP: Final = _PREFIX + "override-cleanup"
UPDATE_RUN_CLEANUP: Final = _PREFIX + "stagedupdaterun-finalizer"

# Argosy's own finalizer of jobs on members: one that has ended stays until its end has been told.
OUTCOME: Final = "argosy.dev/outcome"

# Argosy's own annotations of placements.
QUEUE_MANAGED: Final = "argosy.dev/queue-managed"
RESCHEDULE: Final = "argosy.dev/reschedule"

# How hub and agents agree on rescheduling: on a Work, the terms its agent has accepted; on an InternalMemberCluster,
# the last heartbeat before the cluster was given up; on a binding, when it was given up.
RESCHEDULE_ACCEPTED: Final = "argosy.dev/reschedule-accepted"
LOST: Final = "argosy.dev/lost"
RESCHEDULED: Final = "argosy.dev/rescheduled"

MEMBER_AGENT: Final = "MemberAgent"
DELETE_STAGE: Final = _PREFIX + "deleteStage"


def member_namespace(cluster: str) -> str:
    """Where a member's Works and its InternalMemberCluster live on the hub."""
    return f"fleet-member-{cluster}"


def member_of(namespace: str) -> str:
    """The member whose namespace this is; "" if it is nobody's."""
    return namespace.removeprefix("fleet-member-") if is_member_namespace(namespace) else ""


def is_member_namespace(namespace: str) -> bool:
    return namespace.startswith("fleet-member-")


def policy_snapshot_name(placement: str, index: int) -> str:
    return f"{placement}-{index}"


def resource_snapshot_name(placement: str, index: int, subindex: int | None = None) -> str:
    """The master of an index, or one of its further shards."""
    return f"{placement}-{index}-{'snapshot' if subindex is None else subindex}"


def work_prefix(placement: str, namespace: str) -> str:
    """How the names of a placement's Works begin."""
    return f"{namespace}.{placement}" if namespace else placement


def binding_name(placement: str, cluster: str, uid: str) -> str:
    """Half the room of a DNS label for each of both names, and eight digits that make it unique."""
    return f"{placement[:26]}-{cluster[:27]}-{uid[:8]}"
