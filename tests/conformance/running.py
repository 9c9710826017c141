"""Run cases and say how each ended: passed, failed with its differences, or listed with the reason it does not apply.

Every case is run. One that is listed (exceptions.toml) and differs is counted as listed; one that is listed and passes
has passed: what the list is about does not show in it.

What a case has `observed` beside what its test asserts is compared only if asked for. Upstream does not promise it.
"""

from __future__ import annotations

import tomllib
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from tests.conformance import api, lifecycle
from tests.conformance.areas import runner
from tests.conformance.cases import Case, File, cases_of, files
from tests.conformance.lives import Line

EXCEPTIONS: Final = Path(__file__).with_name("exceptions.toml")


@dataclass(frozen=True)
class Trial:
    """A case of either format that can be run: `play` gives back its differences. `given` and `objects` are what it puts
    in.
    """

    id: str
    area: str
    function: str
    play: Callable[[], list[str]]
    gates: Mapping[str, bool] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    objects: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_variant(self) -> bool:
        """Whether this is the outcome of another case under other gates."""
        return "@" in self.id


@dataclass(frozen=True)
class Outcome:
    """`listed` is the reason a case does not apply; without one, `differences` are empty for a case that passed."""

    trial: Trial
    differences: tuple[str, ...] = ()
    listed: str = ""

    @property
    def kind(self) -> str:
        if self.listed:
            return "listed"
        return "failed" if self.differences else "passed"


class Exceptions:
    """The cases that do not apply, by what entries name of them."""

    def __init__(self, path: Path = EXCEPTIONS) -> None:
        self.entries: list[dict[str, Any]] = []
        for form, entries in tomllib.loads(path.read_text()).items():
            for entry in entries:
                if not entry.get("reason"):
                    raise ValueError(f"{path.name}: an entry of {form} has no reason: {entry}")
                self.entries.append(entry)

    def reason(self, trial: Trial) -> str:
        """Why a case does not apply; empty if it does."""
        return next((str(one["reason"]) for one in self.entries if concerns(one, trial)), "")


def concerns(entry: Mapping[str, Any], trial: Trial) -> bool:
    """Whether everything an entry names is so of a case."""
    if "gate" in entry and trial.gates.get(entry["gate"]) is not entry["value"]:
        return False
    if "input" in entry and not trial.given.get(entry["input"]):
        return False
    if "objects" in entry and not trial.objects.get(entry["objects"]):
        return False
    names = {"area": trial.area, "test": trial.function, "id": trial.id}
    return all(entry[name] == value for name, value in names.items() if name in entry)


def trials(
    directories: Iterable[Path], area: str = "", *, observed: bool = False
) -> Iterator[Trial]:
    """Every case of these directories that is of an area, if one is given."""
    for file in files(directories):
        if file.is_api:
            yield from (one for one in _api_trials(file) if area in ("", one.area))
        else:
            yield from (trial(case, observed=observed) for case in cases_of(file, area))


def trial(case: Case, *, observed: bool = False) -> Trial:
    if not observed:
        case = replace(case, observed={})
    play = runner(case)
    return Trial(
        case.id,
        case.area,
        case.function,
        partial(play, case) if play else partial(_unknown, case.area, case.function),
        case.gates,
        case.input,
        case.objects,
    )


def _api_trials(file: File) -> Iterator[Trial]:
    plays: dict[str, Callable[[Line], list[str]]] = {
        "validation": api.run_validation,
        "conversion": api.run_conversion,
        "lifecycle": lifecycle.run,
    }
    for line in lifecycle.timed(file.lines):
        area, test = line.get("area") or file.path.stem, line["test"]
        play = plays.get(area)
        yield Trial(
            f"{area}/{test}/{line.get('name') or ''}",
            area,
            test,
            partial(play, line) if play else partial(_unknown, area, test),
            line["case"].get("featureGates") or {},
            line["case"],
        )


def _unknown(area: str, function: str) -> list[str]:
    return [f"nothing here runs {function} of area {area}"]


def run(one: Trial, exceptions: Exceptions) -> Outcome:
    """Run one case. What raises has failed, with the place in our code."""
    try:
        found = tuple(one.play())
    except Exception as problem:  # noqa: BLE001 (the boundary of a case)
        last = traceback.extract_tb(problem.__traceback__)[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        found = (f"{type(problem).__name__} at {place}: {problem}",)
    return Outcome(one, found, exceptions.reason(one) if found else "")
