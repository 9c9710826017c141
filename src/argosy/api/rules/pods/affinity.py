"""Where a pod wants to run: node and pod affinity, and spreading over topology domains."""

from __future__ import annotations

from typing import Final

from argosy.api.rules.labels import (
    validate_label_name,
    validate_label_selector,
    validate_node_selector,
    validate_node_selector_term,
)
from argosy.api.rules.names import is_dns1123_label
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from argosy.base.types import Object

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
_PREFERRED: Final = "preferredDuringSchedulingIgnoredDuringExecution"
_WEIGHT: Final = "must be in the range 1-100"
_ACTIONS: Final = ("DoNotSchedule", "ScheduleAnyway")
_POLICIES: Final = ("Honor", "Ignore")
_TWICE: Final = "exists in both matchLabelKeys and labelSelector"


def validate_affinity(affinity: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if (nodes := affinity.get("nodeAffinity")) is not None:
        errors += _validate_node_affinity(nodes, f"{path}.nodeAffinity")
    for kind in ("podAffinity", "podAntiAffinity"):
        if (pods := affinity.get(kind)) is not None:
            errors += _validate_pod_affinity(pods, f"{path}.{kind}")
    return errors


def _validate_node_affinity(affinity: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if (selector := affinity.get(_REQUIRED)) is not None:
        errors += validate_node_selector(selector, f"{path}.{_REQUIRED}")
    for index, term in enumerate(affinity.get(_PREFERRED) or ()):
        at = f"{path}.{_PREFERRED}[{index}]"
        if not 0 < (weight := term.get("weight", 0)) <= 100:
            errors.append(invalid(f"{at}.weight", weight, _WEIGHT))
        # Values of preferred terms were never checked, and stay so for the sake of stored pods.
        errors += validate_node_selector_term(
            term.get("preference") or {}, f"{at}.preference", check_values=False
        )
    return errors


def _validate_pod_affinity(affinity: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, term in enumerate(affinity.get(_REQUIRED) or ()):
        errors += _validate_pod_term(term, f"{path}.{_REQUIRED}[{index}]")
    for index, weighted in enumerate(affinity.get(_PREFERRED) or ()):
        at = f"{path}.{_PREFERRED}[{index}]"
        if not 0 < (weight := weighted.get("weight", 0)) <= 100:
            errors.append(invalid(f"{at}.weight", weight, _WEIGHT))
        errors += _validate_pod_term(weighted.get("podAffinityTerm") or {}, f"{at}.podAffinityTerm")
    return errors


def _validate_pod_term(term: Object, path: str) -> list[FieldError]:
    errors = validate_label_selector(term.get("labelSelector"), f"{path}.labelSelector")
    errors += validate_label_selector(term.get("namespaceSelector"), f"{path}.namespaceSelector")
    for name in term.get("namespaces") or ():
        errors += [invalid(f"{path}.namespace", name, text) for text in is_dns1123_label(name)]
    errors += _validate_label_keys(term, path)
    key = term.get("topologyKey", "")
    if not key:
        errors.append(required(f"{path}.topologyKey", "can not be empty"))
    errors += validate_label_name(key, f"{path}.topologyKey")
    return errors


def _validate_label_keys(term: Object, path: str) -> list[FieldError]:
    """matchLabelKeys and mismatchLabelKeys, which are merged into the selector when a pod is created."""
    match_keys = term.get("matchLabelKeys") or []
    mismatch_keys = term.get("mismatchLabelKeys") or []
    if not match_keys and not mismatch_keys:
        return []
    errors: list[FieldError] = []
    selector = term.get("labelSelector")
    for field, keys in (("matchLabelKeys", match_keys), ("mismatchLabelKeys", mismatch_keys)):
        if keys and selector is None:
            errors.append(
                forbidden(f"{path}.{field}", "must not be specified when labelSelector is not set")
            )
        elif keys:
            for index, key in enumerate(keys):
                errors += validate_label_name(key, f"{path}.{field}[{index}]")
    if selector is not None:
        positions = {key: index for index, key in enumerate(match_keys)}
        seen = set(selector.get("matchLabels") or ())
        for expression in selector.get("matchExpressions") or ():
            key = expression.get("key", "")
            if key in positions and key in seen:
                errors.append(invalid(f"{path}[{positions[key]}]", key, _TWICE))
            seen.add(key)
    errors += [
        invalid(
            f"{path}.matchLabelKeys[{index}]",
            key,
            "exists in both matchLabelKeys and mismatchLabelKeys",
        )
        for index, key in enumerate(match_keys)
        if key in mismatch_keys
    ]
    return errors


def validate_spread_constraints(constraints: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, constraint in enumerate(constraints):
        at = f"{path}[{index}]"
        if (skew := constraint.get("maxSkew", 0)) <= 0:
            errors.append(invalid(f"{at}.maxSkew", skew, "must be greater than zero"))
        key = constraint.get("topologyKey", "")
        if not key:
            errors.append(required(f"{at}.topologyKey", "can not be empty"))
        action = constraint.get("whenUnsatisfiable", "")
        if action not in _ACTIONS:
            errors.append(not_supported(f"{at}.whenUnsatisfiable", action, _ACTIONS))
        if any(
            other.get("topologyKey", "") == key and other.get("whenUnsatisfiable", "") == action
            for other in constraints[index + 1 :]
        ):
            pair = f"{{{key}, {action}}}"
            errors.append(duplicate(f"{at}.{{topologyKey, whenUnsatisfiable}}", pair))
        errors += _validate_min_domains(constraint.get("minDomains"), action, f"{at}.minDomains")
        for field in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            policy = constraint.get(field)
            if policy is not None and policy not in _POLICIES:
                errors.append(not_supported(f"{at}.{field}", policy, _POLICIES))
        errors += _validate_label_keys(constraint, at)
        errors += validate_label_selector(constraint.get("labelSelector"), f"{at}.labelSelector")
    return errors


def _validate_min_domains(count: int | None, action: str, path: str) -> list[FieldError]:
    if count is None:
        return []
    errors: list[FieldError] = []
    if count <= 0:
        errors.append(invalid(path, count, "must be greater than zero"))
    if action != "DoNotSchedule":
        errors.append(
            invalid(
                path,
                count,
                f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}",
            )
        )
    return errors
