"""What overrides are refused for, word for word."""

from __future__ import annotations

from typing import NamedTuple

import msgspec
import pytest

from argosy.api.objects.fleet.overrides import ClusterResourceOverride, ResourceOverride
from argosy.api.objects.metadata import View, decoder
from argosy.base.types import Json, Object
from argosy.placement.validation import validate_cluster_override, validate_override


def read(view: type[View], name: str, spec: Object) -> View:
    return decoder(view)(msgspec.json.encode({"metadata": {"name": name}, "spec": spec}))


def role(name: str = "r", **more: Json) -> Object:
    return {
        "group": "rbac.authorization.k8s.io", "version": "v1", "kind": "ClusterRole", "name": name, **more,
        "selectionScope": "NamespaceWithResources",
    }  # fmt: skip


def cluster_override(
    *selectors: Object, name: str = "o", rules: tuple[Object, ...] = ()
) -> ClusterResourceOverride:
    policy = {"overrideRules": list(rules or (patching(replace("/rules", [])),))}
    spec = {"clusterResourceSelectors": list(selectors or (role(),)), "policy": policy}
    found = read(ClusterResourceOverride, name, spec)
    assert isinstance(found, ClusterResourceOverride)
    return found


def override(*selectors: Object, name: str = "o") -> ResourceOverride:
    rules = [patching(replace("/spec/replicas", 1))]
    spec = {"resourceSelectors": list(selectors), "policy": {"overrideRules": rules}}
    found = read(ResourceOverride, name, spec)
    assert isinstance(found, ResourceOverride)
    return found


def patching(*changes: Object, **more: Json) -> Object:
    return {"overrideType": "JSONPatch", "jsonPatchOverrides": list(changes), **more}


def replace(path: str, value: Json) -> Object:
    return {"op": "replace", "path": path, "value": value}


def on(**term: Json) -> Object:
    return patching(replace("/rules", []), clusterSelector={"clusterSelectorTerms": [term]})


ROLE = "{Group:rbac.authorization.k8s.io Version:v1 Kind:ClusterRole Name:r LabelSelector:nil SelectionScope:NamespaceWithResources}"
FINE: dict[str, Object] = {
    "labels may change": patching(replace("/metadata/labels/a", "b")),
    "annotations may change": patching(replace("/metadata/annotations", {})),
    "a field may go": patching({"op": "remove", "path": "/spec/x"}),
    "all clusters": patching(replace("/rules", []), clusterSelector={"clusterSelectorTerms": []}),
    "clusters by labels": on(labelSelector={"matchLabels": {"a": "b"}}),
    "the object is left out": {"overrideType": "Delete"},
    "a field that is called like one of the object": patching(replace("/spec/status", 1)),
}


@pytest.mark.parametrize("rule", FINE.values(), ids=FINE.keys())
def test_nothing_is_wrong_with_a_rule_where(rule: Object) -> None:
    assert validate_cluster_override(cluster_override(rules=(rule,)), [], is_new=True) == ""


def change(said: str, why: str) -> str:
    return f"invalid JSONPatchOverride {{{said}}}: {why}"


class Wrong(NamedTuple):
    """What is asked, and why it is refused."""

    asked: Json
    want: str


WRONG: dict[str, Wrong] = {
    "objects are left out and changed": Wrong(
        patching(replace("/a", 1), overrideType="Delete"),
        "invalid JSONPatchOverrides: JSONPatchOverrides cannot be set when the override type is Delete",
    ),
    "nothing changes": Wrong(
        patching(),
        "invalid JSONPatchOverrides: JSONPatchOverrides cannot be empty",
    ),
    "the path is empty": Wrong(
        patching(replace("", 1)),
        change("replace  {1}", "path cannot be empty"),
    ),
    "the path starts nowhere": Wrong(
        patching(replace("spec/a", "b")),
        change('replace spec/a {"b"}', "path must start with /"),
    ),
    "the kind changes": Wrong(
        patching(replace("/kind", "B")),
        change('replace /kind {"B"}', "cannot override typeMeta fields"),
    ),
    "all metadata changes": Wrong(
        patching(replace("/metadata", {"a": 1})),
        change('replace /metadata {{"a":1}}', "cannot override field metadata"),
    ),
    "the name changes": Wrong(
        patching(replace("/metadata/name", "b")),
        change(
            'replace /metadata/name {"b"}',
            "cannot override metadata fields except annotations and labels",
        ),
    ),
    "the status changes": Wrong(
        patching(replace("/status/a", 1)),
        change("replace /status/a {1}", "cannot override status fields"),
    ),
    "the path has a hole": Wrong(
        patching(replace("/spec//a", 1)),
        change("replace /spec//a {1}", "path cannot contain empty string"),
    ),
    "what goes has a value": Wrong(
        patching({"op": "remove", "path": "/spec/a", "value": 1}),
        change("remove /spec/a {1}", "remove operation cannot have value"),
    ),
    "clusters go by properties": Wrong(
        on(labelSelector={}, propertySorter={"name": "a", "sortOrder": "Ascending"}),
        "invalid clusterSelector {LabelSelector:&LabelSelector{MatchLabels:map[string]string{},"
        "MatchExpressions:[]LabelSelectorRequirement{},} PropertySelector:<nil> PropertySorter:&{Name:a "
        "SortOrder:Ascending}}: only labelSelector is supported",
    ),
    "clusters go by nothing": Wrong(
        on(),
        "invalid clusterSelector {LabelSelector:nil PropertySelector:<nil> PropertySorter:<nil>}: "
        "labelSelector is required",
    ),
    "clusters go by labels that are none": Wrong(
        on(
            labelSelector={
                "matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]
            }
        ),
        "the labelSelector in cluster selector &LabelSelector{MatchLabels:map[string]string{},"
        "MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:a,Operator:Exists,Values:[b],},},} "
        'is invalid: values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
    ),
}


@pytest.mark.parametrize(("rule", "want"), WRONG.values(), ids=WRONG.keys())
def test_a_rule_is_refused_where(rule: Object, want: str) -> None:
    assert validate_cluster_override(cluster_override(rules=(rule,)), [], is_new=True) == want


def test_all_that_is_wrong_is_told_at_once() -> None:
    rule = patching(replace("a", 1), replace("/status", 1))

    assert validate_cluster_override(cluster_override(rules=(rule,)), [], is_new=True) == (
        "[invalid JSONPatchOverride {replace a {1}}: path must start with /, "
        "invalid JSONPatchOverride {replace /status {1}}: cannot override status fields]"
    )


SELECTORS: dict[str, Wrong] = {
    "by labels": Wrong(
        [role("", labelSelector={"matchLabels": {"a": "b"}})],
        "label selector is not supported for resource selection {Group:rbac.authorization.k8s.io Version:v1 "
        "Kind:ClusterRole Name: LabelSelector:&LabelSelector{MatchLabels:map[string]string{a: b,},"
        "MatchExpressions:[]LabelSelectorRequirement{},} SelectionScope:NamespaceWithResources}",
    ),
    "without a name": Wrong(
        [role("")],
        f"resource name is required for resource selection {ROLE.replace('Name:r', 'Name:')}",
    ),
    "twice": Wrong(
        [role(), role()],
        f"resource selector {ROLE} already exists, and must be unique",
    ),
}


@pytest.mark.parametrize(("selectors", "want"), SELECTORS.values(), ids=SELECTORS.keys())
def test_an_object_of_the_cluster_is_not_selected(selectors: list[Object], want: str) -> None:
    assert validate_cluster_override(cluster_override(*selectors), [], is_new=True) == want


def test_an_object_has_one_override() -> None:
    other = cluster_override(role("q"), role(), name="other")

    assert validate_cluster_override(cluster_override(), [other], is_new=False) == (
        f"invalid resource selector {ROLE}: the resource has been selected by both o and other, which is not supported"
    )
    assert validate_cluster_override(cluster_override(role("z")), [other], is_new=False) == ""


def test_an_object_of_a_namespace_has_one_override() -> None:
    deployment = {"group": "apps", "version": "v1", "kind": "Deployment", "name": "d"}
    shown = "{Group:apps Version:v1 Kind:Deployment Name:d}"
    other = override(deployment, name="other")

    assert validate_override(override(deployment), [], is_new=True) == ""
    assert validate_override(override(deployment), [other], is_new=True) == (
        f"invalid resource selector {shown}: the resource has been selected by both o and other, which is not supported"
    )
    assert validate_override(override(deployment, deployment), [], is_new=True) == (
        f"resource selector {shown} already exists, and must be unique"
    )


def test_there_are_a_hundred_overrides_at_most() -> None:
    many = [cluster_override(role(f"r{n}"), name=f"o{n}") for n in range(100)]
    few = [override(name=f"o{n}") for n in range(100)]

    assert validate_cluster_override(cluster_override(), many[:99], is_new=True) == ""
    assert validate_cluster_override(cluster_override(), many, is_new=False) == ""
    assert validate_cluster_override(cluster_override(), many, is_new=True) == (
        "clusterResourceOverride limit has been reached: at most 100 cluster resources can be created."
    )
    assert validate_override(override(), few, is_new=True) == (
        "resourceOverride limit has been reached: at most 100 resources can be created."
    )
