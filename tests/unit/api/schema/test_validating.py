"""Two halves of validation: the predicate and the explanation agree. (Texts are among the recorded answers of crds.)"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.api.schema.checking import is_valid
from argosy.api.schema.parsing import parse_schema
from argosy.api.schema.validating import list_errors, validate_schema
from argosy.base.types import Json, Object

NAMES = st.sampled_from(["a", "b", "k"])
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1.0])
    | st.sampled_from(["", "a", "ab"])
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


def keywords(inner: st.SearchStrategy[Object]) -> st.SearchStrategy[Object]:
    small = st.integers(0, 2)
    plain = st.fixed_dictionaries(
        {"type": st.sampled_from(["string", "integer", "number", "boolean"])},
        optional={
            "nullable": st.booleans(), "minLength": small, "maxLength": small,
            "pattern": st.sampled_from(["^a", "b$", "["]), "format": st.sampled_from(["date", "int32", "ipv4"]),
            "minimum": small, "maximum": small, "exclusiveMinimum": st.booleans(), "multipleOf": st.sampled_from([2, 0.5]),
            "enum": st.lists(scalars, min_size=1, max_size=3),
        },
    )  # fmt: skip
    objects = st.fixed_dictionaries(
        {"type": st.just("object")},
        optional={
            "properties": st.dictionaries(NAMES, inner, max_size=3), "required": st.lists(NAMES, max_size=2),
            "minProperties": small, "maxProperties": small, "nullable": st.booleans(),
        },
    )  # fmt: skip
    maps = st.fixed_dictionaries(
        {"type": st.just("object"), "additionalProperties": inner | st.booleans()}
    )
    lists = st.fixed_dictionaries(
        {"type": st.just("array"), "items": inner},
        optional={
            "minItems": small,
            "maxItems": small,
            "x-kubernetes-list-type": st.sampled_from(["set", "atomic"]),
        },
    )
    keyed = st.fixed_dictionaries(
        {
            "type": st.just("array"), "items": objects, "x-kubernetes-list-type": st.just("map"),
            "x-kubernetes-list-map-keys": st.sampled_from([["k"], ["a", "k"]]),
        }
    )  # fmt: skip
    either = st.fixed_dictionaries({"x-kubernetes-int-or-string": st.just(True)})
    restriction = st.fixed_dictionaries(
        {}, optional={"required": st.lists(NAMES, max_size=1), "minLength": small, "minimum": small}
    )
    combined = st.builds(
        lambda schema, word, parts: {**schema, word: parts},
        objects | plain,
        st.sampled_from(["anyOf", "oneOf", "allOf"]),
        st.lists(restriction, min_size=1, max_size=2),
    )
    negated = st.builds(lambda schema, part: {**schema, "not": part}, objects, restriction)
    return st.one_of(plain, objects, maps, lists, keyed, either, combined, negated)


leaves = st.just({"type": "string"}) | st.just({"x-kubernetes-preserve-unknown-fields": True})
schemas = st.recursive(leaves, keywords, max_leaves=6)


@given(schemas, values)
def test_a_value_is_invalid_exactly_when_there_is_an_error_to_tell(
    document: Object, value: Json
) -> None:
    schema = parse_schema(document)
    errors = validate_schema(schema, value) + list_errors(schema, value)
    assert is_valid(schema, value) == (not errors)


@given(schemas, values)
def test_what_has_not_changed_is_forgiven(document: Object, value: Json) -> None:
    schema = parse_schema(document)
    assert validate_schema(schema, value, value) == []
