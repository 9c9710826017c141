"""What to send to a terminal so that it shows new lines where it shows old ones: only lines that differ. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

# Terminals that know it show a frame at once; others ignore it.
_BEGIN: Final = "\x1b[?2026h"
_END: Final = "\x1b[?2026l"


def changes(old: Sequence[str], new: Sequence[str]) -> str:
    """Empty where nothing differs. `old` is what is shown: nothing, after the screen was cleared."""
    # Erased first: behind a line as wide as the screen, its last character would go.
    parts = [
        f"\x1b[{row};1H\x1b[K{line}"
        for row, line in enumerate(new, 1)
        if row > len(old) or old[row - 1] != line
    ]
    if len(new) < len(old):
        parts.append(f"\x1b[{len(new) + 1};1H\x1b[J")
    return f"{_BEGIN}{''.join(parts)}{_END}" if parts else ""
