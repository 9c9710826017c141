"""The fleet of a scenario: what a fleet file says (`argosy up --fleet`), in the scenario or in a file beside it."""

from __future__ import annotations

from pathlib import Path

from argosy.base.types import Object
from argosy.fleet.files import FileError, Lines, problems, read, shapes
from argosy.fleet.files.schemas import API_VERSION, KIND
from argosy.fleet.shapes import MemberShape
from argosy.simulation.documents import Field


def read_fleet(field: Field, path: Path) -> tuple[MemberShape, ...]:
    """The members; whatever is wrong is noted in the field's mistakes. `path` is the scenario's."""
    if not field.is_there:
        field.wrong("is required: what clusters there are; see docs/fleet-file.md")
        return ()
    if not field.is_mapping:
        field.wrong("a fleet is a mapping with members, or {file: NAME}")
        return ()
    if field.keys() == ["file"]:
        return _filed(field.at("file"), path)
    document: Object = {**field.value(), "apiVersion": API_VERSION, "kind": KIND}
    found = list(problems(document))
    if not found:
        return tuple(shapes(document))
    lines = Lines(path.read_bytes())
    for where, text in found:
        field.mistakes.add(lines.of(f"fleet.{where}"), f"fleet.{text}")
    return ()


def _filed(field: Field, path: Path) -> tuple[MemberShape, ...]:
    beside = path.parent / field.text()
    try:
        return read(beside.read_bytes(), name=str(beside))
    except OSError as error:
        field.wrong(f"{beside} cannot be read: {error}")
    except FileError as error:
        for problem in error.problems:
            field.wrong(problem)
    return ()
