"""Resource requirements of containers and pods: names, amounts, requests against limits, huge pages, claims.

Native resources are those without a prefix or with one of kubernetes.io; all others are extended: whole numbers that
cannot be overcommitted. Quantities arrive as text or numbers; a verdict for one resource and one amount is remembered,
since a cluster sees few different ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from argosy.api.rules.names import is_dns1123_label, is_qualified_name
from argosy.api.rules.pods.aggregates import (
    HUGE_PAGES_PREFIX,
    container_limits,
    container_requests,
    is_pod_level_resource,
)
from argosy.api.rules.wording import NOT_NEGATIVE
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from argosy.base.quantities import ParseError, Quantity
from argosy.base.types import Json, Object

_STANDARD_CONTAINER: Final = frozenset({"cpu", "memory", "ephemeral-storage"})
_STANDARD: Final = _STANDARD_CONTAINER | {
    "requests.cpu",
    "requests.memory",
    "requests.ephemeral-storage",
    "limits.cpu",
    "limits.memory",
    "limits.ephemeral-storage",
    "pods",
    "resourcequotas",
    "services",
    "replicationcontrollers",
    "secrets",
    "configmaps",
    "persistentvolumeclaims",
    "storage",
    "requests.storage",
    "services.nodeports",
    "services.loadbalancers",
}
_INTEGER: Final = frozenset(
    {
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    }
)

ResourceNameCheck = Callable[[str, str], list[FieldError]]


def is_standard_resource(name: str) -> bool:
    return name in _STANDARD or name.startswith((HUGE_PAGES_PREFIX, "requests.hugepages-"))


def is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


@lru_cache(maxsize=1024)
def is_extended(name: str) -> bool:
    return (
        not is_native(name)
        and not name.startswith("requests.")
        and not is_qualified_name(f"requests.{name}")
    )


def is_overcommit_allowed(name: str) -> bool:
    return is_native(name) and not name.startswith(HUGE_PAGES_PREFIX)


@lru_cache(maxsize=4096)
def _parsed(value: str) -> Quantity:
    return Quantity.parse(value)


def quantity(value: Json) -> Quantity:
    return _parsed(value) if isinstance(value, str) else Quantity.parse(value)


def validate_resource_name(name: str, path: str) -> list[FieldError]:
    if problems := is_qualified_name(name):
        return [invalid(path, name, text) for text in problems]
    if "/" not in name and not is_standard_resource(name):
        return [invalid(path, name, "must be a standard resource type or fully qualified")]
    return []


def validate_container_resource_name(name: str, path: str) -> list[FieldError]:
    if name in _STANDARD_CONTAINER:
        return []
    errors = validate_resource_name(name, path)
    if "/" not in name:
        if not name.startswith(HUGE_PAGES_PREFIX):
            errors.append(invalid(path, name, "must be a standard resource for containers"))
    elif not is_native(name) and not is_extended(name):
        errors.append(invalid(path, name, "doesn't follow extended resource name standard"))
    return errors


def _validate_pod_resource_name(name: str, path: str) -> list[FieldError]:
    errors = validate_resource_name(name, path)
    if not errors and not is_pod_level_resource(name):
        errors.append(not_supported(path, name, ("cpu", HUGE_PAGES_PREFIX, "memory")))
    return errors


def validate_quantity(name: str, value: Json, path: str) -> list[FieldError]:
    """An amount of a resource: never negative, whole where the resource is counted."""
    amount = quantity(value)
    errors: list[FieldError] = []
    if amount.sign < 0:
        errors.append(invalid(path, str(amount), NOT_NEGATIVE))
    if (name in _INTEGER or is_extended(name)) and amount.milli() % 1000:
        errors.append(invalid(path, str(amount), "must be an integer"))
    return errors


def validate_container_resources(
    resources: Object, claims: Iterable[str], path: str
) -> list[FieldError]:
    limits: Object = resources.get("limits") or {}
    requests: Object = resources.get("requests") or {}
    if (
        "claims" not in resources
        and all(_is_good(name, value) for name, value in limits.items())
        and all(_is_good(name, value) for name, value in requests.items())
        and all(limits.get(name) == value for name, value in requests.items())
        and _has_compute(limits, requests)
    ):
        return []
    return _validate_requirements(resources, validate_container_resource_name, claims, path)


@lru_cache(maxsize=8192)
def _is_good_text(name: str, value: str) -> bool:
    return not (
        validate_container_resource_name(name, "")
        or validate_quantity(name, value, "")
        or _validate_huge_pages(name, value, "")
    )


def _is_good(name: str, value: Json) -> bool:
    """Whether one resource of a container stands on its own: a remembered answer for all that are right."""
    return (
        isinstance(value, str)
        and len(name) < 512
        and len(value) < 64
        and _is_good_text(name, value)
    )


def _has_compute(limits: Object, requests: Object) -> bool:
    """Huge pages come with cpu or memory."""
    names = limits.keys() | requests.keys()
    return not names.isdisjoint({"cpu", "memory"}) or not any(
        name.startswith(HUGE_PAGES_PREFIX) for name in names
    )


def _validate_requirements(
    resources: Object, name_check: ResourceNameCheck, claims: Iterable[str], path: str
) -> list[FieldError]:
    errors: list[FieldError] = []
    limits: Object = resources.get("limits") or {}
    requests: Object = resources.get("requests") or {}
    for name, value in limits.items():
        at = f"{path}.limits[{name}]"
        errors += name_check(name, at)
        errors += validate_quantity(name, value, at)
        errors += _validate_huge_pages(name, value, at)
    for name, value in requests.items():
        at = f"{path}.requests[{name}]"
        errors += name_check(name, at)
        errors += validate_quantity(name, value, at)
        if name in limits:
            errors += _validate_against_limit(name, value, limits[name], f"{path}.requests")
        elif not is_overcommit_allowed(name):
            detail = "Limit must be set for non overcommitable resources"
            errors.append(required(f"{path}.limits", detail))
        errors += _validate_huge_pages(name, value, at)
    if not _has_compute(limits, requests):
        errors.append(forbidden(path, "HugePages require cpu or memory"))
    if wanted := resources.get("claims"):
        errors += _validate_claims(wanted, set(claims), f"{path}.claims")
    return errors


def _validate_against_limit(name: str, value: Json, limit: Json, path: str) -> list[FieldError]:
    amount, most = quantity(value), quantity(limit)
    if not is_overcommit_allowed(name):
        if amount != most:
            return [invalid(path, str(amount), f"must be equal to {name} limit of {most}")]
    elif amount > most:
        return [invalid(path, str(amount), f"must be less than or equal to {name} limit of {most}")]
    return []


def _validate_huge_pages(name: str, value: Json, path: str) -> list[FieldError]:
    if not name.startswith(HUGE_PAGES_PREFIX):
        return []
    amount = quantity(value)
    try:
        page = Quantity.parse(name.removeprefix(HUGE_PAGES_PREFIX))
    except ParseError:
        page = Quantity.parse("0")
    if page.sign > 0 and page.milli() % 1000 == 0 and amount.value() % page.value() == 0:
        return []
    return [invalid(path, str(amount), f"{amount} is not positive integer multiple of {name}")]


def _validate_claims(claims: list[Object], known: set[str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        at = f"{path}[{index}]"
        if not (name := claim.get("name", "")):
            errors.append(required(at))
            continue
        request = claim.get("request", "")
        if name in seen:
            errors.append(duplicate(at, name))
        else:
            key = name
            if request:
                errors += [
                    invalid(f"{at}.request", request, text) for text in is_dns1123_label(request)
                ]
                key = f"{name}/{request}"
            if key in seen:
                errors.append(duplicate(at, key))
            elif not request:
                errors += [duplicate(at, name) for other in seen if other.startswith(f"{name}/")]
            seen.add(key)
        if name not in known:
            among = f": {', '.join(sorted(known))}" if known else " which is empty"
            detail = f"must be one of the names in pod.spec.resourceClaims{among}"
            errors.append(FieldError("FieldValueNotFound", at, name, detail))
    return errors


def validate_pod_resources(spec: Object, path: str) -> list[FieldError]:
    """Resources of the pod as a whole, which bound those of its containers."""
    resources = spec.get("resources")
    if resources is None:
        return []
    path = f"{path}.resources"
    if (spec.get("os") or {}).get("name") == "windows":
        return [forbidden(path, "may not be set for a windows pod")]
    errors: list[FieldError] = []
    if resources.get("claims") is not None:
        errors.append(
            forbidden(f"{path}.claims", "claims may not be set for Resources at pod-level")
        )
    claims = [claim.get("name", "") for claim in spec.get("resourceClaims") or ()]
    errors += _validate_requirements(resources, _validate_pod_resource_name, claims, path)
    errors += _validate_consistency(spec, resources, path)
    return errors


def _validate_consistency(spec: Object, resources: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    limits: Object = resources.get("limits") or {}
    requests: Object = resources.get("requests") or {}
    for name, total in container_requests(spec).items():
        if name in requests and total > quantity(requests[name]):
            errors.append(
                invalid(
                    f"{path}.requests[{name}]",
                    str(quantity(requests[name])),
                    f"must be greater than or equal to aggregate container requests of {total}",
                )
            )
    for name, total in container_limits(spec).items():
        if name.startswith(HUGE_PAGES_PREFIX) and name in limits and total > quantity(limits[name]):
            errors.append(
                invalid(
                    f"{path}.limits[{name}]",
                    str(quantity(limits[name])),
                    f"must be greater than or equal to aggregate container limits of {total}",
                )
            )
    for index, container in enumerate(spec.get("containers") or ()):
        own = (container.get("resources") or {}).get("limits") or {}
        for name, limit in own.items():
            if name in limits and quantity(limit) > quantity(limits[name]):
                errors.append(
                    invalid(
                        f"{path}.containers[{index}][{name}].limits",
                        str(quantity(limit)),
                        f"must be less than or equal to pod limits of {quantity(limits[name])}",
                    )
                )
    return errors
