"""Google's CEL engine as the second opinion, and random values for both."""

from __future__ import annotations

import math
import random
import re
from typing import Final

from cel_expr_python import cel

from argosy.api.cel import CelError, Program
from argosy.api.schema.structural import Schema
from argosy.base.types import Json

ERROR: Final = "error"
_WORDS: Final = re.compile(r"[A-Za-z_]\w*")
_COMPARED: Final = re.compile(r"(\w+)\s*[=!]=\s*(?:'([^']*)'|\"([^\"]*)\")")
_LITERALS: Final = re.compile(r"'([^']*)'|\"([^\"]*)\"")


class Google:
    """Expressions over a dynamic `self` and `oldSelf`, run by the engine written in C++."""

    def __init__(self) -> None:
        variables = {"self": cel.Type.DYN, "oldSelf": cel.Type.DYN}
        self._env = cel.NewEnv(variables=variables)
        self._compiled: dict[str, cel.Expression] = {}

    def run(self, text: str, this: Json, old: Json) -> tuple[str, Json]:
        """("error", None) or the type's name and the value. Raises RuntimeError if it does not compile."""
        if text not in self._compiled:
            self._compiled[text] = self._env.compile(text)
        got = self._compiled[text].eval(data={"self": this, "oldSelf": old})
        name = got.type().name()
        if name == "ERROR":
            return ERROR, None
        return name.partition("<")[0].lower(), comparable(got.plain_value())


def outcome(program: Program, this: Json, old: Json) -> tuple[str, Json]:
    """Our answer in the same form."""
    try:
        value = program.run(this, old)
    except CelError:
        return ERROR, None
    names = {
        "bool": "bool",
        "int": "int",
        "UInt": "uint",
        "float": "double",
        "str": "string",
        "bytes": "bytes",
        "list": "list",
        "dict": "map",
        "NoneType": "null",
    }
    return names[type(value).__name__], comparable(value)


def comparable(value: Json) -> Json:
    """A value that is equal to another only if both look the same: NaN equals NaN, 1 is not true."""
    match value:
        case bool() | None:
            return value
        case float() if math.isnan(value):
            return "NaN"
        case float():
            return ("double", value)
        case int():
            return int(value)
        case list():
            return [comparable(item) for item in value]
        case dict():
            return {comparable(key): comparable(item) for key, item in value.items()}
        case bytes() | bytearray():
            return bytes(value)
        case _:
            return value


class Samples:
    """Random values of a schema that care for a rule: only fields it names, and often the texts it names."""

    def __init__(self, rule: str, seed: int) -> None:
        self._random = random.Random(seed)
        self._words = set(_WORDS.findall(rule))
        named = [a or b for a, b in _LITERALS.findall(rule)]
        self._likely: dict[str, list[str]] = {}
        for name, a, b in _COMPARED.findall(rule):
            self._likely.setdefault(name, []).append(a or b)
        self._texts = [*named, "", "x", "kubernetes.io/hostname", "50%", "y" * 70, "z" * 130]

    def value(self, schema: Schema, depth: int = 0) -> Json:
        choose = self._random.choice
        if schema.enum:
            return choose([*schema.enum, *schema.enum, choose(self._texts)])
        if schema.int_or_string:
            return choose([0, 1, 5, -3, "100%", "x", "7%"])
        match schema.type:
            case "object" if schema.additional is not None:
                return {k: self.value(schema.additional, depth) for k in self._some(["p", "q"])}
            case "object":
                return self._object(schema, depth)
            case "array" if schema.items is not None:
                size = self._random.randrange(4)
                items = [self.value(schema.items, depth + 1) for _ in range(size)]
                return items + items[: self._random.randrange(2)]
            case "string":
                return choose(self._texts)
            case "integer":
                return choose([0, 1, 2, 3, 5])
            case "number":
                return choose([0.5, 1.5])
            case "boolean":
                return choose([True, False])
            case _:
                return choose(self._texts)

    def _object(self, schema: Schema, depth: int) -> dict[str, Json]:
        known = [name for name in schema.properties if name in self._words]
        required = [name for name in known if name in schema.required]
        names = {*required, *self._some(known)}
        return {n: self._field(n, schema.properties[n], depth) for n in known if n in names}

    def _field(self, name: str, schema: Schema, depth: int) -> Json:
        if schema.type == "string" and name in self._likely and self._random.random() < 0.7:
            return self._random.choice(self._likely[name])
        return self.value(schema, depth + 1)

    def _some(self, names: list[str]) -> list[str]:
        return [name for name in names if self._random.random() < 0.7]
