"""Definitions of custom kinds from strange schemas, rules and columns; those that are accepted must then serve."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.chains import Chain, lawful
from tests.fuzz.samples import Raw, obj

CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
TABLE = {"accept": "application/json;as=Table;g=meta.k8s.io;v=v1"}
_numbers = itertools.count()


def definition(schema: Any, **version: Any) -> Raw:
    group = f"g{next(_numbers)}.example.com"
    spec = {
        "group": group,
        "scope": "Namespaced",
        "names": {"kind": "Thing", "plural": "things"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": schema},
                **version,
            }
        ],
    }
    return obj("apiextensions.k8s.io/v1", "CustomResourceDefinition", f"things.{group}", spec=spec)


def try_out(chain: Chain, raw: Raw, *contents: Any) -> int:
    """Create the definition; where it is taken, objects of it; then it goes. Returns the definition's code."""
    code = lawful(chain.send("POST", CRDS, raw)).status
    if code != 201:
        return code
    group = raw["spec"]["group"]
    path = f"/apis/{group}/v1/namespaces/default/things"
    for content in contents:
        extra = content if isinstance(content, dict) else {"spec": content}
        thing = {**extra, **obj(f"{group}/v1", "Thing")}
        lawful(chain.send("POST", path, thing))
        lawful(chain.send("PUT", f"{path}/x", thing))
        patch = {"content_type": "application/merge-patch+json"}
        lawful(chain.send("PATCH", f"{path}/x", extra, **patch))  # type: ignore[arg-type]
        apply = {
            "content_type": "application/apply-patch+yaml",
            "query": "fieldManager=f&force=true",
        }
        lawful(chain.send("PATCH", f"{path}/x", thing, **apply))  # type: ignore[arg-type]
        lawful(chain.send("GET", path, headers=TABLE))
        lawful(chain.send("GET", f"{path}/x/scale"))
        lawful(chain.send("PUT", f"{path}/x/scale", {"spec": {"replicas": 1}}))
        lawful(chain.send("GET", "/openapi/v2"))
        lawful(chain.send("GET", f"/openapi/v3/apis/{group}/v1"))
        lawful(chain.send("DELETE", f"{path}/x"))
    assert lawful(chain.send("DELETE", f"{CRDS}/{raw['metadata']['name']}")).status == 200
    return code


RULES = (
    "", " ", "true", "1", "self", "self.a", "self.a.b.c", "has(self.a)", "has(self)", "self.a > 'x'", "self[0]", "self['a']",
    "oldSelf.a == self.a", "self.all(x, x > 1)", "self.a.all(x", "1 / 0 == 1", "1 % 0 == 0", "9223372036854775807 + 1 > 0",
    "-9223372036854775808 == 0", "1.0 / 0.0 > 1.0", "[1, 'a', {}].size() == 3", "{'a': 1}['b'] == 1", "'a'.matches('(')",
    "'a'.matches('(a+)+$')", "self.a.matches(self.a)", "duration('x') > duration('1s')", "timestamp('') == timestamp('x')",
    "int('x') == 1", "string(self) == ''", "bytes('é') == b'x'", "type(self) == map", "self.?a.orValue(1) == 1",
    "optional.none().hasValue()", "dyn(self).nope == 1", "size(self) > 1", "'a' in self", "self in [self]", "!self", "-self",
    "((((((((((((((((((((((((((((((((((((((((true))))))))))))))))))))))))))))))))))))))))", "true &&", "&& true", "a ? b : c",
    "true ? 1 : 'x'", "\u0000", "ü == ü", "'\\x'", "b'\\377' == b''", "r'\\' == ''", "0x", "1u - 2u > 0u", "1e999 > 0.0",
    "url('::').getHost() == ''", "quantity('x').isInteger()", "ip('x').family() == 4", "cidr('x').prefixLength() == 1",
    "format.dns1123Label().value().validate('x').hasValue()", "self.exists_one(k, self[k] == 1)", "self.map(k, k).size() == 0",
    "[[[[1]]]].all(a, a.all(b, b.all(c, c.all(d, d == 1))))", "sets.contains([1], ['a'])", "'%d'.format(['x']) == ''",
    "'%'.format([]) == ''", "'a'.substring(5) == ''", "'a'.replace('', 'b', -5) == ''", "[1].slice(5, 1) == []", "x" * 3000,
    "/* comment", "// comment", "true // comment", "self.a == null", "self.__namespace__", "self.`a`", "self.a[?0]",
)  # fmt: skip


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule[:40])
def test_rules(chain: Chain, rule: str) -> None:
    schema = {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "s": {"type": "string", "maxLength": 9}},
                "x-kubernetes-validations": [{"rule": rule, "messageExpression": rule}],
            }
        },
    }
    try_out(chain, definition(schema), {"spec": {"a": 1}}, {"spec": {}}, {"spec": {"s": "x"}})


PATHS = (
    "", ".", "..", ".a", "a", ".a.b[0]", ".a[", ".a[*]", ".a[-1]", ".a[?(@.b==1)]", ".a[?(@", "{.a}", "{", "}", ".a['b']",
    ".a[1:2]", ".a[::0]", ".spec", ".spec.size.more", "..size", ".*", ".\x00", ".ü", "." + "a" * 3000, ".a,.b", "$", "@",
)  # fmt: skip


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path[:20])
def test_columns_and_scale_paths(chain: Chain, path: str) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    columns = [
        {"name": f"C{number}", "type": kind, "jsonPath": path}
        for number, kind in enumerate(("string", "integer", "number", "boolean", "date"))
    ]
    contents: tuple[Raw, ...] = ({"spec": {"size": []}}, {"a": [{"b": 1}, 2]}, {"a": "text"}, {})
    try_out(chain, definition(schema, additionalPrinterColumns=columns), *contents)
    scale = {"specReplicasPath": path, "statusReplicasPath": path, "labelSelectorPath": path}
    try_out(chain, definition(schema, subresources={"scale": scale}), *contents)


KEYS = (
    "type", "format", "properties", "items", "additionalProperties", "required", "enum", "default", "nullable", "pattern",
    "minimum", "maximum", "multipleOf", "maxLength", "minItems", "allOf", "anyOf", "oneOf", "not", "title", "description",
    "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string", "x-kubernetes-list-type", "x-kubernetes-map-type",
    "x-kubernetes-list-map-keys", "x-kubernetes-embedded-resource", "x-kubernetes-validations", "uniqueItems", "$ref",
    "exclusiveMinimum", "maxProperties", "example", "externalDocs",
)  # fmt: skip
SCALARS = st.sampled_from([
    *["object", "array", "string", "integer", "number", "boolean", "map", "set", "atomic", "name", "int32", "date-time"],
    *["(", "^a$", "", "self.a", None, True, False, 0, 1, -1, 1.5, 2**63],
])  # fmt: skip


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    odd = st.dictionaries(st.sampled_from(KEYS), inner, max_size=5)
    near = st.fixed_dictionaries(
        {"type": st.sampled_from(["object", "array", "string", "integer"])},
        optional={
            "properties": st.dictionaries(
                st.sampled_from(["spec", "a", "name", "metadata"]), inner, max_size=3
            ),
            "items": inner,
            "additionalProperties": inner,
            "required": st.lists(st.sampled_from(["a", "name"]), max_size=2),
            "default": SCALARS,
            "enum": st.lists(SCALARS, max_size=2),
            "nullable": st.booleans(),
            "x-kubernetes-list-type": st.sampled_from(["map", "set", "atomic"]),
            "x-kubernetes-list-map-keys": st.just(["name"]),
            "x-kubernetes-preserve-unknown-fields": st.just(True),
        },
    )
    return odd | near | near | st.lists(inner, max_size=2)


SCHEMAS = st.recursive(SCALARS, _schemas, max_leaves=14)
CONTENT = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["spec", "a", "name", "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(SCHEMAS, CONTENT)
@settings(max_examples=400)
def test_random_schemas(chain: Chain, schema: Any, content: Any) -> None:
    try_out(chain, definition(schema), content)


@given(st.dictionaries(st.sampled_from(["spec", "a"]), SCHEMAS, max_size=2), CONTENT)
@settings(max_examples=300)
def test_random_properties(chain: Chain, properties: Any, content: Any) -> None:
    try_out(
        chain,
        definition({"type": "object", "properties": properties}),
        {"spec": content, "a": content},
    )


@given(st.text(alphabet="self.aold[](){}'\"=<>!&|?:+-*/%0123,x \\nuinhast", max_size=30))
@settings(max_examples=300)
def test_random_rules(chain: Chain, rule: str) -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}},
        "x-kubernetes-validations": [{"rule": rule}],
    }
    assert try_out(chain, definition(schema), {"a": 1}) in {201, 400, 422}
