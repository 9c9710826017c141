"""The Python that a page's blocks are typed into: one file after the other, in one set of names.

    python interpreter.py REQUESTS ANSWERS

A request is a line `FILE OUTPUT`; the answer is a line with 0, or 1 after an exception, which stands in OUTPUT.
"""

from __future__ import annotations

import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any


def main() -> None:
    requests, answers = map(Path, sys.argv[1:3])
    names: dict[str, Any] = {"__name__": "__main__"}
    while True:
        # Opened anew for each request: every writer closes its end.
        with requests.open() as file:
            line = file.readline()
        if not line.strip():
            return
        code = _run(*map(Path, line.split()), names)
        with answers.open("w") as file:
            file.write(f"{code}\n")


def _run(script: Path, output: Path, names: dict[str, Any]) -> int:
    with output.open("w") as sink, redirect_stdout(sink), redirect_stderr(sink):
        try:
            exec(compile(script.read_text(), str(script), "exec"), names)
        except Exception:  # noqa: BLE001 (whatever a page raises is shown to who mends it)
            traceback.print_exc()
            return 1
    return 0


if __name__ == "__main__":
    main()
