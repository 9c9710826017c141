"""Which implementation a call runs.

If the checker left one overload and no operand is dyn, that is it; comparisons and equality of plain types are Python's
own operators. Otherwise a dispatcher picks by the classes of the arguments at run time and remembers the pick. What it
says when nothing fits is what cel-go says, which depends on whether the first operand knows the operation at all.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Final

from argosy.api.cel.declarations import Implementation, Overload
from argosy.api.cel.declaring import equality
from argosy.api.cel.functions.formats import NamedFormat
from argosy.api.cel.functions.networks import CIDR, IP, URL
from argosy.api.cel.functions.quantities import Semver
from argosy.api.cel.nodes import Call, Node
from argosy.api.cel.texts import show
from argosy.api.cel.types import Type
from argosy.api.cel.values import (
    CelError,
    Duration,
    Optional,
    Timestamp,
    TypeValue,
    UInt,
    equal,
    no_overload,
)
from argosy.base.quantities import Quantity
from argosy.base.types import Json

_CLASSES: Final[dict[str, type]] = {
    "int": int,
    "uint": UInt,
    "double": float,
    "bool": bool,
    "string": str,
    "bytes": bytes,
    "null": type(None),
    "list": list,
    "map": dict,
    "struct": dict,
    "timestamp": Timestamp,
    "duration": Duration,
    "type": TypeValue,
    "optional_type": Optional,
    "net.IP": IP,
    "net.CIDR": CIDR,
    "kubernetes.URL": URL,
    "kubernetes.Quantity": Quantity,
    "kubernetes.Semver": Semver,
    "kubernetes.NamedFormat": NamedFormat,
}
# Types Python's own operators treat as CEL does, when both sides have them.
DIRECT: Final = frozenset({"int", "uint", "string", "bool", "bytes", "timestamp", "duration"})
_PYTHON: Final[dict[str, Callable[[Json, Json], bool]]] = {
    "_<_": operator.lt,
    "_<=_": operator.le,
    "_>_": operator.gt,
    "_>=_": operator.ge,
}
# Operators that ask the first operand's type for the operation: which types have it.
_NUMERIC: Final = (int, UInt, float)
_TRAITS: Final[dict[str, tuple[type, ...]]] = {
    "_+_": (*_NUMERIC, str, bytes, list, Duration, Timestamp),
    "_-_": (*_NUMERIC, Duration, Timestamp),
    "_*_": _NUMERIC,
    "_/_": _NUMERIC,
    "_%_": (int, UInt),
    "-_": (int, float),
    "_<_": (*_NUMERIC, str, bytes, bool, Duration, Timestamp),
    "size": (str, bytes, list, dict),
    "matches": (str,),
}
_TRAITS.update(dict.fromkeys(("_<=_", "_>_", "_>=_"), _TRAITS["_<_"]))
# Types that look for the operation themselves, and say less when they have none.
_RECEIVERS: Final = (str, Timestamp, Duration)
_UNGUARDED: Final = frozenset({"contains", "startsWith", "endsWith", "!_"})


def equality_of(left: Type, right: Type) -> Callable[[Json, Json], bool] | None:
    """How to compare values of two types; None where Python's `==` is right."""
    if left.kind == right.kind and left.kind in DIRECT:
        return None
    if left.schema is not None and right.schema is not None and left.kind == right.kind:
        return equality(left.schema)
    return equal


def implementation(node: Call, operands: Sequence[Node]) -> Implementation:
    kinds = [operand.type.kind for operand in operands]
    if node.function in _PYTHON and kinds[0] == kinds[1] and kinds[0] in DIRECT:
        return _PYTHON[node.function]
    if len(node.overloads) == 1 and "dyn" not in kinds:
        return node.overloads[0].run
    return _dispatcher(node.function, tuple(node.overloads))


def _dispatcher(function: str, overloads: tuple[Overload, ...]) -> Implementation:
    """Picks the overload whose parameters fit the arguments' classes, and remembers it."""
    picked: dict[tuple[type, ...], Implementation] = {}

    def run(*arguments: Json) -> Json:
        classes = tuple([argument.__class__ for argument in arguments])
        found = picked.get(classes)
        if found is None:
            found = next((o.run for o in overloads if _fits(o.params, classes)), None)
            if found is None:
                raise CelError(_miss(function, arguments))
            picked[classes] = found
        return found(*arguments)

    return run


def _fits(params: Sequence[Type], classes: Sequence[type]) -> bool:
    for parameter, found in zip(params, classes, strict=True):
        if parameter.kind in {"dyn", "param"}:
            continue
        wanted = _CLASSES[parameter.name if parameter.kind == "opaque" else parameter.kind]
        if wanted is not found:
            return False
    return True


def _miss(function: str, arguments: Sequence[Json]) -> str:
    if function in _UNGUARDED:
        return "no such overload"
    if function == "_[_]":
        return f"no such key: {show(arguments[1])}"
    if function in _TRAITS:
        has_trait = arguments[0].__class__ in (*_TRAITS[function], *_RECEIVERS)
        return "no such overload" if has_trait else f"no such overload: {function}"
    return no_overload(function, *arguments)
