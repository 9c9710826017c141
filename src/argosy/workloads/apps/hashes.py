"""The hashes by which pod templates and their revisions are named: exactly those of Kubernetes.

A ReplicaSet is named after its Deployment and a hash of the template, and so are the revisions of a DaemonSet; users
see these names, and a cluster that is taken over must find them again. Upstream hashes (FNV-1a) what the Go library
spew prints of the typed template, with every field, set or not. So this module prints a template the same way:
`gotypes.json` names the Go types and their fields in order (from k8s.io/api v0.35, by reflection), each type is
compiled to a printer once, and fields that are not set cost one constant text.

Revisions of a StatefulSet are hashed (FNV-1) by the JSON of their data; `go_json` writes it as Go does.

Quantities beyond 15 digits or below a nano are printed by their text alone: their hash is stable, but not upstream's.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Final, TypeAlias

import msgspec

from argosy.base.types import Json, Object

_Printer: TypeAlias = Callable[[Json], str]

_PRIME: Final = 16777619
_OFFSET: Final = 2166136261
_MASK: Final = 0xFFFFFFFF
# Kubernetes' alphabet for generated names; here a digit of the hash picks its character.
_ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"

_QUANTITY: Final = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([a-zA-Z]*|[eE][+-]?[0-9]+)")
_DECIMAL: Final = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY: Final = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DIGITS: Final = 18


def template_hash(template: Object, collisions: int | None = None) -> str:
    """The pod-template-hash of a Deployment's or DaemonSet's template; `collisions` is status.collisionCount."""
    data = ("(v1.PodTemplateSpec)" + _printer("v1.PodTemplateSpec")(template)).encode()
    value = _OFFSET
    if collisions is not None:
        data += collisions.to_bytes(4, "little") + b"\0\0\0\0"
    for byte in data:
        value = ((value ^ byte) * _PRIME) & _MASK
    return _encoded(value)


def revision_hash(data: Object, collisions: int) -> str:
    """The hash of a StatefulSet's revision with this data."""
    value = _OFFSET
    for byte in go_json(data) + str(collisions).encode():
        value = ((value * _PRIME) & _MASK) ^ byte
    return _encoded(value)


def go_json(value: Json) -> bytes:
    """JSON as Go writes a map: keys in order, and what could end a script element escaped."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text.encode()


def _encoded(value: int) -> str:
    return "".join(_ALPHABET[ord(digit) % len(_ALPHABET)] for digit in str(value))


@cache
def _types() -> dict[str, str | list[tuple[str, str, str]]]:
    data = files("argosy.workloads.apps").joinpath("gotypes.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, str | list[tuple[str, str, str]]])


@cache
def _printer(name: str) -> _Printer:
    """Prints a value of the Go type without naming the type; None is what the field is when nobody sets it."""
    if name in {"string", "[]uint8"}:
        return _string if name == "string" else _nil
    if name == "bool":
        return _bool
    if name.startswith(("int", "uint")) and name[-1].isdigit():
        return _number
    if name == "resource.Quantity":
        return _quantity
    if name == "intstr.IntOrString":
        return _int_or_string
    if name == "*time.Location":
        return _nil
    if name.startswith("*"):
        return _pointer(_printer(name[1:]))
    if name.startswith("[]"):
        return _slice(name[2:])
    if name.startswith("map["):
        return _map(name[name.index("]") + 1 :])
    known = _types()[name]
    return _printer(known) if isinstance(known, str) else _struct(known)


def _string(value: Json) -> str:
    return value or ""


def _bool(value: Json) -> str:
    return "true" if value else "false"


def _number(value: Json) -> str:
    return str(value or 0)


def _nil(value: Json) -> str:
    return "<nil>"


def _pointer(target: _Printer) -> _Printer:
    return lambda value: "<nil>" if value is None else target(value)


def _slice(element: str) -> _Printer:
    # Looked up when the first value comes: types contain themselves.
    def printed(value: Json) -> str:
        return f"[{' '.join(map(_printer(element), value))}]" if value else "<nil>"

    return printed


def _map(element: str) -> _Printer:
    def printed(value: Json) -> str:
        if not value:
            return "<nil>"
        show = _printer(element)
        # Go orders strings by their bytes, Python by their code points: the same order in UTF-8.
        return f"map[{' '.join(f'{key}:{show(value[key])}' for key in sorted(value))}]"

    return printed


def _struct(fields: list[tuple[str, str, str]]) -> _Printer:
    parts = [(f"{go_name}:({type_})", name, _printer(type_)) for go_name, name, type_ in fields]
    unset = [head + show(None) for head, _, show in parts]

    def printed(value: Json) -> str:
        texts = unset
        if value:
            texts = []
            for text, (head, name, show) in zip(unset, parts, strict=True):
                # A field without a name of its own is embedded: its fields are the outer object's.
                inner = value.get(name) if name else value
                texts.append(text if inner is None else head + show(inner))
        return f"{{{' '.join(texts)}}}"

    return printed


def _int_or_string(value: Json) -> str:
    if isinstance(value, str):
        return f"{{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string){value}}}"
    return f"{{Type:(intstr.Type)0 IntVal:(int32){value or 0} StrVal:(string)}}"


def _quantity(value: Json) -> str:
    text = str(value) if value is not None else "0"
    amount, scale, shown, form = _read_quantity(text)
    return (
        f"{{i:(resource.int64Amount){{value:(int64){amount} scale:(resource.Scale){scale}}}"
        f" d:(resource.infDecAmount){{Dec:(*inf.Dec)<nil>}} s:(string){shown} Format:(resource.Format){form}}}"
    )


def _read_quantity(text: str) -> tuple[int, int, str, str]:
    """Value, scale, kept text and format that Go's ParseQuantity stores."""
    found = _QUANTITY.fullmatch(text)
    if text == "0" or found is None:
        return 0, 0, text, "DecimalSI"
    sign, whole, fraction, suffix = found[1], found[2].lstrip("0"), found[3] or "", found[4]
    fraction = fraction.rstrip("0")
    digits = whole + fraction or "0"
    if suffix in _BINARY:
        exponent = _BINARY[suffix]
        room = 15 - len(whole) - exponent * 3 // 10 - 1
        if room < 0 or fraction:
            return 0, 0, text, "BinarySI"
        value = int(digits)
        kept = text if value & 7 else ""
        return int(sign + "1") * (value << exponent), 0, kept, "BinarySI"
    exponent = _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
    form = "DecimalSI" if suffix in _DECIMAL else "DecimalExponent"
    scale = exponent - len(fraction)
    if len(digits) > _DIGITS or scale < -9:
        return 0, 0, text, form
    kept = text if scale % 3 == 0 and not digits.endswith("000") and digits[0] != "0" else ""
    return int(sign + digits), scale, kept, form
