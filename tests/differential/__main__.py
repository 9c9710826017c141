"""`python -m tests.differential [THEME…]`: replay, print every difference, count.

`--itself` puts a second kube-apiserver in Argosy's place: whatever differs then is a fault of the
harness or an answer that is not deterministic.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from tests.differential.comparing import Permission, permissions
from tests.differential.exchanging import Replayer
from tests.differential.loading import themes
from tests.differential.replaying import Verdict, replay
from tests.differential.servers import argosy, kube_apiserver


def main() -> int:
    """Replay the themes on the command line, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__)
    parser.add_argument("themes", nargs="*", metavar="THEME")
    parser.add_argument("--itself", action="store_true", help="two kube-apiservers")
    parser.add_argument("--answers", action="store_true", help="print what the peer answered")
    options = parser.parse_args()
    chosen = options.themes or themes()
    allowed = permissions()
    verdicts: list[Verdict] = []
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="differential-")))
        peer = stack.enter_context(kube_apiserver(directory / "peer"))
        other: Replayer = stack.enter_context(
            kube_apiserver(directory / "other") if options.itself else argosy(directory / "argosy")
        )
        for theme in chosen:
            for verdict in replay(theme, peer, other, allowed):
                verdicts.append(verdict)
                if options.answers:
                    print(verdict.summary)
                if not verdict.passed:
                    print(verdict, flush=True)
    stale = [] if options.themes or options.itself else unused(verdicts, allowed)
    for permission in stale:
        print(f"STALE  permitted.yaml: {permission.cases} / {permission.path} matches nothing")
    failed = sum(not verdict.passed for verdict in verdicts) + len(stale)
    print(f"{len(verdicts) - failed + len(stale)} passed, {failed} failed")
    return 1 if failed else 0


def unused(verdicts: list[Verdict], allowed: list[Permission]) -> list[Permission]:
    """Return the permissions that no case needed."""
    used = [permission for verdict in verdicts for permission in verdict.permitted]
    return [permission for permission in allowed if permission not in used]


if __name__ == "__main__":
    sys.exit(main())
