"""`make conformance [FIXTURES=DIR] [AREA=area]`: Kueue's own cases, a line per area, then the count.

DIR holds .jsonl files of cases of the heart, or of the API's tables, or both, in it or in directories below.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

from tests.conformance.cases import DEFAULTS, files
from tests.conformance.running import Exceptions, Outcome, run, trials


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--fixtures", type=Path, help="a directory of .jsonl files")
    parser.add_argument("--area", default="", help="one area only")
    parser.add_argument("--only", default="", help="cases whose id contains this")
    parser.add_argument("--brief", action="store_true", help="no differences, only counts")
    parser.add_argument("--listed", action="store_true", help="what is listed, with its reason")
    parser.add_argument(
        "--observed", action="store_true", help="compare what upstream's tests do not assert, too"
    )
    options = parser.parse_args(arguments)
    directories = DEFAULTS if options.fixtures is None else (options.fixtures,)
    if not any(True for _ in files(directories)):
        where = ", ".join(str(one) for one in directories)
        print(
            f"no cases of a format known here in {where}: give FIXTURES=<directory of .jsonl files>"
        )
        return 2
    exceptions = Exceptions()
    areas: dict[str, list[Outcome]] = defaultdict(list)
    for trial in trials(directories, options.area, observed=options.observed):
        if options.only in trial.id:
            areas[trial.area].append(run(trial, exceptions))
    total = Counter[str]()
    for area, outcomes in areas.items():
        total += _report(area, outcomes, brief=options.brief, listed=options.listed)
    listed = f", {total['listed']} listed as not applicable" if total["listed"] else ""
    print(f"{total['passed']} passed, {total['failed']} failed{listed}")
    return 1 if total["failed"] or not total else 0


def _report(area: str, outcomes: list[Outcome], *, brief: bool, listed: bool) -> Counter[str]:
    counts = Counter(outcome.kind for outcome in outcomes)
    print(
        f"{area}: " + ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "listed"))
    )
    for outcome in outcomes:
        if outcome.kind == "failed" and not brief:
            print(
                f"  {outcome.trial.id}", *(f"      {one}" for one in outcome.differences), sep="\n"
            )
        if outcome.listed and listed:
            print(f"  {outcome.trial.id}: {outcome.listed}")
    return counts


if __name__ == "__main__":
    sys.exit(main())
