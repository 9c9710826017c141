"""Charts as inline SVG, drawn by hand: no dependency, no script, colors from the page's variables. Pure.

Charts over time have the same width and margins: what happens at one moment stands in one line down the page.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Final, NamedTuple

WIDTH: Final = 1080
_LEFT: Final = 64
_RIGHT: Final = 16
_TOP: Final = 10
_BOTTOM: Final = 24
_PLOT: Final = WIDTH - _LEFT - _RIGHT
_GRID: Final = 4
_HOUR: Final = 3600.0
_STEPS: Final = (900.0, _HOUR, 3 * _HOUR, 6 * _HOUR, 12 * _HOUR, 24 * _HOUR, 7 * 24 * _HOUR)
_TICKS: Final = 9


class Span(NamedTuple):
    """A stretch of time that is shaded: an outage."""

    since: float
    until: float
    text: str


class Mark(NamedTuple):
    """A moment: a change."""

    at: float
    text: str


class Axis(NamedTuple):
    """Time on the page: how long the run is, how a moment is called, what happened."""

    seconds: float
    label: Callable[[float], str]
    spans: Sequence[Span] = ()
    marks: Sequence[Mark] = ()

    def x(self, at: float) -> float:
        return _LEFT + _PLOT * min(max(at / self.seconds, 0.0), 1.0)

    def ticks(self) -> list[float]:
        step = next((each for each in _STEPS if self.seconds / each <= _TICKS), _STEPS[-1])
        return [step * n for n in range(int(self.seconds / step) + 1)]


def areas(
    series: Mapping[str, Sequence[float]],
    axis: Axis,
    *,
    ceiling: Sequence[float] = (),
    height: int = 220,
    unit: str = "",
) -> str:
    """Series on top of each other; `ceiling` is a line above them: what there is."""
    slots = max((len(each) for each in series.values()), default=0)
    sums = [sum(each[n] for each in series.values()) for n in range(slots)]
    most = nice(max([*sums, *ceiling, 1e-9]))
    floor = [0.0] * slots
    parts = [_frame(axis, most, height, unit)]
    for number, (name, values) in enumerate(series.items()):
        top = [below + value for below, value in zip(floor, values, strict=True)]
        points = [*_points(top, most, height), *reversed(_points(floor, most, height))]
        title = f"<title>{escape(name)}</title>"
        parts.append(
            f'<polygon class="area c{number % 8}" points="{_joined(points)}">{title}</polygon>'
        )
        floor = top
    if ceiling:
        parts.append(
            f'<polyline class="ceiling" points="{_joined(_points(ceiling, most, height))}"/>'
        )
    return _svg(parts, height)


def lines(
    series: Mapping[str, Sequence[float]], axis: Axis, *, height: int = 160, unit: str = ""
) -> str:
    """Series side by side."""
    most = nice(max([value for each in series.values() for value in each] or [1.0]) or 1.0)
    parts = [_frame(axis, most, height, unit)]
    for number, (name, values) in enumerate(series.items()):
        parts.append(
            f'<polyline class="line c{number % 8}" points="{_joined(_points(values, most, height))}">'
            f"<title>{escape(name)}</title></polyline>"
        )
    return _svg(parts, height)


def ranges(rows: Mapping[str, tuple[float, float, float]], label: Callable[[float], str]) -> str:
    """Per row three values (half, nine in ten, ninety-nine in a hundred wait no longer), on a scale by decades."""
    most = max([10.0, *(each[2] for each in rows.values())])
    decades = max(1, math.ceil(math.log10(most + 1)))
    left, row = 190, 34
    height = row * len(rows) + 26

    def x(value: float) -> float:
        return left + (WIDTH - left - 70) * math.log10(value + 1) / decades

    parts = []
    for seconds in (0, 10, 60, 600, 3600, 6 * 3600, 86_400, 7 * 86_400):
        if seconds <= most * 1.3:
            at = x(seconds)
            parts.append(
                f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="0" y2="{height - 22}"/>'
                f'<text class="tick" x="{at:.1f}" y="{height - 6}" text-anchor="middle">{label(seconds)}</text>'
            )
    for number, (name, (half, nine, last)) in enumerate(rows.items()):
        y = row * number + row / 2
        color = f"c{number % 8}"
        parts.append(
            f'<text class="name" x="{left - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>'
            f'<line class="whisker {color}" x1="{x(0):.1f}" x2="{x(last):.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<rect class="bar {color}" x="{x(0):.1f}" y="{y - 8:.1f}" width="{max(x(nine) - x(0), 2):.1f}" '
            f'height="16" rx="3"><title>{escape(name)}: p50 {label(half)}, p90 {label(nine)}, p99 {label(last)}'
            f'</title></rect><line class="median" x1="{x(half):.1f}" x2="{x(half):.1f}" '
            f'y1="{y - 8:.1f}" y2="{y + 8:.1f}"/>'
            f'<text class="value" x="{x(last) + 8:.1f}" y="{y + 4:.1f}">{label(last)}</text>'
        )
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img">{"".join(parts)}</svg>'


def spark(values: Sequence[float], ceiling: Sequence[float]) -> str:
    """A small picture of use against what there is."""
    width, height = 160, 40
    most = max([*values, *ceiling, 1e-9])
    step = width / max(len(values) - 1, 1)

    def points(of: Sequence[float]) -> list[tuple[float, float]]:
        return [(n * step, height - height * value / most) for n, value in enumerate(of)]

    area = [(0.0, float(height)), *points(values), (float(width), float(height))]
    return (
        f'<svg class="spark" viewBox="0 -1 {width} {height + 2}" preserveAspectRatio="none" aria-hidden="true">'
        f'<polygon class="area c0" points="{_joined(area)}"/>'
        f'<polyline class="ceiling" points="{_joined(points(ceiling))}"/></svg>'
    )


def heat(rows: Mapping[str, Sequence[float]], axis: Axis) -> str:
    """Clusters side by side: a row each, from nothing to all of it in use."""
    row = 22 if len(rows) <= 30 else 12
    height = row * len(rows) + _BOTTOM
    parts = []
    for number, (name, values) in enumerate(rows.items()):
        width = _PLOT / max(len(values), 1)
        y = row * number
        parts.append(
            f'<text class="tick" x="{_LEFT - 8}" y="{y + row / 2 + 4:.1f}" text-anchor="end">'
            f"{escape(_short(name))}</text>"
        )
        parts += [
            f'<rect class="heat" x="{_LEFT + n * width:.2f}" y="{y + 1}" width="{width + 0.3:.2f}" '
            f'height="{row - 2}" fill-opacity="{min(max(value, 0.0), 1.0):.2f}"/>'
            for n, value in enumerate(values)
        ]
    parts.append(_times(axis, height))
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img">{"".join(parts)}</svg>'


def nice(value: float) -> float:
    """The next round number."""
    if value <= 0:
        return 1.0
    size: float = 10.0 ** math.floor(math.log10(value))
    return next(size * each for each in (1, 2, 2.5, 5, 10) if value <= size * each * 1.000001)


def _short(name: str) -> str:
    return name if len(name) <= 9 else f"{name[:8]}…"


def _frame(axis: Axis, most: float, height: int, unit: str) -> str:
    parts = []
    for span in axis.spans:
        since, until = axis.x(span.since), axis.x(span.until)
        parts.append(
            f'<rect class="outage" x="{since:.1f}" y="{_TOP}" width="{max(until - since, 1.5):.1f}" '
            f'height="{height - _TOP - _BOTTOM}"><title>{escape(span.text)}</title></rect>'
        )
    for number in range(_GRID + 1):
        value = most * number / _GRID
        y = _y(value, most, height)
        text = f"{value:,.10g}" + (f" {unit}" if number == _GRID and unit else "")
        parts.append(
            f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick" x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{escape(text)}</text>'
        )
    parts.append(_times(axis, height))
    for mark in axis.marks:
        at = axis.x(mark.at)
        parts.append(
            f'<line class="mark" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{height - _BOTTOM}">'
            f"<title>{escape(mark.text)}</title></line>"
        )
    return "".join(parts)


def _times(axis: Axis, height: int) -> str:
    return "".join(
        f'<text class="tick" x="{axis.x(at):.1f}" y="{height - 6}" text-anchor="middle">{axis.label(at)}</text>'
        for at in axis.ticks()
    )


def _points(values: Sequence[float], most: float, height: int) -> list[tuple[float, float]]:
    """The middle of each slot, held to both ends of the plot."""
    if not values:
        return []
    width = _PLOT / len(values)
    inner = [(_LEFT + (n + 0.5) * width, _y(v, most, height)) for n, v in enumerate(values)]
    first, last = inner[0][1], inner[-1][1]
    return [(float(_LEFT), first), *inner, (float(WIDTH - _RIGHT), last)]


def _y(value: float, most: float, height: int) -> float:
    return height - _BOTTOM - (height - _TOP - _BOTTOM) * value / most


def _joined(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _svg(parts: Sequence[str], height: int) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img">{"".join(parts)}</svg>'
