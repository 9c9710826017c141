"""From a picture to the lines of a screen. Pure: the same picture, size, time and view give the same lines.

    argosy  3 clusters · 7 jobs: 2 running, 3 queued, 2 ended                     14:03:22
    CLUSTER    STATE   REGION   CPU ...
    QUEUE      ...
    JOB        ...
    LAST       ...
    q ends the fleet ...

Laws, for any picture and any size: never more lines than rows, no line wider than the screen, nothing in a line that
would steer the terminal. Rows are shared out evenly among the parts, and what one does not need goes to the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from argosy.cli.screens.pictures import Picture, is_ended
from argosy.cli.screens.sections import Part, Section, Setting, is_well, sections
from argosy.cli.screens.texts import (
    UNICODE,
    Glyphs,
    Line,
    Span,
    Style,
    cell,
    fit_line,
    joined,
    line_width,
)
from argosy.cli.screens.views import View
from argosy.sdk.connections import HUB
from argosy.sdk.jobs import JobState

# With so many rows there is room for a blank line between parts.
_TALL: Final = 30
_EMPTY: Final = {
    Part.CLUSTERS: "no cluster has joined yet",
    Part.QUEUES: "no queues yet: create a ClusterQueue and place it",
    Part.JOBS: "no jobs yet: argosy submit job.yaml",
    Part.EVENTS: "nothing has happened yet",
}
_KEYS: Final = "tab 1-5 parts, arrows scroll"
# A clock farther away than this is not seen beside its title.
_WIDEST: Final = 160


class Size(NamedTuple):
    columns: int
    rows: int


def render(
    picture: Picture,
    size: Size,
    now: datetime,
    view: View | None = None,
    *,
    foot: str = "",
    glyphs: Glyphs = UNICODE,
) -> list[Line]:
    """The lines of a whole screen."""
    view = view or View()
    head = [_title(picture, size, now, glyphs), *_banner(picture)]
    feet = [_foot(foot, glyphs)]
    room = size.rows - len(head) - len(feet)
    setting = Setting(now, glyphs, view.part is not None)
    parts = sections(picture, setting)
    if view.part is None:
        middle = _all(list(parts.values()), size.columns, room)
    else:
        middle = _one(parts[view.part], view, size.columns, room)
    middle += [()] * (room - len(middle))
    lines = [*head, *middle[: max(0, room)], *feet]
    return [fit_line(each, size.columns, glyphs.more) for each in lines[: max(0, size.rows)]]


def page(size: Size) -> int:
    """How many rows of a part that has the screen for itself are seen at once."""
    return max(1, size.rows - 3)


def report(
    picture: Picture,
    width: int,
    now: datetime,
    part: Part | None = None,
    glyphs: Glyphs = UNICODE,
) -> list[Line]:
    """Everything there is, once, one part below the other."""
    parts = sections(picture, Setting(now, glyphs, part is not None))
    lines: list[Line] = [] if part else [_title(picture, Size(width, 0), now, glyphs)]
    lines += _banner(picture)
    for section in parts.values() if part is None else (parts[part],):
        if lines:
            lines.append(())
        lines += _told(section, 0, section.count, width)
    return [fit_line(each, width, glyphs.more) for each in lines]


def _all(parts: Sequence[Section], width: int, room: int) -> list[Line]:
    blanks = len(parts) - 1 if room >= _TALL else 0
    rows = shared([max(1, each.count) for each in parts], room - len(parts) - blanks)
    lines: list[Line] = []
    for section, limit in zip(parts, rows, strict=True):
        if lines and blanks:
            lines.append(())
        lines += _told(section, 0, limit, width)
    return lines


def _one(section: Section, view: View, width: int, room: int) -> list[Line]:
    limit = max(0, room - 1)
    return _told(section, view.within(section.count, limit).offset, limit, width)


def _told(section: Section, offset: int, limit: int, width: int) -> list[Line]:
    lines = section.lines(offset, max(0, limit), width)
    if not section.count and limit > 0:
        lines.append(cell(_EMPTY[section.part], Style.DIM))
    return lines


def shared(wants: Sequence[int], room: int) -> list[int]:
    """Rows for each, evenly: nobody has more than a neighbor that still wants some, but for one row. The last ones
    get what does not divide.
    """
    got = [0] * len(wants)
    room = max(0, room)
    while room:
        hungry = [number for number, want in enumerate(wants) if got[number] < want]
        if not hungry:
            break
        each = room // len(hungry)
        if not each:
            for number in hungry[-room:]:
                got[number] += 1
            break
        for number in hungry:
            more = min(each, wants[number] - got[number])
            got[number] += more
            room -= more
    return got


def _title(picture: Picture, size: Size, now: datetime, glyphs: Glyphs) -> Line:
    clusters = len(picture.clusters)
    ill = sum(not is_well(each, picture) for each in picture.clusters)
    parts: list[Line] = [cell("argosy", Style.BOLD), cell(_counted(clusters, "cluster"))]
    if ill:
        parts.append(cell(f"{ill} not well", Style.BAD))
    parts.append(cell(_jobs(picture)))
    line = joined(parts, glyphs.dot)
    clock = f"{now:%H:%M:%S}"
    missing = min(size.columns, _WIDEST) - line_width(line) - len(clock)
    return (*line, Span(" " * missing), Span(clock, Style.DIM)) if missing > 0 else line


def _jobs(picture: Picture) -> str:
    counts = picture.counts
    total = sum(counts.values())
    ended = sum(number for state, number in counts.items() if is_ended(state))
    failed = counts.get(JobState.FAILED, 0)
    waiting = counts.get(JobState.QUEUED, 0) + counts.get(JobState.PLACING, 0)
    told = (
        (counts.get(JobState.RUNNING, 0), "running"),
        (waiting, "waiting"),
        (total - ended - waiting - counts.get(JobState.RUNNING, 0), "held back"),
        (ended - failed, "ended"),
        (failed, "failed"),
    )
    words = ", ".join(f"{number:,} {what}" for number, what in told if number)
    return f"{_counted(total, 'job')}: {words}" if words else _counted(total, "job")


def _banner(picture: Picture) -> list[Line]:
    why = picture.problems.get(HUB)
    return [] if why is None else [cell(f"the hub does not answer: {why}", Style.BAD)]


def _foot(foot: str, glyphs: Glyphs) -> Line:
    return joined((cell(foot, Style.BOLD), cell(_KEYS, Style.DIM)), glyphs.dot)


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
