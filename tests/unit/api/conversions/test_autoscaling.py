"""HorizontalPodAutoscalers between autoscaling/v1 and v2; the texts are those of a real API server."""

from __future__ import annotations

from typing import Any

import pytest

from argosy.api.conversions.autoscaling import BEHAVIOR, CONDITIONS, CURRENT_METRICS, METRICS
from argosy.api.conversions.autoscaling import v1_to_v2 as to_v2
from argosy.api.conversions.autoscaling import v2_to_v1 as to_v1
from argosy.base.types import Object

TARGET = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
}
SERVICE = {"apiVersion": "v1", "kind": "Service", "name": "s"}

# Each metric of v2, and what stands for it in the annotation of v1.
METRIC_TEXTS: dict[str, tuple[Object, str]] = {
    "a resource by value": (
        {
            "type": "Resource",
            "resource": {
                "name": "memory",
                "target": {"type": "AverageValue", "averageValue": "100Mi"},
            },
        },
        '{"type":"Resource","resource":{"name":"memory","targetAverageValue":"100Mi"}}',
    ),
    "pods": (
        {
            "type": "Pods",
            "pods": {
                "metric": {"name": "qps"},
                "target": {"type": "AverageValue", "averageValue": "5"},
            },
        },
        '{"type":"Pods","pods":{"metricName":"qps","targetAverageValue":"5"}}',
    ),
    "an object": (
        {
            "type": "Object",
            "object": {
                "metric": {"name": "req", "selector": {"matchLabels": {"a": "b"}}},
                "describedObject": SERVICE,
                "target": {"type": "Value", "value": "2k"},
            },
        },
        (
            '{"type":"Object","object":{"target":{"kind":"Service","name":"s","apiVersion":"v1"},'
            '"metricName":"req","targetValue":"2k","selector":{"matchLabels":{"a":"b"}}}}'
        ),
    ),
    "something outside": (
        {
            "type": "External",
            "external": {
                "metric": {"name": "q"},
                "target": {"type": "AverageValue", "averageValue": "30"},
            },
        },
        '{"type":"External","external":{"metricName":"q","targetAverageValue":"30"}}',
    ),
    "a container's resource": (
        {
            "type": "ContainerResource",
            "containerResource": {
                "name": "cpu",
                "container": "c",
                "target": {"type": "Utilization", "averageUtilization": 60},
            },
        },
        (
            '{"type":"ContainerResource","containerResource":'
            '{"name":"cpu","targetAverageUtilization":60,"container":"c"}}'
        ),
    ),
}


def v2(**spec: Any) -> Object:
    return {
        "metadata": {"name": "h"},
        "spec": {"scaleTargetRef": TARGET, "maxReplicas": 5, **spec},
        "status": {"currentMetrics": None, "desiredReplicas": 0},
    }


@pytest.mark.parametrize(("metric", "text"), METRIC_TEXTS.values(), ids=METRIC_TEXTS)
def test_a_metric_v1_does_not_know_travels_in_an_annotation(metric: Object, text: str) -> None:
    original = v2(metrics=[metric])
    shown = to_v1(original)
    assert shown["metadata"]["annotations"] == {METRICS: f"[{text}]"}
    assert to_v2(shown) == original


def test_cpu_is_a_field_of_v1_and_comes_last_in_v2() -> None:
    other = METRIC_TEXTS["pods"][0]
    shown = to_v1(v2(metrics=[CPU, other]))
    assert shown["spec"] == {
        "scaleTargetRef": TARGET,
        "maxReplicas": 5,
        "targetCPUUtilizationPercentage": 50,
    }
    assert to_v2(shown)["spec"]["metrics"] == [other, CPU]


def test_v1_without_any_metric_means_cpu_at_80_percent() -> None:
    got = to_v2({"metadata": {"name": "h"}, "spec": {"maxReplicas": 5}})
    resource = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}}
    want = {
        "metadata": {"name": "h"},
        "spec": {"maxReplicas": 5, "metrics": [{"type": "Resource", "resource": resource}]},
        "status": {"currentMetrics": None, "desiredReplicas": 0},
    }
    assert got == want


def test_behavior_travels_under_the_names_of_go() -> None:
    behavior = {
        "scaleDown": {
            "stabilizationWindowSeconds": 100,
            "selectPolicy": "Max",
            "policies": [{"type": "Pods", "value": 1, "periodSeconds": 30}],
        }
    }
    original = v2(metrics=[CPU], behavior=behavior)
    shown = to_v1(original)
    assert shown["metadata"]["annotations"][BEHAVIOR] == (
        '{"ScaleUp":null,"ScaleDown":{"StabilizationWindowSeconds":100,"SelectPolicy":"Max",'
        '"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":30}],"Tolerance":null}}'
    )
    assert to_v2(shown) == original


def test_status_survives_the_way_through_v1() -> None:
    original = v2(metrics=[CPU])
    condition = {"type": "AbleToScale", "status": "True", "reason": "R", "message": "m"}
    original["status"] = {
        "desiredReplicas": 2,
        "currentReplicas": 1,
        "conditions": [condition],
        "currentMetrics": [
            {
                "type": "Resource",
                "resource": {
                    "name": "cpu",
                    "current": {"averageUtilization": 40, "averageValue": "40m"},
                },
            },
            {"type": "Pods", "pods": {"metric": {"name": "q"}, "current": {"averageValue": "3"}}},
            {
                "type": "Object",
                "object": {
                    "metric": {"name": "q"},
                    "current": {"value": "3"},
                    "describedObject": SERVICE,
                },
            },
            {"type": "External", "external": {"metric": {"name": "q"}, "current": {"value": "3"}}},
        ],
    }
    shown = to_v1(original)
    assert shown["status"] == {
        "desiredReplicas": 2,
        "currentReplicas": 1,
        "currentCPUUtilizationPercentage": 40,
    }
    assert shown["metadata"]["annotations"].keys() == {CONDITIONS, CURRENT_METRICS}
    assert to_v2(shown) == original


@pytest.mark.parametrize("text", ["", "not json", "{}", "[1]"])
def test_annotations_that_hold_something_else_are_dropped(text: str) -> None:
    spec = {"maxReplicas": 5, "targetCPUUtilizationPercentage": 50}
    got = to_v2({"metadata": {"name": "h", "annotations": {METRICS: text, "a": "b"}}, "spec": spec})
    assert (got["metadata"], got["spec"]) == (
        {"name": "h", "annotations": {"a": "b"}},
        {"maxReplicas": 5, "metrics": [CPU]},
    )
