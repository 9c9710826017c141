"""Storage classes: the one a cluster has from its start, and which one is the default."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final

from argosy.api.objects.storage import StorageClass
from argosy.base.types import Object

# The provisioner of this package.
LOCAL: Final = "argosy.dev/local"
# Only for volumes that somebody makes by hand.
IN_TREE: Final = "kubernetes.io/"
_DEFAULT: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def standard_class() -> Object:
    """The default class of an embedded cluster: folders on the machine that runs the pod."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "standard", "annotations": {_DEFAULT[0]: "true"}},
        "provisioner": LOCAL,
        "reclaimPolicy": "Delete",
        "volumeBindingMode": "WaitForFirstConsumer",
    }


def default_class(classes: Iterable[StorageClass]) -> StorageClass | None:
    """The class for claims that name none: of several the newest, then the first by name."""
    found = [
        one
        for one in classes
        if any(one.metadata.annotations.get(name) == "true" for name in _DEFAULT)
    ]
    return min(found, key=_rank, default=None)


def _rank(one: StorageClass) -> tuple[float, str]:
    return -(one.metadata.creation_timestamp or _EPOCH).timestamp(), one.metadata.name
