"""Lines of aligned cells, as kubectl aligns them: padded to the widest of their column plus three blanks, at least six
wide; the last cell of a line is not padded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_LEAST: Final = 6
_PADDING: Final = 3


def table(rows: Sequence[Sequence[str]]) -> str:
    """Lines of aligned cells; the first row is the head."""
    widths = [max(_LEAST, max(map(len, column)) + _PADDING) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        padded = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        lines.append("".join((*padded, row[-1])) + "\n")
    return "".join(lines)
