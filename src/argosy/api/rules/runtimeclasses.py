"""RuntimeClasses: which handler of the node runs a pod, what it costs and where it is found.

The handler never changes, because nodes have pods that run by it.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.internals import internal
from argosy.api.rules.labels import validate_labels, validate_tolerations
from argosy.api.rules.metadata import (
    immutable,
    validate_generic_metadata,
    validate_generic_metadata_update,
)
from argosy.api.rules.names import is_dns1123_label, is_dns1123_subdomain
from argosy.api.rules.nodelabels import DEPRECATED_NODE_LABELS
from argosy.api.rules.pods.defaulting import round_up
from argosy.api.rules.pods.resources import validate_container_resources
from argosy.api.rules.wording import printed
from argosy.base.fielderrors import FieldError, duplicate, invalid
from argosy.base.types import Object

_TOLERATION_KEY: Final = ("key", "operator", "value", "effect")


def _default(obj: Object) -> None:
    if fixed := (obj.get("overhead") or {}).get("podFixed"):
        round_up(fixed)


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_generic_metadata(obj, False, is_dns1123_subdomain)
    handler = obj.get("handler", "")
    errors += [invalid("handler", handler, text) for text in is_dns1123_label(handler)]
    if (overhead := obj.get("overhead")) is not None:
        limits: Object = {"limits": overhead.get("podFixed") or {}}
        errors += validate_container_resources(limits, (), "overhead")
    if (scheduling := obj.get("scheduling")) is not None:
        errors += validate_labels(scheduling.get("nodeSelector"), "scheduling.nodeSelector")
        errors += _validate_tolerations(scheduling.get("tolerations") or [])
    return errors


def _validate_tolerations(tolerations: list[Object]) -> list[FieldError]:
    path = "scheduling.tolerations"
    errors = validate_tolerations(tolerations, path)
    seen: set[tuple[str, ...]] = set()
    for index, toleration in enumerate(tolerations):
        key = tuple(toleration.get(field, "") for field in _TOLERATION_KEY)
        if key in seen:
            shown = printed(internal("Toleration", toleration))
            errors.append(duplicate(f"{path}[{index}]", shown))
        seen.add(key)
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = _validate(new) + validate_generic_metadata_update(new, old)
    return errors + immutable(new.get("handler"), old.get("handler"), "handler")


def _warn(new: Object, _old: Object | None) -> list[str]:
    selector = (new.get("scheduling") or {}).get("nodeSelector") or {}
    return [
        f"scheduling.nodeSelector: {text}"
        for key in selector
        if (text := DEPRECATED_NODE_LABELS.get(key))
    ]


RULES: Final[dict[str, Rules]] = {
    "RuntimeClass": Rules(
        default=_default,
        validate=_validate,
        validate_update=_validate_update,
        warnings=_warn,
        name_problems=is_dns1123_subdomain,
        create_on_update=True,
        unconditional_update=False,
        tracks_generation=False,
    )
}
