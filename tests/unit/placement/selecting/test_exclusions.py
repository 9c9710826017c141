"""What never leaves a hub."""

from __future__ import annotations

import pytest

from argosy.client.resources import (
    CLUSTER_RESOURCE_ENVELOPES,
    CLUSTER_RESOURCE_PLACEMENTS,
    CONFIG_MAPS,
    CONTROLLER_REVISIONS,
    ENDPOINT_SLICES,
    EVENTS,
    JOBS,
    LEASES,
    MEMBER_CLUSTERS,
    NODES,
    PERSISTENT_VOLUME_CLAIMS,
    PODS,
    REPLICA_SETS,
    RESOURCE_ENVELOPES,
    SERVICE_ACCOUNTS,
    WORKS,
    Resource,
)
from argosy.placement.selecting.exclusions import DEFAULT_EXCLUSIONS, Apis, Exclusions
from tests.unit.placement.selecting.shelves import watched

STRICT_EVENTS = Resource("events.k8s.io", "v1", "events", "Event")
IMPORTS = Resource("networking.fleet.azure.com", "v1alpha1", "serviceimports", "ServiceImport")
EXPORTS = Resource("networking.fleet.azure.com", "v1alpha1", "serviceexports", "ServiceExport")


@pytest.mark.parametrize(
    "resource",
    [PODS, NODES, EVENTS, STRICT_EVENTS, LEASES, MEMBER_CLUSTERS, WORKS, CLUSTER_RESOURCE_PLACEMENTS, IMPORTS],
    ids=lambda each: each.qualified,
)  # fmt: skip
def test_kinds_that_stay(resource: Resource) -> None:
    assert DEFAULT_EXCLUSIONS.has_kind(resource)


@pytest.mark.parametrize(
    "resource",
    [CONFIG_MAPS, JOBS, CLUSTER_RESOURCE_ENVELOPES, RESOURCE_ENVELOPES, EXPORTS],
    ids=lambda each: each.qualified,
)
def test_kinds_that_go(resource: Resource) -> None:
    assert not DEFAULT_EXCLUSIONS.has_kind(resource)


def test_namespaces_that_stay() -> None:
    rules = Exclusions(namespaces=frozenset({"mine"}))
    stay = [
        each
        for each in ("default", "kube-a", "fleet-b", "mine", "yours")
        if rules.has_namespace(each)
    ]
    assert stay == ["default", "kube-a", "fleet-b", "mine"]


OWNED = {
    "ownerReferences": [{"name": "x", "kind": "Deployment", "apiVersion": "apps/v1", "uid": "1"}]
}
MANAGED = {"labels": {"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}}
STAY = {
    "a set of a deployment": (REPLICA_SETS, {"name": "a", **OWNED}),
    "a revision of a set": (CONTROLLER_REVISIONS, {"name": "a", **OWNED}),
    "the default account": (SERVICE_ACCOUNTS, {"name": "default"}),
    "a slice of a service": (ENDPOINT_SLICES, {"name": "a", **MANAGED}),
    "whatever goes": (JOBS, {"name": "a", "deletionTimestamp": "2026-01-01T00:00:00Z"}),
}
GO = {
    "a set of nobody": (REPLICA_SETS, {"name": "a"}),
    "a job of a cronjob": (JOBS, {"name": "a", **OWNED}),
    "another account": (SERVICE_ACCOUNTS, {"name": "builder"}),
    "a slice somebody wrote": (ENDPOINT_SLICES, {"name": "a"}),
    "a claim": (PERSISTENT_VOLUME_CLAIMS, {"name": "a"}),
}


@pytest.mark.parametrize("case", STAY.values(), ids=STAY.keys())
def test_objects_that_stay(case: tuple[Resource, dict[str, object]]) -> None:
    resource, meta = case
    found = watched(resource, {"metadata": meta})
    assert DEFAULT_EXCLUSIONS.has_object(resource, found, has_service=False)


@pytest.mark.parametrize("case", GO.values(), ids=GO.keys())
def test_objects_that_go(case: tuple[Resource, dict[str, object]]) -> None:
    resource, meta = case
    found = watched(resource, {"metadata": meta})
    assert not DEFAULT_EXCLUSIONS.has_object(resource, found, has_service=False)


def test_claims_stay_where_pods_run() -> None:
    found = watched(PERSISTENT_VOLUME_CLAIMS, {"metadata": {"name": "a"}})
    rules = Exclusions(runs_workloads=True)
    assert rules.has_object(PERSISTENT_VOLUME_CLAIMS, found, has_service=False)


def test_lists_of_kinds() -> None:
    apis = Apis("batch;apps/v1; v1/ConfigMap,Secret ;example.com/v2/Boat")
    assert JOBS in apis
    assert REPLICA_SETS in apis
    assert CONFIG_MAPS in apis
    assert PODS not in apis
    assert Resource("example.com", "v1", "boats", "Boat") not in apis
    with pytest.raises(ValueError, match="group/version/Kind"):
        Apis("a/b/c/d")
