"""PriorityClasses: a name for a number. The number and the preemption policy never change once given.

Numbers above one billion belong to the two classes the system makes itself, and names that begin with `system-` too.
Generation stays 1, whatever changes later.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import immutable, validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.wording import unsupported
from argosy.base.fielderrors import FieldError, forbidden, required
from argosy.base.types import Object

HIGHEST_USER_PRIORITY: Final = 1_000_000_000
SYSTEM_PREFIX: Final = "system-"
SYSTEM_CLASSES: Final = {
    "system-node-critical": 2 * HIGHEST_USER_PRIORITY + 1000,
    "system-cluster-critical": 2 * HIGHEST_USER_PRIORITY,
}
_PREEMPTION_POLICIES: Final = ("PreemptLowerPriority", "Never")


def _default(obj: Object) -> None:
    obj.setdefault("value", 0)
    if obj.get("preemptionPolicy") is None:
        obj["preemptionPolicy"] = "PreemptLowerPriority"


def _prepare_create(obj: Object) -> None:
    obj["metadata"]["generation"] = 1


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, False, is_dns1123_subdomain)
    name = (obj.get("metadata") or {}).get("name", "")
    if name.startswith(SYSTEM_PREFIX):
        if problem := _system_problem(name, obj):
            errors.append(
                forbidden(
                    "metadata.name",
                    f"priority class names with '{SYSTEM_PREFIX}' prefix are reserved for system use "
                    f"only. error: {problem}",
                )
            )
    elif obj.get("value", 0) > HIGHEST_USER_PRIORITY:
        detail = f"maximum allowed value of a user defined priority is {HIGHEST_USER_PRIORITY}"
        errors.append(forbidden("value", detail))
    policy = obj.get("preemptionPolicy")
    if policy is not None and policy not in _PREEMPTION_POLICIES:
        errors.append(
            unsupported("preemptionPolicy", policy, _PREEMPTION_POLICIES)
            if policy
            else required("preemptionPolicy")
        )
    return errors


def _system_problem(name: str, obj: Object) -> str:
    value = SYSTEM_CLASSES.get(name)
    if value is None:
        return f"{name} is not a known system priority class"
    if obj.get("value", 0) != value:
        return f"value of {name} PriorityClass must be {value}"
    if obj.get("globalDefault"):
        return f"globalDefault of {name} PriorityClass must be false"
    return ""


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    if new.get("value", 0) != old.get("value", 0):
        errors.append(forbidden("value", "may not be changed in an update."))
    errors += immutable(
        new.get("preemptionPolicy"), old.get("preemptionPolicy"), "preemptionPolicy"
    )
    return errors


RULES: Final[dict[str, Rules]] = {
    "PriorityClass": Rules(
        default=_default,
        prepare_create=_prepare_create,
        validate=_validate,
        validate_update=_validate_update,
        name_problems=is_dns1123_subdomain,
        tracks_generation=False,
    )
}
