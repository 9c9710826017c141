"""How each area's cases are run: a function per upstream test, found by the area's name and the test's.

A runner takes a case and gives back its differences, none when the case passes. A module of this package registers its
runners with `@runs(area, function…)`; adding a module here is all it takes.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable

from tests.conformance.cases import Case

Runner = Callable[[Case], list[str]]
_RUNNERS: dict[tuple[str, str], Runner] = {}


def runs(area: str, *functions: str) -> Callable[[Runner], Runner]:
    """Register a runner for an area's upstream tests."""

    def register(runner: Runner) -> Runner:
        for function in functions:
            assert (area, function) not in _RUNNERS, f"two runners for {area}/{function}"
            _RUNNERS[area, function] = runner
        return runner

    return register


def runner(case: Case) -> Runner | None:
    """The runner of a case; none where nothing here knows its test."""
    if not _RUNNERS:
        for module in pkgutil.iter_modules(__path__):
            importlib.import_module(f"{__name__}.{module.name}")
    return _RUNNERS.get((case.area, case.function))
