"""YAML request bodies, read as Go's YAML reader reads them.

Upstream turns YAML into JSON and goes on from there, so what matters is which scalars become numbers and booleans
(YAML 1.1: `yes` is true, `0777` is octal, a date stays text), that keys become strings, that only the first document
counts, and the texts of errors. PyYAML's libyaml parser is the ancestor of Go's and words its problems alike.

Aliases are expanded, so the result is a tree that may be changed in place; a document that expands beyond all
measure is refused.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
from dataclasses import dataclass, field
from typing import Final

import yaml

from argosy.api.schema.bodies import MAX_DEPTH
from argosy.api.schema.syntax import Malformed
from argosy.base.fielderrors import format_float, quote
from argosy.base.types import Json

# As many values as fit a body of 3 MiB, and not more by expanding aliases.
MAX_NODES: Final = 2_000_000
_LONGEST_NUMBER: Final = 400

_INT: Final = re.compile(
    r"[-+]?(?:0b[01_]+|0o?[0-7_]+|0x[0-9a-fA-F_]+|(?:0|[1-9][0-9_]*))"
).fullmatch
_FLOAT: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?[0-9]+)?"
).fullmatch
_TRUE: Final = frozenset(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"))
_FALSE: Final = frozenset(
    ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF")
)
# Plain scalars that PyYAML takes for text: octal numbers of YAML 1.2, exponents without point or sign, single letters.
_MORE: Final = re.compile(
    r"[-+]?0o[0-7_]+|[-+]?[0-9][0-9_]*(?:\.[0-9_]*)?[eE][-+]?[0-9]+|[yYnN]"
).fullmatch
_NULL: Final = frozenset(("", "~", "null", "Null", "NULL"))
_SPECIAL: Final = {".inf": math.inf, "+.inf": math.inf, "-.inf": -math.inf, ".nan": math.nan}

_ALIAS: Final = re.compile(rb"\*([0-9A-Za-z_-]*)")
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(slots=True)
class _Reading:
    """One document on its way to JSON."""

    problems: list[str] = field(default_factory=list)


def parse_yaml(body: bytes) -> tuple[Json, list[str]]:
    """The value of the first document, and one line for every key given twice. Raises Malformed."""
    try:
        loader = _LOADER(body)
        try:
            root = loader.get_node() if loader.check_node() else None
        finally:
            loader.dispose()
    except yaml.reader.ReaderError:
        raise Malformed("yaml: control characters are not allowed") from None
    except yaml.MarkedYAMLError as problem:
        raise Malformed(_worded(problem, body)) from None
    except RecursionError:
        raise Malformed("yaml: exceeded max depth of 10000") from None
    if root is not None and _expanded(root, {}, 0) > MAX_NODES:
        raise Malformed("yaml: document contains excessive aliasing")
    reading = _Reading()
    return (None if root is None else _value(root, reading, 0)), reading.problems


def yaml_problem(problems: list[str]) -> str:
    """The piece of a strict decoding error for keys given twice."""
    return "yaml: unmarshal errors:\n" + "\n".join(f"  {problem}" for problem in problems)


def _worded(problem: yaml.MarkedYAMLError, body: bytes) -> str:
    text = problem.problem or "unknown problem parsing YAML content"
    if text.startswith("found undefined alias") and problem.problem_mark is not None:
        name = _ALIAS.match(body, problem.problem_mark.index)
        return f"yaml: unknown anchor '{name[1].decode() if name else ''}' referenced"
    line = 0
    if problem.problem_mark is not None and problem.problem_mark.line:
        # Go's scanner counts the line on after the error, its parser before it.
        line = problem.problem_mark.line + isinstance(problem, yaml.scanner.ScannerError)
    elif problem.context_mark is not None:
        line = problem.context_mark.line
    return f"yaml: line {line}: {text}" if line else f"yaml: {text}"


def _expanded(node: yaml.Node, known: dict[int, int], depth: int) -> int:
    """How many values a node stands for once its aliases are written out. An aliased node is counted once, so a short
    text that would grow without end costs no more to refuse than to read.
    """
    if depth > MAX_DEPTH:
        raise Malformed("yaml: exceeded max depth of 10000")
    size = known.get(id(node))
    if size is None:
        size = 1
        if isinstance(node, yaml.SequenceNode):
            size += sum(_expanded(item, known, depth + 1) for item in node.value)
        elif isinstance(node, yaml.MappingNode):
            size += sum(_expanded(value, known, depth + 1) for _, value in node.value)
        known[id(node)] = size
    return size


def _value(node: yaml.Node, reading: _Reading, depth: int) -> Json:
    if isinstance(node, yaml.ScalarNode):
        return _json_scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return [_value(item, reading, depth + 1) for item in node.value]
    assert isinstance(node, yaml.MappingNode)
    return _mapping(node, reading, depth)


def _mapping(node: yaml.MappingNode, reading: _Reading, depth: int) -> dict[str, Json]:
    merged: dict[str, Json] = {}
    own: dict[str, Json] = {}
    # Keys as YAML has them: 1 and "1" are two, though both become "1".
    seen: set[tuple[type, Json]] = set()
    for key_node, value_node in node.value:
        if key_node.tag == "tag:yaml.org,2002:merge":
            for source in (
                value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
            ):
                if not isinstance(source, yaml.MappingNode):
                    raise Malformed("yaml: map merge requires map or sequence of maps as the value")
                for key, value in _mapping(source, reading, depth + 1).items():
                    merged.setdefault(key, value)
            continue
        typed, key = _key(key_node, value_node)
        if (typed.__class__, typed) in seen:
            shown = quote(key) if isinstance(typed, str) else key
            line = key_node.start_mark.line + 1
            reading.problems.append(f"line {line}: key {shown} already set in map")
        seen.add((typed.__class__, typed))
        own[key] = _value(value_node, reading, depth + 1)
    return {**merged, **own} if merged else own


def _key(node: yaml.Node, value: yaml.Node) -> tuple[Json, str]:
    """A key as YAML has it, and as JSON can have it."""
    if not isinstance(node, yaml.ScalarNode):
        raise Malformed("yaml: invalid map key")
    match _scalar(node):
        case str() as text:
            return text, text
        case bool() as flag:
            return flag, "true" if flag else "false"
        case int() as number:
            return number, str(number)
        case float() as number:
            return number, format_float(number)
        case _:
            shown = quote(value.value) if isinstance(value, yaml.ScalarNode) else "..."
            raise Malformed(f"unsupported map key of type: %!s(<nil>), key: <nil>, value: {shown}")


def _json_scalar(node: yaml.ScalarNode) -> Json:
    value = _scalar(node)
    if isinstance(value, float):
        if not math.isfinite(value):
            shown = "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
            raise Malformed(f"json: unsupported value: {shown}")
        return int(value) if value.is_integer() and abs(value) < 1e21 else value
    return value


def _scalar(node: yaml.ScalarNode) -> Json:
    text: str = node.value
    if node.tag == "tag:yaml.org,2002:binary":
        try:
            return base64.b64decode(text, validate=False).decode("utf-8", "replace")
        except binascii.Error:
            raise Malformed("yaml: !!binary value contains invalid base64 data") from None
    # Quoted and block scalars are text; so are plain ones, unless Go reads more into them than PyYAML does.
    if node.style or (node.tag.endswith(":str") and not _MORE(text)):
        return text
    return _plain(text)


def _plain(text: str) -> Json:
    if text in _NULL:
        return None
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    if text.lower() in _SPECIAL:
        return _SPECIAL[text.lower()]
    if _INT(text):
        # Longer ones fit no field, and reading them exactly takes quadratic time.
        return _integer(text.replace("_", "")) if len(text) <= _LONGEST_NUMBER else math.inf
    if _FLOAT(text):
        return float(text.replace("_", ""))
    return text


def _integer(text: str) -> int:
    sign = -1 if text[0] == "-" else 1
    digits = text.lstrip("+-")
    if digits[:2] in ("0b", "0o", "0x"):
        return sign * int(digits, 0)
    if len(digits) > 1 and digits[0] == "0":
        return sign * int(digits, 8)
    return sign * int(digits)
