"""Small patches of custom objects: what they leave alone is spared decoding and validation (`api.crds.parts`).

Controllers of custom kinds write statuses, and finalizers now and then, of objects whose content hardly ever changes.
What `retouching` takes for granted of built-in kinds has to be known of each custom object: a schema may have changed
since it was stored. That its content is steady is found out once, and known until the content or the CRD changes.
"""

from __future__ import annotations

from argosy.api.crds import (
    content_bytes,
    is_apart,
    is_known_status,
    is_steady,
    rules_let_stay,
    settle_status,
)
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.remembering import Memory
from argosy.base.types import Object


def can_spare(call: Call) -> bool:
    """Whether objects of the call's kind are stored as the call speaks, and judged part by part."""
    return call.version == call.kind.storage_version and is_apart(call.served.schema)


def spares(memory: Memory, call: Call, obj: Object) -> bool:
    """Whether a patch of the status or of metadata has nothing to say about the rest of a stored object."""
    key = memory.steady_key(call.kind, obj)
    if key not in memory.steadies:
        if not is_steady(call.served, obj):
            return False
        memory.steadies[key] = True
    # A patch of the status is told about all of it anyway.
    return bool(call.subresource) or is_known_status(call.served, obj)


def decoded_content(call: Call, obj: Object) -> bytes:
    """The content of a new object as its schema has left it; b"" where it will not be asked for."""
    if not call.kind.custom or not can_spare(call):
        return b""
    return content_bytes(obj)


def note_new(memory: Memory, call: Call, obj: Object, decoded: bytes) -> None:
    """A new object was found good. Its content is steady if admission has left it alone."""
    if decoded and content_bytes(obj) == decoded and rules_let_stay(call.served, obj):
        memory.steadies[memory.steady_key(call.kind, obj)] = True


def patched_status(call: Call, obj: Object, patch: Object, body: bytes) -> Object | None:
    """The status after a merge patch, decoded; None where there is something to say."""
    before, said = obj.get("status"), patch["status"]
    if before is None and b"null" not in body:
        # All of it is new, and nobody else's.
        after: Object = said
    else:
        held: Object = {"status": before} if "status" in obj else {}
        after = encoding.copied(apply_merge_patch(held, {"status": said})["status"])
    return after if settle_status(call.served, after) else None
