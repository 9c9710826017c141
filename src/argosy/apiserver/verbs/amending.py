"""What a JSON, merge or strategic merge patch makes of an object, accepted as a body would be.

A patch is worked into the object as its client sees it, in the client's version. Only the parts that differ are
decoded: what was stored has its schema's form already. A result that cannot be decoded is a 422 that prints the whole
document (or, for a strategic merge patch, the patch), so it is made a second time then: decoding works in place.
"""

from __future__ import annotations

from enum import StrEnum

from argosy.api.patches.documents import document_text
from argosy.api.patches.json_patch import MEMBERS, apply_json_patch
from argosy.api.patches.merge_patch import apply_merge_patch
from argosy.api.patches.strategic import apply_strategic_patch
from argosy.api.schema.bodies import duplicates, strict_problem, strict_texts
from argosy.apiserver import bodies, encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.typemeta import unreadable_type, wrong_type
from argosy.base.errors import Invalid
from argosy.base.fielderrors import invalid
from argosy.base.gotext import print_plain
from argosy.base.types import Json, Object
from argosy.store import Record


class PatchType(StrEnum):
    """A patch's media type."""

    JSON = "application/json-patch+json"
    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    APPLY = "application/apply-patch+yaml"
    APPLY_CBOR = "application/apply-patch+cbor"


class Amendment:
    """One patch of one stored object."""

    def __init__(self, call: Call, current: Record, body: bytes, kind: PatchType) -> None:
        self._call = call
        self._current = current
        self._body = body
        self._kind = kind

    def run(self) -> Object:
        """The object after the patch, in the storage version, with defaults."""
        call = self._call
        seen, patch = self._seen(), self._read()
        texts = self._repeats(patch)
        if self._kind is PatchType.MERGE:
            patch = bodies.respelled(call, patch)
        patched = self._applied(seen, patch)
        problem = unreadable_type(patched) or wrong_type(call, patched)
        if problem is not None:
            raise self._refused(problem)
        same = self._untouched(patched, seen)
        fresh = {field: value for field, value in patched.items() if field not in same}
        decoded = bodies.decoded_in(call, fresh)
        if decoded.problem is not None:
            strategic = self._kind is PatchType.STRATEGIC
            raise self._refused(decoded.restoring if strategic else decoded.problem)
        if decoded.unknown or texts:
            # Upstream reads the document again, whose keys a patch has sorted.
            self._say_strict(texts + strict_texts([], sorted(decoded.unknown)))
        return bodies.settle(call, fresh, same)

    def _seen(self) -> Object:
        return bodies.to_version(
            self._call, encoding.from_bytes(self._call.kind, self._current.raw)
        )

    def _read(self) -> Json:
        """The patch; each format has its own words for what is no JSON."""
        lenient = self._call.options.field_validation == "Ignore"
        if self._kind is PatchType.STRATEGIC or (lenient and self._kind is PatchType.JSON):
            return bodies.read_patch(self._body, "{}")
        return bodies.read_patch(
            self._body, "Invalid JSON Patch" if lenient else "error decoding patch: {}"
        )

    def _applied(self, seen: Object, patch: Json) -> Json:
        match self._kind:
            case PatchType.JSON:
                return apply_json_patch(seen, patch)
            case PatchType.MERGE:
                return apply_merge_patch(seen, patch)
            case _:
                patched = apply_strategic_patch(self._call.served.schema, seen, patch)
                # Upstream fills a struct of the right type from the result, so it stays of that type.
                return {**patched, "apiVersion": seen["apiVersion"], "kind": seen["kind"]}

    def _untouched(self, patched: Object, seen: Object) -> Object:
        """The fields a patch has left alone, where what is stored is what the client sees."""
        if self._call.served.to_storage is not None or self._call.kind.custom:
            return {}
        return {
            field: value
            for field, value in patched.items()
            if value is seen.get(field) and field not in {"apiVersion", "kind"}
        }

    def _repeats(self, patch: Json) -> list[str]:
        """What is odd about the patch itself: keys given twice, members that no operation has."""
        if self._call.options.field_validation == "Ignore":
            return []
        repeated = duplicates(self._body, patch)
        if self._kind is not PatchType.JSON or not isinstance(patch, list):
            return strict_texts(repeated, []) if repeated else []
        unknown = [
            f"[{index}].{member}"
            for index, operation in enumerate(patch)
            if isinstance(operation, dict)
            for member in operation
            if member not in MEMBERS
        ]
        return [f"json patch {text}" for text in strict_texts(repeated, unknown)]

    def _say_strict(self, texts: list[str]) -> None:
        match self._call.options.field_validation:
            case "Strict":
                raise self._refused(strict_problem(texts))
            case "Warn":
                self._call.warnings += texts

    def _refused(self, problem: str) -> Invalid:
        return Invalid("", "", [invalid("patch", self._shown(), problem)])

    def _shown(self) -> str:
        seen, patch = self._seen(), self._read()
        if self._kind is PatchType.STRATEGIC:
            return print_plain(patch)
        return document_text(self._call.served.schema, seen, self._applied(seen, patch))
