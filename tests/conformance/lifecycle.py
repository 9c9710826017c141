"""Kueue's cases of lives (kueue-api/lifecycle.jsonl): one look at an object, and what must come of it.

A line is `{area, test, name, fixtures, case}`. Upstream's tables lean on what the data does not have, and this is how
it is made up:

* The moment of the look, where no fixture names it, is the one most objects of the file are stamped with.
* A ClusterQueue is active if it says so; a namespace is there, without labels, unless the case brings its own.
* Options of the reconciler are only known to be given. How long is waited follows from what must come of it: exactly so
  long that the wait that is wanted is left, or that it has just run out. A limit of retries stands in the case's name,
  or is reached where that must come of it.
* Where a server that merges patches answers otherwise than upstream's stand-in for server-side apply, the former counts.

Times are compared by their being there, as upstream does.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, Final

from tests.conformance.comparing import is_empty
from tests.conformance.lives import Line, Player, queues, workloads

_TIME: Final = re.compile(r'"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.\d+)?Z"')
_PLAYERS: Final[dict[str, Player]] = {
    "TestReconcileSyncAdmissionChecks": workloads.synced_checks,
    "TestSyncCheckStates": workloads.check_states,
    "TestClusterQueueReconcile": queues.cluster_queue,
    "TestUpdateCqStatusIfChanged": queues.cluster_queue_statuses,
    "TestLocalQueueReconcile": queues.local_queue,
    "TestResourceFlavorReconcile": queues.flavor,
    "TestWorkloadPriorityClassReconcile": queues.priority_class,
}
# What the players look at. Anything else that is wanted is a difference.
_WANTED: Final = frozenset(
    """wantActive wantChange wantChecks wantConsumedResources wantCqStatus wantDeleted wantError wantErrorMsg wantEvents
    wantFlavor wantLocalQueue wantReason wantRequeueAfter wantReserving wantResult wantStates wantWorkload
    wantWorkloadUseMergePatch wantWorkloads wantWorkloadsInQueue""".split()  # noqa: SIM905 (a word list)
)


def timed(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines of a file without nulls, each with the moment it plays at as `now`."""
    known = [_said(line) for line in lines]
    stamps = Counter(_TIME.findall(json.dumps(known)))
    usual = max(stamps, key=lambda one: (stamps[one], one)) if stamps else "2026-01-01T00:00:00"
    for line in known:
        fixtures = (line.get("fixtures") or {}).get("fixtures") or {}
        yield line | {"now": fixtures.get("now") or f"{usual}Z"}


def run(line: Line) -> list[str]:
    """The differences of one case; none if it passes."""
    case = line["case"]
    play = _PLAYERS.get(line["test"])
    if play is None and line["test"].startswith("TestReconcile") and "workload" in case:
        play = workloads.workload
    if play is None:
        return [f"nothing here runs {line['test']}"]
    return play(line) + [
        f"{name}: want {value}, and nothing here works this out"
        for name, value in case.items()
        if name.startswith("want") and name not in _WANTED and not is_empty(value)
    ]


def _said(value: Any) -> Any:
    """Without nulls, which Go prints where objects have no field."""
    match value:
        case dict():
            return {name: _said(one) for name, one in value.items() if one is not None}
        case list():
            return [_said(one) for one in value]
        case _:
            return value
