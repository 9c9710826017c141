"""Verbs that kubectl has: it does them, with the same arguments, in place of this process."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Sequence


def run(arguments: Sequence[str]) -> int:  # noqa: RET503  (execv does not return)
    """Become kubectl; returns only where there is none."""
    program = shutil.which("kubectl")
    if program is None:
        missing = 'exec: "kubectl": executable file not found in $PATH'
        where = os.environ.get("PATH", "")
        print(
            f'Error: pass-through command are not available: {missing}, PATH="{where}"',
            file=sys.stderr,
        )
        return 1
    sys.stdout.flush()
    os.execv(program, [program, *arguments])  # noqa: S606  (the user's own kubectl)
