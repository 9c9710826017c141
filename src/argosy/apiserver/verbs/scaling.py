"""The scale subresource: one number of a workload, seen and set as an autoscaling/v1 Scale."""

from __future__ import annotations

from dataclasses import replace as replace_fields
from functools import cache

from argosy.api.kinds import Kind, ScalePaths, Version
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.api.schema.builtin import builtin_schema
from argosy.apiserver import bodies, encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs import metadata, owning, storing, updating
from argosy.apiserver.verbs.amending import Amendment, PatchType
from argosy.base import fielderrors
from argosy.base.errors import Invalid
from argosy.base.selectors import labels
from argosy.base.types import Json, Object
from argosy.store import Record

TYPE = "io.k8s.api.autoscaling.v1.Scale"


def view(call: Call, obj: Object) -> Object:
    """The Scale of an object."""
    paths = _paths(call)
    meta, replicas = obj["metadata"], _read(obj, paths.spec_replicas)
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
        "spec": {"replicas": replicas} if replicas else {},
        "status": status,
    }


def get(cluster: Cluster, call: Call) -> Object:
    record = cluster.store.get(call.key)
    if record is None:
        raise call.not_found()
    return view(call, encoding.from_bytes(call.kind, record.raw))


async def replace(cluster: Cluster, call: Call, scale: Object) -> Object:
    """PUT of a Scale: only spec.replicas counts."""
    metadata.check_scope(call, scale)
    return await _set(cluster, call, scale, _current(cluster, call))


async def patch(cluster: Cluster, call: Call, body: bytes, kind: PatchType) -> Object:
    """Any patch, worked into the Scale as if it were an object of its own."""
    current = _current(cluster, call)
    before = view(call, encoding.from_bytes(call.kind, current.raw))
    as_scale = replace_fields(call, kind=_kind(), version="v1")
    if kind is PatchType.APPLY:
        config = bodies.accept(as_scale, bodies.read_apply(body)[0])
        metadata.check_scope(call, config)
        after = apply_merge_patch(before, config)
        return await _set(cluster, call, after, current, operation="Apply")
    record = Record(current.key, current.revision, encoding.to_bytes(before), current.meta)
    scale = Amendment(as_scale, record, body, kind).run()
    metadata.check_scope(call, scale)
    return await _set(cluster, call, scale, current)


def _current(cluster: Cluster, call: Call) -> Record:
    found = cluster.store.latest(call.key)
    if found is None:
        raise call.not_found()
    return found


async def _set(
    cluster: Cluster, call: Call, scale: Object, current: Record, *, operation: str = "Update"
) -> Object:
    storing.check_revision(call, scale["metadata"].get("resourceVersion", ""), current)
    replicas = (scale.get("spec") or {}).get("replicas", 0)
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
    owning.track_scale(call, new, path, changed=changed, operation=operation)
    record = await updating.change(cluster, call, new, old, current)
    return view(call, encoding.from_bytes(call.kind, record.raw))


@cache
def _kind() -> Kind:
    """Scale as a kind of its own, so that its bodies and patches are read like everybody's."""
    version = Version("v1", builtin_schema(TYPE))
    return Kind("autoscaling", "Scale", "scales", "scale", True, {"v1": version}, "v1")


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
