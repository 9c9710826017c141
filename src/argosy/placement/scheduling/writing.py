"""What the scheduler writes: bindings and the status of policy snapshots.

A binding is made in state Scheduled, without resources; the rollout binds it. Giving one up keeps its state in an
annotation, which takes the place of all others. Both that and taking it up again are written only if nobody else,
above all the rollout, changed the binding meanwhile.
"""

from __future__ import annotations

import msgspec

from argosy.api.objects.conditions import condition_documents
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import SCHEDULED, UNSCHEDULED, Binding
from argosy.api.objects.fleet.snapshots import ClusterDecision, PolicySnapshotStatus
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.placement.scheduling.snapshots import Renewal


def new_binding(placement: Key, policy: str, decision: ClusterDecision, uid: str) -> Object:
    cluster = decision.cluster_name
    return {
        "metadata": {
            "name": names.binding_name(placement.name, cluster, uid),
            "labels": {names.PARENT: placement.name},
            "finalizers": [names.BINDING_CLEANUP],
        },
        "spec": {
            "state": SCHEDULED,
            "resourceSnapshotName": "",
            "schedulingPolicySnapshotName": policy,
            "targetCluster": cluster,
            "clusterDecision": msgspec.to_builtins(decision),
        },
    }


def renewal_patch(renewal: Renewal, policy: str) -> Object:
    binding, state, decision = renewal
    return {
        "metadata": {
            "annotations": {names.PREVIOUS_STATE: None},
            "resourceVersion": binding.metadata.resource_version,
        },
        "spec": {
            "state": state,
            "schedulingPolicySnapshotName": policy,
            "clusterDecision": {"clusterScore": None, **msgspec.to_builtins(decision)},
        },
    }


def unscheduled_patch(binding: Binding) -> Object:
    annotations: Object = dict.fromkeys(binding.metadata.annotations)
    annotations[names.PREVIOUS_STATE] = binding.spec.state
    return {
        "metadata": {
            "annotations": annotations,
            "resourceVersion": binding.metadata.resource_version,
        },
        "spec": {"state": UNSCHEDULED},
    }


def status_document(status: PolicySnapshotStatus) -> Object:
    return {
        "observedCRPGeneration": status.observed_crp_generation,
        "conditions": condition_documents(status.conditions),
        "targetClusters": msgspec.to_builtins(list(status.target_clusters)) or None,
    }


def without(finalizers: tuple[str, ...], name: str) -> tuple[str, ...]:
    return tuple(each for each in finalizers if each != name)
