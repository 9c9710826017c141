"""Random expressions: ours and Google's engine give the same value of the same type, or both an error.

The generator makes well-typed expressions over ints, doubles, strings, bools, lists and maps, with a dynamic `self`
mixed in, so both the typed and the dynamic paths of the compiler run. What the engines may differ in is left out:
the texts of errors, and lists of mixed types, which Kubernetes refuses.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.api.cel import compile_expression
from argosy.api.cel.types import DYN
from argosy.base.types import Json
from tests.unit.api.cel.google import Google, outcome

DATA = st.fixed_dictionaries(
    {
        "i": st.sampled_from([0, 1, -7, 9223372036854775807]),
        "d": st.sampled_from([0.0, 1.5, -2.25, 1e300]),
        "s": st.sampled_from(["", "a", "héllo", "12"]),
        "b": st.booleans(),
        "l": st.lists(st.integers(-3, 3), max_size=3),
        "m": st.dictionaries(st.sampled_from("abc"), st.integers(0, 3), max_size=2),
    }
)
LEAVES = {
    "int": ["0", "1", "-3", "2", "9223372036854775807", "int(dyn(self.i))", "size(dyn(self.l))"],
    "double": ["0.0", "1.5", "-2.25", "1e10", "double(dyn(self.d))"],
    "string": ["''", "'a'", "'héllo'", "'12'", "string(dyn(self.s))"],
    "bool": ["true", "false", "dyn(self.b) == true", "has(self.i)", "has(self.missing)"],
    "list": ["[5].filter(x, x < 0)", "[1]", "[3, 1, 2]", "[0, 0]"],
    "dyn": ["dyn(self.i)", "dyn(self.s)", "dyn(self.l)", "dyn(self.m)", "self.missing", "dyn(1.5)"],
    "x": ["x"],
}


def call(template: str, *kinds: str) -> tuple[str, tuple[str, ...]]:
    return template, kinds


# Doubles are only compared for equality: NaN has no order in cel-go, and is never less in C++.
COMPARE = [
    *(call(f"({{}} {op} {{}})", k, k) for op in ("<", "<=", ">", ">=") for k in ("int", "string")),
    *(call(f"({{}} {op} {{}})", k, k) for op in ("==", "!=") for k in ("int", "string", "double")),
]
NODES = {
    "int": [
        *(call(f"({{}} {op} {{}})", "int", "int") for op in "+-*/%"),
        call("-({})", "int"),
        call("size({})", "string"),
        call("size({})", "list"),
        call("({} ? {} : {})", "bool", "int", "int"),
        call("{}[{}]", "list", "int"),
        call("int({})", "string"),
        call("int({})", "double"),
        call("int(dyn({}) + dyn({}))", "dyn", "int"),
    ],
    "double": [
        *(call(f"({{}} {op} {{}})", "double", "double") for op in "+-*/"),
        call("double({})", "int"),
        call("double({})", "string"),
    ],
    "string": [
        call("({} + {})", "string", "string"),
        call("string({})", "int"),
        call("string({})", "bool"),
        call("({} ? {} : {})", "bool", "string", "string"),
    ],
    "bool": [
        *COMPARE,
        call("({} && {})", "bool", "bool"),
        call("({} || {})", "bool", "bool"),
        call("!({})", "bool"),
        call("({} in {})", "int", "list"),
        call("{}.contains({})", "string", "string"),
        call("{}.startsWith({})", "string", "string"),
        call("{}.endsWith({})", "string", "string"),
        call("{}.matches('^[a-z0-9é]*$')", "string"),
        call("({} == {})", "dyn", "dyn"),
        call("({} < {})", "dyn", "dyn"),
        call("({} in {})", "dyn", "dyn"),
        call("{}.all(x, {} < x)", "list", "int"),
        call("{}.exists(x, {} / x == {})", "list", "int", "int"),
        call("{}.exists_one(x, x == {})", "list", "int"),
        call("({} == {})", "list", "list"),
        call("(type({}) == type({}))", "dyn", "dyn"),
    ],
    "list": [
        call("({} + {})", "list", "list"),
        call("{}.map(x, x + {})", "list", "int"),
        call("{}.map(x, x > {}, x * {})", "list", "int", "int"),
        call("{}.filter(x, x != {})", "list", "int"),
        call("[{}, {}]", "int", "int"),
    ],
    "dyn": [
        call("dyn({})", "int"),
        call("dyn({})", "string"),
        call("dyn({})", "bool"),
        call("dyn({})", "list"),
        call("{}[{}]", "dyn", "dyn"),
    ],
}  # fmt: skip


@st.composite
def expressions(draw: st.DrawFn, kind: str, depth: int) -> str:
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(LEAVES[kind]))
    template, kinds = draw(st.sampled_from(NODES[kind]))
    return template.format(*(draw(expressions(k, depth - 1)) for k in kinds))


@pytest.fixture(scope="module")
def google() -> Google:
    return Google()


@given(kind=st.sampled_from(sorted(NODES)), data=st.data(), this=DATA)
@settings(max_examples=150)
def test_same_result(google: Google, kind: str, data: st.DataObject, this: Json) -> None:
    text = data.draw(expressions(kind, 4))
    program = compile_expression(text, {"self": DYN})
    want = google.run(text, this, None)
    assert (text, outcome(program, this, None)) == (text, want)
