"""`python -m tests.differential.controllers [THEME…]`: play on both, print every difference, count.

Real control planes without kubelets are started, one for each kind that themes ask for (`peer:`), unless
`--kubeconfig` names one that runs; the theme `describe` (see `describing`) always has its own. Argosy's side is played in virtual time, as the tests do. `--record` writes what the
real one did into `recordings/`, to which the tests hold Argosy; `--only` chooses scenarios. What differs is played
again (see `repeating`), and told of even when it is the same then.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from tests.differential.controllers import comparing, describing
from tests.differential.controllers.groups import Group, grouped, hold, plane
from tests.differential.controllers.playing import Record
from tests.differential.controllers.scenarios import load, themes
from tests.differential.repeating import Outcome

DESCRIBE = "describe"


def main() -> int:
    """Play the themes on the command line, or all of them."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.differential.controllers", description=__doc__
    )
    parser.add_argument("themes", nargs="*", metavar="THEME")
    parser.add_argument("--kubeconfig", type=Path, help="a running control plane")
    parser.add_argument("--record", action="store_true", help="write recordings of whole themes")
    parser.add_argument("--only", default="", help="scenarios whose name contains this")
    options = parser.parse_args()
    # What controllers warn of is part of the scenarios.
    logging.getLogger("argosy").setLevel(logging.ERROR)
    began = time.monotonic()
    chosen = options.themes or [*themes(), DESCRIBE]
    played = [theme for theme in chosen if theme != DESCRIBE]
    groups = grouped(played, options.only)
    with ExitStack() as stack:
        prefix = tempfile.TemporaryDirectory(prefix="controllers-")
        directory = Path(stack.enter_context(prefix))
        # Each waits for its own control plane most of the time.
        threads = stack.enter_context(ThreadPoolExecutor())
        described = None
        if DESCRIBE in chosen and not options.only:
            described = threads.submit(describing.describe, directory)
        held = threads.map(lambda one: _held(one, options.kubeconfig, directory), groups)
        records: dict[str, Record] = {}
        outcome = Outcome()
        for found, part in held:
            records |= found
            outcome += part
        if described is not None:
            outcome += described.result()
    if options.record and not options.only:
        for theme in played:
            comparing.write(theme, [records[scenario.title] for scenario in load(theme)])
    print(f"{outcome}, {time.monotonic() - began:.0f} s")
    return 1 if outcome.different or not outcome.count else 0


def _held(
    group: Group, kubeconfig: Path | None, directory: Path
) -> tuple[dict[str, Record], Outcome]:
    if kubeconfig is not None:
        return hold(kubeconfig, group)
    with plane(group, directory) as running:
        return hold(running.kubeconfig, group)


if __name__ == "__main__":
    sys.exit(main())
