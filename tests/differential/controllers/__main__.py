"""`python -m tests.differential.controllers [THEME…]`: play on both, print every difference, count.

Real control planes without kubelets are started, one for each kind that themes ask for (`peer:`), unless
`--kubeconfig` names one that runs; the theme `describe` (see `describing`) always has its own. Argosy's side is played in virtual time, as the tests do. `--record` writes what the
real one did into `recordings/`, to which the tests hold Argosy; `--only` chooses scenarios.
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
from tests.differential.controllers.scenarios import themes

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
    groups = grouped([theme for theme in chosen if theme != DESCRIBE], options.only)
    with ExitStack() as stack:
        prefix = tempfile.TemporaryDirectory(prefix="controllers-")
        directory = Path(stack.enter_context(prefix))
        # Each waits for its own control plane most of the time.
        threads = stack.enter_context(ThreadPoolExecutor())
        described = None
        if DESCRIBE in chosen and not options.only:
            described = threads.submit(describing.describe, directory)
        held = threads.map(lambda one: _held(one, options.kubeconfig, directory), groups)
        records: dict[str, list[Record]] = {}
        texts: list[str] = []
        for found, differences in held:
            records |= found
            texts += differences
        total = sum(map(len, records.values()))
        if described is not None:
            descriptions, differences = described.result()
            total, texts = total + descriptions, texts + differences
    if options.record and not options.only:
        for theme, some in records.items():
            comparing.write(theme, some)
    for text in texts:
        print(text, flush=True)
    failed = len(texts)
    print(f"{total - failed} comparisons the same, {failed} not, {time.monotonic() - began:.0f} s")
    return 1 if failed or not total else 0


def _held(
    group: Group, kubeconfig: Path | None, directory: Path
) -> tuple[dict[str, list[Record]], list[str]]:
    if kubeconfig is not None:
        return hold(kubeconfig, group)
    with plane(group, directory) as running:
        return hold(running.kubeconfig, group)


if __name__ == "__main__":
    sys.exit(main())
