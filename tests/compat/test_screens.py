"""`argosy up` on a terminal shows a screen, and gives the terminal back; `argosy top` shows the same from elsewhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.support.processes import command
from tests.support.terminals import Pty, on_terminal

UP = ("up", "--members", "2", "--state")


def shown(terminal: Pty) -> None:
    """The screen is there, with both members."""
    terminal.hear(b"\x1b[?1049h")
    terminal.hear(b"q or Ctrl-C ends the fleet")
    terminal.hear(b"cluster-2")


def argosy(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KUBECONFIG": str(directory / "kubeconfig")}
    return subprocess.run(
        command(*arguments),
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_fleet_in_the_foreground(tmp_path: Path) -> None:
    with on_terminal(*command(*UP, str(tmp_path / "fleet"), "--processes", "2")) as terminal:
        shown(terminal)
        _top_tells_it(tmp_path / "fleet")
        _top_on_a_terminal(tmp_path / "fleet")
        terminal.type(b"q")
        assert terminal.end() == 0
    # What was logged is no part of the screen.
    assert b"WARNING" not in terminal.said
    assert (tmp_path / "fleet" / "argosy.log").exists()


def _top_tells_it(directory: Path) -> None:
    done = argosy(directory, "top", "--once")
    assert (done.returncode, done.stderr) == (0, "")
    assert "cluster-2" in done.stdout
    assert "\x1b" not in done.stdout
    found = json.loads(argosy(directory, "top", "clusters", "-o", "json").stdout)
    assert [(each["name"], each["isReachable"]) for each in found["clusters"]] == [
        ("cluster-1", True),
        ("cluster-2", True),
    ]


def _top_on_a_terminal(directory: Path) -> None:
    where = {"KUBECONFIG": str(directory / "kubeconfig"), "NO_COLOR": "1"}
    for end, code in ((b"q", 0), (b"\x03", 130)):
        with on_terminal(*command("top"), **where) as terminal:
            terminal.hear(b"cluster-2")
            terminal.resize(10, 40)
            terminal.hear(b"\x1b[10;1H")
            terminal.type(end)
            assert terminal.end() == code
        assert b"\x1b[1m" not in terminal.said
    with on_terminal(*command("top"), **where) as terminal:
        terminal.hear(b"cluster-2")
        terminal.process.send_signal(signal.SIGTERM)
        assert terminal.end() == 128 + signal.SIGTERM


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_in_order(tmp_path: Path, number: int) -> None:
    with on_terminal(*command(*UP, str(tmp_path / "fleet"))) as terminal:
        shown(terminal)
        terminal.process.send_signal(number)
        assert terminal.end() == 0


def test_lines_where_nobody_wants_a_screen(tmp_path: Path) -> None:
    with on_terminal(*command(*UP, str(tmp_path / "fleet"), "--no-screen")) as terminal:
        terminal.hear(b"argosy: the fleet is ready")
        terminal.hear(b"Ctrl-C ends the fleet")
        terminal.type(b"\x03")
        assert terminal.process.wait(30) == 0
    assert b"\x1b[?1049h" not in terminal.said


def test_a_start_that_fails_says_so_on_the_terminal(tmp_path: Path) -> None:
    (tmp_path / "fleet").mkdir()
    (tmp_path / "fleet" / "letters.txt").write_text("dear")
    with on_terminal(*command(*UP, str(tmp_path / "fleet"))) as terminal:
        terminal.hear(b"is no fleet's directory")
        assert terminal.process.wait(30) == 1


def test_no_fleet_to_look_at(tmp_path: Path) -> None:
    done = argosy(tmp_path, "top")
    assert done.returncode == 3
    assert "`argosy up` starts" in done.stderr
