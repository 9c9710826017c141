"""StorageObjectInUseProtection: claims and volumes that are in use stay until they are not.

Each gets a finalizer when it is created; housekeeping takes it away from one that is deleted once nothing uses it.
"""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster
from argosy.base.types import Object

FINALIZERS: Final = {
    "persistentvolumeclaims": "kubernetes.io/pvc-protection",
    "persistentvolumes": "kubernetes.io/pv-protection",
}


class StorageObjectInUseProtection:
    """Claims and volumes only."""

    reads: ClassVar = NOTHING
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        finalizer = FINALIZERS.get(call.kind.resource)
        if finalizer is None or call.subresource or new is None or old is not None:
            return
        finalizers = new["metadata"].get("finalizers") or []
        if finalizer not in finalizers:
            new["metadata"]["finalizers"] = [*finalizers, finalizer]

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        """Nothing to check."""
