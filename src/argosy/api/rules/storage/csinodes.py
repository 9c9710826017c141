"""CSINodes: the drivers on one node, and what each calls it.

A driver's entry never changes while it is there, except for how many volumes the node can take. Updates are checked by
both of upstream's functions, so every cause of a rejected one comes twice.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import validate_metadata
from argosy.api.rules.names import is_dns1123_subdomain, is_qualified_name
from argosy.api.rules.pods.volumes import validate_csi_driver_name
from argosy.api.rules.wording import IMMUTABLE, NOT_NEGATIVE, printed
from argosy.base.fielderrors import FieldError, duplicate, invalid, required
from argosy.base.types import Object

_NODE_ID_LIMIT: Final = 256


def _drivers(obj: Object) -> list[Object]:
    return (obj.get("spec") or {}).get("drivers") or []


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, False, is_dns1123_subdomain)
    seen: set[str] = set()
    for index, driver in enumerate(_drivers(obj)):
        path, name = f"spec.drivers[{index}]", driver.get("name", "")
        errors += validate_csi_driver_name(name, f"{path}.name")
        errors += _validate_node_id(driver.get("nodeID", ""), f"{path}.nodeID")
        count = (driver.get("allocatable") or {}).get("count")
        if count is not None and count < 0:
            errors.append(invalid(f"{path}.allocatable.count", count, NOT_NEGATIVE))
        if name in seen:
            errors.append(duplicate(f"{path}.name", name))
        seen.add(name)
        errors += _validate_topology_keys(driver.get("topologyKeys") or [], path)
    return errors


def _validate_node_id(node_id: str, path: str) -> list[FieldError]:
    if not node_id:
        return [required(path)]
    if len(node_id.encode()) > _NODE_ID_LIMIT:
        return [invalid(path, node_id, f"must be {_NODE_ID_LIMIT} characters or less")]
    return []


def _validate_topology_keys(keys: list[str], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    seen: set[str] = set()
    for key in keys:
        if not key:
            errors.append(required(path))
        if key in seen:
            errors.append(duplicate(path, key))
        seen.add(key)
        errors += [invalid(path, key, text) for text in is_qualified_name(key)]
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = _validate(new) + _validate(new)
    for before in _drivers(old):
        for driver in _drivers(new):
            same_name = driver.get("name") == before.get("name")
            if same_name and _settled(driver) != _settled(before):
                errors.append(invalid("spec.drivers", printed(_settled(driver)), IMMUTABLE))
    return errors


def _settled(driver: Object) -> Object:
    """What of a driver's entry may not change, as upstream's internal struct prints."""
    return {
        "Name": driver.get("name", ""),
        "NodeID": driver.get("nodeID", ""),
        "TopologyKeys": driver.get("topologyKeys") or None,
        "Allocatable": None,
    }


CSI_NODE: Final = Rules(
    validate=_validate,
    validate_update=_validate_update,
    name_problems=is_dns1123_subdomain,
    unconditional_update=False,
    tracks_generation=False,
)
