r"""Sets of fields in the form managedFields stores them: FieldsV1, nested dicts.

    {"f:spec": {"f:replicas": {}, "f:containers": {"k:{\"name\":\"a\"}": {".": {}, "f:image": {}}}}}

A key is one step: `f:` a field, `k:` a list item by its map keys, `v:` a set item by its value, `i:` an index. A path
is a member of the set when its node is empty or holds ".": above, `.spec.replicas`, the item `a` and its image, but
neither `.spec` nor the list. The root is no member, so `{}` is the empty set.

Sets are values: no function changes its arguments, results share nodes with them. Laws (checked by Hypothesis): union
and intersection are commutative and associative, `a - b` and `a & b` part `a`, and the empty set is neutral.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cmp_to_key
from typing import Final, TypeAlias

import msgspec

from argosy.base.fielderrors import format_float, quote
from argosy.base.types import Json, Object

# One node of the tree, and the whole set.
FieldSet: TypeAlias = Object

EMPTY: Final[FieldSet] = {}


class BadFields(ValueError):
    """FieldsV1 data that cannot be read."""


def union(a: FieldSet, b: FieldSet) -> FieldSet:
    """Every member of either. Costs the smaller tree plus copies of the nodes they share."""
    if not a or a is b:
        return b
    if not b:
        return a
    return _join(a, b)


def _join(a: FieldSet, b: FieldSet) -> FieldSet:
    out = dict(a)
    for step, node in b.items():
        mine = out.get(step)
        if mine is None:
            out[step] = node
        elif mine is not node and step != ".":
            if not mine:
                out[step] = node if not node or "." in node else {".": {}, **node}
            elif not node:
                out[step] = mine if "." in mine else {".": {}, **mine}
            else:
                out[step] = _join(mine, node)
    return out


def difference(a: FieldSet, b: FieldSet) -> FieldSet:
    """The members of `a` that are no members of `b`. Parents and children count apart."""
    if not b or not a:
        return a
    return _minus(a, b, recursive=False)


def recursive_difference(a: FieldSet, b: FieldSet) -> FieldSet:
    """`a` without the members of `b` and without everything below them."""
    if not b or not a:
        return a
    return _minus(a, b, recursive=True)


def _minus(a: FieldSet, b: FieldSet, *, recursive: bool) -> FieldSet:
    """The children of `a` without those of `b`; membership of the node itself is left alone."""
    out = a
    for step, theirs in b.items():
        mine = a.get(step)
        if mine is None or step == ".":
            continue
        taken = not theirs or "." in theirs
        if recursive and taken:
            rest: FieldSet | None = None
        else:
            rest = _rest(mine, theirs, taken=taken, recursive=recursive)
        if rest is not mine:
            if out is a:
                out = dict(a)
            if rest is None:
                del out[step]
            else:
                out[step] = rest
    return out


def _rest(mine: FieldSet, theirs: FieldSet, *, taken: bool, recursive: bool) -> FieldSet | None:
    """What is left of one node; None for nothing."""
    if not mine:
        return None if taken else mine
    rest = _minus(mine, theirs, recursive=recursive)
    if "." not in rest:
        return rest or None
    if taken:
        return {step: node for step, node in rest.items() if step != "."} or None
    return rest if len(rest) > 1 else {}


def intersection(a: FieldSet, b: FieldSet) -> FieldSet:
    """The members of both."""
    out: FieldSet = {}
    if len(b) < len(a):
        a, b = b, a
    for step, mine in a.items():
        theirs = b.get(step)
        if theirs is None or step == ".":
            continue
        member = (not mine or "." in mine) and (not theirs or "." in theirs)
        below = intersection(mine, theirs) if mine and theirs else {}
        if below:
            out[step] = {".": {}, **below} if member else below
        elif member:
            out[step] = {}
    return out


def leaves(a: FieldSet) -> FieldSet:
    """The members that have no members below them."""
    out: FieldSet = {}
    for step, node in a.items():
        if step != ".":
            below = leaves(node)
            if below or is_member(node):
                out[step] = below
    return out


def is_member(node: FieldSet) -> bool:
    """Whether a node below the root stands for a member."""
    return not node or "." in node


def has(a: FieldSet, *steps: str) -> bool:
    """Whether the path of serialized steps is a member."""
    node = a
    for step in steps:
        found = node.get(step)
        if found is None:
            return False
        node = found
    return bool(steps) and is_member(node)


def of(*paths: tuple[str, ...]) -> FieldSet:
    """A set of paths of serialized steps."""
    out: FieldSet = {}
    for path in paths:
        node: FieldSet = {}
        for step in reversed(path[1:]):
            node = {step: node}
        out = union(out, {path[0]: node})
    return out


def is_subset(a: FieldSet, b: FieldSet) -> bool:
    return not difference(a, b)


def paths(a: FieldSet) -> list[str]:
    """The members as people read them, `.spec.containers[name="a"].image`, in Kubernetes' order: the members of a node,
    then what is below.
    """
    return [text for text, _ in walk(a)]


def walk(
    a: FieldSet, text: str = "", above: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each member as its printed path and its serialized steps."""
    steps = sorted((step for step in a if step != "."), key=_order)
    printed = {step: text + print_step(step) for step in steps}
    for step in steps:
        if is_member(a[step]):
            yield printed[step], (*above, step)
    for step in steps:
        if a[step]:
            yield from walk(a[step], printed[step], (*above, step))


def print_step(step: str) -> str:
    kind, rest = step[:2], step[2:]
    if kind == "f:":
        return "." + rest
    if kind == "k:":
        keys = msgspec.json.decode(rest)
        return "[" + ",".join(f"{k}={_print(keys[k])}" for k in sorted(keys)) + "]"
    if kind == "v:":
        return f"[={_print(msgspec.json.decode(rest))}]"
    return f"[{rest}]"


def _print(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return quote(value)
        case float():
            return format_float(value)
        case list():
            return "[" + ",".join(_print(item) for item in value) + "]"
        case dict():
            return "".join(f"{k}={_print(v)}" for k, v in value.items())
        case _:
            return str(value)


_RANK: Final = {"f:": 0, "k:": 1, "v:": 2, "i:": 3}


def _compare(a: str, b: str) -> int:
    """Fields by name, then keyed items by their keys, then set items by value, then indexes."""
    ranks = _RANK[a[:2]], _RANK[b[:2]]
    if ranks[0] != ranks[1]:
        return ranks[0] - ranks[1]
    if ranks[0] == 0:
        return -1 if a < b else int(a > b)
    x, y = msgspec.json.decode(a[2:]), msgspec.json.decode(b[2:])
    left = sorted(x.items()) if isinstance(x, dict) else [("", x)]
    right = sorted(y.items()) if isinstance(y, dict) else [("", y)]
    for (k1, v1), (k2, v2) in zip(left, right, strict=False):
        if k1 != k2:
            return -1 if k1 < k2 else 1
        one, two = _value_order(v1), _value_order(v2)
        if one != two:
            return -1 if one < two else 1
    return len(left) - len(right)


_order: Final = cmp_to_key(_compare)


def _value_order(value: Json) -> tuple[int, Json]:
    """Numbers before strings before booleans, each in its own order."""
    match value:
        case bool():
            return (2, value)
        case int() | float():
            return (0, value)
        case str():
            return (1, value)
        case _:
            return (3, msgspec.json.encode(value, order="deterministic"))


def decode(fields: Json) -> FieldSet:
    """A set from data a client sent. Steps of unknown types are dropped, keys are put in their one form. Raises
    `BadFields` for what is no FieldsV1 data.
    """
    if fields is None:
        return {}
    if not isinstance(fields, dict):
        raise BadFields("expected a map of fields")
    out: FieldSet = {}
    for step, node in fields.items():
        if step == ".":
            continue
        name = _decode_step(step)
        if name is not None:
            below = decode(node)
            member = below and isinstance(node, dict) and "." in node
            out[name] = {".": {}, **below} if member else below
    return out


def _decode_step(step: str) -> str | None:
    if len(step) < 2:
        raise BadFields("key must be 2 characters long:")
    if step[1] != ":":
        raise BadFields(f"missing colon: {step}")
    kind, rest = step[0], step[2:]
    if kind == "f":
        return step
    if kind not in "kvi":
        return None
    try:
        value = msgspec.json.decode(rest)
    except msgspec.DecodeError as error:
        raise BadFields(str(error)) from error
    if kind == "k":
        if not isinstance(value, dict):
            raise BadFields(f"expected an object of keys in {step}")
        return key_step(value)
    if kind == "i" and not isinstance(value, int):
        raise BadFields(f"expected a number in {step}")
    return f"{kind}:{encode_value(value)}"


def key_step(keys: Object) -> str:
    """`k:{"containerPort":80,"protocol":"TCP"}`: names sorted, JSON compact."""
    return (
        "k:{" + ",".join(f"{encode_value(k)}:{encode_value(keys[k])}" for k in sorted(keys)) + "}"
    )


def encode_value(value: Json) -> str:
    """A value inside a step. Go's encoder also escapes what HTML would read."""
    text = msgspec.json.encode(value, order="deterministic").decode()
    if "<" in text or ">" in text or "&" in text:
        text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return text
