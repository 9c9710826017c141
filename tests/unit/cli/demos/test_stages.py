"""What is shown fits into 100 columns, and reads the same without a terminal; what is run ends."""

from __future__ import annotations

import io
import os
import shutil
import time

import pytest

from argosy.cli.demos.interrupts import Interrupts
from argosy.cli.demos.stages import Screen, Shell, broken


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO) -> list[str]:
    return stream.getvalue().splitlines()


def test_long_lines_go_on_below_their_beginning() -> None:
    stream = io.StringIO()
    Screen(stream).output("    Message:   " + "word " * 30)
    first, *rest = shown(stream)
    assert first.startswith("      Message:   word")
    assert all(line.startswith("          word") for line in rest)
    assert max(map(len, [first, *rest])) <= 100


def test_an_empty_line_is_one() -> None:
    stream = io.StringIO()
    Screen(stream).output("")
    assert stream.getvalue() == "\n"


def test_commands_are_broken_between_words_only() -> None:
    command = "kubectl describe rp x | sed -n '/Observed Drifts:/,/Target Cluster/p' | cat"
    lines = broken(command, 40)
    assert " ".join(lines) == command
    assert any("'/Observed Drifts:/,/Target Cluster/p'" in line for line in lines)
    assert broken("kubectl get pods", 90) == ["kubectl get pods"]


def test_colors_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    plain, colored = io.StringIO(), Terminal()
    for stream in (plain, colored):
        Screen(stream).command("true")
    assert plain.getvalue() == "$ true\n"
    assert "\x1b[" in colored.getvalue()
    monkeypatch.setenv("NO_COLOR", "1")
    quiet = Terminal()
    Screen(quiet).command("true")
    assert quiet.getvalue() == "$ true\n"


def test_progress_is_written_over_on_a_terminal_only() -> None:
    plain, terminal = io.StringIO(), Terminal()
    for stream in (plain, terminal):
        screen = Screen(stream)
        screen.progress("half")
        screen.say("done")
    assert plain.getvalue() == "  half\ndone\n"
    assert terminal.getvalue().endswith("\r\x1b[Kdone\n")


def run(script: str, seconds: float = 20) -> tuple[int, list[str]]:
    said: list[str] = []
    return Shell(Interrupts(), dict(os.environ)).run(script, said.append, seconds), said


def test_a_shell_tells_lines_and_code() -> None:
    assert run("echo a; echo b >&2; printf c; exit 3") == (3, ["a", "b", "c"])


@pytest.mark.skipif(shutil.which("bash") is None, reason="other shells know no pipefail")
def test_what_fails_in_a_pipe_fails() -> None:
    assert run("false | cat")[0] == 1


def test_what_takes_too_long_is_ended_with_all_it_started() -> None:
    begun = time.monotonic()
    code, said = run("sleep 60 & echo $!; wait", seconds=0.5)
    assert code == 124
    assert time.monotonic() - begun < 20
    end = time.monotonic() + 5
    while is_alive(int(said[0])):
        assert time.monotonic() < end
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
