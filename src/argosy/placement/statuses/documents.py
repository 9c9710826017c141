"""A placement's status as JSON, and the smallest patch that makes it so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from argosy.api.objects.conditions import condition_documents
from argosy.api.objects.fleet.placements import PerClusterStatus, PlacementStatus
from argosy.base.types import Json, Object


def cluster_document(status: PerClusterStatus) -> Object:
    document: Object = msgspec.to_builtins(msgspec.structs.replace(status, conditions=()))
    if status.conditions:
        document["conditions"] = condition_documents(status.conditions)
    return document


_FIELDS: Final[dict[str, Callable[[PlacementStatus], Json]]] = {
    "selectedResources": lambda status: msgspec.to_builtins(status.selected_resources),
    "observedResourceIndex": lambda status: status.observed_resource_index,
    "placementStatuses": lambda status: [
        cluster_document(each) for each in status.placement_statuses
    ],
    "conditions": lambda status: condition_documents(status.conditions),
}
_ATTRIBUTES: Final = (
    "selected_resources",
    "observed_resource_index",
    "placement_statuses",
    "conditions",
)


def status_document(status: PlacementStatus) -> Object:
    """The whole status; what is empty is left out."""
    found = {name: document(status) for name, document in _FIELDS.items()}
    return {name: value for name, value in found.items() if value}


def status_patch(old: PlacementStatus, new: PlacementStatus) -> Object:
    """What to merge into the status; nothing if it is as it should be."""
    return {
        name: document(new) or None
        for (name, document), attribute in zip(_FIELDS.items(), _ATTRIBUTES, strict=True)
        if getattr(old, attribute) != getattr(new, attribute)
    }
