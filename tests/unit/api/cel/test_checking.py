"""Refused expressions: the texts were taken from a real kube-apiserver v1.35.4."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from argosy.api.cel.rules import check_rules
from argosy.api.schema.parsing import parse_schema
from argosy.base.types import Object

PATH = "spec.validation.openAPIV3Schema"
SPEC: Object = {
    "type": "object",
    "properties": {
        "s": {"type": "string"},
        "i": {"type": "integer"},
        "d": {"type": "number"},
        "ios": {"x-kubernetes-int-or-string": True},
        "ls": {"type": "array", "items": {"type": "string"}},
        "li": {"type": "array", "items": {"type": "integer"}},
        "lo": {
            "type": "array",
            "items": {"type": "object", "properties": {"k": {"type": "string"}}},
        },
        "m": {"type": "object", "additionalProperties": {"type": "string"}},
        "o": {
            "type": "object",
            "properties": {
                "a": {"type": "string"},
                "a-b": {"type": "integer"},
                "namespace": {"type": "string"},
            },
        },
        "any": {"x-kubernetes-preserve-unknown-fields": True},
        "anyo": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
        "t": {"type": "string", "format": "date-time"},
        "dur": {"type": "string", "format": "duration"},
    },
}
STARTERS = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', "
    "NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)


@dataclass
class Case:
    rule: str
    # (column, message) of each problem, in order.
    want: list[tuple[int, str]]


CASES: dict[str, Case] = {
    "a field the schema does not have": Case("self.foo == 1", [(5, "undefined field 'foo'")]),
    "has of a field the schema does not have": Case(
        "has(self.foo)", [(4, "undefined field 'foo'")]
    ),
    "a field without a type does not exist": Case("self.any == 1", [(5, "undefined field 'any'")]),
    "unknown fields of an object do not exist": Case(
        "self.anyo.x == 1", [(10, "undefined field 'x'")]
    ),
    "metadata is only at the root": Case("self.metadata", [(5, "undefined field 'metadata'")]),
    "comparing different types": Case(
        "self.s == 1", [(8, "found no matching overload for '_==_' applied to '(string, int)'")]
    ),
    "adding different types": Case(
        "self.i + self.s == 2",
        [(8, "found no matching overload for '_+_' applied to '(int, string)'")],
    ),
    "cel.bind is not enabled": Case(
        "cel.bind(x, 1, x == 1)",
        [
            (1, "undeclared reference to 'cel' (in container '')"),
            (9, "undeclared reference to 'bind' (in container '')"),
            (10, "undeclared reference to 'x' (in container '')"),
            (16, "undeclared reference to 'x' (in container '')"),
        ],
    ),
    "the math library is not enabled": Case(
        "math.greatest(1,2)==2",
        [
            (1, "undeclared reference to 'math' (in container '')"),
            (14, "undeclared reference to 'greatest' (in container '')"),
        ],
    ),
    "a predicate that is no bool": Case(
        "self.ls.all(x, x)", [(16, "expected type 'bool' but found 'string'")]
    ),
    "a filter that is no bool": Case(
        "self.ls.filter(x, x).size() == 1",
        [
            (
                15,
                (
                    "found no matching overload for '_?_:_' applied to "
                    "'(string, list(string), list(string))'"
                ),
            )
        ],
    ),
    "exists_one that is no bool": Case(
        "self.ls.exists_one(x, 1)",
        [(19, "found no matching overload for '_?_:_' applied to '(int, int, int)'")],
    ),
    "an unknown method": Case(
        "self.s.foo()", [(11, "undeclared reference to 'foo' (in container '')")]
    ),
    "an unescaped dash is a minus": Case(
        "self.o.a-b == 1",
        [
            (9, "found no matching overload for '_-_' applied to '(string, !error!)'"),
            (10, "undeclared reference to 'b' (in container '')"),
        ],
    ),
    "a field of a string": Case(
        "has(self.s.x)", [(4, "type 'string' does not support field selection")]
    ),
    "a pattern that does not compile": Case(
        "self.s.matches('(')", [(16, "invalid matches argument")]
    ),
    "a duration that does not parse": Case(
        "duration('x') == duration('1s')", [(10, "invalid duration argument")]
    ),
    "a loop over an int": Case(
        "self.li.map(x, x.map(y, y)).size()==1",
        [
            (
                16,
                (
                    "expression of type 'int' cannot be range of a comprehension "
                    "(must be list, map, or dynamic)"
                ),
            )
        ],
    ),
    "a loop variable that is no name": Case(
        "self.ls.all(1, true)", [(13, "argument must be a simple name")]
    ),
    "one name for two variables": Case(
        "self.ls.exists(x, x, x == 1)", [(19, "duplicate variable name: x")]
    ),
    "has of a variable": Case("has(self)", [(5, "invalid argument to has() macro")]),
    "a list of two types": Case(
        "[1,'a'].size()==2", [(4, "expected type 'int' but found 'string'")]
    ),
    "a map of two value types": Case(
        "{'a': 1, 'b': 'c'} == {}", [(15, "expected type 'int' but found 'string'")]
    ),
    "a format clause of the wrong type": Case(
        "'%d'.format(['a']) == ''",
        [
            (
                14,
                (
                    "error during formatting: decimal clause can only be used on integers, "
                    "was given string"
                ),
            )
        ],
    ),
    "too many arguments for a format": Case(
        "'%s'.format([1,2]) == ''",
        [(12, "too many arguments supplied to string.format (expected 1, got 2)")],
    ),
    "a time is no string": Case(
        "self.t == '2020-01-01T00:00:00Z'",
        [(8, "found no matching overload for '_==_' applied to '(timestamp, string)'")],
    ),
    "a string is never null": Case(
        "self.s == null", [(8, "found no matching overload for '_==_' applied to '(string, null)'")]
    ),
    "an optional of another type": Case(
        "self.?s.orValue(1) == 's'",
        [
            (
                16,
                "found no matching overload for 'orValue' applied to 'optional_type(string).(int)'",
            )
        ],
    ),
    "optMap of no optional": Case(
        "self.s.optMap(x, x) == optional.of('')",
        [
            (14, "found no matching overload for 'hasValue' applied to 'string.()'"),
            (14, "found no matching overload for 'value' applied to 'string.()'"),
        ],
    ),
    "a number too large": Case("self.i == 9223372036854775808", [(11, "invalid int literal")]),
    "an operand missing": Case(
        "self.i ==", [(10, f"Syntax error: mismatched input '<EOF>' expecting {STARTERS}")]
    ),
    "a sign without a number after a negation": Case(
        "!-x",
        [
            (2, "invalid constant literal expression"),
            (3, "Syntax error: no viable alternative at input '-x'"),
        ],
    ),
    "an operator too many": Case(
        "1 + * 2 == 3", [(5, f"Syntax error: extraneous input '*' expecting {STARTERS}")]
    ),
    "a single equals sign": Case(
        "self.i = 1",
        [
            (8, "Syntax error: token recognition error at: '= '"),
            (10, "Syntax error: extraneous input '1' expecting <EOF>"),
        ],
    ),
    "a parenthesis too many": Case(
        "self.i == 1)", [(12, "Syntax error: extraneous input ')' expecting <EOF>")]
    ),
    "a parenthesis missing": Case("(self.i == 1", [(13, "Syntax error: missing ')' at '<EOF>'")]),
    "a bracket missing": Case("self.ls[0", [(10, "Syntax error: missing ']' at '<EOF>'")]),
    "a string without an end": Case(
        "self.s == 'abc",
        [
            (11, "Syntax error: token recognition error at: ''abc'"),
            (15, f"Syntax error: mismatched input '<EOF>' expecting {STARTERS}"),
        ],
    ),
    "a name missing": Case("self.", [(6, "Syntax error: no viable alternative at input '.'")]),
    "a reserved word": Case("for == 1", [(1, "reserved identifier: for")]),
}


def review(rule: str, **rest: object) -> list[str]:
    spec = {**SPEC, "x-kubernetes-validations": [{"rule": rule, **rest}]}
    schema = parse_schema({"type": "object", "properties": {"spec": spec}})
    return [str(error) for error in check_rules(schema, PATH)]


@pytest.mark.parametrize("name", CASES)
def test_refused(name: str) -> None:
    case = CASES[name]
    shown = "\n".join(
        f"ERROR: <input>:1:{column}: {message}\n | {case.rule}\n | {'.' * (column - 1)}^"
        for column, message in case.want
    )
    value = (
        f'{{"Rule":{quoted(case.rule)},"Message":"","MessageExpression":"","Reason":null,'
        '"FieldPath":"","OptionalOldSelf":null}'
    )
    place = f"{PATH}.properties[spec].x-kubernetes-validations[0].rule"
    assert review(case.rule) == [f"{place}: Invalid value: {value}: compilation failed: {shown}"]


def quoted(text: str) -> str:
    escaped = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return f'"{escaped}"'


@pytest.mark.parametrize(
    "rule",
    [
        "self.o.a__dash__b == 1 && self.o.__namespace__ == ''",
        "self.ios == 1 || self.ios == 'a'",
        "'%s %d'.format([self.s, 1]) == ''",
        "self.i > 1.0 && self.i < 5u",
        "self.t - duration('1h') > timestamp('2020-01-01T00:00:00Z') || self.dur > duration('1s')",
        "oldSelf.s == self.s",
        "self.ls[?0].orValue('') == ''",
        "self.lo.exists(e, e.k == 'a') // with a comment",
        "self.ls.exists(i, x, i > 0 && x == 'a')",
        "self == oldSelf",
    ],
)
def test_accepted(rule: str) -> None:
    assert review(rule) == []


def test_a_problem_on_the_second_line_points_there() -> None:
    [error] = review("self.i == 1 &&\n\t'é' == self.x", message="m")
    assert error.endswith(
        "ERROR: <input>:2:13: undefined field 'x'\n |  'é' == self.x\n | ..\uff0e.........^"
    )
