"""Hold two records of a scenario against each other, and keep the real cluster's on disk.

Recordings are what a real kube-controller-manager (the version in `peer`) did, normalized. They let Argosy be held to
it in virtual time, in milliseconds; `python -m tests.differential.controllers` holds it to the live one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import yaml

from tests.differential.controllers.playing import Record
from tests.differential.controllers.scenarios import HERE, Scenario

RECORDINGS = HERE / "recordings"


def differences(scenario: Scenario, want: Record, got: Record) -> list[str]:
    """Say where `got` differs; empty when it does not."""
    found = []
    if len(want.steps) != len(got.steps):
        found.append(f"{len(want.steps)} steps there, {len(got.steps)} here")
    there: dict[str, Any] = {}
    here: dict[str, Any] = {}
    for number, (wanted, given) in enumerate(zip(want.steps, got.steps, strict=False), 1):
        (step, changed), (_, ours) = next(iter(wanted.items())), next(iter(given.items()))
        there |= changed
        here |= ours
        if number not in scenario.differing:
            found += [f"step {number} ({step}): {text}" for text in _lines(there, here)]
    return found


def _lines(want: dict[str, Any], got: dict[str, Any]) -> Iterator[str]:
    for line in sorted(want.keys() | got.keys()):
        if want.get(line) != got.get(line):
            yield f"{line}\n    real:   {want.get(line)}\n    argosy: {got.get(line)}"


def write(theme: str, records: list[Record]) -> None:
    RECORDINGS.mkdir(exist_ok=True)
    content = {record.scenario: record.steps for record in records}
    text = yaml.safe_dump(content, default_flow_style=None, width=150, sort_keys=False)
    (RECORDINGS / f"{theme}.yaml").write_text(text)


def read(theme: str) -> dict[str, Record]:
    """The recordings of a theme by scenario; none where it was never recorded."""
    path = RECORDINGS / f"{theme}.yaml"
    content = yaml.load(path.read_text(), yaml.CSafeLoader) if path.exists() else {}
    return {name: Record(name, steps) for name, steps in content.items()}
