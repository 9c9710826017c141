"""`python -m peer DIRECTORY` keeps a real control plane running until it is interrupted.

For experiments by hand: it prints the line to copy into a shell, then waits.
"""

from __future__ import annotations

import argparse
import signal
from pathlib import Path

from peer.running import control_plane


def main() -> None:
    """Run etcd, kube-apiserver and what else is asked for in the foreground."""
    parser = argparse.ArgumentParser(prog="python -m peer", description=__doc__)
    parser.add_argument("directory", type=Path, help="state, certificates, logs and kubeconfig")
    parser.add_argument("--controllers", default="", help="run these controllers too; '*': all")
    parser.add_argument("--scheduler", action="store_true", help="run kube-scheduler too")
    parser.add_argument("--kwok", action="store_true", help="run kwok, which plays all kubelets")
    parser.add_argument("--no-limits", action="store_true", help="lift the clients' rate limits")
    options = parser.parse_args()
    stops = {signal.SIGINT, signal.SIGTERM}
    control = control_plane(
        options.directory.resolve(),
        controllers=options.controllers,
        scheduler=options.scheduler,
        kwok=options.kwok,
        limits=not options.no_limits,
    )
    with control as plane:
        signal.pthread_sigmask(signal.SIG_BLOCK, stops)
        print(f"ready: export KUBECONFIG={plane.kubeconfig}", flush=True)
        signal.sigwait(stops)


if __name__ == "__main__":
    main()
