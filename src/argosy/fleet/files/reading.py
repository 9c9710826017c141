"""From the bytes of a fleet file to the shapes of its members.

A file with mistakes gives nothing but the list of all of them, in the order they stand in the file, each with its line,
its field, the value and what is allowed. The work grows with the entries of a file and not with the members they stand
for: eighty clusters that are alike are checked once and made by numbering a name.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec
import yaml

from argosy.api.schema.defaulting import copy_json
from argosy.api.schema.pruning import prune_value
from argosy.api.schema.structural import Schema
from argosy.api.schema.syntax import Malformed
from argosy.api.schema.validating import NO_PATH, list_errors, validate_schema
from argosy.api.schema.yamls import parse_yaml
from argosy.base.fielderrors import OMITTED, FieldError
from argosy.base.types import Json, Object
from argosy.fleet.files.judging import judge, names_of, rules
from argosy.fleet.files.lines import Lines
from argosy.fleet.files.schemas import API_VERSION, KIND, file_schema
from argosy.fleet.shapes import HEARTBEAT_SECONDS, MemberShape, PoolShape
from argosy.queueing.configuration import ConfigurationError, decode

_LINE: Final = re.compile(r"(?:yaml: )?line (\d+): (.*)", re.DOTALL).fullmatch
_STEP: Final = re.compile(r"\.?([^.\[\]]+)|\[(\d+)\]")
_INDEXED: Final = re.compile(r"\[\d+\]")
_PATH: Final = re.compile(r'(?:unknown field )?"?([A-Za-z][\w.\[\]-]*)"?').match
_UNPLACED: Final = re.compile(r'"([^"]+)" must ').match
# What a member says for all of its pools.
_FOR_POOLS: Final = ("region", "zone", "pricePerHour")
# Fields of a pool that are not those of its spec.
_POOL_ONLY: Final = frozenset({"name", "nodes"})


class FileError(ValueError):
    """A file that says no fleet; `problems` are all its mistakes, each with its line."""

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems: Final = problems


def read(body: bytes, *, name: str = "the fleet file") -> tuple[MemberShape, ...]:
    """The members that a file says, in its order. Raises FileError; `name` opens each of its lines."""
    try:
        raw, twice = parse_yaml(body)
    except Malformed as error:
        raise FileError(_malformed(name, str(error))) from None
    if not isinstance(raw, dict):
        raise FileError(f"{name}:1: a fleet file is an object with apiVersion, kind and members")
    if (raw.get("apiVersion"), raw.get("kind")) != (API_VERSION, KIND):
        line = Lines(body).of("kind" if raw.get("apiVersion") == API_VERSION else "apiVersion")
        got = f"apiVersion {raw.get('apiVersion')!r}, kind {raw.get('kind')!r}"
        raise FileError(f"{name}:{line}: {got}: expected apiVersion {API_VERSION}, kind {KIND}")
    document = copy_json(raw)
    found = sorted(_numbered(body, twice, problems(document)), key=lambda each: each[0])
    if found:
        raise FileError(*dict.fromkeys(f"{name}:{line}: {text}" for line, text in found))
    return tuple(shapes(document))


def _malformed(name: str, text: str) -> str:
    line = _LINE(text)
    return f"{name}:{line[1]}: {line[2]}" if line else f"{name}: {text}"


def _numbered(
    body: bytes, twice: Iterable[str], problems: Iterable[tuple[str, str]]
) -> Iterator[tuple[int, str]]:
    """Problems with their lines."""
    found = list(problems)
    for text in twice:
        line = _LINE(text)
        yield (int(line[1]), line[2]) if line else (1, text)
    if second := _second_document(body):
        yield second, "a second document begins here: a fleet file has one"
    lines = Lines(body) if found else None
    for path, text in found:
        assert lines is not None
        yield lines.of(path), text


def _second_document(body: bytes) -> int:
    """The line where another document begins; 0 if none does."""
    if b"\n---" not in body:
        return 0
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(body)
    try:
        first = loader.get_node() if loader.check_node() else None
        second = loader.get_node() if first is not None and loader.check_node() else None
    except yaml.YAMLError:
        # Whatever it is, it is not of this document.
        return body[: body.index(b"\n---")].count(b"\n") + 2
    finally:
        loader.dispose()
    return 0 if second is None else int(second.start_mark.line) + 1


def problems(document: Object) -> Iterator[tuple[str, str]]:
    """Field and text of every mistake. Takes unknown fields out of the document."""
    schema = file_schema()
    for path in prune_value(schema, document):
        yield path, _unknown(schema, path)
    errors = [_placed(error) for error in validate_schema(schema, document)]
    errors += list_errors(schema, document)
    for error in [*errors, *judge(document)]:
        yield error.field, str(_plain(error, document))
    wrong = [error.field for error in errors]
    for path, entry in _entries(document):
        for index, pool in enumerate(_list(entry.get("nodePools"))):
            at = f"{path}.nodePools[{index}]"
            if isinstance(pool, dict) and not any(field.startswith(at) for field in wrong):
                for error in rules(pool, at):
                    yield error.field, str(_plain(error, document))
        if isinstance(entry.get("queueing"), dict):
            yield from _queueing(entry["queueing"], f"{path}.queueing")


def _unknown(schema: Schema, path: str) -> str:
    """Of a field that nobody knows: what was meant, else what there is."""
    parent, _, name = path.rpartition(".")
    known = sorted(_schema_at(schema, parent).properties)
    close = difflib.get_close_matches(name, known, 1, 0.6)
    hint = f"did you mean {close[0]}?" if close else f"known here: {', '.join(known)}"
    return f"{path}: unknown field; {hint}"


def _schema_at(schema: Schema, path: str) -> Schema:
    for part in path.split(".") if path else ():
        name = part.partition("[")[0]
        schema = schema.properties.get(name) or schema
        for _ in _INDEXED.findall(part):
            schema = schema.items or schema
    return schema


def _placed(error: FieldError) -> FieldError:
    """An error that belongs to no field by its place, but names it in its words."""
    found = _UNPLACED(error.detail) if error.field == NO_PATH else None
    return FieldError(error.reason, found[1], error.value, error.detail) if found else error


def _plain(error: FieldError, document: Object) -> FieldError:
    """The error without what it says twice, and with the value that rules leave out."""
    detail = error.detail.removeprefix(f"{error.field} in body ")
    value = error.value
    if value is OMITTED:
        found = _at(document, error.field)
        value = found if isinstance(found, str | int | float) else value
    return FieldError(error.reason, error.field, value, detail)


def _at(value: Json, path: str) -> Json:
    """The value of a field; None where it cannot be found by its path alone."""
    for name, index in _STEP.findall(path):
        if name:
            value = value.get(name) if isinstance(value, dict) else None
        else:
            value = value[int(index)] if isinstance(value, list) else None
    return value


def _queueing(value: Object, path: str) -> Iterator[tuple[str, str]]:
    try:
        decode(msgspec.json.encode(value), name=path)
    except ConfigurationError as error:
        for problem in error.problems:
            found = _PATH(problem)
            yield f"{path}.{found[1]}" if found else path, f"{path}: {problem}"


def _entries(document: Object) -> Iterator[tuple[str, Object]]:
    """`defaults` and the members, with their paths."""
    if isinstance(document.get("defaults"), dict):
        yield "defaults", document["defaults"]
    for index, entry in enumerate(_list(document.get("members"))):
        if isinstance(entry, dict):
            yield f"members[{index}]", entry


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def shapes(document: Object) -> Iterator[MemberShape]:
    """The members of a document without mistakes."""
    defaults: Object = document.get("defaults", {})
    for entry in document["members"]:
        whole = {**defaults, **entry}
        labels = {**defaults.get("labels", {}), **entry.get("labels", {})}
        pools = tuple(_pools(entry, defaults))
        for name in names_of(entry):
            yield MemberShape(
                name,
                region=whole.get("region", ""),
                zone=whole.get("zone", ""),
                heartbeat_seconds=whole.get("heartbeatPeriodSeconds", HEARTBEAT_SECONDS),
                labels=labels,
                taints=tuple(whole.get("taints", ())),
                pools=pools,
                queueing=whole.get("queueing"),
            )


def _pools(entry: Object, defaults: Object) -> Iterator[PoolShape]:
    """Its pools, with what is said for all of them. What is said closer to the member counts: a pool of the defaults
    does not know what the member wants, a pool of its own does.
    """
    own, given = entry.get("nodePools"), _for_pools(entry)
    for pool in own or defaults["nodePools"]:
        spec = {field: value for field, value in pool.items() if field not in _POOL_ONLY}
        if "nodes" in pool:
            spec |= {"minimum": pool["nodes"], "maximum": pool["nodes"]}
        spec = given | spec if own else spec | given
        yield PoolShape(pool["name"], _for_pools(defaults) | spec)


def _for_pools(entry: Object) -> Object:
    return {field: entry[field] for field in _FOR_POOLS if field in entry}
