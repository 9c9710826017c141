"""How often a long-running command looks for cyclic garbage: rarely.

What it loads while it starts stays until the end, and what a busy cluster makes has no cycles. With Python's own
thresholds a fifth of a fleet's start, and a tenth of the time after it, goes into looking.
"""

from __future__ import annotations

import gc
from typing import Final

_THRESHOLDS: Final = (50_000, 20, 100)


def look_rarely() -> None:
    """From here on. Best said before anything heavy is imported."""
    gc.set_threshold(*_THRESHOLDS)


def settle() -> None:
    """The start is over: what is there now is not looked at again."""
    gc.collect()
    gc.freeze()
    look_rarely()
