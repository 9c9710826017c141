"""The scale subresource: one number of a workload, seen and set as an autoscaling/v1 Scale."""

from __future__ import annotations

from argosy.api.kinds import ScalePaths
from argosy.api.patches.json_patch import apply_json_patch
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.apiserver import bodies, encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs import owning, storing, updating
from argosy.apiserver.verbs.patching import PatchType
from argosy.base import fielderrors
from argosy.base.errors import BadRequest, Invalid, UnsupportedMediaType
from argosy.base.selectors import labels
from argosy.base.types import Json, Object
from argosy.store import Record

TYPE = "io.k8s.api.autoscaling.v1.Scale"


def view(call: Call, obj: Object) -> Object:
    """The Scale of an object."""
    paths = _paths(call)
    meta = obj["metadata"]
    shown = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    status: Object = {"replicas": _read(obj, paths.status_replicas) or 0}
    selector = _read(obj, paths.label_selector) if paths.label_selector else None
    if isinstance(selector, dict):
        selector = str(labels.from_object(selector))
    if selector:
        status["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {key: meta[key] for key in shown if key in meta},
        "spec": {"replicas": _read(obj, paths.spec_replicas) or 0},
        "status": status,
    }


def get(cluster: Cluster, call: Call) -> Object:
    record = cluster.store.get(call.key)
    if record is None:
        raise call.not_found()
    return view(call, encoding.from_bytes(call.kind, record.raw))


async def replace(cluster: Cluster, call: Call, scale: Object) -> Object:
    """PUT of a Scale: only spec.replicas counts."""
    current = cluster.store.latest(call.key)
    if current is None:
        raise call.not_found()
    return await _set(cluster, call, scale, current)


async def patch(cluster: Cluster, call: Call, body: bytes, kind: PatchType) -> Object:
    current = cluster.store.latest(call.key)
    if current is None:
        raise call.not_found()
    before = view(call, encoding.from_bytes(call.kind, current.raw))
    change = bodies.read_patch(body)
    match kind:
        case PatchType.JSON:
            after: Json = apply_json_patch(before, change)
        case PatchType.MERGE | PatchType.STRATEGIC:
            after = apply_merge_patch(before, change)
        case _:
            raise UnsupportedMediaType(f"{kind} is not taken by the scale subresource")
    return await _set(cluster, call, after, current)


async def _set(cluster: Cluster, call: Call, scale: Json, current: Record) -> Object:
    if not isinstance(scale, dict) or not isinstance(scale.get("spec"), dict):
        raise BadRequest("expected input object type to be Scale")
    given = (scale.get("metadata") or {}).get("resourceVersion", "")
    storing.check_revision(call, given, current)
    replicas = scale["spec"].get("replicas", 0)
    if not isinstance(replicas, int) or isinstance(replicas, bool):
        raise BadRequest(
            f"spec.replicas must be an integer, got {fielderrors.print_value(replicas)}"
        )
    # The schema of a custom kind has its own words for it, beside whatever else is wrong.
    if replicas < 0 and not call.kind.custom:
        problem = fielderrors.invalid(
            "spec.replicas", replicas, "must be greater than or equal to 0"
        )
        raise Invalid("Scale", call.name, [problem], group="autoscaling")
    old = encoding.from_bytes(call.kind, current.raw)
    new = encoding.from_bytes(call.kind, current.raw)
    path = _paths(call).spec_replicas
    changed = _read(old, path) != replicas
    _write(new, path, replicas)
    owning.track_scale(call, new, path, changed=changed)
    record = await updating.change(cluster, call, new, old, current)
    return view(call, encoding.from_bytes(call.kind, record.raw))


def _paths(call: Call) -> ScalePaths:
    paths = call.served.scale
    assert paths is not None, "the route exists only for kinds with a scale"
    return paths


def _read(obj: Object, path: str) -> Json:
    value: Json = obj
    for part in path.lstrip(".").split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(part)
    return value


def _write(obj: Object, path: str, value: int) -> None:
    *parents, last = path.lstrip(".").split(".")
    for part in parents:
        obj = obj.setdefault(part, {})
    obj[last] = value
