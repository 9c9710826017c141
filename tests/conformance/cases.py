"""Kueue's own cases as data: reading them, with the outcomes under other feature gates as cases of their own.

The format is described in the README beside the fixtures. Nothing here knows a single case.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

DEFAULT: Final = Path(
    os.environ.get("FIXTURES") or Path(__file__).parents[3] / "shared" / "fixtures" / "kueue"
)


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


def load(directory: Path, area: str = "") -> Iterator[Case]:
    """Every case of a directory, or of one area, in order of areas and lines."""
    path = directory / "feature-gate-defaults.json"
    defaults: dict[str, bool] = json.loads(path.read_text()) if path.exists() else {}
    for file in sorted(directory.glob("*.jsonl")):
        if area and file.stem != area:
            continue
        with file.open() as lines:
            for line in lines:
                yield from _cases(json.loads(line), defaults)


def _cases(raw: dict[str, Any], defaults: dict[str, bool]) -> Iterator[Case]:
    yield _case(raw, raw.get("featureGates") or {}, defaults, raw["id"])
    for number, variant in enumerate(raw.get("variants") or (), 1):
        gates = (raw.get("featureGates") or {}) | variant["featureGates"]
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
        name=raw["name"],
        now=raw.get("now") or "2026-01-01T00:00:00Z",
        gates={gate: on for gate, on in gates.items() if defaults.get(gate) != on},
        **{part: raw.get(part) or {} for part in parts},
    )
