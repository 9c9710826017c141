"""What the server does to objects of custom kinds: decode and validate.

Decoding a body: metadata becomes ObjectMeta, unknown fields go, forbidden nulls go, metadata of embedded resources
becomes ObjectMeta, defaults come. Validation runs in upstream's order: schema, scale numbers, embedded resources,
list types, CEL rules; rules are left out, with a remark, when an error before them makes them meaningless.

Metadata itself (names, labels, owners) is validated by the server for every kind alike.
"""

from __future__ import annotations

from typing import Final

from argosy.api.cel.rules import compile_rules, validate_rules
from argosy.api.crds.embedded import Uncoercible, coerce_embedded, embedded_errors
from argosy.api.kinds import ScalePaths, Version
from argosy.api.schema.builtin import OBJECT_META, builtin_schema
from argosy.api.schema.checking import checker
from argosy.api.schema.decoding import Decoded, decode
from argosy.api.schema.defaulting import apply_defaults
from argosy.api.schema.pruning import prune
from argosy.api.schema.structural import UNSET
from argosy.api.schema.validating import NO_PATH, list_errors, validate_schema
from argosy.base.fielderrors import FieldError, format_float, invalid
from argosy.base.types import Json, Object

_BLOCKING: Final = frozenset(
    (
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    )
)
_UNCHECKED: Final = (
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation"
)
_MAX_INT32: Final = (1 << 31) - 1


def decode_custom(version: Version, obj: Object) -> Decoded:
    """Bring the body of a custom resource into the shape of its schema, in place."""
    unknown: list[str] = []
    metadata = obj.get("metadata")
    if metadata is None:
        obj.pop("metadata", None)
    elif metadata.__class__ is not dict:
        kind = {str: "string", bool: "bool", list: "array"}.get(metadata.__class__, "number")
        return Decoded(f"json: cannot unmarshal {kind} into Go value of type v1.ObjectMeta", [])
    else:
        decoded = decode(builtin_schema(OBJECT_META), metadata)
        if decoded.problem is not None:
            return decoded
        unknown += [f"metadata.{path}" for path in decoded.unknown]
    schema = version.schema
    unknown += prune(schema, obj)
    try:
        unknown += coerce_embedded(schema, obj)
    except Uncoercible as problem:
        return Decoded(str(problem), [])
    apply_defaults(schema, obj)
    return Decoded(None, unknown)


def validate_custom(version: Version, obj: Object) -> list[FieldError]:
    """Errors of a custom resource about to be created."""
    errors: list[FieldError] = []
    repeats: list[FieldError] = []
    if not checker(version.schema)(obj):
        errors += validate_schema(version.schema, obj)
        repeats = list_errors(version.schema, obj)
    if version.scale is not None:
        errors += scale_errors(version.scale, obj)
    errors += embedded_errors(version.schema, obj)
    errors += repeats
    return _with_rules(version, errors, obj, None)


def validate_custom_update(
    version: Version, new: Object, old: Object, warnings: list[str] | None = None
) -> list[FieldError]:
    """Errors of an update; what was wrong before and has not changed is forgiven."""
    errors: list[FieldError] = []
    repeats: list[FieldError] = []
    sound = checker(version.schema)(new)
    if not sound:
        errors += validate_schema(version.schema, new, old)
        repeats = _new_repeats(version, new, old)
        sound = not _blocked(validate_schema(version.schema, new))
    if version.scale is not None:
        errors += scale_errors(version.scale, new)
    errors += embedded_errors(version.schema, new)
    errors += repeats
    return _with_rules(version, errors, new, old, warnings, sound=sound)


def validate_custom_status(
    version: Version, new: Object, old: Object, warnings: list[str] | None = None
) -> list[FieldError]:
    """Errors of an update of the status subresource."""
    errors: list[FieldError] = []
    schema = version.schema.properties.get("status")
    if schema is not None and "status" in new and not checker(schema)(new["status"]):
        errors += validate_schema(schema, new["status"], old.get("status", UNSET), "status")
    if version.scale is not None:
        errors += _status_scale_errors(version.scale, new)
    sound = checker(version.schema)(new)
    if not sound:
        errors += _new_repeats(version, new, old)
        sound = not _blocked(validate_schema(version.schema, new))
    return _with_rules(version, errors, new, old, warnings, sound=sound)


def _new_repeats(version: Version, new: Object, old: Object) -> list[FieldError]:
    repeats = list_errors(version.schema, new)
    return repeats if repeats and not list_errors(version.schema, old) else []


def _with_rules(
    version: Version,
    errors: list[FieldError],
    new: Object,
    old: Object | None,
    warnings: list[str] | None = None,
    *,
    sound: bool = True,
) -> list[FieldError]:
    """The errors and those of the rules. An object that is not `sound` has values of another type, forgiven because
    they are old: rules cannot judge it.
    """
    if errors and _blocked(errors):
        if compile_rules(version.schema) is None:
            return errors
        return [*errors, invalid(NO_PATH, None, _UNCHECKED)]
    return errors + validate_rules(version.schema, new, old, warnings) if sound else errors


def _blocked(errors: list[FieldError]) -> bool:
    return any(error.reason in _BLOCKING for error in errors)


def scale_errors(scale: ScalePaths, obj: Object) -> list[FieldError]:
    """What is wrong with the numbers that an object is scaled by."""
    return _spec_scale_errors(scale, obj) + _status_scale_errors(scale, obj)


def _spec_scale_errors(scale: ScalePaths, obj: Object) -> list[FieldError]:
    return _replica_errors(obj, scale.spec_replicas)


def _status_scale_errors(scale: ScalePaths, obj: Object) -> list[FieldError]:
    errors = _replica_errors(obj, scale.status_replicas)
    if scale.label_selector:
        value, problem = _nested(obj, scale.label_selector, str, "string")
        if problem:
            errors.append(invalid(scale.label_selector, value or "", problem))
    return errors


def _replica_errors(obj: Object, path: str) -> list[FieldError]:
    value, problem = _nested(obj, path, int, "int64")
    if problem:
        return [invalid(path, 0, problem)]
    if value is None:
        return []
    if value < 0:
        return [invalid(path, value, "should be a non-negative integer")]
    if value > _MAX_INT32:
        return [invalid(path, value, f"should be less than or equal to {_MAX_INT32}")]
    return []


def _nested(obj: Object, path: str, kind: type, go_kind: str) -> tuple[Json, str]:
    """The value at a simple path, or Go's words about what stands in the way."""
    value: Json = obj
    names = path.removeprefix(".").split(".")
    for index, name in enumerate(names):
        if value.__class__ is not dict:
            # Only the way to the value is named.
            shown = ".".join(["", *names[: index + 1]])
            return (
                None,
                f"{shown} accessor error: {_go_value(value)}, expected map[string]interface{{}}",
            )
        if name not in value:
            return None, ""
        value = value[name]
    if value.__class__ is kind:
        return value, ""
    return None, f"{path} accessor error: {_go_value(value)}, expected {go_kind}"


def _go_value(value: Json) -> str:
    match value:
        case None:
            return "<nil> is of the type <nil>"
        case bool():
            return f"{str(value).lower()} is of the type bool"
        case str():
            return f"{value} is of the type string"
        case int():
            return f"{value} is of the type int64"
        case float():
            return f"{format_float(value)} is of the type float64"
        case list():
            return f"[{' '.join(map(str, value))}] is of the type []interface {{}}"
        case _:
            shown = " ".join(f"{name}:{item}" for name, item in sorted(value.items()))
            return f"map[{shown}] is of the type map[string]interface {{}}"
