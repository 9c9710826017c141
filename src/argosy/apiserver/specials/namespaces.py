"""namespaces/finalize: the last word on a namespace's own finalizers, by whoever empties it."""

from __future__ import annotations

from argosy.api.rules.namespaces import validate_finalize
from argosy.apiserver import bodies, encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Request, Response
from argosy.apiserver.verbs import metadata, owning, storing
from argosy.base.errors import Invalid
from argosy.base.types import Object


async def finalize(cluster: Cluster, call: Call, request: Request) -> Response:
    wanted = bodies.read(call, request.body, request.header(b"content-type"))
    metadata.check_scope(call, wanted)
    current = cluster.store.latest(call.key)
    if current is None:
        raise call.not_found()
    storing.check_revision(call, wanted["metadata"].get("resourceVersion", ""), current)
    finalizers = (wanted.get("spec") or {}).get("finalizers") or []
    obj = await set_finalizers(cluster, call, finalizers)
    return Response(200, encoding.to_json(obj))


async def set_finalizers(cluster: Cluster, call: Call, finalizers: list[str]) -> Object:
    """Write spec.finalizers; a deleted namespace without any finalizer left goes."""
    current = cluster.store.latest(call.key)
    if current is None:
        raise call.not_found()
    obj = encoding.from_bytes(call.kind, current.raw)
    before = encoding.from_bytes(call.kind, current.raw)
    spec = obj.setdefault("spec", {})
    if finalizers:
        spec["finalizers"] = finalizers
    else:
        spec.pop("finalizers", None)
    problems = validate_finalize(obj, before)
    if problems:
        raise Invalid(call.kind.kind, call.name, problems)
    owning.track(cluster, call, obj, before)
    held = finalizers or obj["metadata"].get("finalizers")
    if obj["metadata"].get("deletionTimestamp") and not held:
        await storing.remove(cluster, call, obj, expect=current.revision)
    elif obj != before:
        await storing.store(cluster, call, obj, expect=current.revision)
    return obj
