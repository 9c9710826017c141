"""Why a custom resource is invalid: apiextensions' messages, paths and order.

`validate_schema` asks the compiled predicate first (`checking`); only when that says no does the code below walk the
value and put the reasons into words. So nothing here is hot, and it follows upstream's validators step by step: type,
combinators, string, format, number, list, enum, object. Upstream visits properties in random order; here the
schema's order decides.

On an update, errors of a value that has not changed are forgiven (ratcheting): an object that became invalid because
the schema did can still be changed elsewhere. Items of a list-type map are matched with their old selves by key, other
lists are compared whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from argosy.api.schema.checking import (
    checker,
    is_integer,
    is_multiple,
    is_number,
    map_key,
    pattern_search,
    repeated,
    same,
)
from argosy.api.schema.formats import format_check
from argosy.api.schema.structural import UNSET, Schema
from argosy.base.fielderrors import (
    FieldError,
    duplicate,
    format_float,
    invalid,
    quote,
    required,
    too_long,
    too_many,
    type_invalid,
)
from argosy.base.types import Json, Object

# The path of an error that belongs to no field, as Go prints it.
NO_PATH: Final = "<nil>"


def validate_schema(
    schema: Schema, value: Json, old: Json = UNSET, path: str = ""
) -> list[FieldError]:
    """The schema errors of a value; `old` is its former self on an update, `path` that of the value.

    Repeated items of list-type sets and maps are `list_errors`' to tell; upstream tells them apart.
    """
    if checker(schema)(value):
        return []
    result = _Result()
    _value(schema, value, "", old, result)
    return [_at(error, path) for error in result.errors]


def _at(error: FieldError, path: str) -> FieldError:
    """The error with its path below `path`; schema messages themselves are always relative."""
    if error.field == NO_PATH:
        return FieldError(error.reason, path or NO_PATH, error.value, error.detail)
    if not path:
        return error
    return FieldError(
        error.reason, f"{path}.{error.field}" if error.field else path, error.value, error.detail
    )


@dataclass(slots=True)
class _Result:
    """Errors and how many checks passed: of several failed alternatives the one that came furthest is shown."""

    errors: list[FieldError] = field(default_factory=list)
    matches: int = 0

    def add(self, error: FieldError) -> None:
        if error not in self.errors:
            self.errors.append(error)

    def merge(self, other: _Result) -> None:
        self.matches += other.matches
        for error in other.errors:
            self.add(error)


def _value(schema: Schema, value: Json, path: str, old: Json, into: _Result) -> None:
    """Validate one value, unless it is invalid and unchanged."""
    schema = schema.restriction or schema
    result = _Result()
    _checks(schema, value, path, old, result)
    if result.errors and old is not UNSET and same(value, old):
        result.errors.clear()
    into.merge(result)


def _checks(schema: Schema, value: Json, path: str, old: Json, result: _Result) -> None:
    if value is None:
        if (schema.type or schema.int_or_string) and not schema.nullable:
            result.add(_wrong_type(path, _type_name(schema), "null"))
        _enum(schema, value, path, result)
        return
    _type(schema, value, path, result)
    _combinators(schema, value, path, result)
    if value.__class__ is str:
        _string(schema, value, path, result)
        _format(schema, value, path, result)
    elif is_number(value):
        _number(schema, value, path, result)
    elif value.__class__ is list:
        _list(schema, value, path, old, result)
    _enum(schema, value, path, result)
    if value.__class__ is dict:
        _object(schema, value, path, old, result)
    result.matches += 1


def _error(path: str, value: Json, text: str) -> FieldError:
    return invalid(path or NO_PATH, value, f"{path} in body {text}")


def _type_name(schema: Schema) -> str:
    return "integer,string" if schema.int_or_string else schema.type


def _wrong_type(path: str, wanted: str, got: str) -> FieldError:
    text = f"{path} in body must be of type {wanted}: {quote(got)}"
    return type_invalid(path or NO_PATH, got, text)


def _json_type(value: Json) -> str:
    match value:
        case bool():
            return "boolean"
        case str():
            return "string"
        case int():
            return "integer"
        case float():
            return "number"
        case list():
            return "array"
        case _:
            return "object"


def _type(schema: Schema, value: Json, path: str, result: _Result) -> None:
    wanted = _type_name(schema)
    if wanted and not _is_of_type(value, wanted.split(",")):
        result.add(_wrong_type(path, wanted, _json_type(value)))
    else:
        result.matches += 1
    result.matches += 1


def _is_of_type(value: Json, wanted: list[str]) -> bool:
    if _json_type(value) in wanted:
        return True
    return ("integer" in wanted and is_integer(value)) or ("number" in wanted and is_number(value))


def _combinators(schema: Schema, value: Json, path: str, result: _Result) -> None:
    if schema.any_of:
        tried = [_alone(one, value, path) for one in schema.any_of]
        if all(one.errors for one in tried):
            result.add(_unplaced(f"{quote(path)} must validate at least one schema (anyOf)"))
            result.merge(_furthest(tried))
    if schema.one_of:
        tried = [_alone(one, value, path) for one in schema.one_of]
        good = sum(not one.errors for one in tried)
        if good != 1:
            found = f"Found {good} valid alternatives" if good else "Found none valid"
            result.add(
                _unplaced(f"{quote(path)} must validate one and only one schema (oneOf). {found}")
            )
            if not good:
                result.merge(_furthest(tried))
    if schema.all_of:
        tried = [_alone(one, value, path) for one in schema.all_of]
        for one in tried:
            result.merge(one)
        failed = sum(bool(one.errors) for one in tried)
        if failed:
            rest = ". None validated" if failed == len(tried) else ""
            result.add(_unplaced(f"{quote(path)} must validate all the schemas (allOf){rest}"))
    if schema.not_ is not None and not _alone(schema.not_, value, path).errors:
        result.add(_unplaced(f"{quote(path)} must not validate the schema (not)"))
    result.matches += 2


def _unplaced(text: str) -> FieldError:
    return invalid(NO_PATH, "", text)


def _alone(schema: Schema, value: Json, path: str) -> _Result:
    result = _Result()
    _checks(schema, value, path, UNSET, result)
    return result


def _furthest(tried: list[_Result]) -> _Result:
    return max(tried, key=lambda result: result.matches)


def _string(schema: Schema, value: str, path: str, result: _Result) -> None:
    search = pattern_search(schema.pattern)
    result.matches += 1
    if schema.max_length is not None and len(value) > schema.max_length:
        result.add(too_long(path or NO_PATH, schema.max_length))
    elif schema.min_length is not None and len(value) < schema.min_length:
        result.add(_error(path, value, f"should be at least {schema.min_length} chars long"))
    elif search is not None and search(value) is None:
        result.add(_error(path, value, f"should match '{schema.pattern}'"))


def _format(schema: Schema, value: str, path: str, result: _Result) -> None:
    check = format_check(schema.format)
    if check is None:
        return
    result.matches += 1
    if not check(value):
        text = f"{path} in body must be of type {schema.format}: {quote(value)}"
        result.add(type_invalid(path or NO_PATH, value, text))


def _number(schema: Schema, value: float, path: str, result: _Result) -> None:
    def shown(bound: float) -> str:
        return str(int(bound)) if isinstance(value, int) else format_float(bound)

    low, high, factor = schema.minimum, schema.maximum, schema.multiple_of
    result.matches += 2
    if factor is not None and not is_multiple(value, factor):
        if isinstance(value, int) and factor < 1:
            text = f"factor MultipleOf declared for {path} must be positive: {int(factor)}"
            result.add(invalid(path or NO_PATH, int(factor), text))
        else:
            result.add(_error(path, value, f"should be a multiple of {shown(factor)}"))
    if low is not None and (value <= low if schema.exclusive_minimum else value < low):
        words = "greater than" if schema.exclusive_minimum else "greater than or equal to"
        result.add(_error(path, value, f"should be {words} {shown(low)}"))
    if high is not None and (value >= high if schema.exclusive_maximum else value > high):
        words = "less than" if schema.exclusive_maximum else "less than or equal to"
        result.add(_error(path, value, f"should be {words} {shown(high)}"))


def _list(schema: Schema, value: list[Json], path: str, old: Json, result: _Result) -> None:
    if schema.items is not None:
        former = _former_items(schema, old)
        for index, item in enumerate(value):
            before = former(item) if former is not None else UNSET
            _value(schema.items, item, f"{path}[{index}]", before, result)
    count = len(value)
    if schema.min_items is not None and count < schema.min_items:
        result.add(_error(path, count, f"should have at least {schema.min_items} items"))
    if schema.max_items is not None and count > schema.max_items:
        result.add(too_many(path or NO_PATH, count, schema.max_items))
    if schema.unique_items and repeated(value):
        result.add(_error(path, "", "shouldn't contain duplicates"))
    result.matches += 2


def _former_items(schema: Schema, old: Json) -> Callable[[Json], Json] | None:
    """Finds an item's old self by its keys; None where items have none."""
    if schema.list_type != "map" or old.__class__ is not list:
        return None

    def find(item: Json) -> Json:
        if item.__class__ is not dict:
            return UNSET
        key = map_key(item, schema.map_keys)
        for one in old:
            if one.__class__ is dict and map_key(one, schema.map_keys) == key:
                return one
        return UNSET

    return find


def _enum(schema: Schema, value: Json, path: str, result: _Result) -> None:
    result.matches += 1
    if schema.enum is None or any(same(value, one) for one in schema.enum):
        return
    texts = [quote(one if isinstance(one, str) else _go_json(one)) for one in schema.enum]
    result.add(
        FieldError(
            "FieldValueNotSupported",
            path or NO_PATH,
            value,
            f"supported values: {', '.join(texts)}",
        )
    )


def _go_json(value: Json) -> str:
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


def _object(schema: Schema, value: Object, path: str, old: Json, result: _Result) -> None:
    count = len(value)
    former: Object = old if old.__class__ is dict else {}
    if schema.min_properties is not None and count < schema.min_properties:
        result.add(_error(path, count, f"should have at least {schema.min_properties} properties"))
    if schema.max_properties is not None and count > schema.max_properties:
        result.add(too_many(path or NO_PATH, count, schema.max_properties))
    for name, item in value.items():
        if name in schema.properties:
            continue
        below = f"{path}.{name}"
        if schema.additional is not None:
            _value(schema.additional, item, below, former.get(name, UNSET), result)
        elif schema.additional_allowed is False:
            text = f"{path}.{name} in body is a forbidden property"
            result.add(invalid(path or NO_PATH, name, text))
    for name, prop in schema.properties.items():
        if name in value:
            below = f"{path}.{name}" if path else name
            before = former.get(name, UNSET)
            if not path and name in ("apiVersion", "kind"):
                before = UNSET
            _value(prop, value[name], below, before, result)
    for name in schema.required:
        if name not in value:
            result.add(required(f"{path}.{name}" if path else name))
    result.matches += 1


def list_errors(schema: Schema, value: Json, path: str = "") -> list[FieldError]:
    """Items that a list-type set or map holds twice."""
    schema = schema.restriction or schema
    errors: list[FieldError] = []
    if value.__class__ is dict:
        for name, item in value.items():
            prop = schema.properties.get(name)
            if prop is not None:
                errors += list_errors(prop, item, f"{path}.{name}" if path else name)
            elif schema.additional is not None:
                errors += list_errors(schema.additional, item, f"{path}[{name}]")
    elif value.__class__ is list:
        if schema.list_type == "set":
            errors += [duplicate(f"{path}[{index}]", value[index]) for index in repeated(value)]
        elif schema.list_type == "map":
            errors += _map_errors(schema, value, path)
        if schema.items is not None:
            for index, item in enumerate(value):
                errors += list_errors(schema.items, item, f"{path}[{index}]")
    return errors


def _map_errors(schema: Schema, value: list[Json], path: str) -> list[FieldError]:
    for index, item in enumerate(value):
        if item is not None and item.__class__ is not dict:
            return [
                invalid(f"{path}[{index}]", item, "must be an object for an array of list-type map")
            ]
    keys = [map_key(item, schema.map_keys) for item in value]
    return [duplicate(f"{path}[{index}]", keys[index]) for index in repeated(keys)]
