"""JSON patches of overrides: add, remove and replace, with the dialect and the words of evanphx/json-patch v5.

What differs from the API server's own dialect (`api/patches/json_patch`): a `replace` needs what it replaces, and the
words of errors end in their cause. A negative index counts from the end, the text before the first slash of a path is
ignored, an absent value is null.

A document is changed in place: it was decoded for this, and a patch that fails throws it away.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from argosy.base.fielderrors import quote
from argosy.base.types import Json

_NUMBER: Final = re.compile(r"[+-]?[0-9]+\Z")
_MISSING: Final = "missing value"
_NO_INDEX: Final = "invalid index referenced"


class PatchFailed(Exception):
    """The patch does not fit the document; its text says why."""


class Operation(NamedTuple):
    op: str
    path: str
    value: Json = None


def patched(document: Json, operation: Operation) -> Json:
    """The document after one operation."""
    op, path, value = operation
    if not path and op != "remove":
        return value
    match op:
        case "add":
            _add(document, path, value)
        case "remove":
            _remove(document, path)
        case "replace":
            _replace(document, path, value)
        case _:
            raise PatchFailed(f"Unexpected kind: {op}")
    return document


def _add(document: Json, path: str, value: Json) -> None:
    found = _place(document, path)
    if found is None:
        raise PatchFailed(
            f'add operation does not apply: doc is missing path: "{path}": {_MISSING}'
        )
    node, key = found
    if isinstance(node, dict):
        node[key] = value
    elif key == "-":
        node.append(value)
    else:
        where = f"error in add for path: '{path}'"
        if _NUMBER.match(key) is None:
            text = f"value was not a proper array index: '{key}': {_not_a_number(key)}"
            raise PatchFailed(f"{where}: {text}")
        node.insert(_within(int(key), len(node) + 1, where), value)


def _remove(document: Json, path: str) -> None:
    found = _place(document, path)
    if found is None:
        raise PatchFailed(
            f'remove operation does not apply: doc is missing path: "{path}": {_MISSING}'
        )
    node, key = found
    where = f"error in remove for path: '{path}'"
    if isinstance(node, dict):
        if key not in node:
            raise PatchFailed(f"{where}: unable to remove nonexistent key: {key}: {_MISSING}")
        del node[key]
        return
    if _NUMBER.match(key) is None:
        raise PatchFailed(f"{where}: {_not_a_number(key)}")
    del node[_within(int(key), len(node), where)]


def _replace(document: Json, path: str, value: Json) -> None:
    found = _place(document, path)
    if found is None:
        raise PatchFailed(
            f"replace operation does not apply: doc is missing path: {path}: {_MISSING}"
        )
    node, key = found
    at: str | int | None = _index(key, len(node)) if isinstance(node, list) else key
    if at is None or (isinstance(node, dict) and at not in node):
        raise PatchFailed(
            f"replace operation does not apply: doc is missing key: {path}: {_MISSING}"
        )
    node[at] = value


def _place(document: Json, path: str) -> tuple[Json, str] | None:
    """The container a path ends in, and the last token; None where the way is missing."""
    tokens = path.split("/")
    if len(tokens) < 2:
        return (document, "") if not path else None
    node = document
    for token in tokens[1:-1]:
        key = _unescaped(token)
        if isinstance(node, list):
            index = _index(key, len(node))
            node = node[index] if index is not None else None
        else:
            node = node.get(key)
        if not isinstance(node, dict | list):
            return None
    return node, _unescaped(tokens[-1])


def _index(key: str, length: int) -> int | None:
    """The position a token names in a list of `length` items; None where there is none."""
    if _NUMBER.match(key) is None:
        return None
    index = int(key)
    at = index + length if index < 0 else index
    return at if 0 <= at < length else None


def _within(index: int, length: int, where: str) -> int:
    at = index + length if index < 0 else index
    if not 0 <= at < length:
        raise PatchFailed(f"{where}: Unable to access invalid index: {index}: {_NO_INDEX}")
    return at


def _not_a_number(key: str) -> str:
    return f"strconv.Atoi: parsing {quote(key)}: invalid syntax"


def _unescaped(token: str) -> str:
    return token.replace("~1", "/").replace("~0", "~") if "~" in token else token
