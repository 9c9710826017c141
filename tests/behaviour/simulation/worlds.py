"""Small scenarios, played in this process or in another one."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from argosy.base.types import Object
from argosy.simulation.ledgers import Ledger
from argosy.simulation.plans import Scenario
from argosy.simulation.reading import find, read
from argosy.simulation.running import play

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Played:
    scenario: Scenario
    ledger: Ledger
    summary: Object
    log: bytes

    def events(self, *names: str) -> list[Object]:
        found = [json.loads(line) for line in self.log.splitlines()]
        return [each for each in found if each["event"] in names] if names else found


def played(scenario: Scenario, hours: float, *, seed: int = 1) -> Played:
    sink = io.BytesIO()
    outcome = play(scenario, sink, seed=seed, until=hours * 3600)
    return Played(scenario, outcome.ledger, outcome.summary, sink.getvalue())


def small() -> Scenario:
    return read(find("small"))


def command(*arguments: str, hash_seed: str = "0") -> subprocess.CompletedProcess[str]:
    """`argosy` as users run it, in a process whose hashes are seeded so."""
    paths = [str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(
        [sys.executable, "-m", "argosy", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
