"""`python -m tests.docs PAGE...`: type a page's commands and show what they print, to write pages from."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from tests.docs.pages import load
from tests.docs.playing import Wrong, play


def main(names: list[str]) -> int:
    wrong = 0
    for name in names:
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="pages-") as scratch:
            try:
                play(load(Path(name).resolve()), Path(scratch), told=print)
            except Wrong as problem:
                print(f"WRONG {problem}")
                wrong += 1
        print(f"--- {name}: {time.monotonic() - began:.1f} s", flush=True)
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
