"""CSIStorageCapacities: how much space a class has in one part of the cluster. Which class and part never changes."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.controllers import printed_selector
from argosy.api.rules.labels import validate_label_selector
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.nodelabels import DEPRECATED_NODE_LABELS
from argosy.api.rules.pods.resources import quantity
from argosy.api.rules.wording import IMMUTABLE, NOT_NEGATIVE
from argosy.base.fielderrors import FieldError, invalid
from argosy.base.types import Object


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    errors += validate_label_selector(obj.get("nodeTopology"), "nodeTopology")
    name, capacity = obj.get("storageClassName", ""), obj.get("capacity")
    errors += [invalid("storageClassName", name, text) for text in is_dns1123_subdomain(name)]
    if capacity is not None and quantity(capacity).sign < 0:
        errors.append(invalid("capacity", str(quantity(capacity)), NOT_NEGATIVE))
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = _validate(new) + validate_metadata_update(new, old)
    topology, name = new.get("nodeTopology"), new.get("storageClassName", "")
    if topology != old.get("nodeTopology"):
        errors.append(invalid("nodeTopology", printed_selector(topology), IMMUTABLE))
    if name != old.get("storageClassName", ""):
        errors.append(invalid("storageClassName", name, IMMUTABLE))
    return errors


def _warn(new: Object, _old: Object | None) -> list[str]:
    topology: Object = new.get("nodeTopology") or {}
    warnings = [
        f"nodeTopology.matchExpressions[{index}].key: {key} is {text}"
        for index, expression in enumerate(topology.get("matchExpressions") or ())
        if (text := DEPRECATED_NODE_LABELS.get(key := expression.get("key", "")))
    ]
    warnings += [
        f"nodeTopology.matchLabels.{label}: {text}"
        for label in topology.get("matchLabels") or ()
        if (text := DEPRECATED_NODE_LABELS.get(label))
    ]
    return warnings


CSI_STORAGE_CAPACITY: Final = Rules(
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warn,
    name_problems=is_dns1123_subdomain,
    unconditional_update=False,
    tracks_generation=False,
)
