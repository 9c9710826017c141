"""HorizontalPodAutoscaler: autoscaling/v1 to v2, which is stored, and back.

v1 knows one metric, CPU utilization. What else v2 says travels in four annotations of the v1 object, so a client that
reads v1, changes it and writes it back loses nothing. Facts of the encoding that clients depend on: the metrics are
listed in v1's shape, CPU comes after the others on the way in, and a v1 object without any metric means CPU at 80 %.

Like the API server, an annotation that does not hold what it should is dropped, not reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from argosy.api.conversions.metrics import (
    metric_from_v1,
    metric_to_v1,
    status_from_v1,
    status_to_v1,
)
from argosy.base.types import Json, Object

_PREFIX: Final = "autoscaling.alpha.kubernetes.io/"
METRICS: Final = f"{_PREFIX}metrics"
CURRENT_METRICS: Final = f"{_PREFIX}current-metrics"
CONDITIONS: Final = f"{_PREFIX}conditions"
BEHAVIOR: Final = f"{_PREFIX}behavior"
ROUND_TRIP: Final = frozenset(
    {METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR}
    | {f"{_PREFIX}scale-down-tolerance", f"{_PREFIX}scale-up-tolerance"}
)
DEFAULT_CPU_PERCENT: Final = 80

# Texts in annotations list fields in the order of the Go types, which is not that of the stored bytes.
_CONDITION_FIELDS: Final = ("type", "status", "lastTransitionTime", "reason", "message")


def v1_to_v2(hpa: Object) -> Object:
    """A v1 object in the stored version."""
    annotations, saved = _split_annotations(hpa)
    spec, status = dict(hpa.get("spec") or {}), dict(hpa.get("status") or {})

    metrics = _decoded(saved, METRICS, metric_from_v1)
    percent = spec.pop("targetCPUUtilizationPercentage", None)
    if percent is not None or not metrics:
        metrics.append(cpu_metric(DEFAULT_CPU_PERCENT if percent is None else percent))
    spec["metrics"] = metrics
    behavior = _json(saved.get(BEHAVIOR, ""))
    if isinstance(behavior, dict) and behavior:
        spec["behavior"] = _behavior_from_annotation(behavior)

    current = status.pop("currentCPUUtilizationPercentage", None)
    if CURRENT_METRICS in saved:
        status["currentMetrics"] = _decoded(saved, CURRENT_METRICS, status_from_v1)
    elif current is not None:
        resource = {"name": "cpu", "current": {"averageUtilization": current}}
        status["currentMetrics"] = [{"type": "Resource", "resource": resource}]
    else:
        status["currentMetrics"] = None
    if CONDITIONS in saved:
        status["conditions"] = _decoded(saved, CONDITIONS, lambda condition: condition)
    status.setdefault("desiredReplicas", 0)
    if not status.get("currentReplicas"):
        status.pop("currentReplicas", None)
    return _assembled(hpa, annotations, spec, status)


def v2_to_v1(hpa: Object) -> Object:
    """A stored object as v1 shows it."""
    annotations, _ = _split_annotations(hpa)
    spec, status = dict(hpa.get("spec") or {}), dict(hpa.get("status") or {})

    metrics = spec.pop("metrics", None) or []
    percents = [_cpu_percent(metric) for metric in metrics]
    wanted = next((percent for percent in percents if percent is not None), None)
    if wanted is not None:
        spec["targetCPUUtilizationPercentage"] = wanted
    others = [
        metric_to_v1(m) for m, percent in zip(metrics, percents, strict=True) if percent is None
    ]
    if others:
        annotations[METRICS] = _text(others)
    behavior = spec.pop("behavior", None)
    if behavior is not None:
        annotations[BEHAVIOR] = _text(_behavior_to_annotation(behavior))

    current = status.pop("currentMetrics", None) or []
    if current:
        annotations[CURRENT_METRICS] = _text([status_to_v1(metric) for metric in current])
    for metric in current:
        resource = metric.get("resource") or {}
        used = (resource.get("current") or {}).get("averageUtilization")
        if metric.get("type") == "Resource" and resource.get("name") == "cpu" and used is not None:
            status["currentCPUUtilizationPercentage"] = used
    conditions = status.pop("conditions", None)
    if conditions:
        annotations[CONDITIONS] = _text([_ordered(c, _CONDITION_FIELDS) for c in conditions])
    status.setdefault("currentReplicas", 0)
    status.setdefault("desiredReplicas", 0)
    return _assembled(hpa, annotations, spec, status)


def _split_annotations(hpa: Object) -> tuple[dict[str, str], dict[str, str]]:
    given: dict[str, str] = (hpa.get("metadata") or {}).get("annotations") or {}
    kept = {key: value for key, value in given.items() if key not in ROUND_TRIP}
    return kept, {key: value for key, value in given.items() if key in ROUND_TRIP}


def _assembled(hpa: Object, annotations: dict[str, str], spec: Object, status: Object) -> Object:
    metadata = dict(hpa.get("metadata") or {})
    metadata.pop("annotations", None)
    if annotations:
        metadata["annotations"] = annotations
    return {**hpa, "metadata": metadata, "spec": spec, "status": status}


def _json(text: str) -> Json:
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return None


def _text(value: Json) -> str:
    return msgspec.json.encode(value).decode()


def _decoded(saved: dict[str, str], key: str, convert: Callable[[Object], Object]) -> list[Object]:
    found = _json(saved.get(key, ""))
    return [convert(m) for m in found if isinstance(m, dict)] if isinstance(found, list) else []


def cpu_metric(percent: int = DEFAULT_CPU_PERCENT) -> Object:
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def _cpu_percent(metric: Object) -> int | None:
    resource = metric.get("resource") or {}
    if metric.get("type") != "Resource" or resource.get("name") != "cpu":
        return None
    percent: int | None = (resource.get("target") or {}).get("averageUtilization")
    return percent


# The behavior annotation holds Go's internal type: the same fields under capitalized names, absent ones as null.

_RULES_FIELDS: Final = ("stabilizationWindowSeconds", "selectPolicy", "policies", "tolerance")


def _behavior_to_annotation(behavior: Object) -> Object:
    return {
        _capital(way): None if behavior.get(way) is None else _rules_to_annotation(behavior[way])
        for way in ("scaleUp", "scaleDown")
    }


def _rules_to_annotation(rules: Object) -> Object:
    out = {_capital(field): rules.get(field) for field in _RULES_FIELDS}
    if out["Policies"] is not None:
        out["Policies"] = [
            {_capital(key): policy.get(key) for key in ("type", "value", "periodSeconds")}
            for policy in out["Policies"]
        ]
    return out


def _behavior_from_annotation(value: Json) -> Json:
    match value:
        case dict():
            found = {_small(key): _behavior_from_annotation(inner) for key, inner in value.items()}
            return {key: inner for key, inner in found.items() if inner is not None}
        case list():
            return [_behavior_from_annotation(inner) for inner in value]
        case _:
            return value


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]


def _small(name: str) -> str:
    return name[:1].lower() + name[1:]


def _ordered(value: Object, fields: tuple[str, ...]) -> Object:
    return {field: value[field] for field in fields if field in value}
