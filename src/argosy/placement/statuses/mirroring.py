"""The status of a ClusterResourcePlacement where people of its namespace can read it.

A placement that says NamespaceAccessible selects exactly one Namespace and must not change to another one: a
ClusterResourcePlacementStatus of its name is kept there. The placement says of itself whether that worked; the copy
does not.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final

import msgspec

from argosy.api.objects.conditions import with_condition, without_conditions
from argosy.api.objects.fleet.placements import (
    NAMESPACE_ACCESSIBLE,
    ClusterResourcePlacementStatus,
    Placement,
    PlacementStatus,
    ResourceIdentifier,
    ResourceSelectorTerm,
)
from argosy.api.objects.fleet.snapshots import SCHEDULED
from argosy.api.objects.metadata import Condition
from argosy.base.errors import StatusError
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import CLUSTER_RESOURCE_PLACEMENT_STATUSES, NAMESPACES
from argosy.control.assemblies import Assembly
from argosy.placement.scopes import CLUSTER, scope_of
from argosy.placement.snapshotting.plans import owned
from argosy.placement.statuses.documents import status_document
from argosy.placement.statuses.wordings import FALSE, INVALID_SELECTORS, TRUE
from argosy.placement.views import MANAGER

_SYNCED: Final = CLUSTER.condition("StatusSynced")
# What a patch has to take away where a status says nothing.
_NOTHING: Final[Object] = {
    "selectedResources": None,
    "observedResourceIndex": None,
    "placementStatuses": None,
    "conditions": None,
}


def is_mirrored(placement: Placement) -> bool:
    return (
        not placement.metadata.namespace
        and placement.spec.status_reporting_scope == NAMESPACE_ACCESSIBLE
    )


def home_of(placement: Placement) -> str:
    """The namespace that the copy belongs into; "" if no selector names one."""
    return next(
        (each.name for each in placement.spec.resource_selectors if _is_namespace(each)), ""
    )


def mismatch(placement: Placement) -> str:
    """Why the selectors do not name the one namespace they named from the beginning; "" if they do."""
    home = home_of(placement)
    if not home:
        return (
            "NamespaceAccessible ClusterResourcePlacement doesn't specify a resource selector which selects a"
            " namespace"
        )
    first = next(
        (each.name for each in placement.status.selected_resources if _is_namespace(each)), home
    )
    if first == home:
        return ""
    return (
        f"namespace resource selector is choosing a different namespace '{home}' from what was originally picked"
        f" '{first}'. This is not allowed for NamespaceAccessible ClusterResourcePlacement"
    )


def with_invalid_selectors(placement: Placement, message: str, now: datetime) -> PlacementStatus:
    """The status of a placement of either kind that cannot be scheduled before its user changes it."""
    scope = scope_of(placement.metadata.namespace)
    said = Condition(
        scope.condition(SCHEDULED), FALSE, INVALID_SELECTORS, message, placement.metadata.generation
    )
    old = placement.status
    return msgspec.structs.replace(old, conditions=with_condition(old.conditions, said, now))


def mirrored(status: PlacementStatus) -> PlacementStatus:
    """What the copy says."""
    conditions = without_conditions(status.conditions, [_SYNCED])
    return msgspec.structs.replace(status, conditions=conditions)


def with_synced(
    placement: Placement, status: PlacementStatus, failure: StatusError | None, now: datetime
) -> PlacementStatus:
    """A status that tells of its copy."""
    if failure is None:
        message = (
            "Successfully created or updated ClusterResourcePlacementStatus in namespace"
            f" '{home_of(placement)}'"
        )
        outcome = (TRUE, "StatusSyncSucceeded", message)
    else:
        message = (
            "Failed to create or update ClusterResourcePlacementStatus: error returned by the API server: failed to"
            f" create or update ClusterResourcePlacementStatus: {failure}"
        )
        outcome = (FALSE, "StatusSyncFailed", message)
    said = Condition(_SYNCED, *outcome, placement.metadata.generation)
    return msgspec.structs.replace(status, conditions=with_condition(status.conditions, said, now))


class Mirrors:
    """Keeps the copies. `lost` hears of a placement whose copy somebody removed."""

    def __init__(self, assembly: Assembly, lost: Callable[[Key], None]) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._lost = lost
        self._copies = assembly.informer(
            CLUSTER_RESOURCE_PLACEMENT_STATUSES, ClusterResourcePlacementStatus
        )
        self._copies.add_handler(self._changed)

    def _changed(
        self,
        old: ClusterResourcePlacementStatus | None,
        new: ClusterResourcePlacementStatus | None,
    ) -> None:
        if old is not None and (new is None or new.source_status != old.source_status):
            self._lost(Key("", old.metadata.name))

    async def keep(self, placement: Placement, status: PlacementStatus) -> StatusError | None:
        """Have the copy tell a status; returns why that was refused, if it was."""
        try:
            await self._write(placement, mirrored(status))
        except StatusError as error:
            return error
        return None

    async def _write(self, placement: Placement, status: PlacementStatus) -> None:
        name, home = placement.metadata.name, home_of(placement)
        known = self._copies.get(home, name)
        if known is not None and known.source_status == status:
            return
        document: Object = {
            "sourceStatus": status_document(status),
            "lastUpdatedTime": format_time(self._clock.now()),
        }
        if known is None:
            meta = owned(placement, name)
            raw = await self._client.create(
                CLUSTER_RESOURCE_PLACEMENT_STATUSES,
                {"metadata": meta, **document},
                namespace=home,
                field_manager=MANAGER,
            )
        else:
            patch = {**document, "sourceStatus": {**_NOTHING, **document["sourceStatus"]}}
            raw = await self._client.patch(
                CLUSTER_RESOURCE_PLACEMENT_STATUSES,
                name,
                patch,
                namespace=home,
                field_manager=MANAGER,
            )
        self._copies.learn(raw)


def _is_namespace(named: ResourceSelectorTerm | ResourceIdentifier) -> bool:
    return (named.group, named.version, named.kind) == ("", NAMESPACES.version, NAMESPACES.kind)
