"""Columns laid out in a width: what is too wide is shortened where that may be, then left out, least important first.

Every line is at most as wide as asked for, whatever the cells hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from argosy.cli.screens.texts import Line, Span, Style, cell, fit_line, line_width, pad

_GAP: Final = 2


@dataclass(slots=True, frozen=True)
class Column:
    """`rank`: the highest goes first where there is no room; 0 stays. `least`: it may be shortened to so many columns
    (0: it may not). One that says nothing in any row, and need not stay, is left out.
    """

    title: str
    cells: Sequence[Line]
    rank: int = 0
    least: int = 0
    right: bool = False


def table(columns: Sequence[Column], width: int, more: str) -> list[Line]:
    """A head, and a line for each row."""
    told = [each for each in columns if each.rank == 0 or not each.cells or any(each.cells)]
    kept, widths = _layout(told, width)
    head = [cell(each.title, Style.HEAD) for each in kept]
    rows = zip(*(each.cells for each in kept), strict=True)
    return [_line(kept, widths, row, width, more) for row in (head, *rows)]


def _layout(columns: Sequence[Column], width: int) -> tuple[list[Column], list[int]]:
    kept = list(columns)
    while True:
        widths = [max(map(line_width, (cell(each.title), *each.cells))) for each in kept]
        room = width - _GAP * (len(kept) - 1)
        least = [_least(each, wanted) for each, wanted in zip(kept, widths, strict=True)]
        dropped = max(kept, key=lambda each: each.rank, default=None)
        if sum(least) <= room or dropped is None or dropped.rank == 0:
            return kept, _shortened(widths, least, room)
        kept.remove(dropped)


def _least(column: Column, wanted: int) -> int:
    return min(wanted, max(column.least, len(column.title))) if column.least else wanted


def _shortened(widths: list[int], least: list[int], room: int) -> list[int]:
    """Take from the widest first, and from those that are equally wide alike, as long as too much is wanted."""
    widths = list(widths)
    while (excess := sum(widths) - room) > 0:
        able = [n for n, (had, low) in enumerate(zip(widths, least, strict=True)) if had > low]
        if not able:
            break
        most = max(widths[n] for n in able)
        widest = [n for n in able if widths[n] == most]
        lower = max((widths[n] for n in able if widths[n] < most), default=0)
        step = max(1, min(excess // len(widest), most - lower))
        for number in widest[:excess]:
            widths[number] = max(least[number], most - step)
    return widths


def _line(
    columns: Sequence[Column], widths: Sequence[int], row: Sequence[Line], width: int, more: str
) -> Line:
    spans: list[Span] = []
    for number, (column, wide, content) in enumerate(zip(columns, widths, row, strict=True)):
        if number:
            spans.append(Span(" " * _GAP))
        fitted = fit_line(content, wide, more)
        is_last = number == len(columns) - 1
        spans += fitted if is_last and not column.right else pad(fitted, wide, right=column.right)
    return fit_line(tuple(spans), width, more)
