"""Kueue's own cases as data: reading them, with the outcomes under other feature gates as cases of their own.

Two formats are known, described in the READMEs beside the fixtures: cases of the heart (`id`, `source`, `expected`) and
lines of the API's tables (`test`, `case`). Nothing here knows a single case.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from argosy.queueing.configuration.gates import GATES

_SHARED: Final = Path(__file__).parents[3] / "shared" / "fixtures"
# Where cases are looked for unless somebody says otherwise.
DEFAULTS: Final = (
    (Path(os.environ["FIXTURES"]),)
    if os.environ.get("FIXTURES")
    else (_SHARED / "kueue", _SHARED / "kueue-api")
)
_GATES: Final = "feature-gate-defaults.json"


@dataclass(frozen=True)
class Case:
    """One case. `gates` are the feature gates that differ from Kueue's defaults."""

    id: str
    area: str
    function: str
    name: str
    now: str
    gates: dict[str, bool] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    objects: dict[str, list[Any]] = field(default_factory=dict)
    input: dict[str, Any] = field(default_factory=dict)
    expected: dict[str, Any] = field(default_factory=dict)
    observed: dict[str, Any] = field(default_factory=dict)
    compare: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class File:
    """A file of cases. `lines` are of the API's format if `is_api`, else of the heart's."""

    path: Path
    lines: list[dict[str, Any]]
    is_api: bool


def files(directories: Iterable[Path]) -> Iterator[File]:
    """The files of these directories and of those in them that are in a format known here, in order of their paths."""
    for directory in directories:
        for path in sorted(directory.rglob("*.jsonl")):
            lines = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
            for is_api, keys in ((False, {"id", "area", "source"}), (True, {"test", "case"})):
                if lines and all(isinstance(line, dict) and keys <= line.keys() for line in lines):
                    yield File(path, lines, is_api)


def load(directories: Iterable[Path], area: str = "") -> Iterator[Case]:
    """Every case of the heart, or of one area."""
    for file in files(directories):
        if not file.is_api:
            yield from cases_of(file, area)


def cases_of(file: File, area: str = "") -> Iterator[Case]:
    beside = file.path.with_name(_GATES)
    defaults = json.loads(beside.read_text()) if beside.exists() else dict(GATES)
    for raw in file.lines:
        if area in ("", raw["area"]):
            yield from variants(raw, defaults)


def variants(raw: dict[str, Any], defaults: dict[str, bool]) -> Iterator[Case]:
    """The case itself, then each outcome under other gates."""
    yield _case(raw, raw.get("featureGates") or {}, defaults, raw["id"])
    for number, variant in enumerate(raw.get("variants") or (), 1):
        gates = (raw.get("featureGates") or {}) | (variant.get("featureGates") or {})
        changed = {
            key: (raw.get(key) or {}) | (variant.get(key) or {})
            for key in ("options", "expected", "observed")
        }
        yield _case(raw | changed, gates, defaults, f"{raw['id']}@{number}")


def _case(
    raw: dict[str, Any], gates: dict[str, bool], defaults: dict[str, bool], name: str
) -> Case:
    parts = ("options", "objects", "input", "expected", "observed", "compare")
    return Case(
        id=name,
        area=raw["area"],
        function=raw["source"]["function"],
        name=raw.get("name") or "",
        now=raw.get("now") or "2026-01-01T00:00:00Z",
        gates={gate: on for gate, on in gates.items() if defaults.get(gate) != on},
        **{part: raw.get(part) or {} for part in parts},
    )
