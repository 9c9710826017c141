"""`python -m tests.differential [THEME…]`: replay, print every difference, count.

What differs is replayed on two new servers (see `repeating`), with all of its theme, because cases
stand on those before them. `--itself` puts a second kube-apiserver in Argosy's place: whatever
differs then is a fault of the harness or an answer that is not deterministic, so nothing is
replayed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.differential.comparing import Permission, permissions
from tests.differential.exchanging import Replayer
from tests.differential.loading import load, themes
from tests.differential.repeating import TRIES, Differences, insist
from tests.differential.replaying import Verdict, replay
from tests.differential.servers import argosy, kube_apiserver


def main() -> int:
    """Replay the themes on the command line, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("themes", nargs="*", metavar="THEME")
    parser.add_argument("--itself", action="store_true", help="two kube-apiservers")
    parser.add_argument("--answers", action="store_true", help="print what the peer answered")
    options = parser.parse_args()
    allowed = permissions()
    verdicts: list[Verdict] = []
    theme_of = {case.title: theme for theme in options.themes or themes() for case in load(theme)}

    def replay_some(titles: Collection[str]) -> Differences:
        found: Differences = {}
        with _servers(itself=options.itself) as (peer, other):
            for theme in dict.fromkeys(theme_of[title] for title in titles):
                for verdict in replay(theme, peer, other, allowed):
                    verdicts.append(verdict)
                    if options.answers:
                        print(verdict.summary, flush=True)
                    if not verdict.passed and verdict.case.title in titles:
                        found[verdict.case.title] = verdict.texts
        return found

    outcome = insist(theme_of, replay_some, tries=1 if options.itself else TRIES)
    stale = [] if options.themes or options.itself else unused(verdicts, allowed)
    for permission in stale:
        print(f"STALE  permitted.yaml: {permission.cases} / {permission.path} matches nothing")
    print(outcome)
    return 1 if outcome.different or stale else 0


@contextmanager
def _servers(*, itself: bool) -> Iterator[tuple[Replayer, Replayer]]:
    """Two new servers: a kube-apiserver, and Argosy or another one."""
    with tempfile.TemporaryDirectory(prefix="differential-") as name:
        directory = Path(name)
        second = kube_apiserver if itself else argosy
        with kube_apiserver(directory / "peer") as peer, second(directory / "other") as other:
            yield peer, other


def unused(verdicts: list[Verdict], allowed: list[Permission]) -> list[Permission]:
    """Return the permissions that no case needed."""
    used = [permission for verdict in verdicts for permission in verdict.permitted]
    return [permission for permission in allowed if permission not in used]


if __name__ == "__main__":
    sys.exit(main())
