"""What ClusterResourcePlacements are refused for, word for word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import pytest

from argosy.api.objects.fleet.placements import Placement
from argosy.base.types import Json, Object
from argosy.placement.validation import validate_placement

QUANTITY = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
QUALIFIED = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
NO_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
KINDS = {
    ("", "v1", "Namespace"): False,
    ("", "v1", "ConfigMap"): True,
    ("kueue.x-k8s.io", "v1beta1", "ClusterQueue"): False,
    ("kueue.x-k8s.io", "v1beta2", "ClusterQueue"): False,
}
CPU = "resources.kubernetes-fleet.io/available-cpu"


def catalog(group: str, version: str, kind: str) -> bool | None:
    return KINDS.get((group, version, kind))


def namespace(**more: Json) -> Object:
    return {"group": "", "version": "v1", "kind": "Namespace", **more}


def selecting(*selectors: Object) -> Object:
    return {"resourceSelectors": list(selectors)}


def placement(spec: Object, *, name: str = "p", deleting: bool = False) -> Placement:
    metadata: Object = {"name": name}
    if deleting:
        metadata["deletionTimestamp"] = "2025-10-01T00:00:00Z"
    whole = {"metadata": metadata, "spec": {**selecting(namespace(name="ns")), **spec}}
    return msgspec.convert(whole, Placement)


def picking(type_: str, **more: Json) -> Object:
    return {"policy": {"placementType": type_, **more}}


def requiring(*requirements: tuple[str, str, str], **more: Json) -> Object:
    """A policy that asks for properties: name, operator, value."""
    expressions = [{"name": n, "operator": o, "values": [v]} for n, o, v in requirements]
    term = {"propertySelector": {"matchExpressions": expressions}, **more}
    required = {"clusterSelectorTerms": [term]}
    affinity = {"requiredDuringSchedulingIgnoredDuringExecution": required}
    return picking("PickAll", affinity={"clusterAffinity": affinity})


def preferring(type_: str, **preference: Json) -> Object:
    preferred = [{"weight": 1, "preference": preference}]
    affinity = {"preferredDuringSchedulingIgnoredDuringExecution": preferred}
    return picking(type_, numberOfClusters=1, affinity={"clusterAffinity": affinity})


def sorter(name: str) -> Object:
    return {"propertySorter": {"name": name, "sortOrder": "Ascending"}}


FINE = {
    "a namespace by its name": {},
    "a kind in a version that is not preferred": selecting(
        {"group": "kueue.x-k8s.io", "version": "v1beta1", "kind": "ClusterQueue"}
    ),
    "objects of a namespace whose selector lets them in": selecting(
        namespace(name="ns", selectionScope="NamespaceWithResourceSelectors"),
        {"group": "", "version": "v1", "kind": "ConfigMap"},
    ),
    "clusters by name": picking("PickFixed", clusterNames=["a", "b.c"]),
    "a sorter of clusters": preferring("PickN", **sorter(CPU)),
    "any resource has properties": requiring(
        ("resources.kubernetes-fleet.io/available-nvidia.com/gpu", "Ge", "8"),
        ("resources.kubernetes-fleet.io/total-ephemeral-storage", "Gt", "1Gi"),
    ),
    "properties of any provider": requiring(
        ("kubernetes.azure.com/vm-sizes/Standard_D4/count", "Gt", "0"), ("node-count", "Ne", "1")
    ),
    "bounds with room between them": requiring((CPU, "Ge", "1"), (CPU, "Lt", "2000m")),
    "bounds that meet": requiring((CPU, "Ge", "1"), (CPU, "Le", "1000m"), (CPU, "Eq", "1")),
    "server-side apply with its options": {
        "strategy": {
            "applyStrategy": {"type": "ServerSideApply", "serverSideApplyConfig": {"force": True}}
        }
    },
}


@pytest.mark.parametrize("spec", FINE.values(), ids=FINE.keys())
def test_nothing_is_wrong_with(spec: Object) -> None:
    assert validate_placement(placement(spec), None, catalog) == ""


class Wrong(NamedTuple):
    spec: Object
    want: str


POLICY = "the placement policy field is invalid: "
WRONG = {
    "a kind that is not there": Wrong(
        selecting({"group": "a.b", "version": "v1", "kind": "Nope"}),
        'failed to get GVR of the selector: no matches for kind "Nope" in version "a.b/v1"',
    ),
    "a version that is not served": Wrong(
        selecting({"group": "kueue.x-k8s.io", "version": "v1alpha1", "kind": "ClusterQueue"}),
        'failed to get GVR of the selector: no matches for kind "ClusterQueue" in version "kueue.x-k8s.io/v1alpha1"',
    ),
    "objects of a namespace": Wrong(
        selecting({"group": "", "version": "v1", "kind": "ConfigMap"}),
        "the resource is not found in schema (please retry) or it is not a cluster scoped resource: /v1, "
        "Kind=ConfigMap",
    ),
    "labels that are none": Wrong(
        selecting(namespace(labelSelector={"matchLabels": {"a": "b c"}})),
        "the labelSelector in resource selector &LabelSelector{MatchLabels:map[string]string{a: b c,},"
        "MatchExpressions:[]LabelSelectorRequirement{},} is invalid: values[0][a]: Invalid value: "
        f'"b c": {VALUE}',
    ),
    "an operator that is none": Wrong(
        selecting(namespace(labelSelector={"matchExpressions": [{"key": "a", "operator": "in"}]})),
        "the labelSelector in resource selector &LabelSelector{MatchLabels:map[string]string{},"
        "MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:a,Operator:in,Values:[],},},} is "
        'invalid: "in" is not a valid label selector operator',
    ),
    "no cluster": Wrong(
        picking("PickFixed"),
        POLICY + "cluster names cannot be empty for policy type PickFixed",
    ),
    "a cluster twice": Wrong(
        picking("PickFixed", clusterNames=["a", "a"]),
        POLICY + "cluster names must be unique for policy type PickFixed",
    ),
    "a cluster that cannot be": Wrong(
        picking("PickFixed", clusterNames=["A"]),
        f"{POLICY}PickFixed cluster name A is not a valid member name: {NO_SUBDOMAIN}",
    ),
    "a cluster whose name is too long": Wrong(
        picking("PickFixed", clusterNames=["a" * 64]),
        f"{POLICY}PickFixed cluster name {'a' * 64} cannot have length exceeding 63",
    ),
    "preferences where all are picked": Wrong(
        preferring("PickAll", **sorter("node-count")),
        POLICY
        + "PreferredDuringSchedulingIgnoredDuringExecution will be ignored for placement policy type PickAll",
    ),
    "a sorter among requirements": Wrong(
        requiring((CPU, "Gt", "1"), **sorter(CPU)),
        POLICY
        + "PropertySorter is not allowed for RequiredDuringSchedulingIgnoredDuringExecution affinity",
    ),
    "a requirement among preferences": Wrong(
        preferring("PickN", propertySelector={"matchExpressions": []}),
        POLICY
        + "PropertySelector is not allowed for PreferredDuringSchedulingIgnoredDuringExecution affinity",
    ),
    "an operator that does not compare": Wrong(
        requiring((CPU, "In", "1")),
        f"{POLICY}invalid requirement on property {CPU}: unsupported operator In",
    ),
    "a value that is no quantity": Wrong(
        requiring((CPU, "Gt", "many")),
        f'{POLICY}invalid requirement on property {CPU}: value "many" is not a valid resource.Quantity: {QUANTITY}',
    ),
    "a resource without a capacity": Wrong(
        requiring(("resources.kubernetes-fleet.io/cpu", "Gt", "1")),
        f"{POLICY}invalid property name resources.kubernetes-fleet.io/cpu: invalid resource property name "
        "resources.kubernetes-fleet.io/cpu, expected format is [PREFIX]/[CAPACITY_TYPE]-[RESOURCE_NAME]",
    ),
    "a capacity that is none": Wrong(
        preferring("PickN", **sorter("resources.kubernetes-fleet.io/free-cpu")),
        f"{POLICY}invalid capacity type in resource property name resources.kubernetes-fleet.io/free-cpu, supported "
        "values are [allocatable available total]",
    ),
    "a property that cannot be": Wrong(
        preferring("PickN", **sorter("a/b c")),
        f"{POLICY}property name segment b c is not valid: {QUALIFIED}",
    ),
    "two values at once": Wrong(
        requiring((CPU, "Eq", "1"), (CPU, "Eq", "2")),
        f"{POLICY}inconsistent requirements on property {CPU}: conflicting Eq values 1 and 2",
    ),
    "a value and not that value": Wrong(
        requiring((CPU, "Ne", "1000m"), (CPU, "Eq", "1")),
        f"{POLICY}inconsistent requirements on property {CPU}: conflicting Eq and Ne on same value 1",
    ),
    "bounds with nothing between them": Wrong(
        requiring((CPU, "Gt", "1"), (CPU, "Ge", "3"), (CPU, "Lt", "2")),
        f"{POLICY}inconsistent requirements on property {CPU}: lower bound (3) and upper bound (2) exclude all values",
    ),
    "bounds that meet where neither is": Wrong(
        requiring((CPU, "Ge", "1"), (CPU, "Lt", "1")),
        f"{POLICY}inconsistent requirements on property {CPU}: lower bound (1) and upper bound (1) exclude all values",
    ),
    "a value below its bound": Wrong(
        requiring((CPU, "Eq", "1"), (CPU, "Gt", "1")),
        f"{POLICY}inconsistent requirements on property {CPU}: eq value 1 violates lower bound 1",
    ),
    "a value above its bound": Wrong(
        requiring((CPU, "Eq", "2"), (CPU, "Le", "1")),
        f"{POLICY}inconsistent requirements on property {CPU}: eq value 2 violates upper bound 1",
    ),
    "a toleration twice": Wrong(
        picking("PickAll", tolerations=[{"key": "k", "operator": "Exists"}] * 2),
        f"{POLICY}toleration {{Key:k Operator:Exists Value: Effect:}} already exists, tolerations must be unique",
    ),
    "a toleration of nothing that can be": Wrong(
        picking("PickAll", tolerations=[{"key": "k k", "operator": "Equal", "value": "v!"}]),
        f"{POLICY}[invalid toleration key {{Key:k k Operator:Equal Value:v! Effect:}}: {QUALIFIED}, "
        f"invalid toleration value {{Key:k k Operator:Equal Value:v! Effect:}}: {VALUE}]",
    ),
    "steps of a rollout that has none": Wrong(
        {"strategy": {"type": "External", "rollingUpdate": {"maxSurge": 1}}},
        "the rollout Strategy field  is invalid: rollingUpdateConifg is not valid for ExternalRollout strategy type",
    ),
    "options of server-side apply without it": Wrong(
        {"strategy": {"applyStrategy": {"type": "ClientSideApply", "serverSideApplyConfig": {"force": True}}}},
        "the rollout Strategy field  is invalid: serverSideApplyConfig is only valid for ServerSideApply strategy type",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("spec", "want"), WRONG.values(), ids=WRONG.keys())
def test_a_placement_is_refused_for(spec: Object, want: str) -> None:
    got = validate_placement(placement(spec), None, catalog)

    assert got == f"deny create/update v1beta1 CRP has invalid fields {want}"


def test_all_that_is_wrong_is_told_at_once() -> None:
    spec = {**picking("PickFixed"), "strategy": {"type": "External", "rollingUpdate": {}}}

    assert validate_placement(placement(spec, name="n" * 64), None, catalog) == (
        "deny create/update v1beta1 CRP has invalid fields [the name field cannot have length exceeding 63, "
        "the placement policy field is invalid: cluster names cannot be empty for policy type PickFixed, "
        "the rollout Strategy field  is invalid: rollingUpdateConifg is not valid for ExternalRollout strategy type]"
    )


@dataclass(slots=True, frozen=True)
class Change:
    old: Object
    new: Object
    want: str = ""
    deleting: bool = False


GONE = selecting({"group": "a.b", "version": "v1", "kind": "Nope"})
TOLERATING = picking("PickAll", tolerations=[{"key": "k", "operator": "Exists"}])
CHANGES = {
    "a policy that says what held": Change({}, picking("PickAll")),
    "a policy that comes and picks otherwise": Change(
        {}, picking("PickN", numberOfClusters=1), "placement type is immutable"
    ),
    "more is tolerated": Change(picking("PickAll"), TOLERATING),
    "less is tolerated": Change(
        TOLERATING,
        picking("PickAll"),
        "tolerations have been updated/deleted, only additions to tolerations are allowed",
    ),
    "what was wrong stays wrong": Change(
        GONE,
        GONE,
        "deny update on old invalid v1beta1 CRP with DeletionTimestamp not set failed to get GVR of the selector: "
        'no matches for kind "Nope" in version "a.b/v1"',
    ),
    "what was wrong may go": Change(GONE, GONE, deleting=True),
    "what was right has to stay right": Change(
        {},
        GONE,
        "deny create/update v1beta1 CRP has invalid fields failed to get GVR of the selector: "
        'no matches for kind "Nope" in version "a.b/v1"',
    ),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_change(change: Change) -> None:
    new = placement(change.new, deleting=change.deleting)

    assert validate_placement(new, placement(change.old), catalog) == change.want
