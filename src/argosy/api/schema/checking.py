"""Is a value valid? The fast half of validation: yes or no, without a word why.

Each schema is compiled once into a predicate. Nearly every object that reaches the server is valid, so the predicate
is all that runs; only after a no does `validating` walk the value again and say what is wrong, in Kubernetes' words.
Both halves must agree: `validating` finds errors if and only if the predicate says no (checked by a property test).

Covered: everything apiextensions checks of a custom resource's schema except metadata and CEL rules; that includes the
uniqueness of list-type set and map.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Final, TypeAlias

import msgspec

from argosy.api.cel.regexes import RegexError, compile_regex
from argosy.api.schema.formats import format_check
from argosy.api.schema.structural import Schema
from argosy.base.types import Json

Check: TypeAlias = Callable[[Json], bool]

# What conditions are told apart by.
_CONDITIONS: Final = ("type",)
_MOST_KNOWN: Final = 256
_encode: Final = msgspec.json.Encoder().encode
# Where nothing is asked of a value.
_ANY: Final = object()

_TYPES: Final[dict[str, type]] = {
    "string": str,
    "boolean": bool,
    "object": dict,
    "array": list,
}


def is_valid(schema: Schema, value: Json) -> bool:
    """Whether the schema accepts the value. O(size of the value)."""
    return checker(schema)(value)


def checker(schema: Schema) -> Check:
    """The predicate of a schema, compiled on first use."""
    if schema.checker is None:
        schema.checker = _compile(schema.restriction or schema)
    return schema.checker


def _compile(schema: Schema) -> Check:
    checks = [check for check in (_type_check(schema), *_constraints(schema)) if check is not None]
    nullable = schema.nullable or (not schema.type and not schema.int_or_string)
    enum = _enum_check(schema)

    if not checks and enum is None:
        return (lambda value: True) if nullable else (lambda value: value is not None)  # noqa: ARG005
    if len(checks) == 1 and enum is None and not nullable:
        return checks[0]
    if enum is not None:
        checks.append(enum)

    def check(value: Json) -> bool:
        if value is None:
            return nullable and (enum is None or enum(value))
        for one in checks:  # noqa: SIM110  (a generator costs twice as much)
            if not one(value):
                return False
        return True

    return check


def is_unconstrained(schema: Schema) -> bool:
    """Whether a schema asks for no more than a type."""
    return schema.enum is None and all(check is None for check in _constraints(schema))


def is_whole_judged(schema: Schema) -> bool:
    """Whether an object is judged by more than which fields it must have and what these are."""
    return (
        schema.enum is not None
        or schema.nullable
        or schema.additional is not None
        or schema.min_properties is not None
        or schema.max_properties is not None
        or bool(_combinators(schema))
    )


def _type_check(schema: Schema) -> Check | None:
    if schema.int_or_string:
        return lambda value: value.__class__ is str or is_integer(value)
    match schema.type:
        case "":
            return None
        case "integer":
            return is_integer
        case "number":
            return is_number
        case known:
            kind = _TYPES.get(known)
            return lambda value: value.__class__ is kind


def is_integer(value: Json) -> bool:
    """An integer as JSON Schema sees it: 1.0 is one."""
    return value.__class__ is int or (value.__class__ is float and value.is_integer())


def is_number(value: Json) -> bool:
    return value.__class__ is int or value.__class__ is float


def _constraints(schema: Schema) -> list[Check | None]:
    return [
        *_combinators(schema),
        _string_check(schema),
        _number_check(schema),
        _list_check(schema),
        _object_check(schema),
    ]


def _combinators(schema: Schema) -> list[Check | None]:
    checks: list[Check | None] = []
    if schema.any_of and not _says_int_or_string(schema):
        any_of = [_alternative(one) for one in schema.any_of]
        checks.append(lambda value: any(one(value) for one in any_of))
    if schema.one_of:
        one_of = [_alternative(one) for one in schema.one_of]
        checks.append(lambda value: sum(one(value) for one in one_of) == 1)
    if schema.all_of:
        all_of = [_alternative(one) for one in schema.all_of]
        checks.append(lambda value: all(one(value) for one in all_of))
    if schema.not_ is not None:
        refused = _alternative(schema.not_)
        checks.append(lambda value: not refused(value))
    return checks


def _alternative(schema: Schema) -> Check:
    """Inside anyOf and its like, list types are not looked at; the validators there are plain OpenAPI."""
    return checker(schema)


def _says_int_or_string(schema: Schema) -> bool:
    """The anyOf that generators write beside int-or-string repeats what the type already says."""
    return schema.int_or_string and [one.type for one in schema.any_of] == ["integer", "string"] and all(
        not one.pattern and one.enum is None and one.minimum is None and one.maximum is None
        for one in schema.any_of
    )  # fmt: skip


def _string_check(schema: Schema) -> Check | None:
    shortest, longest = schema.min_length, schema.max_length
    search = pattern_search(schema.pattern)
    well_formed = format_check(schema.format)
    if shortest is None and longest is None and search is None and well_formed is None:
        return None
    low = shortest or 0
    high = longest if longest is not None else 1 << 62

    def check(value: Json) -> bool:
        return value.__class__ is not str or (
            low <= len(value) <= high
            and (search is None or search(value) is not None)
            and (well_formed is None or well_formed(value))
        )

    return check


def pattern_search(pattern: str | None) -> Callable[[str], Json] | None:
    """Go's MatchString of a pattern; a pattern that does not compile matches nothing."""
    if not pattern:
        return None
    try:
        return compile_regex(pattern).search
    except RegexError:
        return _never


def _never(text: str) -> None:
    del text


def _number_check(schema: Schema) -> Check | None:
    if schema.minimum is None and schema.maximum is None and schema.multiple_of is None:
        return None
    low, high, factor = schema.minimum, schema.maximum, schema.multiple_of
    above, below = schema.exclusive_minimum, schema.exclusive_maximum

    def check(value: Json) -> bool:
        if value.__class__ is not int and value.__class__ is not float:
            return True
        if low is not None and (value <= low if above else value < low):
            return False
        if high is not None and (value >= high if below else value > high):
            return False
        return factor is None or is_multiple(value, factor)

    return check


def is_multiple(value: float, factor: float) -> bool:
    """Upstream cuts the factor of a whole number down to a whole one, so 3 is no multiple of 0.5."""
    if isinstance(value, int):
        return factor >= 1 and value % int(factor) == 0
    if factor <= 0:
        return False
    quotient = value / factor
    return abs(quotient - round(quotient)) < 1e-9


def _enum_check(schema: Schema) -> Check | None:
    if schema.enum is None:
        return None
    allowed = schema.enum
    texts = frozenset(value for value in allowed if isinstance(value, str))

    def check(value: Json) -> bool:
        if value.__class__ is str:
            return value in texts
        return any(same(value, one) for one in allowed)

    return check


def same(left: Json, right: Json) -> bool:
    """Equal as JSON: true is not 1, but 1.0 is."""
    return left == right and (left.__class__ is bool) == (right.__class__ is bool)


def _list_check(schema: Schema) -> Check | None:
    item = checker(schema.items) if schema.items is not None else None
    fewest, most = schema.min_items or 0, schema.max_items
    unique = _uniqueness(schema)
    if item is None and not fewest and most is None and unique is None:
        return None
    high = most if most is not None else 1 << 62
    # A list of plain strings, the commonest, needs no call per item.
    plain = _plain_type(schema.items)

    def check(value: Json) -> bool:
        if value.__class__ is not list:
            return True
        if not fewest <= len(value) <= high:
            return False
        if item is not None:
            for one in value:
                if one.__class__ is not plain and not item(one):
                    return False
        return unique is None or len(value) < 2 or unique(value)

    return _remembering(check) if schema.map_keys == _CONDITIONS else check


def _remembering(check: Check) -> Check:
    """A check of conditions, which are the same for many objects within one second: good ones are known by their
    bytes.
    """
    known: set[bytes] = set()

    def remembered(value: Json) -> bool:
        raw = _encode(value)
        if raw in known:
            return True
        if not check(value):
            return False
        if len(known) >= _MOST_KNOWN:
            known.clear()
        known.add(raw)
        return True

    return remembered


def _plain_type(schema: Schema | None) -> type | object:
    """The Python type that is all a schema asks for, if it is so."""
    if schema is None or schema.type not in ("string", "boolean"):
        return _ANY
    if schema.enum is not None or any(check is not None for check in _constraints(schema)):
        return _ANY
    return _TYPES[schema.type]


def _uniqueness(schema: Schema) -> Check | None:
    if schema.list_type == "map":
        return _unique_keys(schema.map_keys)
    if schema.list_type == "set" or schema.unique_items:
        return lambda values: not repeated(values)
    return None


def _unique_keys(names: tuple[str, ...]) -> Check:
    if len(names) == 1:
        name = names[0]

        def unique_by_one(values: Json) -> bool:
            try:
                return len({one[name] for one in values}) == len(values)
            except (KeyError, TypeError):
                return _unique_slowly(values, names)

        return unique_by_one
    return lambda values: _unique_slowly(values, names)


def _unique_slowly(values: list[Json], names: tuple[str, ...]) -> bool:
    if not all(one is None or one.__class__ is dict for one in values):
        return False
    return not repeated([map_key(one, names) for one in values])


def map_key(value: Json, names: tuple[str, ...]) -> dict[str, Json]:
    """The keys by which an item of a list-type map is known."""
    return {name: value[name] for name in names if name in value} if value is not None else {}


def repeated(values: list[Json]) -> list[int]:
    """Indexes of the second appearance of each value that appears more than once."""
    seen: dict[str, int] = {}
    again: list[int] = []
    for index, value in enumerate(values):
        key = json.dumps(value, sort_keys=True)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == 2:
            again.append(index)
    return again


def _object_check(schema: Schema) -> Check | None:
    required = schema.required
    fewest, most = schema.min_properties or 0, schema.max_properties
    high = most if most is not None else 1 << 62
    fields = {name: (_plain_type(prop), checker(prop)) for name, prop in schema.properties.items()}
    rest = None
    if schema.additional is not None:
        rest = (_plain_type(schema.additional), checker(schema.additional))
    closed = schema.additional is None and schema.additional_allowed is False
    if not required and not fewest and most is None and not fields and rest is None and not closed:
        return None
    lookup = fields.get

    def check(value: Json) -> bool:
        if value.__class__ is not dict:
            return True
        for name in required:
            if name not in value:
                return False
        if not fewest <= len(value) <= high:
            return False
        for name, one in value.items():
            entry = lookup(name, rest)
            if entry is None:
                if closed:
                    return False
            elif one.__class__ is not entry[0] and not entry[1](one):
                return False
        return True

    return check
