"""Scripts are played: how long they sleep, how they exit, what they print."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.workloads.runtimes.simulated.shells.builtins import BUILTINS, sleep_seconds
from argosy.workloads.runtimes.simulated.shells.parsing import parse
from argosy.workloads.runtimes.simulated.shells.playing import Printed, Shell


class Case(NamedTuple):
    script: str
    seconds: float = 0.0
    code: int = 0
    output: str = ""
    is_opaque: bool = False


CASES: dict[str, Case] = {
    "a sleep takes its time": Case("sleep 30", 30),
    "sleeps add up and echoes print": Case("echo a; sleep 5; echo b; sleep 2", 7, 0, "a\nb\n"),
    "units of sleep": Case("sleep 1m 30s; sleep 0.5", 90.5),
    "a sleep in Go's words": Case("sleep 2m30s", 150),
    "a sleep for ever": Case("sleep infinity; echo never", math.inf),
    "a wait for ever": Case("tail -f /dev/null", math.inf),
    "an exit code": Case('echo "Hello world!" && sleep 5 && exit 42', 5, 42, "Hello world!\n"),
    "exit ends everything": Case("exit 3; sleep 9", 0, 3),
    "the last code counts": Case("true; false", 0, 1),
    "and after a failure": Case("false && echo no; echo yes", 0, 0, "yes\n"),
    "or after a failure": Case("false || exit 3", 0, 3),
    "a negative number leaves a code of a byte": Case("exit -1", 0, 255),
    "single quotes hold everything": Case("echo '$A  b' c", 0, 0, "$A  b c\n"),
    "double quotes expand and keep blanks": Case('A="x  y"; echo "$A" $A', 0, 0, "x  y x y\n"),
    "empty quotes are a word": Case('echo "" a', 0, 0, " a\n"),
    "an escape": Case(r'echo a\ b \"c\"', 0, 0, 'a b "c"\n'),
    "a default of a variable": Case("echo ${NOPE:-none} ${NOPE}x", 0, 0, "none x\n"),
    "a comment goes": Case("echo a # b; exit 1\necho c", 0, 0, "a\nc\n"),
    "lines go on after a backslash": Case("echo a \\\n  b", 0, 0, "a b\n"),
    "echo without an end of line": Case("echo -n a; echo b", 0, 0, "ab\n"),
    "echo with escapes": Case(r"echo -e 'a\tb'", 0, 0, "a\tb\n"),
    "printf fills in": Case(r"printf '%s is %d%%\n' it 5", 0, 0, "it is 5%\n"),
    "a for loop": Case(
        'for i in 1 2 3; do echo "Epoch $i/3"; sleep 10; done', 30, 0, "Epoch 1/3\nEpoch 2/3\nEpoch 3/3\n"
    ),
    "a for loop over a sequence": Case("for i in $(seq 2 4)\ndo\necho $i\ndone", 0, 0, "2\n3\n4\n"),
    "a loop that is left": Case(
        "for i in 1 2 3; do if [ $i -eq 2 ]; then break; fi; echo $i; done", 0, 0, "1\n"
    ),
    "a turn that is left": Case(
        "for i in 1 2 3; do if [ $i = 2 ]; then continue; fi; echo $i; done", 0, 0, "1\n3\n"
    ),
    "a while loop that counts": Case("i=0; while [ $i -lt 3 ]; do i=$((i+1)); sleep 2; done", 6),
    "an endless loop": Case("while true; do echo hi; sleep 5; done", math.inf),
    "an endless loop that may be left": Case(
        "n=0; while true; do n=$((n+1)); sleep 1; if [ $n -ge 4 ]; then exit 7; fi; done", 4, 7
    ),
    "until": Case("until false; do sleep 1; done", math.inf),
    "a condition with else": Case(
        "if [ a = b ]; then echo x; elif [ -z '' ]; then echo y; else echo z; fi", 0, 0, "y\n"
    ),
    "the index of a job": Case('[ "$JOB_COMPLETION_INDEX" != 3 ] || exit 9', 0, 9),
    "arithmetic": Case("echo $(( (2 + 3) * 4 - 7 / 2 )) $((5 % 3)) $((X))", 0, 0, "17 2 0\n"),
    "the code of the last command": Case("false; echo $?", 0, 0, "1\n"),
    "a shell in a shell": Case('bash -ec "sleep 3; exit 4"; echo $?', 3, 0, "4\n"),
    "exec takes over": Case("exec sleep 4; echo no", 4),
    "output to a file is not seen": Case("echo a > /tmp/x; echo b >/dev/null 2>&1; echo c >&2", 0, 0, "c\n"),
    "output into a pipe is not seen": Case("echo a | grep a", 0, 0, "", is_opaque=True),
    "a group": Case("{ echo a; sleep 1; }; echo b", 1, 0, "a\nb\n"),
    "in the background": Case("sleep 1 & wait; echo a", 1, 0, "a\n"),
    "a command nobody knows": Case("python train.py && echo done", 0, 0, "done\n", is_opaque=True),
    "an output nobody knows": Case("echo $(nvidia-smi)", 0, 0, "\n", is_opaque=True),
    "a sleep that cannot be": Case(
        "sleep soon", 0, 1, "sleep: invalid time interval 'soon'\n"
    ),
    "words without beginnings": Case("done; fi; } echo a", 0, 0, "a\n"),
    "the date of the shell": Case("sleep 60; date +%s", 60, 0, "1060\n"),
    "no script": Case(""),
}  # fmt: skip


def play(script: str) -> Case:
    shell = Shell({"JOB_COMPLETION_INDEX": "3"}, BUILTINS, started=1000.0, measures=True)
    texts = [effect.text for effect in shell.play(parse(script)) if isinstance(effect, Printed)]
    return Case(script, shell.elapsed, shell.code, "".join(texts), shell.is_opaque)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_script_is_played(case: Case) -> None:
    assert play(case.script) == case


def test_an_endless_loop_goes_on_in_time_when_it_is_played() -> None:
    shell = Shell({}, BUILTINS, started=0.0)
    printed = []
    for effect in shell.play(parse('i=0; while true; do echo "$i"; i=$((i+1)); sleep 2; done')):
        if shell.elapsed > 7:
            break
        if isinstance(effect, Printed):
            printed.append((shell.now, effect.text))
    assert printed == [(0, "0\n"), (2, "1\n"), (4, "2\n"), (6, "3\n")]


def test_an_endless_loop_without_a_sleep_takes_a_second_a_turn() -> None:
    shell = Shell({}, BUILTINS)
    effects = shell.play(parse("while :; do echo a; done"))
    while shell.elapsed < 3:
        next(effects)
    assert shell.elapsed == 3


def test_old_turns_of_an_endless_loop_are_skipped() -> None:
    shell = Shell({}, BUILTINS, skips_until=10_000_000.0)
    effects = shell.play(parse("while true; do echo a; sleep 10; done"))
    turns = 0
    while shell.elapsed < 10_000_000.0:
        turns += isinstance(next(effects), Printed)
    assert 4_000 < turns < 6_000


def test_a_loop_that_never_sleeps_and_never_ends_is_given_up_as_endless() -> None:
    assert play("i=0; while [ $i -lt 1 ]; do true; done").seconds == math.inf


@given(st.text(alphabet="ab1 ;&|<>()'\"$`\\{}[]=#\n\tdoneforif", max_size=60))
def test_every_text_is_a_script(script: str) -> None:
    got = play(script)
    assert got.seconds >= 0
    assert 0 <= got.code <= 255


@pytest.mark.parametrize(
    ("text", "want"),
    [("10", 10), ("1.5", 1.5), ("2h", 7200), ("1d", 86400), ("2400s", 2400), ("inf", math.inf), ("x", None)],
)  # fmt: skip
def test_what_a_sleep_waits(text: str, want: float | None) -> None:
    assert sleep_seconds(text) == want


HOSTILE: dict[str, str] = {
    "substitutions within substitutions": "echo " + "$(echo " * 3000 + ")" * 3000,
    "endless substitutions": "while true; do a=$(while true; do b=1; done); echo a; exit 1; done",
    "groups within groups": "{ " * 5000,
    "conditions within conditions": "if " * 5000,
    "loops within loops": "for a in $(seq 1 9999); do " * 6 + "true" + "; done" * 6,
    "loops that only count": "for a in $(seq 1 9999); do " * 6 + "b=1" + "; done" * 6,
    "loops in substitutions": "for a in $(seq 1 9999); do b=$(for c in $(seq 1 9999); do true; done); done",
    "a variable that doubles": "a=xxxxxxxxxxxxxxxx; for i in $(seq 1 9999); do a=$a$a; done; echo $a",
    "a long script": "echo a; " * 100_000,
    "deep arithmetic": "echo $((" + "(" * 90 + "1" + ")" * 90 + "))",
    "large arithmetic": "echo $((9999999999999999999999*9999999999999999999))",
    "a number too long to be one": "sleep " + "9" * 500,
}


@pytest.mark.parametrize("script", HOSTILE.values(), ids=HOSTILE.keys())
def test_no_script_takes_for_ever_or_all_memory(script: str) -> None:
    got = play(script)
    assert len(got.output) < 200_000
    assert got.seconds >= 0
