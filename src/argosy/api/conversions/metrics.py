"""Metrics of a HorizontalPodAutoscaler in the shapes of autoscaling/v1 (inside annotations) and v2.

A metric is `type` plus one key with the details: `object`, `pods`, `resource`, `containerResource` or `external`. v2
nests what v1 keeps flat (`metricName`, `targetValue`, `currentAverageValue`, ...). Keys are written in the order of the
Go types, because the texts end up in annotations that people compare.
"""

from __future__ import annotations

from collections.abc import Callable

from argosy.base.types import Object


def metric_to_v1(metric: Object) -> Object:
    return _renamed(metric, lambda where, source: _to_v1(where, source, "target"))


def metric_from_v1(metric: Object) -> Object:
    return _renamed(metric, _source_from_v1)


def status_to_v1(metric: Object) -> Object:
    return _renamed(metric, lambda where, status: _to_v1(where, status, "current"))


def status_from_v1(metric: Object) -> Object:
    return _renamed(metric, _current_from_v1)


def _renamed(metric: Object, convert: Callable[[str, Object], Object]) -> Object:
    details = {key: convert(key, value) for key, value in metric.items() if isinstance(value, dict)}
    return {"type": metric.get("type", ""), **details}


def _to_v1(where: str, given: Object, side: str) -> Object:
    """Flatten what v2 nests below `side`: `target` in a metric, `current` in its status, which always has a value."""
    amounts, metric = given.get(side) or {}, given.get("metric") or {}
    value, average = amounts.get("value"), amounts.get("averageValue")
    absent = "0" if side == "current" else None
    match where:
        case "object":
            return _present(
                {
                    "target": _reference(given.get("describedObject")),
                    "metricName": metric.get("name", ""),
                    f"{side}Value": "0" if value is None else value,
                    "selector": metric.get("selector"),
                    "averageValue": average,
                }
            )
        case "pods":
            return _present(
                {
                    "metricName": metric.get("name", ""),
                    f"{side}AverageValue": "0" if average is None else average,
                    "selector": metric.get("selector"),
                }
            )
        case "external":
            return _present(
                {
                    "metricName": metric.get("name", ""),
                    "metricSelector": metric.get("selector"),
                    f"{side}Value": absent if value is None else value,
                    f"{side}AverageValue": average,
                }
            )
    return _present(
        {
            "name": given.get("name", ""),
            f"{side}AverageUtilization": amounts.get("averageUtilization"),
            f"{side}AverageValue": absent if average is None else average,
            "container": given.get("container"),
        }
    )


def _source_from_v1(where: str, source: Object) -> Object:
    match where:
        case "object":
            average = source.get("averageValue")
            kind = "Value" if average is None else "AverageValue"
            target = {"type": kind, "value": source.get("targetValue"), "averageValue": average}
            return {
                "describedObject": _reference(source.get("target")),
                "target": _present(target),
                "metric": _metric_identifier(source, "selector"),
            }
        case "pods":
            target = {"type": "AverageValue", "averageValue": source.get("targetAverageValue")}
            return {"metric": _metric_identifier(source, "selector"), "target": _present(target)}
        case "external":
            value = source.get("targetValue")
            target = {
                "type": "AverageValue" if value is None else "Value",
                "value": value,
                "averageValue": source.get("targetAverageValue"),
            }
            identifier = _metric_identifier(source, "metricSelector")
            return {"metric": identifier, "target": _present(target)}
    percent = source.get("targetAverageUtilization")
    target = {
        "type": "AverageValue" if percent is None else "Utilization",
        "averageValue": source.get("targetAverageValue"),
        "averageUtilization": percent,
    }
    named = {"name": source.get("name", ""), "container": source.get("container")}
    return {**_present(named), "target": _present(target)}


def _current_from_v1(where: str, status: Object) -> Object:
    match where:
        case "object":
            current = {
                "value": status.get("currentValue"),
                "averageValue": status.get("averageValue"),
            }
            return {
                "metric": _metric_identifier(status, "selector"),
                "current": _present(current),
                "describedObject": _reference(status.get("target")),
            }
        case "pods":
            current = {"averageValue": status.get("currentAverageValue")}
            return {"metric": _metric_identifier(status, "selector"), "current": _present(current)}
        case "external":
            current = {
                "value": status.get("currentValue"),
                "averageValue": status.get("currentAverageValue"),
            }
            identifier = _metric_identifier(status, "metricSelector")
            return {"metric": identifier, "current": _present(current)}
    current = {
        "averageValue": status.get("currentAverageValue"),
        "averageUtilization": status.get("currentAverageUtilization"),
    }
    named = {"name": status.get("name", ""), "container": status.get("container")}
    return {**_present(named), "current": _present(current)}


def _reference(reference: Object | None) -> Object:
    given = reference or {}
    named = {"kind": given.get("kind", ""), "name": given.get("name", "")}
    return _present({**named, "apiVersion": given.get("apiVersion")})


def _metric_identifier(source: Object, selector: str) -> Object:
    return _present({"name": source.get("metricName", ""), "selector": source.get(selector)})


def _present(pairs: Object) -> Object:
    return {key: value for key, value in pairs.items() if value is not None}
