"""`python -m peer DIRECTORY` keeps a real control plane running until it is interrupted.

For experiments by hand: it prints the line to copy into a shell, then waits.
"""

from __future__ import annotations

import argparse
import signal
from pathlib import Path

from peer.running import control_plane


def main() -> None:
    """Run etcd and kube-apiserver in the foreground."""
    parser = argparse.ArgumentParser(prog="python -m peer", description=__doc__)
    parser.add_argument("directory", type=Path, help="state, certificates, logs and kubeconfig")
    parser.add_argument("--controllers", default="", help="run these controllers too; '*': all")
    options = parser.parse_args()
    stops = {signal.SIGINT, signal.SIGTERM}
    with control_plane(options.directory.resolve(), controllers=options.controllers) as plane:
        signal.pthread_sigmask(signal.SIG_BLOCK, stops)
        print(f"ready: export KUBECONFIG={plane.kubeconfig}", flush=True)
        signal.sigwait(stops)


if __name__ == "__main__":
    main()
