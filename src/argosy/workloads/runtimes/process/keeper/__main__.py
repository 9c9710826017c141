"""Start a keeper: `ORPHAN_SECONDS`, with the listening socket as standard input."""

from __future__ import annotations

import gc
import os
import socket
import sys

from argosy.workloads.runtimes.process.keeper.serving import Keeper


def main() -> None:
    # Argosy's own callers may wait for these to be closed, and we outlive them.
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))
    listener = socket.socket(fileno=os.dup(0))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir("/")
    # Everything that is there by now is shared by all forks.
    gc.collect()
    gc.freeze()
    Keeper(listener, float(sys.argv[1])).run()


main()
