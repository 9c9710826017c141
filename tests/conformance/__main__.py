"""`make conformance FIXTURES=DIR [AREA=area]`: Kueue's own cases through the heart, a line per area, then the count."""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from pathlib import Path

from tests.conformance.cases import DEFAULT, load
from tests.conformance.running import Exceptions, Outcome, run


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument(
        "--fixtures", type=Path, default=DEFAULT, help="a directory of .jsonl files"
    )
    parser.add_argument("--area", default="", help="one area only")
    parser.add_argument("--only", default="", help="cases whose id contains this")
    parser.add_argument("--brief", action="store_true", help="no differences, only counts")
    options = parser.parse_args()
    if not options.fixtures.is_dir():
        print(f"no fixtures at {options.fixtures}: give FIXTURES=<directory of .jsonl files>")
        return 2
    exceptions = Exceptions()
    areas: dict[str, list[Outcome]] = defaultdict(list)
    for case in load(options.fixtures, options.area):
        if options.only in case.id:
            areas[case.area].append(run(case, exceptions))
    total = Counter[str]()
    for area, outcomes in areas.items():
        total += _report(area, outcomes, brief=options.brief)
    listed = f", {total['listed']} listed as not applicable" if total["listed"] else ""
    print(f"{total['passed']} passed, {total['failed']} failed{listed}")
    return 1 if total["failed"] or not total else 0


def _report(area: str, outcomes: list[Outcome], *, brief: bool) -> Counter[str]:
    counts = Counter(_kind(outcome) for outcome in outcomes)
    print(
        f"{area}: " + ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "listed"))
    )
    for outcome in outcomes:
        if outcome.differences and not brief:
            print(f"  {outcome.case.id}")
            for line in outcome.differences:
                print(f"      {line}")
    return counts


def _kind(outcome: Outcome) -> str:
    if outcome.listed:
        return "listed"
    return "failed" if outcome.differences else "passed"


if __name__ == "__main__":
    sys.exit(main())
