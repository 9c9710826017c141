"""patch: JSON patch, merge patch, strategic merge patch, and server-side apply.

A patch is worked into the object as the client sees it (its version), then the result takes the same way as an
update. No other write comes between reading and writing, so a patch never conflicts
unless it names a resourceVersion itself.
"""

from __future__ import annotations

from enum import StrEnum

from argosy.api.patches.json_patch import apply_json_patch
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.api.patches.strategic import apply_strategic_patch
from argosy.apiserver import bodies, encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs import creating, metadata, owning, storing, updating
from argosy.base import fielderrors
from argosy.base.errors import BadRequest, Invalid, UnsupportedMediaType
from argosy.base.types import Json, Object
from argosy.store import Record


class PatchType(StrEnum):
    """A patch's media type."""

    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    APPLY = "application/apply-patch+yaml"
    APPLY_CBOR = "application/apply-patch+cbor"


def patch_types(call: Call) -> list[str]:
    """The media types a kind takes."""
    types = [PatchType.JSON, PatchType.MERGE, PatchType.APPLY]
    if not call.kind.custom:
        types.insert(2, PatchType.STRATEGIC)
    return [str(kind) for kind in types]


async def patch(cluster: Cluster, call: Call, body: bytes, kind: PatchType) -> tuple[Record, bool]:
    """The flag says whether the object is new (apply only)."""
    if str(kind) not in patch_types(call):
        raise UnsupportedMediaType(
            "the body of the request was in an unknown format - accepted media types include: "
            + ", ".join(patch_types(call))
        )
    if kind is PatchType.APPLY:
        return await apply(cluster, call, bodies.read_apply(call, body))
    current = cluster.store.latest(call.key)
    if current is None:
        raise call.not_found()
    old = encoding.from_bytes(call.kind, current.raw)
    seen = bodies.to_version(call, encoding.from_bytes(call.kind, current.raw))
    patched = _patched(call, seen, bodies.read_patch(body), kind)
    if not isinstance(patched, dict):
        raise BadRequest("a patch must leave an object behind")
    new = _accepted(call, patched, seen)
    metadata.check_scope(call, new)
    storing.check_revision(call, new["metadata"].get("resourceVersion", ""), current)
    owning.track(cluster, call, new, old)
    return await updating.change(cluster, call, new, old, current), False


def _patched(call: Call, obj: Object, patch: Json, kind: PatchType) -> Json:
    match kind:
        case PatchType.JSON:
            return apply_json_patch(obj, patch)
        case PatchType.MERGE:
            return apply_merge_patch(obj, patch)
        case _:
            return apply_strategic_patch(call.served.schema, obj, patch)


def _accepted(call: Call, patched: Object, seen: Object) -> Object:
    """The result of a patch, checked as far as it differs: what was stored is in its schema's form already."""
    if call.served.to_storage is not None or call.kind.custom:
        return bodies.accept(call, patched)
    same = {
        field: value
        for field, value in patched.items()
        if value is seen.get(field) and field not in {"apiVersion", "kind"}
    }
    return bodies.accept(call, {k: v for k, v in patched.items() if k not in same}, stored=same)


async def apply(cluster: Cluster, call: Call, config: Object) -> tuple[Record, bool]:
    """Server-side apply of an already checked configuration."""
    if not call.options.field_manager:
        problem = fielderrors.required("fieldManager", "is required for apply patch")
        raise Invalid("PatchOptions", "", [problem], group="meta.k8s.io")
    metadata.check_scope(call, config)
    current = cluster.store.latest(call.key)
    live = None
    if current is not None:
        live = bodies.to_version(call, encoding.from_bytes(call.kind, current.raw))
        storing.check_revision(call, config["metadata"].get("resourceVersion", ""), current)
    elif call.subresource:
        raise call.not_found()
    new = bodies.accept(call, owning.applied(cluster, call, live, config))
    if current is None:
        return await creating.insert(cluster, call, new), True
    old = encoding.from_bytes(call.kind, current.raw)
    return await updating.change(cluster, call, new, old, current), False
