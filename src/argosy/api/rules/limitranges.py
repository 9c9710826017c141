"""LimitRanges: what each container, pod and claim of a namespace may ask for, and gets when it does not say."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import validate_metadata
from argosy.api.rules.names import is_dns1123_subdomain, is_qualified_name
from argosy.api.rules.pods.defaulting import round_up
from argosy.api.rules.pods.resources import (
    is_overcommit_allowed,
    quantity,
    validate_container_resource_name,
    validate_resource_name,
)
from argosy.base.fielderrors import FieldError, duplicate, forbidden, invalid, required
from argosy.base.quantities import Quantity
from argosy.base.types import Object

_LIMIT_TYPES: Final = frozenset({"Pod", "Container", "PersistentVolumeClaim"})
_FIELDS: Final = ("max", "min", "default", "defaultRequest", "maxLimitRequestRatio")


def _default(obj: Object) -> None:
    """A container's default limit follows max, its default request follows the default limit, then min."""
    for item in (obj.get("spec") or {}).get("limits") or ():
        for field in _FIELDS:
            if item.get(field):
                round_up(item[field])
        if item.get("type") != "Container":
            continue
        default: Object = dict(item.get("default") or {})
        for name, value in (item.get("max") or {}).items():
            default.setdefault(name, value)
        request: Object = dict(item.get("defaultRequest") or {})
        for source in (default, item.get("min") or {}):
            for name, value in source.items():
                request.setdefault(name, value)
        for field, amounts in (("default", default), ("defaultRequest", request)):
            if amounts:
                item[field] = amounts
            else:
                item.pop(field, None)


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    seen: set[str] = set()
    for index, item in enumerate((obj.get("spec") or {}).get("limits") or ()):
        path = f"spec.limits[{index}]"
        kind = item.get("type", "")
        if problems := is_qualified_name(kind):
            errors += [invalid(f"{path}.type", kind, text) for text in problems]
        elif "/" not in kind and kind not in _LIMIT_TYPES:
            detail = "must be a standard limit type or fully qualified"
            errors.append(invalid(f"{path}.type", kind, detail))
        if kind in seen:
            errors.append(duplicate(f"{path}.type", kind))
        seen.add(kind)
        errors += _validate_names(item, kind, path)
        errors += _validate_values(item, kind, path)
    return errors


def _validate_names(item: Object, kind: str, path: str) -> list[FieldError]:
    check = (
        validate_container_resource_name if kind in {"Pod", "Container"} else validate_resource_name
    )
    errors: list[FieldError] = []
    for field in _FIELDS:
        if kind == "Pod" and field in {"default", "defaultRequest"}:
            if item.get(field):
                detail = "may not be specified when `type` is 'Pod'"
                errors.append(forbidden(f"{path}.{field}", detail))
            continue
        if field == "maxLimitRequestRatio" and kind == "PersistentVolumeClaim":
            errors += _validate_claim_limits(item, path)
        for name in item.get(field) or ():
            errors += check(name, f"{path}.{field}[{name}]")
    return errors


def _validate_claim_limits(item: Object, path: str) -> list[FieldError]:
    if "storage" in (item.get("min") or {}) or "storage" in (item.get("max") or {}):
        return []
    return [
        required(
            f"{path}.limits",
            "either minimum or maximum storage value is required, but neither was provided",
        )
    ]


def _validate_values(item: Object, kind: str, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    skipped = {"default", "defaultRequest"} if kind == "Pod" else set()
    amounts = {
        field: {name: quantity(value) for name, value in (item.get(field) or {}).items()}
        for field in _FIELDS
        if field not in skipped
    }
    names = sorted({name for each in amounts.values() for name in each})
    for name in names:
        low, high = amounts["min"].get(name), amounts["max"].get(name)
        default = amounts.get("default", {}).get(name)
        request = amounts.get("defaultRequest", {}).get(name)
        ratio = amounts["maxLimitRequestRatio"].get(name)
        for field, shown, smaller, larger, texts in (
            ("min", low, low, high, ("min value", "max value")),
            ("defaultRequest", request, low, request, ("min value", "default request value")),
            ("defaultRequest", request, request, high, ("default request value", "max value")),
            (
                "defaultRequest",
                request,
                request,
                default,
                ("default request value", "default limit value"),
            ),
            ("default", low, low, default, ("min value", "default value")),
            ("default", high, default, high, ("default value", "max value")),
        ):
            if smaller is not None and larger is not None and smaller > larger:
                detail = f"{texts[0]} {smaller} is greater than {texts[1]} {larger}"
                errors.append(invalid(f"{path}.{field}[{name}]", str(shown), detail))
        if ratio is not None:
            at = f"{path}.maxLimitRequestRatio[{name}]"
            errors += _validate_ratio(ratio, low, high, at)
        if (
            default is not None
            and request is not None
            and default != request
            and not is_overcommit_allowed(name)
        ):
            detail = (
                f"default value {default} must equal to defaultRequest value {request} in {name}"
            )
            errors.append(invalid(f"{path}.defaultRequest[{name}]", str(request), detail))
    return errors


def _validate_ratio(
    ratio: Quantity, low: Quantity | None, high: Quantity | None, path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    if ratio.milli() < 1000:
        errors.append(invalid(path, str(ratio), f"ratio {ratio} is less than 1"))
    if low is not None and high is not None and not low.is_zero:
        most = high.milli() / low.milli()
        if ratio.milli() / 1000 > most:
            detail = f"ratio {ratio} is greater than max/min = {most:f}"
            errors.append(invalid(path, str(ratio), detail))
    return errors


RULES: Final[dict[str, Rules]] = {
    "LimitRange": Rules(
        default=_default,
        validate=_validate,
        validate_update=lambda new, _old: _validate(new),
        name_problems=is_dns1123_subdomain,
        create_on_update=True,
        tracks_generation=False,
    )
}
