"""patch: JSON patch, merge patch, strategic merge patch, and server-side apply.

The result of a patch takes the same way as an update. No other write comes between reading and writing, so a patch
never conflicts unless it names a resourceVersion itself.
"""

from __future__ import annotations

from collections.abc import Awaitable

from argosy.apiserver import bodies, encoding, options
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs import (
    creating,
    metadata,
    owning,
    repeating,
    retouching,
    storing,
    updating,
)
from argosy.apiserver.verbs.amending import Amendment, PatchType
from argosy.base.errors import BadRequest, UnsupportedMediaType
from argosy.base.types import Object
from argosy.store import Record

__all__ = ["PatchType", "apply", "patch", "patch_types"]


def patch_types(call: Call) -> list[str]:
    """The media types a kind takes."""
    types = [PatchType.JSON, PatchType.MERGE, PatchType.APPLY]
    if not call.kind.custom:
        types.insert(2, PatchType.STRATEGIC)
    return [str(kind) for kind in types]


async def patch(
    cluster: Cluster, call: Call, body: bytes, kind: PatchType, *, encoded: bool = False
) -> tuple[Record, bool]:
    """The flag says whether the object is new (apply only). `encoded`: the body comes from an encoder."""
    pending, created = _patched(cluster, call, body, kind, encoded=encoded)
    return await pending, created


def _patched(
    cluster: Cluster, call: Call, body: bytes, kind: PatchType, *, encoded: bool
) -> tuple[Awaitable[Record], bool]:
    if str(kind) not in patch_types(call):
        raise UnsupportedMediaType(
            "the body of the request was in an unknown format - accepted media types include: "
            + ", ".join(patch_types(call))
        )
    if kind is PatchType.APPLY:
        config, repeated = bodies.read_apply(body, encoded=encoded)
        return _applied(cluster, call, config, repeated)
    current = cluster.store.latest(call.key)
    if current is None:
        raise call.not_found()
    repeat = repeating.repeat(cluster, call, current, body, kind) if encoded else None
    if repeat is None:
        return _amended(cluster, call, current, body, kind, encoded=encoded), False
    if repeat.known is not None:
        return repeat.store(cluster, repeat.known), False
    pending = _amended(cluster, call, current, body, kind, encoded=encoded)
    repeat.learn(cluster)
    return pending, False


def _amended(
    cluster: Cluster, call: Call, current: Record, body: bytes, kind: PatchType, *, encoded: bool
) -> Awaitable[Record]:
    """The short way where it will do, else the long one."""
    touched = retouching.retouch(cluster, call, current, body, kind, encoded=encoded)
    if touched is not None:
        new, before = touched
        metadata.check_scope(call, new)
        storing.check_revision(call, new["metadata"].get("resourceVersion", ""), current)
        if owning.track_opened(cluster, call, new, before.obj, before.managed):
            return updating.change(cluster, call, new, before.obj, current)
    new = Amendment(call, current, body, kind).run()
    metadata.check_scope(call, new)
    storing.check_revision(call, new["metadata"].get("resourceVersion", ""), current)
    old = encoding.from_bytes(call.kind, current.raw)
    owning.track(cluster, call, new, old)
    return updating.change(cluster, call, new, old, current)


async def apply(
    cluster: Cluster, call: Call, config: Object, repeated: list[str] | None = None
) -> tuple[Record, bool]:
    """Server-side apply of a configuration; `repeated` has a line for each key it gives twice."""
    pending, created = _applied(cluster, call, config, repeated or [])
    return await pending, created


def _applied(
    cluster: Cluster, call: Call, config: Object, repeated: list[str]
) -> tuple[Awaitable[Record], bool]:
    if not call.options.field_manager:
        raise options.manager_required()
    config = bodies.respelled(call, config)
    current = cluster.store.latest(call.key)
    live = None
    if current is not None:
        live = bodies.to_version(call, encoding.from_bytes(call.kind, current.raw))
    elif call.subresource:
        raise call.not_found()
    merged = owning.applied(cluster, call, live, config)
    _say_repeated(call, repeated)
    new = bodies.accept(call, merged)
    uid = new["metadata"].get("uid")
    if current is None and uid:
        raise call.conflict(
            f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        )
    metadata.check_scope(call, new)
    if current is None:
        return creating.insert(cluster, call, new), True
    storing.check_revision(call, new["metadata"].get("resourceVersion", ""), current)
    old = encoding.from_bytes(call.kind, current.raw)
    return updating.change(cluster, call, new, old, current), False


def _say_repeated(call: Call, repeated: list[str]) -> None:
    if repeated and call.options.field_validation == "Strict":
        lines = "\n".join(f"  {line}" for line in repeated)
        raise BadRequest(
            "error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n"
            + lines
        )
    if call.options.field_validation == "Warn":
        call.warnings += repeated
