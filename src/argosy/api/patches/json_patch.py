"""JSON patch (RFC 6902) with the dialect of kube-apiserver.

What differs from the RFC, because clients have come to depend on it: a negative index counts from the end; `replace`
of an absent key sets it; `copy` from an absent key copies null; the text before the first slash of a path is ignored;
numbers compare equal in `test` only when both are integers or both are not. At most 10,000 operations and 3 MiB of
copied data.

The original is never changed: a container is copied when an operation first writes into it and is then known as
`owned`, so a patch of n operations costs n walks down and one shallow copy per touched container. A `copy` puts one
value in two places and therefore forgets all ownership.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import msgspec

from argosy.api.patches.failures import Unprocessable
from argosy.base.errors import BadRequest, TooLarge
from argosy.base.gotext import json_kind
from argosy.base.types import Json, Object

MAX_OPERATIONS: Final = 10_000
MAX_COPY_BYTES: Final = 3 * 1024 * 1024

# What an operation may have.
MEMBERS: Final = frozenset({"op", "path", "from", "value"})

_INDEX: Final = re.compile(r"[+-]?[0-9]+\Z")
_ABSENT: Final = object()


def apply_json_patch(original: Object, patch: Json) -> Json:
    """The document a JSON patch makes of `original`; a patch of the root may make something else than an object.

    Raises `BadRequest` for what is not a JSON patch, `TooLarge` for too many operations, and `Unprocessable` for an
    operation that does not fit the document.
    """
    operations = _decode(patch)
    document = _Document(original)
    for operation in operations:
        name = operation.get("op") if operation is not None else None
        perform = _OPERATIONS.get(name or "unknown")
        if perform is None or operation is None:
            raise Unprocessable(f"Unexpected kind: {name or 'unknown'}")
        perform(document, operation)
    return document.root


def _decode(patch: Json) -> list[Object | None]:
    if patch is None:
        return []
    if not isinstance(patch, list):
        raise BadRequest(_wrong(patch, "value of type []handlers.jsonPatchOp"))
    for operation in patch:
        if operation is None:
            continue
        if not isinstance(operation, dict):
            raise BadRequest(_wrong(operation, "value of type handlers.jsonPatchOp"))
        for member in ("op", "path", "from"):
            text = operation.get(member)
            if text is not None and not isinstance(text, str):
                raise BadRequest(_wrong(text, f"struct field jsonPatchOp.{member} of type string"))
    if len(patch) > MAX_OPERATIONS:
        raise TooLarge(
            "Request entity too large: The allowed maximum operations in a JSON patch is "
            f"{MAX_OPERATIONS}, got {len(patch)}"
        )
    return patch


def _wrong(value: Json, target: str) -> str:
    return f"error decoding patch: json: cannot unmarshal {json_kind(value)} into Go {target}"


class _Document:
    """The document on its way through the operations."""

    def __init__(self, root: Json) -> None:
        self.root = root
        self.copied_bytes = 0
        # Containers this patch made, by id; the values keep them alive so that ids stay theirs.
        self._owned: dict[int, Json] = {}

    def parent(self, path: str, *, write: bool) -> tuple[Json, str] | None:
        """The container a path ends in and the last token; None where the way is missing."""
        tokens = path.split("/")
        if len(tokens) < 2:
            return None
        if write:
            self.root = self._own(self.root)
        node = self.root
        for token in tokens[1:-1]:
            key = _unescape(token)
            at: str | int = key
            if isinstance(node, list):
                index = _index(key, len(node))
                if index is None:
                    return None
                at = index
                child = node[index]
            else:
                child = node.get(key)
            if not isinstance(child, dict | list):
                return None
            if write:
                child = self._own(child)
                node[at] = child
            node = child
        return node, _unescape(tokens[-1])

    def value(self, path: str) -> Json:
        """The value at a path; `_ABSENT` where the way or the list item is missing, null for an absent key."""
        found = self.parent(path, write=False)
        if found is None:
            return _ABSENT
        node, key = found
        if isinstance(node, list):
            index = _index(key, len(node))
            return _ABSENT if index is None else node[index]
        return node.get(key)

    def add(self, path: str, value: Json) -> None:
        node, key = self._place(path, "add")
        if isinstance(node, dict):
            node[key] = value
        elif key == "-":
            node.append(value)
        else:
            index = _index(key, len(node) + 1)
            if index is None:
                raise Unprocessable(f"error in add for path: '{path}': invalid index referenced")
            node.insert(index, value)

    def remove(self, path: str) -> None:
        node, key = self._place(path, "remove")
        at: str | int | None = key if isinstance(node, dict) else _index(key, len(node))
        if at is None or (isinstance(node, dict) and at not in node):
            raise Unprocessable(f"error in remove for path: '{path}': missing value")
        del node[at]

    def replace(self, path: str, value: Json) -> None:
        node, key = self._place(path, "replace")
        at: str | int | None = key if isinstance(node, dict) else _index(key, len(node))
        if at is None:
            raise Unprocessable(f"replace operation does not apply: doc is missing key: {path}")
        node[at] = value

    def share(self, value: Json) -> None:
        """Account for a value that stands in two places from now on."""
        self._owned.clear()
        self.copied_bytes += len(msgspec.json.encode(value))
        if self.copied_bytes > MAX_COPY_BYTES:
            raise Unprocessable(
                "Unable to complete the copy, the accumulated size increase of copy is "
                f"{self.copied_bytes}, exceeding the limit {MAX_COPY_BYTES}"
            )

    def _place(self, path: str, operation: str) -> tuple[Json, str]:
        found = self.parent(path, write=True)
        if found is None:
            raise Unprocessable(
                f'{operation} operation does not apply: doc is missing path: "{path}"'
            )
        return found

    def _own(self, node: Json) -> Json:
        if id(node) in self._owned:
            return node
        copy = node.copy()
        self._owned[id(copy)] = copy
        return copy


def _unescape(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token


def _index(key: str, length: int) -> int | None:
    """The position a token names in a list of `length` items; None where there is none."""
    if _INDEX.match(key) is None:
        return None
    index = int(key)
    if index < 0:
        index += length
    return index if 0 <= index < length else None


def _text(operation: Object, member: str) -> str:
    text = operation.get(member)
    if not isinstance(text, str):
        raise Unprocessable(f"{operation.get('op')} operation failed to decode {member}")
    return text


def _add(document: _Document, operation: Object) -> None:
    document.add(_text(operation, "path"), operation.get("value"))


def _remove(document: _Document, operation: Object) -> None:
    document.remove(_text(operation, "path"))


def _replace(document: _Document, operation: Object) -> None:
    path, value = _text(operation, "path"), operation.get("value")
    if path:
        document.replace(path, value)
    elif isinstance(value, dict | list):
        document.root = value
    else:
        raise Unprocessable("replace operation value must be object or array")


def _move(document: _Document, operation: Object) -> None:
    source = _text(operation, "from")
    value = document.value(source)
    document.remove(source)
    document.add(_text(operation, "path"), value)


def _copy(document: _Document, operation: Object) -> None:
    source = _text(operation, "from")
    value = document.value(source)
    if value is _ABSENT:
        raise Unprocessable(f"copy operation does not apply: doc is missing from path: {source}")
    path = _text(operation, "path")
    if document.parent(path, write=False) is None:
        raise Unprocessable(
            f"copy operation does not apply: doc is missing destination path: {path}"
        )
    document.share(value)
    document.add(path, value)


def _test(document: _Document, operation: Object) -> None:
    path, want = _text(operation, "path"), operation.get("value")
    got = document.value(path) if path else document.root
    if got is _ABSENT or not _same(got, want):
        raise Unprocessable(f"testing value {path} failed: test failed")


def _same(a: Json, b: Json) -> bool:
    if isinstance(a, dict):
        return (
            isinstance(b, dict)
            and a.keys() == b.keys()
            and all(_same(v, b[k]) for k, v in a.items())
        )
    if isinstance(a, list):
        return (
            isinstance(b, list)
            and len(a) == len(b)
            and all(_same(x, y) for x, y in zip(a, b, strict=True))
        )
    return type(a) is type(b) and bool(a == b)


_OPERATIONS: Final[dict[str, Callable[[_Document, Object], None]]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "copy": _copy,
    "test": _test,
}
