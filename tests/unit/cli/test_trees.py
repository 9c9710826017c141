"""The tree in text: lines that lead to children, and colors on terminals only."""

from __future__ import annotations

import io
import sys

import pytest

from argosy.cli import trees
from argosy.queueing.explaining.trees import Branch, Line


def line(used: int, subtree: int, free: int) -> Line:
    borrowed = max(0, used - subtree)
    return Line("default", "cpu", subtree, subtree, used, borrowed, free, 0, None, None)


def queue(name: str, *lines: Line, problem: str = "") -> Branch:
    return Branch("ClusterQueue", name, 1.0, 0, "", lines, (), problem=problem)


TREE = Branch(
    "Cohort", "lab", 1.0, None, "", (line(5000, 4000, 1000),),
    (
        queue("a", line(3000, 2000, 0), line(0, 1000, 1000)),
        Branch("Cohort", "sub", 2.5, 2**63 - 1, "", (), (queue("b", line(5000, 2000, -3000), problem="it is stopped"),)),
    ),
)  # fmt: skip


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> list[str]:
    monkeypatch.setattr(sys, "stdout", stream)
    trees._print([TREE])
    return stream.getvalue().splitlines()


def test_lines_lead_to_children(monkeypatch: pytest.MonkeyPatch) -> None:
    got = printed(monkeypatch, io.StringIO())
    assert [text[:8].rstrip() for text in got[:-1]] == ["NAME", "lab", "├─a", "│", "└─sub", "  └─b"]
    assert got[-1] == "ClusterQueue b: it is stopped"
    assert "2.5" in got[4]
    assert "inf" in got[4]
    assert not any("\x1b" in text for text in got)


def test_borrowing_is_yellow_and_too_much_red_on_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    got = printed(monkeypatch, Terminal())
    assert [text[:5] for text in got if "\x1b" in text] == ["\x1b[33m", "\x1b[33m", "\x1b[31m"]
    monkeypatch.setenv("NO_COLOR", "1")
    assert not any("\x1b" in text for text in printed(monkeypatch, Terminal()))
