"""What the server itself does to metadata, the same for every kind.

On create it gives identity (name from generateName, uid, creationTimestamp, generation 1) and takes away what
clients may not set. On update it puts back what clients may leave out, so that a partial copy of metadata can do no
harm.
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
# Resources that are kept under another name than their own.
_STORAGE_PREFIXES: Final = {
    "services": "services/specs",
    "endpoints": "services/endpoints",
    "nodes": "minions",
    "replicationcontrollers": "controllers",
    "ingresses.networking.k8s.io": "ingress",
}
_DUPLICATES: Final = (
    ".metadata.ownerReferences contains duplicate entries{}; API server dedups owner references in 1.20+, "
    "and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}"
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
        given = metadata.get("name")
        if not given:
            raise BadRequest(
                f"the name of the object ({call.name} based on URL) was undeterminable: name must be provided"
            )
        if given != call.name:
            raise BadRequest(
                f"the name of the object ({given}) does not match the name on the URL ({call.name})"
            )


def wipe(obj: Object) -> None:
    """Take away what only the server says of an object, before anybody owns it."""
    metadata = obj["metadata"]
    for field in (
        "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink",
    ):  # fmt: skip
        metadata.pop(field, None)


def identify(cluster: Cluster, call: Call, obj: Object) -> None:
    """Identity of a new object."""
    metadata = obj["metadata"]
    if not metadata.get("name") and metadata.get("generateName"):
        metadata["name"] = metadata["generateName"][:MAX_PREFIX] + cluster.ids.suffix()
    metadata["uid"] = cluster.ids.uid()
    metadata["creationTimestamp"] = cluster.now()
    if call.kind.rules.tracks_generation:
        metadata["generation"] = 1


def check_uid(call: Call, new: Object, old: Object) -> None:
    """The uid of a replacement is a precondition."""
    given, have = new["metadata"].get("uid"), old["metadata"].get("uid", "")
    if given and given != have:
        raise call.conflict(
            f"StorageError: invalid object, Code: 4, Key: {_storage_key(call)}, ResourceVersion: 0, "
            f"AdditionalErrorMsg: Precondition failed: UID in precondition: {given}, UID in object meta: {have}"
        )


def _storage_key(call: Call) -> str:
    """Where etcd would keep the object; upstream's messages show it."""
    kind = call.kind
    if kind.custom or kind.group == "apiextensions.k8s.io":
        prefix = f"{kind.group}/{kind.plural}"
    else:
        prefix = _STORAGE_PREFIXES.get(kind.resource, kind.plural)
    return "/".join(part for part in ("/registry", prefix, call.namespace, call.name) if part)


def carry_over(call: Call, new: Object, old: Object) -> None:
    """Put back what an update may leave out or is not asked about; changes of the rest are for validation."""
    metadata, before = new["metadata"], old["metadata"]
    for field in ("generation", "creationTimestamp"):
        if field in before:
            metadata[field] = before[field]
        else:
            metadata.pop(field, None)
    if before.get("deletionTimestamp"):
        metadata["deletionTimestamp"] = before["deletionTimestamp"]
    for field in ("uid", "deletionGracePeriodSeconds"):
        if field in before and not metadata.get(field):
            metadata[field] = before[field]
    metadata.pop("selfLink", None)


def count_generation(call: Call, new: Object, old: Object) -> None:
    """generation + 1 when the wish (everything but metadata and status) has changed."""
    if not call.kind.rules.tracks_generation or call.subresource == "status":
        return
    if any(new.get(k) != old.get(k) for k in (new.keys() | old.keys()) - {"metadata", "status"}):
        new["metadata"]["generation"] = old["metadata"].get("generation", 0) + 1


def dedupe_owners(call: Call, obj: Object, *, admitted: bool = False) -> None:
    """An owner counts once. Upstream looks before and after admission and says when it found the second."""
    owners = obj["metadata"].get("ownerReferences")
    if not owners or len(owners) < 2:
        return
    unique: list[Object] = []
    repeated: list[str] = []
    for owner in owners:
        if owner in unique:
            repeated.append(owner.get("uid", ""))
        else:
            unique.append(owner)
    if repeated:
        obj["metadata"]["ownerReferences"] = unique
        when = " after mutating admission happens" if admitted else ""
        call.warn(_DUPLICATES.format(when, ", ".join(repeated)))
