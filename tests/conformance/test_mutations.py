"""The runners are for the format, not for the files: cases that are changed in ways that mean nothing still pass, and
cases that are changed in ways that mean something do not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from tests.conformance.cases import DEFAULTS, Case, cases_of, files
from tests.conformance.comparing import is_empty
from tests.conformance.running import Exceptions, run, trial

Raw = dict[str, Any]
_EXCEPTIONS: Final = Exceptions()
# The ClusterQueue that asks for more in cases of shares, says the format.
_ASKS: Final = "cq"
# A ClusterQueue is active by its name in this test, says the format.
_NAMED: Final = ("TestHeads",)


def _cases() -> Iterator[tuple[Raw, Case]]:
    for file in files(DEFAULTS):
        if file.is_api:
            continue
        for raw, case in zip(file.lines, _mains(file), strict=True):
            if run(trial(case, observed=True), _EXCEPTIONS).kind == "passed":
                yield raw, case


def _mains(file: Any) -> list[Case]:
    return [case for case in cases_of(file) if "@" not in case.id]


_PASSING: Final = list(_cases())
_AT_HAND: Final = pytest.mark.skipif(
    not _PASSING, reason="Kueue's cases (shared/fixtures/kueue) are not here"
)


def _replayed(case: Case, raw: Raw) -> list[str]:
    parts = ("options", "objects", "input", "expected", "observed", "compare")
    changed = Case(
        case.id,
        case.area,
        case.function,
        case.name,
        case.now,
        case.gates,
        **{part: raw.get(part) or {} for part in parts},
    )
    return list(run(trial(changed, observed=True), _EXCEPTIONS).differences)


def _renamed(raw: Raw) -> Raw:
    """ClusterQueues, cohorts, flavors, and what is named like them under other names, which sort as before."""
    objects = raw.get("objects") or {}
    kinds = ("clusterQueues", "cohorts", "resourceFlavors")
    names = {one["metadata"]["name"] for kind in kinds for one in objects.get(kind) or ()}
    if not names or names & _taken(raw):
        return raw
    either = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    text = re.sub(rf"(?<![\w.-])({either})(?![\w.-])", r"zz-\1", json.dumps(raw))
    renamed: Raw = json.loads(text)
    return renamed


def _taken(raw: Raw) -> set[str]:
    """Names that stand for something else as well: of fields, resources and pod sets; words of texts; the namespace
    that cases leave out.
    """
    found = {_ASKS, "a", "all", "flavor", "test"}
    if "more than one" in json.dumps(raw):
        found.add("one")
    if "initialLocalQueueUsage" in (raw.get("input") or {}):
        found.add("default")
    waiting: list[tuple[Any, bool]] = [(raw, False)]
    while waiting:
        match waiting.pop():
            case dict() as obj, is_in_object:
                is_in_object = is_in_object or "kind" in obj
                if is_in_object:
                    found |= obj.keys()
                if "count" in obj:
                    found.add(str(obj.get("name")))
                waiting += [(one, is_in_object) for one in obj.values()]
            case list() as several, is_in_object:
                waiting += [(one, is_in_object) for one in several]
            case _:
                pass
    return found


def _permuted(raw: Raw) -> Raw:
    """Objects in another order."""
    objects = raw.get("objects") or {}
    return raw | {
        "objects": {kind: list(reversed(given or ())) for kind, given in reversed(objects.items())}
    }


def _sparse(raw: Raw) -> Raw:
    """Without what is empty, outside of API objects."""
    parts = ("options", "input", "expected", "observed")
    kept = {
        part: {name: value for name, value in (raw.get(part) or {}).items() if not is_empty(value)}
        for part in parts
    }
    objects = {kind: given for kind, given in (raw.get("objects") or {}).items() if given}
    found = raw | kept | {"objects": objects}
    return {name: value for name, value in found.items() if value}


def _padded(raw: Raw) -> Raw:
    """With empty lists of the objects there are none of."""
    kinds = (
        "clusterQueues", "cohorts", "resourceFlavors", "localQueues", "workloads", "namespaces",
        "limitRanges", "admissionChecks", "topologies",
    )  # fmt: skip
    objects = raw.get("objects") or {}
    return raw | {"objects": {kind: objects.get(kind) for kind in kinds} | objects}


_MEANINGLESS: Final[dict[str, Callable[[Raw], Raw]]] = {
    "under other names": _renamed,
    "with objects in another order": _permuted,
    "without what is empty": _sparse,
    "with empty lists": _padded,
}


@_AT_HAND
@pytest.mark.parametrize("change", _MEANINGLESS)
def test_a_case_passes(change: str) -> None:
    found = {}
    for raw, case in _PASSING:
        if change == "under other names" and case.function in _NAMED:
            continue
        differences = _replayed(case, _MEANINGLESS[change](raw))
        if differences:
            found[case.id] = differences
    assert found == {}


@_AT_HAND
def test_what_nobody_knows_of_is_a_difference() -> None:
    ignored = [
        case.id
        for raw, case in _PASSING
        if not _replayed(case, raw | {"expected": raw["expected"] | {"unheardOf": {"really": 1}}})
    ]
    assert ignored == []


# What upstream's tables have and do not look at (flavors that were not tried, for one), or log, by test.
_NOT_COMPARED: Final = {
    ("TestClusterQueueReadinessWithTAS", "status"),
    ("TestFairPreemptionSkipsUnsatisfiableTournament", "firstStrategyEvals"),
    ("TestFairPreemptionSkipsUnsatisfiableTournament", "secondStrategyEvals"),
    ("TestFairPreemptionSkipsUnsatisfiableTournament", "skippedQueues"),
    ("TestCacheWorkloadOperations", "lastOperationFails"),
    ("TestIsNoFitDueToCapacityAndLimits", "noFitReasonByFlavor"),
}


@_AT_HAND
def test_all_that_is_expected_is_compared() -> None:
    ignored = []
    for raw, case in _PASSING:
        for key, value in raw["expected"].items():
            if (case.function, key) in _NOT_COMPARED or is_empty(value):
                continue
            if not _replayed(case, raw | {"expected": raw["expected"] | {key: _other(value)}}):
                ignored.append((case.id, key))
    assert ignored == []


def _other(value: Any) -> Any:
    """Something else of the same shape: the last thing in it is different."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"not {value}"
        case [*rest, last]:
            return [*rest, _other(last)]
        case {**names} if names.keys() - {"apiVersion", "kind"}:
            name = [one for one in names if one not in ("apiVersion", "kind")][-1]
            return names | {name: _other(names[name])}
        case _:
            return "something"
