"""The parts of a custom object, judged one by one: what a change of the status, or of metadata, has no say in.

An object is its metadata, its status, and its content: all the rest. Where a schema is `apart`, only rules may judge
the status together with the content. Then both may be held against it alone:

* Content is `steady` when a change that leaves it alone is told nothing about it: decoding makes nothing new of it, and
  schema and rules (transition rules too: old and new are the same) find no fault. That an object could be stored does
  not say so: faults of an older schema are forgiven while they stay.
* A status `holds` when neither schema nor rules have a word to say about its change, and neither have the rules about
  the object as a whole that see more than its content.

Each half may use half of what the rules of an object may cost, so both together stay within it. All answers are yes or
no. After a no the whole object is judged, which has the words.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

import msgspec

from argosy.api.cel.rules import compile_rules, rules_hold
from argosy.api.crds.embedded import Uncoercible, coerce_embedded, embedded_errors
from argosy.api.crds.objects import decode_custom, scale_errors
from argosy.api.kinds import Version
from argosy.api.schema.checking import checker, is_unconstrained, is_whole_judged
from argosy.api.schema.defaulting import apply_defaults
from argosy.api.schema.pruning import prune
from argosy.api.schema.structural import UNSET, Schema
from argosy.base.types import Object

_OTHERS: Final = frozenset({"metadata", "status"})
# Anything a rule of the root may look at that is neither content nor fixed for the life of an object.
_BEYOND: Final = re.compile(
    r"\b(?:self|oldSelf)\b(?!\.spec\b|\.metadata\.name\b)|\bstatus\b"
).search
_encode: Final = msgspec.json.Encoder(order="deterministic").encode
_decode: Final = msgspec.json.Decoder().decode


@lru_cache(maxsize=1024)
def is_apart(schema: Schema) -> bool:
    """Whether the status is an object of its own, and nothing but rules judges it together with others."""
    status, metadata = schema.properties.get("status"), schema.properties["metadata"].restriction
    if (
        status is None or status.type != "object" or status.default is not UNSET
        or metadata is None or metadata.validations or not is_unconstrained(metadata)
        or "status" in schema.required or "metadata" in schema.required or is_whole_judged(schema)
    ):  # fmt: skip
        return False
    rules = compile_rules(schema)
    return rules is None or not (
        rules.all_of or rules.additional is not None or "metadata" in rules.properties
    )


@lru_cache(maxsize=1024)
def _sees_more(schema: Schema) -> bool:
    """Whether a rule about the whole looks at more than content and the name."""
    rules = compile_rules(schema)
    return rules is not None and any(_BEYOND(compiled.rule.rule) for compiled in rules.rules)


def is_steady(version: Version, obj: Object) -> bool:
    """Whether content may stay as it is without a word. `obj` is whole, and only read."""
    raw = content_bytes(obj)
    content: Object = _decode(raw)
    again: Object = _decode(raw)
    decoded = decode_custom(version, again)
    if decoded.problem is not None or decoded.unknown or _encode(again) != raw:
        return False
    rest = {**content, "metadata": obj["metadata"]}
    return (
        checker(version.schema)(rest)
        and not embedded_errors(version.schema, rest)
        and rules_let_stay(version, rest)
    )


def rules_let_stay(version: Version, obj: Object) -> bool:
    """Whether rules have nothing to say about content that stays as it is."""
    schema = version.schema
    return rules_hold(
        schema, obj, obj, schema.properties.keys() - _OTHERS, whole=not _sees_more(schema)
    )


def content_bytes(obj: Object) -> bytes:
    """What tells two contents apart, also where Python takes 1 for true."""
    return _encode({field: value for field, value in obj.items() if field not in _OTHERS})


def is_same_content(new: Object, old: Object) -> bool:
    """Whether `content_bytes` of two objects are equal."""
    fields = new.keys() - _OTHERS
    if fields != old.keys() - _OTHERS:
        return False
    return all(
        new[field] is old[field] or _encode(new[field]) == _encode(old[field]) for field in fields
    )


def status_holds(version: Version, new: Object, old: Object) -> bool:
    """Whether nothing is to be said about the status of an object whose content is steady and stays as it was."""
    schema = version.schema
    if version.scale is not None and scale_errors(version.scale, new):
        return False
    if not rules_hold(schema, new, old, ("status",), whole=_sees_more(schema)):
        return False
    return "status" not in new or (
        checker(schema.properties["status"])(new["status"])
        and not embedded_errors(schema, {"status": new["status"]})
    )


def settle_status(version: Version, status: Object) -> bool:
    """Bring a status into the shape of its schema, in place; False where there is something to say about it."""
    if not _is_known(version.schema, {"status": status}):
        return False
    apply_defaults(version.schema.properties["status"], status)
    return True


def is_known_status(version: Version, obj: Object) -> bool:
    """Whether there is nothing to say about the shape of the status that an object has."""
    status = obj.get("status")
    return status is None or _is_known(version.schema, {"status": _decode(_encode(status))})


def _is_known(schema: Schema, part: Object) -> bool:
    """Whether nothing had to be left out of a part of an object, which is put into shape."""
    try:
        return not prune(schema, part) and not coerce_embedded(schema, part)
    except Uncoercible:
        return False
