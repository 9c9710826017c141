"""What of the picture is looked at, and how keys change that. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from argosy.cli.screens.sections import Part


class Key(Enum):
    QUIT = "q"
    NEXT = "next"
    BEFORE = "before"
    UP = "up"
    DOWN = "down"
    PAGE_UP = "page up"
    PAGE_DOWN = "page down"
    TOP = "top"
    BOTTOM = "bottom"
    ALL = "all"
    CLUSTERS = "clusters"
    QUEUES = "queues"
    JOBS = "jobs"
    EVENTS = "events"


# None is everything at once.
_ORDER: Final[tuple[Part | None, ...]] = (None, *Part)
_BOTTOM: Final = 1 << 31
_BYTES: Final = {
    b"q": Key.QUIT, b"Q": Key.QUIT,
    b"\t": Key.NEXT, b"\x1b[C": Key.NEXT, b"\x1bOC": Key.NEXT,
    b"\x1b[Z": Key.BEFORE, b"\x1b[D": Key.BEFORE, b"\x1bOD": Key.BEFORE,
    b"\x1b[A": Key.UP, b"\x1bOA": Key.UP, b"k": Key.UP,
    b"\x1b[B": Key.DOWN, b"\x1bOB": Key.DOWN, b"j": Key.DOWN,
    b"\x1b[5~": Key.PAGE_UP, b"\x1b[6~": Key.PAGE_DOWN, b" ": Key.PAGE_DOWN,
    b"\x1b[H": Key.TOP, b"\x1bOH": Key.TOP, b"\x1b[1~": Key.TOP, b"g": Key.TOP,
    b"\x1b[F": Key.BOTTOM, b"\x1bOF": Key.BOTTOM, b"\x1b[4~": Key.BOTTOM, b"G": Key.BOTTOM,
    b"1": Key.ALL, b"2": Key.CLUSTERS, b"3": Key.QUEUES, b"4": Key.JOBS, b"5": Key.EVENTS,
}  # fmt: skip
_SEQUENCE: Final = re.compile(rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O[@-~])|[^\x1b]", re.DOTALL)


def keys(typed: bytes) -> list[Key]:
    """The keys that mean something here, in their order."""
    found = (_BYTES.get(each) for each in _SEQUENCE.findall(typed))
    return [each for each in found if each is not None]


@dataclass(slots=True, frozen=True)
class View:
    """`part` has the screen for itself, from row `offset` on; None shows all parts."""

    part: Part | None = None
    offset: int = 0

    def after(self, key: Key, page: int) -> View:
        """What is looked at after a key, where `page` rows are seen at once."""
        moves = {
            Key.UP: -1,
            Key.DOWN: 1,
            Key.PAGE_UP: -page,
            Key.PAGE_DOWN: page,
            Key.TOP: -_BOTTOM,
            Key.BOTTOM: _BOTTOM,
        }
        if key in moves:
            return replace(self, offset=max(0, self.offset + moves[key])) if self.part else self
        if key in {Key.NEXT, Key.BEFORE}:
            step = 1 if key is Key.NEXT else -1
            return View(_ORDER[(_ORDER.index(self.part) + step) % len(_ORDER)])
        if key is Key.ALL:
            return View()
        return View(Part(key.value)) if key.value in list(Part) else self

    def within(self, count: int, page: int) -> View:
        """The same, not beyond the last row."""
        return replace(self, offset=min(self.offset, max(0, count - page)))
