"""Find the differences of two normalized answers, and tell the permitted ones.

A difference is a path (`code`, `headers.Warning[0]`, `body.metadata.labels.app`) with what the
kube-apiserver said and what Argosy said. `permitted.yaml` lists the differences that stay, each
with its reason; COMPATIBILITY.md repeats every reason. A line that matches nothing any more is
itself a failure, so the list can only shrink with the truth.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.differential.loading import Json

PERMITTED = Path(__file__).parent / "permitted.yaml"
ABSENT = "<absent>"


@dataclass(slots=True, frozen=True)
class Difference:
    """One place where the answers part."""

    path: str
    want: Json
    got: Json

    def __str__(self) -> str:
        return f"{self.path}\n      want {self.want!r}\n      got  {self.got!r}"


@dataclass(slots=True, frozen=True)
class Permission:
    """A difference that stays: in which cases, at which path, and why."""

    cases: str
    path: str
    reason: str

    def covers(self, title: str, difference: Difference) -> bool:
        return _matches(self.cases, title) and _matches(self.path, difference.path)


def differences(want: Json, got: Json, path: str = "") -> Iterator[Difference]:
    """Walk two values together; a number is never equal to a boolean."""
    if isinstance(want, dict) and isinstance(got, dict):
        for key in sorted(want.keys() | got.keys()):
            below = f"{path}.{key}" if path else key
            yield from differences(want.get(key, ABSENT), got.get(key, ABSENT), below)
    elif isinstance(want, list) and isinstance(got, list):
        for index in range(max(len(want), len(got))):
            yield from differences(_at(want, index), _at(got, index), f"{path}[{index}]")
    elif want != got or isinstance(want, bool) != isinstance(got, bool):
        yield Difference(path, want, got)


def permissions(path: Path = PERMITTED) -> list[Permission]:
    """Read the list of differences that stay."""
    return [Permission(**entry) for entry in yaml.safe_load(path.read_text()) or []]


def _at(items: list[Json], index: int) -> Json:
    return items[index] if index < len(items) else ABSENT


def _matches(pattern: str, text: str) -> bool:
    """Match with `*` alone: paths are full of brackets, which fnmatch would take for sets."""
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))
