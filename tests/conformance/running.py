"""Run cases and say how each ended: passed, failed with its differences, listed with the reason, or not known here."""

from __future__ import annotations

import tomllib
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.conformance.areas import runner
from tests.conformance.cases import Case

EXCEPTIONS: Final = Path(__file__).with_name("exceptions.toml")


@dataclass(frozen=True)
class Outcome:
    """`listed` is the reason a case is not run; `differences` are empty for a case that passed."""

    case: Case
    differences: tuple[str, ...] = ()
    listed: str = ""


class Exceptions:
    """The cases that do not apply, by gate, by upstream test, or one by one."""

    def __init__(self, path: Path = EXCEPTIONS) -> None:
        content: dict[str, Any] = tomllib.loads(path.read_text())
        self._gates = {
            (entry["gate"], entry["value"]): entry["reason"] for entry in content.get("gates", ())
        }
        self._tests = {
            (entry["area"], entry["test"]): entry["reason"] for entry in content.get("tests", ())
        }
        self._cases = {entry["id"]: entry["reason"] for entry in content.get("cases", ())}

    def reason(self, case: Case) -> str:
        """Why a case does not apply; empty if it does."""
        for gate in case.gates.items():
            if gate in self._gates:
                return str(self._gates[gate])
        found = self._tests.get((case.area, case.function)) or self._cases.get(case.id)
        return str(found or "")


def run(case: Case, exceptions: Exceptions) -> Outcome:
    """Run one case. What raises has failed, with the place in our code."""
    reason = exceptions.reason(case)
    if reason:
        return Outcome(case, listed=reason)
    play = runner(case)
    if play is None:
        return Outcome(case, (f"nothing here runs {case.function} of area {case.area}",))
    try:
        return Outcome(case, tuple(play(case)))
    except Exception as problem:  # noqa: BLE001 (the boundary of a case)
        last = traceback.extract_tb(problem.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        return Outcome(case, (f"{type(problem).__name__} at {place}: {problem}",))
