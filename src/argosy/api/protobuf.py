r"""Request bodies in protobuf: kubectl and Go clients send built-in kinds this way.

A body is the four bytes `k8s\0` and an envelope that names apiVersion and kind and holds the object's bytes. The
object is read with a table of field numbers (data/protobuf.json) into the same plain dict a JSON body gives, and goes
on from there. Answers are never protobuf: every client also takes JSON.

Protobuf always writes plain strings and numbers, empty or not; what JSON would have left out is left out here
(empty strings, lists, maps), the rest is up to typed decoding.
"""

from __future__ import annotations

import base64
import struct
from datetime import UTC, datetime
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from argosy.base.timestamps import format_micro, format_time
from argosy.base.types import Json, Object

MEDIA_TYPE: Final = "application/vnd.kubernetes.protobuf"
MAGIC: Final = b"k8s\0"
_MAX_DEPTH: Final = 100

_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
_TIME, _MICRO_TIME, _FIELDS = f"{_META}Time", f"{_META}MicroTime", f"{_META}FieldsV1"
_QUANTITY: Final = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_INT_OR_STRING: Final = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
_RAW: Final = frozenset({"io.k8s.apimachinery.pkg.runtime.RawExtension", _FIELDS})

_Fields = dict[str, tuple[str, ...]]


class BadProtobuf(ValueError):
    """The bytes are no such message."""


@cache
def _table() -> dict[str, _Fields]:
    raw = files("argosy.api").joinpath("data/protobuf.json").read_bytes()
    return msgspec.json.decode(raw, type=dict[str, dict[str, tuple[str, ...]]])


@cache
def field_order(type_name: str) -> tuple[str, ...]:
    """The fields of a built-in type by their numbers, which is close to the order of the Go struct."""
    fields = _table().get(type_name, {})
    return tuple(fields[number][0] for number in sorted(fields, key=int))


def decode(body: bytes, type_name: str) -> Object:
    """The object of a body; `type_name` is the built-in type it must be (`io.k8s.api.core.v1.Pod`)."""
    if not body.startswith(MAGIC):
        raise BadProtobuf(
            "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]"
        )
    envelope = dict(_pairs(body[len(MAGIC) :]))
    kind = dict(_pairs(_bytes(envelope.get(1, b""))))
    obj = _message(type_name, _bytes(envelope.get(2, b"")), 0)
    for number, field in ((1, "apiVersion"), (2, "kind")):
        if number in kind:
            obj[field] = _text(kind[number])
    return obj


def _message(type_name: str, raw: bytes, depth: int) -> Object:
    fields = _table().get(type_name)
    if fields is None:
        raise BadProtobuf(f"no protobuf form of {type_name} is known")
    if depth > _MAX_DEPTH:
        raise BadProtobuf("exceeded max depth")
    obj: Object = {}
    for number, value in _pairs(raw):
        entry = fields.get(str(number))
        if entry is None:
            continue
        name, *types = entry
        match types:
            case ["list", item]:
                obj.setdefault(name, []).append(_value(item, value, depth))
            case ["map", _, item]:
                pair = dict(_pairs(_bytes(value)))
                key = _text(pair.get(1, b""))
                obj.setdefault(name, {})[key] = _value(item, pair.get(2, b""), depth)
            case [item]:
                read = _value(item, value, depth)
                if name == "":
                    obj |= read
                elif read != "" and read is not None:
                    obj[name] = read
    return obj


def _value(type_name: str, value: int | bytes, depth: int) -> Json:
    match type_name:
        case "string":
            return _text(value)
        case "bool":
            return bool(value)
        case "int32" | "int64":
            number = _varint(value)
            return number - (1 << 64) if number >= 1 << 63 else number
        case "double":
            return struct.unpack("<d", _fixed(value, 8))[0]
        case "bytes":
            return base64.b64encode(_bytes(value)).decode()
    return _special(type_name, _bytes(value), depth)


def _special(type_name: str, raw: bytes, depth: int) -> Json:
    """Types whose JSON is not an object."""
    if type_name in {_TIME, _MICRO_TIME}:
        return _time(raw, micro=type_name == _MICRO_TIME)
    if type_name == _QUANTITY:
        return _text(dict(_pairs(raw)).get(1, b""))
    if type_name == _INT_OR_STRING:
        parts = dict(_pairs(raw))
        return (
            _text(parts.get(3, b""))
            if parts.get(1, 0) == 1
            else _value("int32", parts.get(2, 0), depth)
        )
    if type_name in _RAW:
        content = _bytes(dict(_pairs(raw)).get(1, b""))
        try:
            return msgspec.json.decode(content) if content else {}
        except msgspec.DecodeError as error:
            raise BadProtobuf(f"{type_name.rpartition('.')[2]} holds no JSON: {error}") from error
    obj = _message(type_name, raw, depth + 1)
    fields = _table()[type_name]
    # A list under a name of its own (ExtraValue): JSON has the list alone.
    if len(fields) == 1 and fields["1"][0] == "items" and fields["1"][1:] == ("list", "string"):
        return obj.get("items", [])
    return obj


def _time(raw: bytes, *, micro: bool) -> str | None:
    """None stands for Go's zero time, which JSON shows as null."""
    parts = dict(_pairs(raw))
    if not parts:
        return None
    seconds = _value("int64", parts.get(1, 0), 0)
    nanos = _value("int32", parts.get(2, 0), 0)
    try:
        moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=nanos // 1000)
    except (ValueError, OverflowError, OSError) as error:
        raise BadProtobuf(f"no such time: {seconds} s") from error
    return format_micro(moment) if micro else format_time(moment)


def _pairs(raw: bytes) -> list[tuple[int, int | bytes]]:
    """Field numbers and their raw values: varints as int, all else as bytes."""
    pairs: list[tuple[int, int | bytes]] = []
    at, end = 0, len(raw)
    while at < end:
        tag, at = _read_varint(raw, at)
        number, wire = tag >> 3, tag & 7
        match wire:
            case 0:
                value, at = _read_varint(raw, at)
                pairs.append((number, value))
                continue
            case 1:
                size = 8
            case 2:
                size, at = _read_varint(raw, at)
            case 5:
                size = 4
            case _:
                raise BadProtobuf(f"proto: illegal wireType {wire}")
        if at + size > end:
            raise BadProtobuf("unexpected EOF")
        pairs.append((number, raw[at : at + size]))
        at += size
    return pairs


def _read_varint(raw: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        if at >= len(raw):
            raise BadProtobuf("unexpected EOF")
        byte = raw[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise BadProtobuf("proto: integer overflow")


def _varint(value: int | bytes) -> int:
    if isinstance(value, bytes):
        raise BadProtobuf("proto: wrong wireType for a number")
    return value


def _bytes(value: int | bytes) -> bytes:
    if isinstance(value, int):
        raise BadProtobuf("proto: wrong wireType for bytes")
    return value


def _fixed(value: int | bytes, size: int) -> bytes:
    raw = _bytes(value)
    if len(raw) != size:
        raise BadProtobuf("proto: wrong wireType for a double")
    return raw


def _text(value: int | bytes) -> str:
    return _bytes(value).decode("utf-8", "replace")
