"""The CRDs of Kueue, KubeFleet, KubeRay and the multicluster SIG, as their users apply them.

Every schema of the shared contract becomes a definition; objects of many of the kinds are then created, defaulted,
shown and refused. The expected texts are kube-apiserver's own for the same definitions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.compat.objects import Raw
from tests.support.connections import Connection
from tests.support.kubectls import Kubectl, find_kubectl, manifest

pytestmark = pytest.mark.kubectl

FLAVORS = [{"name": "default", "resources": [{"name": "cpu", "nominalQuota": 9}]}]
GROUPS = [{"coveredResources": ["cpu"], "flavors": FLAVORS}]
POD = {"spec": {"containers": [{"name": "main", "image": "ray:v1"}]}}


def expanded(schema: Any) -> Any:
    """A schema in which the contract's mark for a whole PodSpec is an object of anything."""
    if isinstance(schema, list):
        return [expanded(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "x-embedded" in schema:
        return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {key: expanded(value) for key, value in schema.items()}


def definitions(shared: Path) -> dict[str, Raw]:
    found = {}
    for path in sorted((shared / "contract" / "schemas").glob("*_*.json")):
        spec = json.loads(path.read_text())
        name = f"{spec['names']['plural']}.{spec['group']}"
        spec["versions"] = [
            {
                **{key: value for key, value in version.items() if value is not None},
                "schema": {"openAPIV3Schema": expanded(version["schema"])},
            }
            for version in spec["versions"]
        ]
        raw = {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": name},
            "spec": spec,
        }
        if "k8s.io" in spec["group"]:
            raw["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved, test"}
        found[name] = raw
    return found


@pytest.fixture(scope="module")
def contracts(
    kubeconfig: Path,
    kubectl_home: Path,
    shared: Path,
    api: Connection,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[dict[str, Raw]]:
    """All definitions, applied and established."""
    kubectl = Kubectl(find_kubectl(), kubeconfig, kubectl_home)
    found = definitions(shared)
    file = tmp_path_factory.mktemp("contracts") / "crds.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(found.values())}))
    said = kubectl("apply", "--server-side", "-f", str(file)).lines
    assert len(said) == len(found) > 40
    shape = "jsonpath={.items[*].status.conditions[?(@.type=='Established')].status}"
    for _ in range(100):
        if kubectl("get", "crd", "-o", shape).stdout.split().count("True") >= len(found):
            break
    else:
        pytest.fail("some definitions are never established")
    yield found
    for name in found:
        api.request("DELETE", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")


@pytest.fixture
def fleet(contracts: dict[str, Raw], kubectl: Kubectl) -> Kubectl:
    return kubectl


def kueue(kind: str, **spec: Any) -> Raw:
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": kind, "spec": spec}


def placement(kind: str, **spec: Any) -> Raw:
    return {"apiVersion": "placement.kubernetes-fleet.io/v1beta1", "kind": kind, "spec": spec}


@dataclass(frozen=True)
class Good:
    """An object and what its spec holds beyond what was written."""

    raw: Raw
    defaulted: dict[str, Any] = field(default_factory=dict)


GOOD = {
    "a flavor": Good(
        kueue("ResourceFlavor", nodeLabels={"gpu": "a100"}, tolerations=[{"operator": "Exists"}])
    ),
    "a cluster queue": Good(
        kueue("ClusterQueue", resourceGroups=GROUPS, namespaceSelector={}),
        {
            "queueingStrategy": "BestEffortFIFO",
            "stopPolicy": "None",
            "flavorFungibility": {
                "whenCanBorrow": "MayStopSearch",
                "whenCanPreempt": "TryNextFlavor",
            },
            "preemption": {
                "borrowWithinCohort": {"policy": "Never"},
                "reclaimWithinCohort": "Never",
                "withinClusterQueue": "Never",
            },
        },
    ),
    "a cohort": Good(kueue("Cohort", parentName="root")),
    "a local queue": Good(kueue("LocalQueue", clusterQueue="cq"), {"stopPolicy": "None"}),
    "a topology": Good(kueue("Topology", levels=[{"nodeLabel": "rack"}])),
    "an admission check": Good(kueue("AdmissionCheck", controllerName="example.com/c")),
    "a workload": Good(
        kueue("Workload", queueName="q", podSets=[{"name": "main", "count": 2, "template": POD}]),
        {"active": True},
    ),
    "a member cluster": Good(
        {
            "apiVersion": "cluster.kubernetes-fleet.io/v1beta1",
            "kind": "MemberCluster",
            "spec": {"identity": {"kind": "ServiceAccount", "name": "m", "namespace": "fleet"}},
        },
        {"heartbeatPeriodSeconds": 60},
    ),
    "a placement": Good(
        placement(
            "ClusterResourcePlacement",
            resourceSelectors=[{"group": "", "version": "v1", "kind": "Namespace", "name": "x"}],
        ),
        {"revisionHistoryLimit": 10},
    ),
    "a work": Good(
        placement(
            "Work",
            workload={
                "manifests": [
                    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {}}
                ]
            },
        )
    ),
    "a Ray cluster": Good(
        {
            "apiVersion": "ray.io/v1",
            "kind": "RayCluster",
            "spec": {
                "headGroupSpec": {"rayStartParams": {}, "template": POD},
                "workerGroupSpecs": [
                    {"groupName": "w", "rayStartParams": {}, "template": POD, "maxReplicas": 3}
                ],
            },
        }
    ),
    "a Ray job": Good(
        {
            "apiVersion": "ray.io/v1",
            "kind": "RayJob",
            "spec": {
                "entrypoint": "python x.py",
                "rayClusterSpec": {"headGroupSpec": {"rayStartParams": {}, "template": POD}},
            },
        },
        {"backoffLimit": 0, "ttlSecondsAfterFinished": 0, "submissionMode": "K8sJobMode"},
    ),
}

BAD = {
    "a flavor with too many labels": (
        kueue("ResourceFlavor", nodeLabels={f"a{n}": "b" for n in range(9)}),
        "spec.nodeLabels: Too many: 9: must have at most 8 items",
    ),
    "a queue that covers what no flavor has": (
        kueue(
            "ClusterQueue",
            resourceGroups=[{"coveredResources": ["cpu", "gpu"], "flavors": FLAVORS}],
        ),
        (
            "spec.resourceGroups[0]: Invalid value: flavors must have the same number of resources as the "
            "coveredResources"
        ),
    ),
    "a queueing strategy": (
        kueue("ClusterQueue", resourceGroups=GROUPS, queueingStrategy="Random"),
        'spec.queueingStrategy: Unsupported value: "Random": supported values: "StrictFIFO", "BestEffortFIFO"',
    ),
    "a borrowing limit without a cohort": (
        kueue(
            "ClusterQueue",
            resourceGroups=[
                {
                    "coveredResources": ["cpu"],
                    "flavors": [
                        {
                            "name": "default",
                            "resources": [{"name": "cpu", "nominalQuota": 9, "borrowingLimit": 1}],
                        }
                    ],
                }
            ],
        ),
        "borrowingLimit must be nil when cohort is empty",
    ),
    "a workload without pods": (
        kueue("Workload", queueName="q", podSets=[]),
        "spec.podSets: Invalid value: 0: spec.podSets in body should have at least 1 items",
    ),
    "a queue's name": (
        kueue("LocalQueue", clusterQueue="Not_A_Name"),
        (
            'spec.clusterQueue: Invalid value: "Not_A_Name": spec.clusterQueue in body should match '
            "'^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'"
        ),
    ),
    "a heartbeat": (
        {
            "apiVersion": "cluster.kubernetes-fleet.io/v1beta1",
            "kind": "MemberCluster",
            "spec": {
                "identity": {"kind": "User", "name": "m"},
                "heartbeatPeriodSeconds": 1000,
            },
        },
        (
            "spec.heartbeatPeriodSeconds: Invalid value: 1000: spec.heartbeatPeriodSeconds in body should be less than or "
            "equal to 600"
        ),
    ),
    "a placement of nothing": (
        placement("ClusterResourcePlacement", resourceSelectors=[]),
        "spec.resourceSelectors: Invalid value: 0: spec.resourceSelectors in body should have at least 1 items",
    ),
    "a Ray cluster without a head": (
        {"apiVersion": "ray.io/v1", "kind": "RayCluster", "spec": {}},
        "spec.headGroupSpec: Required value",
    ),
}


def named(raw: Raw, name: str) -> Raw:
    return {**raw, "metadata": {"name": name}}


@pytest.mark.parametrize("case", GOOD)
def test_created_and_defaulted(fleet: Kubectl, case: str) -> None:
    good = GOOD[case]
    got = fleet("create", "-f", "-", "-o", "json", stdin=named(good.raw, fleet.namespace)).json
    spec = got["spec"]
    assert {key: spec[key] for key in good.defaulted} == good.defaulted
    kind = f"{good.raw['kind'].lower()}.{good.raw['apiVersion'].partition('/')[0]}"
    assert fleet("delete", kind, fleet.namespace).stdout.startswith(f'{kind} "{fleet.namespace}"')


@pytest.mark.parametrize("case", BAD)
def test_refused(fleet: Kubectl, case: str) -> None:
    raw, want = BAD[case]
    got = fleet.fails("create", "-f", "-", stdin=named(raw, fleet.namespace))
    assert f'The {raw["kind"]} "{fleet.namespace}" is invalid: ' in got
    assert want in got


def test_columns(fleet: Kubectl, api: Connection) -> None:
    name = fleet.namespace
    fleet(
        "create",
        "-f",
        "-",
        stdin=named(kueue("ClusterQueue", resourceGroups=GROUPS, cohortName="c"), name),
    )
    path = f"/apis/kueue.x-k8s.io/v1beta2/clusterqueues/{name}"
    api.merge(f"{path}/status", {"status": {"pendingWorkloads": 3, "admittedWorkloads": 1}})
    head, row = fleet("get", "cq", name, "-o", "wide").rows
    assert head == ["NAME", "COHORT", "STRATEGY", "PENDING", "WORKLOADS", "ADMITTED", "WORKLOADS"]
    assert row == [name, "c", "BestEffortFIFO", "3", "1"]
    fleet("delete", "cq", name)


def test_an_immutable_field_stays(fleet: Kubectl) -> None:
    raw = named(kueue("LocalQueue", clusterQueue="cq"), "q")
    fleet("apply", "-f", "-", stdin=raw)
    raw["spec"]["clusterQueue"] = "other"
    got = fleet.fails("apply", "-f", "-", stdin=raw)
    assert 'spec.clusterQueue: Invalid value: "other": field is immutable' in got


def test_explain_reads_the_contract(fleet: Kubectl) -> None:
    text = fleet("explain", "clusterqueues.spec.preemption").stdout
    assert "withinClusterQueue\t<string>" in text
    assert "enum: Never, LowerPriority, LowerOrNewerEqualPriority" in text


def test_objects_survive_in_every_version(fleet: Kubectl) -> None:
    name = fleet.namespace
    raw = named(kueue("ResourceFlavor", nodeLabels={"a": "b"}), name)
    fleet("create", "-f", "-", stdin=raw)
    old = fleet("get", "resourceflavors.v1beta1.kueue.x-k8s.io", name, "-o", "json").json
    assert old["apiVersion"] == "kueue.x-k8s.io/v1beta1"
    assert old["spec"]["nodeLabels"] == {"a": "b"}
    fleet("delete", "resourceflavor", name)


def test_the_manifests_are_what_kubectl_reads_back(
    fleet: Kubectl, contracts: dict[str, Raw]
) -> None:
    name = "rayclusters.ray.io"
    got = fleet("get", "crd", name, "-o", "json").json["spec"]
    want = contracts[name]["spec"]
    assert manifest(got["versions"][0]["schema"]) == manifest(want["versions"][0]["schema"])
