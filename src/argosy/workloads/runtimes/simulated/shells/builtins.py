"""The commands that a simulated container knows.

A small honest set: those that print, wait, look around or end. Everything else is unknown: in a container's own command
it takes no time and succeeds, in `kubectl exec` it is "not found" with a hint that the pod is simulated.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from argosy.base.durations import parse_duration
from argosy.workloads.runtimes.simulated.shells.parsing import parse
from argosy.workloads.runtimes.simulated.shells.playing import (
    DEEPEST,
    Builtin,
    Effect,
    Exited,
    Printed,
    Shell,
)

_UNITS: Final = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_TIME: Final = re.compile(r"([0-9]*\.?[0-9]+)([smhd]?)")
_ESCAPES: Final = {"n": "\n", "t": "\t", "\\": "\\", "r": "\r", "e": "\x1b", "a": "\a"}
_ESCAPE: Final = re.compile(r"\\([ntrea\\])")
_DIRECTIVE: Final = re.compile(r"%[-0-9.]*([sdifx%])")
_LONGEST_SEQUENCE: Final = 10_000
_COMPARISONS: Final = {
    "-eq": operator.eq,
    "-ne": operator.ne,
    "-lt": operator.lt,
    "-le": operator.le,
    "-gt": operator.gt,
    "-ge": operator.ge,
}


def sleep_seconds(text: str) -> float | None:
    """What `sleep TEXT` waits: `10`, `1.5`, `5m`, `infinity`, also `1m30s`; None where it would fail."""
    if text in {"inf", "infinity"}:
        return math.inf
    if found := _TIME.fullmatch(text):
        return float(found[1]) * _UNITS[found[2]]
    try:
        return max(0.0, parse_duration(text))
    except ValueError:
        return None


def _echo(shell: Shell, words: list[str]) -> Iterator[Effect]:
    at, flags = 1, ""
    while at < len(words) and re.fullmatch("-[neE]+", words[at]):
        flags += words[at]
        at += 1
    text = " ".join(words[at:])
    if "e" in flags:
        text = _unescaped(text)
    yield Printed(text if "n" in flags else f"{text}\n")


def _printf(shell: Shell, words: list[str]) -> Iterator[Effect]:
    arguments = iter(words[2:])

    def fill(found: re.Match[str]) -> str:
        return "%" if found[1] == "%" else next(arguments, "")

    yield Printed(_DIRECTIVE.sub(fill, _unescaped(words[1] if len(words) > 1 else "")))


def _sleep(shell: Shell, words: list[str]) -> Iterator[Effect]:
    times = [sleep_seconds(word) for word in words[1:]]
    total = math.fsum(seconds for seconds in times if seconds is not None)
    if not times or None in times:
        shell.code = 1
        what = next((w for w, s in zip(words[1:], times, strict=True) if s is None), "")
        yield Printed(f"sleep: invalid time interval '{what}'\n", is_error=True)
        return
    yield from shell.sleep(total)


def _exit(shell: Shell, words: list[str]) -> Iterator[Effect]:
    shell.code = _number(words[1]) % 256 if len(words) > 1 else shell.code
    yield from ()
    raise Exited


def _true(shell: Shell, words: list[str]) -> Iterator[Effect]:
    yield from ()


def _false(shell: Shell, words: list[str]) -> Iterator[Effect]:
    shell.code = 1
    yield from ()


def _export(shell: Shell, words: list[str]) -> Iterator[Effect]:
    for word in words[1:]:
        name, mark, value = word.partition("=")
        if mark:
            shell.variables[name] = value
    yield from ()


def _env(shell: Shell, words: list[str]) -> Iterator[Effect]:
    for name, value in shell.variables.items():
        yield Printed(f"{name}={value}\n")


def _printenv(shell: Shell, words: list[str]) -> Iterator[Effect]:
    if len(words) == 1:
        yield from _env(shell, words)
    for name in words[1:]:
        if name in shell.variables:
            yield Printed(f"{shell.variables[name]}\n")
        else:
            shell.code = 1


def _hostname(shell: Shell, words: list[str]) -> Iterator[Effect]:
    yield Printed(f"{shell.variables.get('HOSTNAME', '')}\n")


def _date(shell: Shell, words: list[str]) -> Iterator[Effect]:
    when = datetime.fromtimestamp(shell.now, UTC)
    wanted = next(
        (word[1:] for word in words[1:] if word.startswith("+")), "%a %b %e %H:%M:%S UTC %Y"
    )
    yield Printed(when.strftime(wanted.replace("%s", str(int(shell.now)))) + "\n")


def _cat(shell: Shell, words: list[str]) -> Iterator[Effect]:
    for name in words[1:]:
        if (text := shell.files.get(name)) is not None:
            yield Printed(text)
        else:
            shell.code = 1
            yield Printed(f"cat: {name}: No such file or directory\n", is_error=True)


def _ls(shell: Shell, words: list[str]) -> Iterator[Effect]:
    folder = next((word for word in words[1:] if not word.startswith("-")), "/").rstrip("/") + "/"
    names = {
        path[len(folder) :].partition("/")[0] for path in shell.files if path.startswith(folder)
    }
    if not names:
        shell.code = 2
        shown = folder.rstrip("/") or "/"
        yield Printed(f"ls: cannot access '{shown}': No such file or directory\n", is_error=True)
    for name in sorted(names):
        yield Printed(f"{name}\n")


def _seq(shell: Shell, words: list[str]) -> Iterator[Effect]:
    match [_number(word) for word in words[1:]]:
        case [last]:
            first, step = 1, 1
        case [first, last]:
            step = 1
        case [first, step, last] if step:
            pass
        case _:
            shell.code = 1
            return
    stop = last + (1 if step > 0 else -1)
    for number in range(first, stop, step)[:_LONGEST_SEQUENCE]:
        yield Printed(f"{number}\n")


def _pwd(shell: Shell, words: list[str]) -> Iterator[Effect]:
    yield Printed(f"{shell.variables.get('PWD', '/')}\n")


def _whoami(shell: Shell, words: list[str]) -> Iterator[Effect]:
    yield Printed("root\n")


def _test(shell: Shell, words: list[str]) -> Iterator[Effect]:
    arguments = words[1:-1] if words[0] in {"[", "[["} else words[1:]
    shell.code = 0 if _holds(shell, arguments) else 1
    yield from ()


def _sh(shell: Shell, words: list[str]) -> Iterator[Effect]:
    """`sh -c SCRIPT NAME ARGUMENTS`; a shell without a script reads its input, and there is none."""
    script, arguments = script_of(words)
    if script is None:
        return
    if shell.depth >= DEEPEST:
        shell.is_opaque = True
        return
    inner = shell.inner({**shell.variables, **{str(at): word for at, word in enumerate(arguments)}})
    yield from inner.play(parse(script))
    shell.take_back(inner)
    shell.elapsed += inner.elapsed
    shell.code = inner.code
    if math.isinf(inner.elapsed):
        raise Exited


def _exec(shell: Shell, words: list[str]) -> Iterator[Effect]:
    if len(words) > 1:
        yield from shell.run(words[1:])
        raise Exited


def _tail(shell: Shell, words: list[str]) -> Iterator[Effect]:
    """Only to wait: `tail -f /dev/null`."""
    if any(word.startswith("-") and word.lower().endswith("f") for word in words[1:]):
        yield from shell.sleep(math.inf)


def script_of(words: list[str]) -> tuple[str | None, list[str]]:
    """The script that `sh -c`, `bash -exc`, … run, and its arguments from $0 on."""
    for at, word in enumerate(words[1:], 1):
        if not word.startswith(("-", "+")):
            break
        if word.startswith("-") and not word.startswith("--") and word.endswith("c"):
            return (words[at + 1], words[at + 2 :]) if at + 1 < len(words) else (None, [])
    return None, []


def _holds(shell: Shell, words: list[str]) -> bool:
    match words:
        case ["!", *rest]:
            return not _holds(shell, rest)
        case ["-z", text]:
            return not text
        case ["-n", text] | [text]:
            return bool(text)
        case ["-f" | "-e" | "-s" | "-r", name]:
            return name in shell.files
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
        case [left, kind, right] if kind in _COMPARISONS:
            return bool(_COMPARISONS[kind](_number(left), _number(right)))
        case _:
            return False


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else 0


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPES[found[1]], text)


SHELLS: Final = ("sh", "bash", "ash", "dash", "zsh")

BUILTINS: Final[dict[str, Builtin]] = {
    "echo": _echo, "printf": _printf, "sleep": _sleep, "exit": _exit, "return": _exit,
    "true": _true, ":": _true, "set": _true, "trap": _true, "cd": _true, "wait": _true,
    "mkdir": _true, "touch": _true, "shift": _true, "unset": _true, "false": _false,
    "export": _export, "env": _env, "printenv": _printenv, "hostname": _hostname,
    "date": _date, "cat": _cat, "ls": _ls, "seq": _seq, "pwd": _pwd, "whoami": _whoami,
    "test": _test, "[": _test, "[[": _test, "exec": _exec, "tail": _tail,
    **dict.fromkeys(SHELLS, _sh),
}  # fmt: skip
