"""What a HorizontalPodAutoscaler scales by: one source per metric, named by the metric's type.

A metric with several sources gets the checks of the first one only, in a fixed order, and an error for each that its
type does not name. Upstream reports those in random order; here they come in the order of the checks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.api.rules.names import is_dns1123_label, is_path_segment
from argosy.api.rules.pods.resources import quantity, validate_container_resource_name
from argosy.base.fielderrors import FieldError, forbidden, invalid, not_supported, required
from argosy.base.types import Object

# Types of metrics and the field each one fills, in the order of the checks.
_FIELDS: Final = {
    "Object": "object",
    "External": "external",
    "Pods": "pods",
    "Resource": "resource",
    "ContainerResource": "containerResource",
}
_TARGET_TYPES: Final = ("Utilization", "Value", "AverageValue")


def validate_metrics(metrics: list[Object], least: int | None, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, metric in enumerate(metrics):
        errors += _validate_metric(metric, f"{path}[{index}]")
    if least == 0 and not any(metric.get("type") in {"Object", "External"} for metric in metrics):
        detail = "must specify at least one Object or External metric to support scaling to zero replicas"
        errors.append(forbidden(path, detail))
    return errors


def validate_reference(reference: Object, path: str, *, needs_group: bool) -> list[FieldError]:
    """An object by kind, name and apiVersion."""
    errors: list[FieldError] = []
    for field in ("kind", "name"):
        if not (value := reference.get(field, "")):
            errors.append(required(f"{path}.{field}"))
        else:
            problems = is_path_segment(value)
            errors += [invalid(f"{path}.{field}", value, text) for text in problems]
    version = reference.get("apiVersion", "")
    if version.count("/") > 1:
        detail = f"unexpected GroupVersion string: {version}"
        errors.append(invalid(f"{path}.apiVersion", version, detail))
    elif needs_group and not version.rpartition("/")[0]:
        errors.append(invalid(f"{path}.apiVersion", version, "apiVersion must specify API group"))
    return errors


def _validate_metric(metric: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    kind = metric.get("type", "")
    unknown = not_supported(f"{path}.type", kind, _FIELDS)
    if not kind:
        errors.append(required(f"{path}.type", "must specify a metric source type"))
    if kind not in _FIELDS:
        errors.append(unknown)
    given = [field for field in _FIELDS.values() if metric.get(field) is not None]
    if given:
        errors += _SOURCES[given[0]](metric[given[0]], f"{path}.{given[0]}")
    expected = _FIELDS.get(kind)
    if expected is None:
        errors.append(unknown)
    elif expected not in given:
        detail = "must populate information for the given metric source"
        errors.append(required(f"{path}.{expected}", detail))
    if len(given) > 1:
        detail = "must populate the given metric source only"
        errors += [forbidden(f"{path}.{field}", detail) for field in given if field != expected]
    return errors


def _validate_object(source: Object, path: str) -> list[FieldError]:
    described: Object = source.get("describedObject") or {}
    errors = validate_reference(described, f"{path}.describedObject", needs_group=False)
    errors += _validate_identified(source, path)
    target = source.get("target") or {}
    if target.get("value") is None and target.get("averageValue") is None:
        detail = "must set either a target value or averageValue"
        errors.append(required(f"{path}.target.averageValue", detail))
    return errors


def _validate_external(source: Object, path: str) -> list[FieldError]:
    errors = _validate_identified(source, path)
    target = source.get("target") or {}
    given = [target.get(field) is not None for field in ("value", "averageValue")]
    if not any(given):
        detail = "must set either a target value for metric or a per-pod target"
        errors.append(required(f"{path}.target.averageValue", detail))
    if all(given):
        detail = "may not set both a target value for metric and a per-pod target"
        errors.append(forbidden(f"{path}.target.value", detail))
    return errors


def _validate_pods(source: Object, path: str) -> list[FieldError]:
    errors = _validate_identified(source, path)
    if (source.get("target") or {}).get("averageValue") is None:
        detail = "must specify a positive target averageValue"
        errors.append(required(f"{path}.target.averageValue", detail))
    return errors


def _validate_container_resource(source: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not (name := source.get("name", "")):
        errors.append(required(f"{path}.name", "must specify a resource name"))
    else:
        errors += validate_container_resource_name(name, f"{path}.name")
    if not (container := source.get("container", "")):
        errors.append(required(f"{path}.container", "must specify a container"))
    else:
        problems = is_dns1123_label(container)
        errors += [invalid(f"{path}.container", container, text) for text in problems]
    return errors + _validate_usage(source, path)


def _validate_resource(source: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if not source.get("name"):
        errors.append(required(f"{path}.name", "must specify a resource name"))
    return errors + _validate_usage(source, path)


_SOURCES: Final[dict[str, Callable[[Object, str], list[FieldError]]]] = {
    "object": _validate_object,
    "external": _validate_external,
    "pods": _validate_pods,
    "resource": _validate_resource,
    "containerResource": _validate_container_resource,
}


def _validate_usage(source: Object, path: str) -> list[FieldError]:
    """The target of a resource: a share of what pods request, or an amount."""
    target: Object = source.get("target") or {}
    errors = _validate_target(target, f"{path}.target")
    given = [target.get(field) is not None for field in ("averageUtilization", "averageValue")]
    if not any(given):
        detail = "must set either a target raw value or a target utilization"
        errors.append(required(f"{path}.target.averageUtilization", detail))
    if all(given):
        detail = "may not set both a target raw value and a target utilization"
        errors.append(forbidden(f"{path}.target.averageValue", detail))
    return errors


def _validate_identified(source: Object, path: str) -> list[FieldError]:
    """The metric's name and the target."""
    errors: list[FieldError] = []
    if not (name := (source.get("metric") or {}).get("name", "")):
        errors.append(required(f"{path}.metric.name", "must specify a metric name"))
    else:
        errors += [invalid(f"{path}.metric.name", name, text) for text in is_path_segment(name)]
    return errors + _validate_target(source.get("target") or {}, f"{path}.target")


def _validate_target(target: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    kind = target.get("type", "")
    if not kind:
        errors.append(required(f"{path}.type", "must specify a metric target type"))
    if kind not in _TARGET_TYPES:
        detail = "must be either Utilization, Value, or AverageValue"
        errors.append(invalid(f"{path}.type", kind, detail))
    errors += [
        invalid(f"{path}.{field}", str(amount), "must be positive")
        for field in ("value", "averageValue")
        if target.get(field) is not None and (amount := quantity(target[field])).sign <= 0
    ]
    percent = target.get("averageUtilization")
    if percent is not None and percent < 1:
        errors.append(invalid(f"{path}.averageUtilization", percent, "must be greater than 0"))
    return errors
