"""Rules of groups that answers to single requests do not show: limits, generations, selectors, ways to write."""

from __future__ import annotations

import pytest

from argosy.api.conversions import events as conversions
from argosy.api.kinds import Rules
from argosy.api.rules import rules_for
from argosy.base.types import Object

# Whether a PUT creates, whether one needs no resourceVersion, whether generation is counted.
WAYS = {
    ("", "Event"): (True, True, False),
    ("events.k8s.io", "Event"): (True, True, False),
    ("policy", "PodDisruptionBudget"): (False, False, True),
    ("autoscaling", "HorizontalPodAutoscaler"): (False, True, False),
    ("networking.k8s.io", "Ingress"): (False, True, True),
    ("networking.k8s.io", "IngressClass"): (False, True, True),
    ("networking.k8s.io", "NetworkPolicy"): (False, True, True),
    ("networking.k8s.io", "ServiceCIDR"): (False, True, False),
    ("networking.k8s.io", "IPAddress"): (False, True, False),
    ("discovery.k8s.io", "EndpointSlice"): (False, True, True),
    ("storage.k8s.io", "StorageClass"): (False, True, False),
    ("storage.k8s.io", "VolumeAttributesClass"): (False, True, False),
    ("storage.k8s.io", "CSIDriver"): (False, False, False),
    ("storage.k8s.io", "CSINode"): (False, False, False),
    ("storage.k8s.io", "CSIStorageCapacity"): (False, False, False),
    ("storage.k8s.io", "VolumeAttachment"): (False, False, False),
    ("node.k8s.io", "RuntimeClass"): (True, False, False),
}


@pytest.mark.parametrize("kind", WAYS, ids=lambda kind: f"{kind[1]} of {kind[0] or 'core'}")
def test_ways_to_write_are_those_of_the_real_server(kind: tuple[str, str]) -> None:
    rules = rules_for(*kind)
    got = (rules.create_on_update, rules.unconditional_update, rules.tracks_generation)
    assert got == WAYS[kind]


LIMITS: dict[str, tuple[str, str, Object, str]] = {
    "parameters of a class are few": (
        "storage.k8s.io",
        "StorageClass",
        {"provisioner": "p", "parameters": {str(i): "" for i in range(513)}},
        "parameters: Too long: may not be more than 512 bytes",
    ),
    "parameters of a class are small": (
        "storage.k8s.io",
        "StorageClass",
        {"provisioner": "p", "parameters": {"a": "b" * 262144}},
        "parameters: Too long: may not be more than 262144 bytes",
    ),
    "endpoints of a slice are at most a thousand": (
        "discovery.k8s.io",
        "EndpointSlice",
        {"addressType": "IPv4", "endpoints": [{"addresses": ["10.0.0.1"]}] * 1001},
        "endpoints: Too many: 1001: must have at most 1000 items",
    ),
    "ports of a slice are at most twenty thousand": (
        "discovery.k8s.io",
        "EndpointSlice",
        {"addressType": "IPv4", "ports": [{}] * 20001},
        "ports: Too many: 20001: must have at most 20000 items",
    ),
}


@pytest.mark.parametrize("case", LIMITS.values(), ids=LIMITS.keys())
def test_limits(case: tuple[str, str, Object, str]) -> None:
    group, kind, body, want = case
    rules = rules_for(group, kind)
    metadata = {"name": "a"} | ({"namespace": "x"} if kind == "EndpointSlice" else {})
    obj: Object = {"metadata": metadata} | body
    assert rules.default is not None
    assert rules.validate is not None
    rules.default(obj)
    got = [str(error) for error in rules.validate(obj)]
    assert got == [want]


def test_conditions_of_a_budget_are_short() -> None:
    condition = {
        "type": "A",
        "status": "True",
        "lastTransitionTime": "2025-01-01T00:00:00Z",
        "reason": "r" * 1025,
        "message": "m" * 32769,
    }
    validate = rules_for("policy", "PodDisruptionBudget").validate_status
    assert validate is not None
    got = [str(error) for error in validate({"status": {"conditions": [condition]}}, {})]
    assert got == [
        "status.conditions[0].reason: Too long: may not be more than 1024 bytes",
        "status.conditions[0].message: Too long: may not be more than 32768 bytes",
    ]


def prepared(rules: Rules, new: Object, old: Object) -> Object:
    assert rules.prepare_update is not None
    rules.prepare_update(new, old)
    return new


def test_labels_of_a_slice_count_as_a_generation() -> None:
    rules = rules_for("discovery.k8s.io", "EndpointSlice")
    old: Object = {"metadata": {"generation": 3, "labels": {"a": "b"}}}
    got = prepared(rules, {"metadata": {"generation": 3, "labels": {"a": "c"}}}, old)
    assert got == {"metadata": {"generation": 4, "labels": {"a": "c"}}}


def test_generation_of_a_csi_driver_begins_with_its_first_change() -> None:
    rules = rules_for("storage.k8s.io", "CSIDriver")
    old: Object = {"metadata": {}, "spec": {"podInfoOnMount": False}}
    same = prepared(rules, {"metadata": {}, "spec": {"podInfoOnMount": False}}, old)
    got = prepared(rules, {"metadata": {}, "spec": {"podInfoOnMount": True}}, old)
    assert same["metadata"] == {}
    assert got["metadata"] == {"generation": 1}


def test_a_node_named_by_topology_moves_when_endpoints_change() -> None:
    rules = rules_for("discovery.k8s.io", "EndpointSlice")
    host = "kubernetes.io/hostname"
    old: Object = {"metadata": {}, "endpoints": [{"deprecatedTopology": {host: "n1"}}]}
    new: Object = {
        "metadata": {},
        "endpoints": [{"deprecatedTopology": {host: node}, "zone": "z"} for node in ("n1", "n2")],
    }
    want = [{"nodeName": "n1", "zone": "z"}, {"zone": "z"}]
    assert prepared(rules, new, old)["endpoints"] == want


EVENT: Object = {
    "metadata": {"name": "a", "namespace": "x"},
    "involvedObject": {
        "kind": "Pod",
        "namespace": "x",
        "name": "p",
        "uid": "u",
        "apiVersion": "v1",
        "resourceVersion": "7",
        "fieldPath": "spec.containers{c}",
    },
    "reason": "Started",
    "reportingComponent": "example.com/c",
    "source": {"component": "kubelet"},
    "type": "Normal",
}
SELECTED = {
    "involvedObject.kind": "Pod",
    "involvedObject.namespace": "x",
    "involvedObject.name": "p",
    "involvedObject.uid": "u",
    "involvedObject.apiVersion": "v1",
    "involvedObject.resourceVersion": "7",
    "involvedObject.fieldPath": "spec.containers{c}",
    "reason": "Started",
    "reportingComponent": "example.com/c",
    "source": "kubelet",
    "type": "Normal",
}


@pytest.mark.parametrize("group", ["", "events.k8s.io"])
def test_both_groups_of_events_are_indexed_by_the_stored_fields(group: str) -> None:
    selectable = rules_for(group, "Event").selectable
    got = {field: read(EVENT) for field, read in selectable.items()}
    assert got == SELECTED


def test_an_event_without_a_source_is_selected_by_its_reporter() -> None:
    event = {key: value for key, value in EVENT.items() if key != "source"}
    assert rules_for("", "Event").selectable["source"](event) == "example.com/c"


def test_an_empty_event_is_selected_by_empty_fields() -> None:
    selectable = rules_for("", "Event").selectable
    assert {read({}) for read in selectable.values()} == {""}


def test_every_field_selector_of_the_new_group_stands_for_a_stored_field() -> None:
    assert set(conversions.SELECTABLE.values()) <= rules_for("", "Event").selectable.keys()
