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

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.conformance.cases import DEFAULT as CASES
from tests.conformance.cases import Case
from tests.conformance.lives import Line, Player, queues, workloads
from tests.conformance.running import Exceptions

DEFAULT: Final = CASES.parent / "kueue-api"
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


def load(directory: Path) -> Iterator[Line]:
    """The cases of a directory, each with the moment it plays at as `now`."""
    path = directory / "lifecycle.jsonl"
    text = path.read_text() if path.exists() else ""
    stamps = Counter(_TIME.findall(text))
    usual = max(stamps, key=lambda one: (stamps[one], one)) if stamps else "2026-01-01T00:00:00"
    for line in text.splitlines():
        raw = _said(json.loads(line))
        fixtures = (raw.get("fixtures") or {}).get("fixtures") or {}
        yield raw | {"now": fixtures.get("now") or f"{usual}Z"}


def run(line: Line) -> list[str]:
    """The differences of one case; none if it passes."""
    play = _PLAYERS.get(line["test"])
    if play is None and "wantResult" in line["case"] and "workload" in line["case"]:
        play = workloads.workload
    return play(line) if play is not None else [f"nothing here runs {line['test']}"]


def listed(line: Line, exceptions: Exceptions) -> str:
    """Why a case does not apply; empty if it does."""
    if line["case"].get("listErr"):
        return "what upstream lists is watched here, and cannot fail in the middle of a look"
    return exceptions.reason(
        Case(
            id=f"lifecycle/{line['test']}/{line['name']}",
            area="lifecycle",
            function=line["test"],
            name=line["name"],
            now=line["now"],
            gates=line["case"].get("featureGates") or {},
        )
    )


def _said(value: Any) -> Any:
    """Without nulls, which Go prints where objects have no field."""
    match value:
        case dict():
            return {name: _said(one) for name, one in value.items() if one is not None}
        case list():
            return [_said(one) for one in value]
        case _:
            return value


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.lifecycle")
    parser.add_argument(
        "--fixtures", type=Path, default=DEFAULT, help="a directory of .jsonl files"
    )
    parser.add_argument("--only", default="", help="cases whose name contains this")
    options = parser.parse_args()
    exceptions, counts = Exceptions(), Counter[str]()
    for line in load(options.fixtures):
        name = f"{line['test']}: {line['name']}"
        if options.only not in name:
            continue
        reason = listed(line, exceptions)
        found = [] if reason else run(line)
        counts["listed" if reason else "failed" if found else "passed"] += 1
        if found:
            print(f"  {name}", *(f"      {one}" for one in found), sep="\n")
    print(
        f"lifecycle: {counts['passed']} passed, {counts['failed']} failed, {counts['listed']} listed"
    )
    return 1 if counts["failed"] or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
