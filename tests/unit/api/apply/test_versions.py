"""Owners of a kind with two versions, HorizontalPodAutoscaler."""

from __future__ import annotations

from argosy.api.apply.applying import apply
from argosy.api.apply.tracking import track_update
from argosy.api.apply.versions import at_versions
from argosy.api.conversions.autoscaling import v1_to_v2, v2_to_v1
from argosy.api.kinds import Kind, Version
from argosy.api.schema.builtin import builtin_schema
from argosy.base.types import Object
from tests.unit.api.apply.widgets import LATER, NOW, managed

TYPE = "io.k8s.api.autoscaling.{}.HorizontalPodAutoscaler"
V1 = Version("v1", builtin_schema(TYPE.format("v1")), to_storage=v1_to_v2, from_storage=v2_to_v1)
V2 = Version("v2", builtin_schema(TYPE.format("v2")))
KIND = Kind(
    "autoscaling", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "horizontalpodautoscaler",
    namespaced=True, versions={"v1": V1, "v2": V2}, storage_version="v2",
)  # fmt: skip


def scaler(version: str, **spec: object) -> Object:
    return {
        "apiVersion": f"autoscaling/{version}",
        "kind": "HorizontalPodAutoscaler",
        "metadata": {"name": "h"},
        "spec": {"scaleTargetRef": {"kind": "D", "name": "d"}, "maxReplicas": 3, **spec},
    }


def test_a_write_in_one_version_is_seen_by_owners_in_another() -> None:
    first = scaler("v1", minReplicas=1, targetCPUUtilizationPercentage=50)
    entries = track_update(V1.schema, None, first, "one", "autoscaling/v1", "", NOW)
    old = managed(v1_to_v2(first), entries)
    old["apiVersion"] = "autoscaling/v2"
    new = {**old, "spec": {**old["spec"], "maxReplicas": 9}}
    at = at_versions(KIND, "v2")
    got = track_update(V2.schema, old, new, "two", "autoscaling/v2", "", LATER, at=at)
    assert [(e["manager"], sorted(e["fieldsV1"]["f:spec"])) for e in got] == [
        ("one", ["f:minReplicas", "f:scaleTargetRef", "f:targetCPUUtilizationPercentage"]),
        ("two", ["f:maxReplicas"]),
    ]


def test_a_field_applied_in_one_version_is_given_up_in_the_other() -> None:
    first = scaler("v1", minReplicas=1, targetCPUUtilizationPercentage=50)
    obj, entries = apply(V1.schema, None, first, "m", "autoscaling/v1", False, "", NOW)
    live = managed({**v1_to_v2(obj), "apiVersion": "autoscaling/v2"}, entries)
    config = scaler("v2")
    at = at_versions(KIND, "v2")
    got, entries = apply(V2.schema, live, config, "m", "autoscaling/v2", False, "", LATER, at=at)
    assert "minReplicas" not in got["spec"]
    assert got["spec"]["maxReplicas"] == 3
    assert [(e["apiVersion"], e["time"]) for e in entries] == [("autoscaling/v2", LATER)]


def test_a_version_the_kind_does_not_have_is_no_view() -> None:
    at = at_versions(KIND, "v2")
    assert at is not None
    assert at("autoscaling/v9", scaler("v2")) is None
    assert at("autoscaling/v2", scaler("v2")) == (V2.schema, scaler("v2"))


def test_a_kind_of_one_version_needs_no_views() -> None:
    kind = Kind("", "A", "as", "a", namespaced=True, versions={"v2": V2}, storage_version="v2")
    assert at_versions(kind, "v2") is None
