"""The rules that stand in the schemas of the fleet's kinds, on a hub in memory: what is refused, and in which words."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.base.errors import Invalid
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.resources import (
    CLUSTER_APPROVAL_REQUESTS,
    CLUSTER_RESOURCE_OVERRIDES,
    CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS,
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
    CLUSTER_RESOURCE_PLACEMENTS,
    CLUSTER_STAGED_UPDATE_RUNS,
    CLUSTER_STAGED_UPDATE_STRATEGIES,
    CUSTOM_RESOURCE_DEFINITIONS,
    MEMBER_CLUSTERS,
    RESOURCE_PLACEMENTS,
    Resource,
)
from argosy.placement.definitions import definitions
from tests.fakes.clusters import memory_client


@dataclass(slots=True, frozen=True)
class Case:
    """What is created, what it is changed to (a merge patch), and why the last of both is refused; "" if it is not."""

    resource: Resource
    spec: Object
    patch: Object | None = None
    want: str = ""
    name: str = "x"


def selector(kind: str = "ConfigMap", **more: Json) -> Object:
    return {"group": "", "version": "v1", "kind": kind, **more}


def placement(policy: Object | None = None, **more: Json) -> Object:
    spec = {"resourceSelectors": [selector("Namespace", name="ns")], **more}
    return spec if policy is None else {**spec, "policy": policy}


def picked(type_: str, **more: Json) -> Object:
    return placement({"placementType": type_, **more})


def crp(spec: Object, want: str = "", patch: Object | None = None) -> Case:
    return Case(CLUSTER_RESOURCE_PLACEMENTS, spec, patch, want)


def stage(**more: Json) -> Object:
    return {"stages": [{"name": "a", **more}]}


RUN = {"placementName": "p", "stagedRolloutStrategyName": "s", "resourceSnapshotIndex": "0"}
CHANGE = {"op": "remove", "path": "/a"}
OVERRIDE = {
    "clusterResourceSelectors": [selector("Namespace", name="ns")],
    "policy": {"overrideRules": [{"jsonPatchOverrides": [CHANGE]}]},
}
MEMBER = {"identity": {"kind": "User", "name": "u"}}
BUDGET = CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS
ALL_SCOPES = {"selectionScope": "NamespaceWithResourceSelectors"}


def run(state: str, after: str, want: str = "") -> Case:
    spec = {**RUN, "state": state}
    return Case(CLUSTER_STAGED_UPDATE_RUNS, spec, {"spec": {"state": after}}, want)


CASES = {
    "a placement without a policy": crp(placement()),
    "PickN says how many": crp(
        picked("PickN"),
        "spec.policy: clusterNames cannot be set and numberOfClusters must be set when placementType is PickN",
    ),
    "PickN with a number": crp(picked("PickN", numberOfClusters=0)),
    "PickN names no clusters": crp(
        picked("PickN", numberOfClusters=1, clusterNames=["a"]),
        "spec.policy: clusterNames cannot be set and numberOfClusters must be set when placementType is PickN",
    ),
    "PickAll has no number": crp(
        picked("PickAll", numberOfClusters=1),
        "spec.policy: clusterNames, numberOfClusters, and topologySpreadConstraints cannot be set when placementType "
        "is PickAll",
    ),
    "PickFixed tolerates nothing": crp(
        picked("PickFixed", clusterNames=["a"], tolerations=[{"operator": "Exists"}]),
        "spec.policy: affinity, numberOfClusters, topologySpreadConstraints, and tolerations cannot be set when "
        "placementType is PickFixed",
    ),
    "the type of a policy stays": crp(
        picked("PickAll"),
        "spec.policy: placement type is immutable",
        {"spec": {"policy": {"placementType": "PickFixed", "clusterNames": ["a"]}}},
    ),
    "a policy stays": crp(
        picked("PickAll"), "spec: policy cannot be removed once set", {"spec": {"policy": None}}
    ),
    "a policy may come later": crp(
        placement(), patch={"spec": {"policy": {"placementType": "PickAll"}}}
    ),
    "External is for good": crp(
        placement(strategy={"type": "External"}),
        "spec.strategy.type: cannot change rollout strategy type from 'External' to other types",
        {"spec": {"strategy": {"type": "RollingUpdate"}}},
    ),
    "objects are selected by name or by labels": crp(
        placement(resourceSelectors=[selector(name="a", labelSelector={})]),
        "spec.resourceSelectors: name and labelSelector are mutually exclusive in a resource selector",
    ),
    "a toleration of anything has no value": crp(
        picked("PickAll", tolerations=[{"key": "k", "operator": "Exists", "value": "v"}]),
        "spec.policy.tolerations: value must be empty when operator is Exists",
    ),
    "a toleration without a key is one of anything": crp(
        picked("PickAll", tolerations=[{"value": "v"}]),
        "spec.policy.tolerations: operator must be Exists when key is empty",
    ),
    "a status for a namespace needs one namespace": crp(
        placement(resourceSelectors=[selector("Node")], statusReportingScope="NamespaceAccessible"),
        "spec: when statusReportingScope is NamespaceAccessible, exactly one resourceSelector with kind 'Namespace' "
        "is required",
    ),
    "who may read the status stays": crp(
        placement(),
        "spec: statusReportingScope is immutable",
        {"spec": {"statusReportingScope": "NamespaceAccessible"}},
    ),
    "a namespace with what others select goes by its name": crp(
        placement(resourceSelectors=[selector("Namespace", **ALL_SCOPES)]),
        "spec: namespace selector with NamespaceWithResourceSelectors mode must select by name (not by label)",
    ),
    "and alone": crp(
        placement(
            resourceSelectors=[
                selector("Namespace", name="a", **ALL_SCOPES),
                selector("Namespace", name="b"),
            ]
        ),
        "spec: when using NamespaceWithResourceSelectors mode, only one namespace selector is allowed (cannot mix with "
        "other namespace selectors)",
    ),
    "a placement of a namespace has rules too": Case(
        RESOURCE_PLACEMENTS,
        picked("PickN"),
        want="spec.policy: clusterNames cannot be set and numberOfClusters must be set when placementType is PickN",
    ),
    "but may change who reads its status": Case(
        RESOURCE_PLACEMENTS,
        placement(),
        {"spec": {"statusReportingScope": "NamespaceAccessible"}},
    ),
    "what is reported back goes somewhere": crp(
        placement(strategy={"reportBackStrategy": {"type": "Mirror", "destination": "WorkAPI"}})
    ),
    "what is reported back does not go nowhere": crp(
        placement(strategy={"reportBackStrategy": {"type": "Mirror"}}),
        "spec.strategy.reportBackStrategy: no such key: destination evaluating rule: when reportBackStrategy.type is "
        "'Mirror', a destination must be specified",
    ),
    "a run may start": run("Initialize", "Run"),
    "a run may pause": run("Run", "Stop"),
    "a run may go on": run("Stop", "Run"),
    "a run that has not started cannot pause": run(
        "Initialize",
        "Stop",
        "spec: invalid state transition: cannot transition from Initialize to Stop",
    ),
    "a run does not start again": run(
        "Run",
        "Initialize",
        "spec: invalid state transition: cannot transition from Run to Initialize",
    ),
    "nor after a pause": run(
        "Stop",
        "Initialize",
        "spec: invalid state transition: cannot transition from Stop to Initialize",
    ),
    "a run is of one placement": Case(
        CLUSTER_STAGED_UPDATE_RUNS,
        RUN,
        {"spec": {"placementName": "q"}},
        "spec.placementName: placementName is immutable",
    ),
    "a run has a short name": Case(
        CLUSTER_STAGED_UPDATE_RUNS, RUN, want="<nil>: metadata.name max length is 63", name="x" * 64
    ),
    "an approval is not waited for by the clock": Case(
        CLUSTER_STAGED_UPDATE_STRATEGIES,
        stage(afterStageTasks=[{"type": "Approval", "waitTime": "1h"}]),
        want="spec.stages[0].afterStageTasks: AfterStageTaskType is Approval, waitTime is not allowed",
    ),
    "a wait has a length": Case(
        CLUSTER_STAGED_UPDATE_STRATEGIES,
        stage(afterStageTasks=[{"type": "TimedWait"}]),
        want="spec.stages[0].afterStageTasks: AfterStageTaskType is TimedWait, waitTime is required",
    ),
    "there is no wait before a stage": Case(
        CLUSTER_STAGED_UPDATE_STRATEGIES,
        stage(beforeStageTasks=[{"type": "TimedWait", "waitTime": "1h"}]),
        want="spec.stages[0].beforeStageTasks: BeforeStageTaskType cannot be TimedWait",
    ),
    "at least one cluster at a time": Case(
        CLUSTER_STAGED_UPDATE_STRATEGIES,
        stage(maxConcurrency=0),
        want="spec.stages[0].maxConcurrency: maxConcurrency must be at least 1",
    ),
    "a share of clusters at a time": Case(
        CLUSTER_STAGED_UPDATE_STRATEGIES, stage(maxConcurrency="50%")
    ),
    "what is asked stays": Case(
        CLUSTER_APPROVAL_REQUESTS,
        {"parentStageRollout": "r", "targetStage": "a"},
        {"spec": {"targetStage": "b"}},
        "spec: The spec field is immutable",
    ),
    "an eviction is of one cluster": Case(
        CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
        {"placementName": "p", "clusterName": "a"},
        {"spec": {"clusterName": "b"}},
        "spec.clusterName: The ClusterName field is immutable",
    ),
    "a budget has one limit": Case(
        BUDGET,
        {"maxUnavailable": 1, "minAvailable": 1},
        want="spec: Both MaxUnavailable and MinAvailable cannot be specified",
    ),
    "a budget is no more than everything": Case(
        BUDGET,
        {"minAvailable": "101%"},
        want="spec.minAvailable: If supplied value is String should match regex '^(100|[0-9]{1,2})%$' or If supplied "
        "value is Integer must be greater than or equal to 0",
    ),
    "an override stays with its placement": Case(
        CLUSTER_RESOURCE_OVERRIDES,
        {**OVERRIDE, "placement": {"name": "p"}},
        {"spec": {"placement": {"name": "q"}}},
        "spec: The placement field is immutable",
    ),
    "an override of the cluster is for placements of the cluster": Case(
        CLUSTER_RESOURCE_OVERRIDES,
        {**OVERRIDE, "placement": {"name": "p", "scope": "Namespaced"}},
        want="<nil>: clusterResourceOverride placement reference cannot be Namespaced scope",
    ),
    "a member has a short name": Case(
        MEMBER_CLUSTERS, MEMBER, want="<nil>: metadata.name max length is 63", name="x" * 64
    ),
}


async def hub(kind: Resource) -> LocalClient:
    """One that knows this kind alone."""
    client = await memory_client()
    for definition in definitions():
        if definition["metadata"]["name"] == kind.qualified:
            await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
    return client


async def refusals(case: Case) -> list[str]:
    """Why the last write is refused; those before it are not."""
    client = await hub(case.resource)
    namespace = "ns" if case.resource.namespaced else None
    body = {"metadata": {"name": case.name}, "spec": case.spec}
    try:
        await client.create(case.resource, body, namespace=namespace)
    except Invalid as refused:
        assert case.patch is None
        return _told(refused)
    if case.patch is not None:
        try:
            await client.patch(case.resource, case.name, case.patch, namespace=namespace)
        except Invalid as refused:
            return _told(refused)
    return []


def _told(refused: Invalid) -> list[str]:
    return [f"{error.field}: {error.detail}" for error in refused.errors]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_write(case: Case) -> None:
    assert run_virtual(refusals(case)) == ([case.want] if case.want else [])
