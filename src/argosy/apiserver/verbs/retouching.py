"""The short way of small patches: of an object's status, or of its metadata.

Most writes of a busy cluster are such patches: nodes report what pods do, controllers take finalizers away. `retouch`
makes the same object of them as `amending` does, without reading what the patch leaves alone:

* Only the fields the patch names are decoded. What is stored has its schema's form already, and fields are decoded
  one by one, so this is `amending`'s decoding without its identities.
* Lists in a status are replaced as a whole. But for the IDs of containers they are byte-equal for many objects within
  one second (conditions, the statuses of containers), and their decoded form is remembered.
* A patch of the status cannot change the rest: it is put back before anybody looks (`updating`), so its defaults are
  not filled in. A patch of metadata gets them, as always.
* A patch of the status may name the uid and the revision it means, which is how nodes report: the uid has to be the
  object's (any other goes the long way), the revision is held against the current one as always.

Custom objects take it with merge patches in their storage version, if what is left alone is known to be in order
(`sparing`).

Whatever is unusual (a patch that cannot be applied or decoded, has unknown fields or keys given twice, touches more,
removes something that may be printed when empty) gives None and goes the long way, which has the words for it. That
both ways end in the same bytes is checked by tests/unit/apiserver/test_retouching.py
and, for custom kinds, test_sparing.py.
"""

from __future__ import annotations

from typing import Final

import msgspec

from argosy.api.patches.json_patch import MEMBERS, apply_json_patch
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.api.schema.bodies import duplicates, parse_json
from argosy.api.schema.decoding import decode
from argosy.api.schema.syntax import Malformed
from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.encoding import Opened
from argosy.apiserver.remembering import Memory
from argosy.apiserver.verbs import sparing
from argosy.apiserver.verbs.amending import PatchType
from argosy.base.errors import StatusError
from argosy.base.types import Json, Object
from argosy.store import Record

_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder().decode
# Kinds whose defaults of a status do not look at the spec, and whose other defaults can do with an empty one.
_SPEC_APART: Final = frozenset({"pods"})
_DEFINITIONS: Final = "customresourcedefinitions.apiextensions.k8s.io"
# Stands for the ID of a container in what is remembered; JSON never has such bytes.
_ANY: Final = b"\0%d\0"
_TOUCHED: Final = {"status": "status", "": "metadata"}


def retouch(
    cluster: Cluster, call: Call, current: Record, body: bytes, kind: PatchType, *, encoded: bool
) -> tuple[Object, Opened] | None:
    """The object after the patch, without managedFields, and what it was before; None where only the long way will do.

    `encoded`: the body comes from an encoder, which writes no key twice.
    """
    served, part = call.served, _TOUCHED.get(call.subresource)
    custom = call.kind.custom
    if (
        part is None or (not custom and len(call.kind.versions) > 1) or served.to_storage is not None
        or (custom and (kind is not PatchType.MERGE or not sparing.can_spare(call)))
        # The server writes their statuses with every change, and owns them.
        or call.kind.resource == _DEFINITIONS
        or "status" not in served.subresources or kind not in {PatchType.MERGE, PatchType.JSON}
        # Validation has something to say about such a writer.
        or not (call.manager.isascii() and call.manager.isprintable())
    ):  # fmt: skip
        return None
    try:
        patch = parse_json(body)
    except Malformed:
        return None
    if not _stays_in(patch, part, kind) or (not encoded and duplicates(body, patch)):
        return None
    if served.respell is not None and served.respell(patch) != (patch, []):
        return None
    found = encoding.opened(call.kind, current.raw)
    before = found.obj.get(part, {} if custom else None)
    if not found.managed or not isinstance(before, dict):
        return None
    if custom and not sparing.spares(cluster.memory, call, found.obj):
        return None
    named: Object = {}
    if kind is PatchType.MERGE and part == "status" and "metadata" in patch:
        named = patch["metadata"]
        if named.get("uid", current.meta.uid) != current.meta.uid:
            return None
    try:
        if custom and part == "status":
            after = sparing.patched_status(call, found.obj, patch, body)
        elif kind is PatchType.MERGE:
            after = _merged(cluster.memory, call, before, patch[part], part)
        else:
            after = _operated(call, found.obj, patch, part)
    except StatusError:
        return None
    if after is None:
        return None
    new = _settled(call, found, after, part)
    if "resourceVersion" in named:
        new["metadata"]["resourceVersion"] = named["resourceVersion"]
    return new, found


def _stays_in(patch: Json, part: str, kind: PatchType) -> bool:
    """Whether a patch speaks of nothing but one part, and not of its owners."""
    if kind is PatchType.MERGE:
        return (
            isinstance(patch, dict)
            and (patch.keys() == {part} or (part == "status" and _is_named(patch)))
            and isinstance(patch[part], dict)
            and "managedFields" not in patch[part]
        )
    if not isinstance(patch, list) or not patch:
        return False
    for operation in patch:
        if not isinstance(operation, dict) or not operation.keys() <= MEMBERS:
            return False
        for member in ("path", "from"):
            path = operation.get(member, None if member == "path" else f"/{part}/")
            if not isinstance(path, str) or not path.startswith(f"/{part}/"):
                return False
            if path.startswith("/metadata/managedFields") or "~" in path.partition("/metadata/")[2]:
                return False
    return True


def _is_named(patch: Object) -> bool:
    """Whether a patch speaks of a status and says, in its metadata, no more than which object it means."""
    named = patch.get("metadata")
    return (
        patch.keys() == {"metadata", "status"}
        and isinstance(named, dict)
        and named.keys() <= {"uid", "resourceVersion"}
        and all(isinstance(value, str) and value for value in named.values())
    )


def _merged(memory: Memory, call: Call, before: Object, patch: Object, part: str) -> Object | None:
    """One part after a merge patch, decoded; None where there is something to say."""
    schema, is_status = call.served.schema.name, part == "status"
    merged = dict(before)
    # Fields to decode, with what they are remembered by, if they are.
    asked: dict[str, bytes] = {}
    deep: Object = {}
    for field, value in patch.items():
        if value is None:
            # The decoder may print it nevertheless.
            if is_status or field not in before:
                return None
            del merged[field]
            continue
        raw = b""
        if value.__class__ is list and before.get(field).__class__ is not dict:
            raw, personal = _impersonal(value)
            known = memory.lists.get((schema, field, raw)) if is_status else None
            if known is not None:
                for index, own in enumerate(personal):
                    known = known.replace(_ANY % index, own)
                merged[field] = _decode(known)
                continue
            if b"null" in raw:
                deep[field] = value
            else:
                merged[field] = value
        elif value.__class__ is dict or value.__class__ is list:
            deep[field] = value
        else:
            merged[field] = value
        asked[field] = raw
    if deep:
        merged = apply_merge_patch(merged, deep)
    fresh = {field: merged[field] for field in asked}
    if not _decodes(call, fresh, part):
        return None
    for field, raw in asked.items():
        if field not in fresh:
            del merged[field]
            continue
        merged[field] = fresh[field]
        if raw and is_status:
            memory.lists[schema, field, raw] = _impersonal(fresh[field])[0]
    return merged


def _impersonal(value: list[Json]) -> tuple[bytes, list[bytes]]:
    """The bytes of a list with placeholders for the IDs of containers, and these.

    An ID is a string that decoding copies: with its scheme (`containerd://`) it cannot be mistaken for a time or a
    quantity, wherever else it stands.
    """
    raw = _encode(value)
    personal: list[bytes] = []
    if b'"containerID":' in raw:
        for item in value:
            own = item.get("containerID") if item.__class__ is dict else None
            if own.__class__ is str and "://" in own:
                quoted = _encode(own)
                raw = raw.replace(quoted, _ANY % len(personal))
                personal.append(quoted)
    return raw, personal


def _operated(call: Call, obj: Object, patch: Json, part: str) -> Object | None:
    """One part after a JSON patch, decoded; None where there is something to say."""
    before = obj[part]
    patched: Json = apply_json_patch(obj, patch)
    after: Json = patched[part]
    if not isinstance(after, dict):
        return None
    if part == "status" and not before.keys() <= after.keys():
        return None
    touched = [field for field in after if after[field] is not before.get(field)]
    fresh = {field: after[field] for field in touched}
    if not _decodes(call, fresh, part):
        return None
    kept: Object = {field: value for field, value in after.items() if field not in touched}
    kept.update({field: fresh[field] for field in touched if field in fresh})
    return kept


def _decodes(call: Call, fresh: Object, part: str) -> bool:
    """Decode some fields of a part, in place; whether there was nothing to say.

    What the decoder fills in because it was not given is stored already, and not taken from here.
    """
    schema = call.served.schema.child(part)
    if schema is None:
        return False
    decoded = decode(schema, fresh)
    return decoded.problem is None and not decoded.unknown


def _settled(call: Call, found: Opened, after: Object, part: str) -> Object:
    """The patched object with its defaults. It shares no part with the old one that anybody writes into."""
    old, kind = found.obj, call.kind
    new: Object = {**old, part: after}
    if part == "metadata":
        for field, value in old.items():
            # The status is put back, so nobody writes into it.
            if field not in {"metadata", "status"} and value.__class__ in {dict, list}:
                new[field] = encoding.copied(value)
    else:
        new["metadata"] = dict(old["metadata"])
    default = kind.rules.default
    if default is None:
        return new
    if part == "metadata":
        default(new)
        return new
    spec: Json = {}
    if kind.resource not in _SPEC_APART:
        spec = encoding.copied(old.get("spec"))
    seen: Object = {**new, "spec": spec}
    default(seen)
    new["metadata"], new["status"] = seen["metadata"], seen["status"]
    return new
