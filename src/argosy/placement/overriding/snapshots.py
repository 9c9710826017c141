"""What becomes of an override's snapshots when its spec is what it is.

Snapshots are numbered from 0. The newest holds the spec as it stands and is marked as latest, the older ones are not;
ten are kept. A new one is made before the old one loses its mark, so at no time is there none: whoever sees two takes
the newer one (`matching.latest`).

The hash is upstream's, to the byte, so that both agree on whether a spec is new. It is made of Go's JSON of the spec:
maps in order of their keys, and null for a patch without a value.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple

import msgspec

from argosy.api.gojson import go_json
from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.overrides import (
    ClusterResourceOverride,
    ClusterResourceOverrideSnapshot,
    ClusterResourceOverrideSpec,
    JsonPatchOverride,
    OverridePolicy,
    OverrideRule,
    ResourceOverride,
    ResourceOverrideSnapshot,
    ResourceOverrideSpec,
)
from argosy.api.objects.metadata import ObjectMeta
from argosy.base.types import Object
from argosy.client.resources import Resource
from argosy.placement.views import index_of

HISTORY_LIMIT: Final = 10
Override = ClusterResourceOverride | ResourceOverride
OverrideSnapshot = ClusterResourceOverrideSnapshot | ResourceOverrideSnapshot


class Steps(NamedTuple):
    """What to do, in this order; nothing of it if all is as it should be."""

    delete: tuple[ObjectMeta, ...] = ()
    # The index of a snapshot to make of the spec.
    create: int | None = None
    mark: tuple[ObjectMeta, ...] = ()
    unmark: tuple[ObjectMeta, ...] = ()


def steps(hash_: str, snapshots: Sequence[OverrideSnapshot]) -> Steps:
    """What makes the snapshots of an override fit a spec with this hash."""
    present = sorted(snapshots, key=_index)
    newest = present[-1] if present else None
    if newest is not None and newest.spec.override_hash == hash_:
        mark = () if _is_marked(newest) else (newest.metadata,)
        return Steps(mark=mark, unmark=_marked(present[:-1]))
    extra = max(0, len(present) - HISTORY_LIMIT + 1)
    return Steps(
        delete=tuple(each.metadata for each in present[:extra]),
        create=_index(newest) + 1 if newest is not None else 0,
        unmark=_marked(present[extra:]),
    )


def hash_of(spec: ClusterResourceOverrideSpec | ResourceOverrideSpec) -> str:
    """As it stands in `overrideHash`: base64 of the hexadecimal digest."""
    text = msgspec.json.encode(_explicit(spec), order="deterministic")
    digest = sha256(go_json(msgspec.Raw(text))).hexdigest()
    return b64encode(digest.encode()).decode()


def document(override: Override, resource: Resource, index: int, hash_: str) -> Object:
    """The snapshot of an override; `resource` is the override's."""
    meta = override.metadata
    made: Object = {
        "name": f"{meta.name}-{index}",
        "labels": {
            names.PARENT_OVERRIDE: meta.name,
            names.IS_LATEST: "true",
            names.OVERRIDE_INDEX: str(index),
        },
        "ownerReferences": [
            {
                "apiVersion": resource.api_version,
                "kind": resource.kind,
                "name": meta.name,
                "uid": meta.uid,
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    }
    if meta.namespace:
        made["namespace"] = meta.namespace
    return {"metadata": made, "spec": {"overrideSpec": override.spec, "overrideHash": hash_}}


def _explicit(
    spec: ClusterResourceOverrideSpec | ResourceOverrideSpec,
) -> ClusterResourceOverrideSpec | ResourceOverrideSpec:
    """The spec with every value of a patch written as Go writes it."""
    if spec.policy is None:
        return spec
    rules = tuple(_rule(each) for each in spec.policy.override_rules)
    return msgspec.structs.replace(spec, policy=OverridePolicy(rules))


def _rule(rule: OverrideRule) -> OverrideRule:
    return msgspec.structs.replace(
        rule, json_patch_overrides=tuple(_patch(each) for each in rule.json_patch_overrides)
    )


def _patch(patch: JsonPatchOverride) -> JsonPatchOverride:
    value = msgspec.json.decode(patch.value) if bytes(patch.value) else None
    text = msgspec.json.encode(value, order="deterministic")
    return msgspec.structs.replace(patch, value=msgspec.Raw(text))


def _is_marked(snapshot: OverrideSnapshot) -> bool:
    return snapshot.metadata.labels.get(names.IS_LATEST) == "true"


def _marked(snapshots: Sequence[OverrideSnapshot]) -> tuple[ObjectMeta, ...]:
    return tuple(each.metadata for each in snapshots if _is_marked(each))


def _index(snapshot: OverrideSnapshot) -> int:
    return index_of(snapshot, names.OVERRIDE_INDEX)
