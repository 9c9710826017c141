"""What the server itself does to metadata, the same for every kind.

On create it gives identity (name from generateName, uid, creationTimestamp, generation 1) and takes away what
clients may not set. On update it puts back what clients may not
change, so that an old or partial copy of metadata can do no harm.
"""

from __future__ import annotations

from typing import Final

from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.base.errors import BadRequest
from argosy.base.types import Object

# Kubernetes cuts the given prefix so that prefix and suffix fit into 63 characters.
MAX_PREFIX: Final = 58

_OTHER_NAMESPACE: Final = (
    "the namespace of the provided object does not match the namespace sent on the request"
)
_SERVER_OWNED: Final = (
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "selfLink",
    "resourceVersion",
)
_CARRIED: Final = (
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
)


def check_scope(call: Call, obj: Object) -> None:
    """Namespace and name of the body must agree with those of the path."""
    metadata = obj.setdefault("metadata", {})
    if call.kind.namespaced:
        given = metadata.setdefault("namespace", call.namespace)
        if given != call.namespace:
            raise BadRequest(_OTHER_NAMESPACE)
    elif metadata.pop("namespace", ""):
        raise BadRequest(_OTHER_NAMESPACE)
    if call.name and call.verb != "create":
        given = metadata.setdefault("name", call.name) or call.name
        if given != call.name:
            raise BadRequest(
                f"the name of the object ({given}) does not match the name on the URL ({call.name})"
            )


def identify(cluster: Cluster, call: Call, obj: Object) -> None:
    """Identity of a new object."""
    metadata = obj["metadata"]
    for field in _SERVER_OWNED:
        metadata.pop(field, None)
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = metadata["generateName"][:MAX_PREFIX] + cluster.ids.suffix()
    metadata["uid"] = cluster.ids.uid()
    metadata["creationTimestamp"] = cluster.now()
    if call.kind.rules.tracks_generation:
        metadata["generation"] = 1
    else:
        metadata.pop("generation", None)
    dedupe_owners(call, metadata)


def carry_over(call: Call, new: Object, old: Object) -> None:
    """Put back what an update may not change, and check the uid as a precondition."""
    metadata, before = new["metadata"], old["metadata"]
    given = metadata.get("uid")
    if given and given != before.get("uid"):
        raise call.conflict(
            f"Precondition failed: UID in precondition: {given}, UID in object meta: {before.get('uid', '')}"
        )
    for field in _CARRIED:
        if field in before:
            metadata[field] = before[field]
        else:
            metadata.pop(field, None)
    if not metadata.get("generateName") and "generateName" in before:
        metadata["generateName"] = before["generateName"]
    metadata.pop("selfLink", None)
    dedupe_owners(call, metadata)


def count_generation(call: Call, new: Object, old: Object) -> None:
    """generation + 1 when the wish (everything but metadata and status) has changed."""
    if not call.kind.rules.tracks_generation or call.subresource == "status":
        return
    if any(new.get(k) != old.get(k) for k in (new.keys() | old.keys()) - {"metadata", "status"}):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1


def dedupe_owners(call: Call, metadata: Object) -> None:
    owners = metadata.get("ownerReferences")
    if not owners or len(owners) < 2:
        return
    unique: dict[object, Object] = {}
    for owner in owners:
        unique.setdefault(tuple(sorted(owner.items(), key=lambda item: item[0])), owner)
    if len(unique) < len(owners):
        metadata["ownerReferences"] = list(unique.values())
        call.warn(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, "
            "and may reject such requests as early as 1.24; please fix your requests"
        )
