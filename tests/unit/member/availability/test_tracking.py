"""Availability, a row of the contract each."""

from __future__ import annotations

import pytest

from argosy.base.types import Json, Object
from argosy.client.resources import (
    CLUSTER_QUEUES,
    CONFIG_MAPS,
    CUSTOM_RESOURCE_DEFINITIONS,
    DAEMON_SETS,
    DEPLOYMENTS,
    JOBS,
    NAMESPACES,
    PERSISTENT_VOLUME_CLAIMS,
    POD_DISRUPTION_BUDGETS,
    PODS,
    PRIORITY_CLASSES,
    REPLICA_SETS,
    SERVICES,
    STATEFUL_SETS,
    Resource,
)
from argosy.member.availability.tracking import Availability, availability

YES, NOT_YET, UNKNOWN = Availability.AVAILABLE, Availability.NOT_YET, Availability.NOT_TRACKABLE


def obj(spec: Object | None = None, *, generation: int = 2, **status: Json) -> Object:
    return {"metadata": {"generation": generation}, "spec": spec or {}, "status": status}


def ready(**status: Json) -> Object:
    return {"observedGeneration": 2, **status}


def budget(allowed: int, status: str, generation: int = 2) -> Object:
    condition = {"type": "DisruptionAllowed", "status": status, "observedGeneration": generation}
    return ready(disruptionsAllowed=allowed, conditions=[condition])


def true(*types: str) -> list[Object]:
    return [{"type": each, "status": "True"} for each in types]


CASES: dict[str, tuple[Resource, Object, Availability]] = {
    "a Deployment with all replicas": (
        DEPLOYMENTS, obj({"replicas": 2}, **ready(availableReplicas=2, updatedReplicas=2)), YES),
    "a Deployment that says no number wants one": (
        DEPLOYMENTS, obj(**ready(availableReplicas=1, updatedReplicas=1)), YES),
    "a Deployment of none": (DEPLOYMENTS, obj({"replicas": 0}, **ready()), YES),
    "a Deployment nobody has looked at": (
        DEPLOYMENTS, obj({"replicas": 0}, generation=3, **ready()), NOT_YET),
    "a Deployment in the middle of an update": (
        DEPLOYMENTS, obj({"replicas": 2}, **ready(availableReplicas=2, updatedReplicas=1)), NOT_YET),
    "a Deployment with a replica too many that does not work": (
        DEPLOYMENTS,
        obj({"replicas": 2}, **ready(availableReplicas=2, updatedReplicas=2, unavailableReplicas=1)), NOT_YET),
    "a StatefulSet": (
        STATEFUL_SETS,
        obj({"replicas": 2}, **ready(availableReplicas=2, currentReplicas=2, updatedReplicas=2,
                                     currentRevision="a", updateRevision="a")), YES),
    "a StatefulSet between revisions": (
        STATEFUL_SETS,
        obj({"replicas": 2}, **ready(availableReplicas=2, currentReplicas=2, updatedReplicas=2,
                                     currentRevision="a", updateRevision="b")), NOT_YET),
    "a DaemonSet": (
        DAEMON_SETS,
        obj(**ready(numberAvailable=3, desiredNumberScheduled=3, currentNumberScheduled=3, updatedNumberScheduled=3)),
        YES),
    "a DaemonSet that lacks a node": (
        DAEMON_SETS, obj(**ready(numberAvailable=2, desiredNumberScheduled=3)), NOT_YET),
    "a Service with an address": (SERVICES, obj({"clusterIPs": ["10.0.0.1"]}), YES),
    "a headless Service": (SERVICES, obj({"type": "ClusterIP", "clusterIPs": ["None"]}), YES),
    "a Service without an address": (SERVICES, obj({"type": "NodePort"}), NOT_YET),
    "a load balancer with a name": (
        SERVICES, obj({"type": "LoadBalancer"}, loadBalancer={"ingress": [{"hostname": "x"}]}), YES),
    "a load balancer on its way": (SERVICES, obj({"type": "LoadBalancer"}), NOT_YET),
    "an external name": (SERVICES, obj({"type": "ExternalName"}), UNKNOWN),
    "a definition": (
        CUSTOM_RESOURCE_DEFINITIONS, obj(conditions=true("Established", "NamesAccepted")), YES),
    "a definition whose names are taken": (
        CUSTOM_RESOURCE_DEFINITIONS, obj(conditions=true("Established")), NOT_YET),
    "a budget that allows": (POD_DISRUPTION_BUDGETS, obj(**budget(1, "True")), YES),
    "a budget that allows nothing": (POD_DISRUPTION_BUDGETS, obj(**budget(0, "False")), YES),
    "a budget of before": (POD_DISRUPTION_BUDGETS, obj(**budget(1, "True", 1)), NOT_YET),
    "a budget nobody has counted": (POD_DISRUPTION_BUDGETS, obj(**ready()), NOT_YET),
    "data": (CONFIG_MAPS, obj(), YES),
    "a namespace": (NAMESPACES, obj(), YES),
    "a priority class": (PRIORITY_CLASSES, obj(), YES),
    "a Job": (JOBS, obj(), UNKNOWN),
    "a pod": (PODS, obj(), UNKNOWN),
    "a claim": (PERSISTENT_VOLUME_CLAIMS, obj(), UNKNOWN),
    "a ReplicaSet": (REPLICA_SETS, obj(), UNKNOWN),
    "a custom resource": (CLUSTER_QUEUES, obj(), UNKNOWN),
    "a Deployment of another group": (
        Resource("example.com", "v1", "deployments", "Deployment"), obj(), UNKNOWN),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_availability(case: str) -> None:
    resource, found, want = CASES[case]
    assert availability(resource, found) is want
