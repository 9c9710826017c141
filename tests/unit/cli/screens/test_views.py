"""Keys, and what they change."""

from __future__ import annotations

import pytest

from argosy.cli.screens.sections import Part
from argosy.cli.screens.views import Key, View, keys


@pytest.mark.parametrize(
    ("typed", "want"),
    [
        (b"q", [Key.QUIT]),
        (b"\t\x1b[Z", [Key.NEXT, Key.BEFORE]),
        (b"\x1b[A\x1b[B\x1bOA", [Key.UP, Key.DOWN, Key.UP]),
        (b"\x1b[5~\x1b[6~", [Key.PAGE_UP, Key.PAGE_DOWN]),
        (b"\x1b[200~x\x1b[201~", []),
        (b"\x1b", []),
        (b"xyz\xff", []),
    ],
)
def test_keys(typed: bytes, want: list[Key]) -> None:
    assert keys(typed) == want


@pytest.mark.parametrize(
    ("view", "key", "want"),
    [
        (View(), Key.NEXT, View(Part.CLUSTERS)),
        (View(Part.EVENTS, 9), Key.NEXT, View()),
        (View(), Key.BEFORE, View(Part.EVENTS)),
        (View(Part.JOBS, 5), Key.QUEUES, View(Part.QUEUES)),
        (View(Part.JOBS, 5), Key.ALL, View()),
        (View(Part.JOBS, 5), Key.DOWN, View(Part.JOBS, 6)),
        (View(Part.JOBS, 5), Key.PAGE_UP, View(Part.JOBS, 0)),
        (View(Part.JOBS, 5), Key.PAGE_DOWN, View(Part.JOBS, 25)),
        (View(Part.JOBS, 5), Key.TOP, View(Part.JOBS, 0)),
        (View(), Key.DOWN, View()),
    ],
)
def test_views(view: View, key: Key, want: View) -> None:
    assert view.after(key, 20) == want


def test_nobody_scrolls_beyond_the_end() -> None:
    assert View(Part.JOBS).after(Key.BOTTOM, 20).within(100, 20) == View(Part.JOBS, 80)
    assert View(Part.JOBS, 3).within(10, 20) == View(Part.JOBS, 0)
