"""A page, played: one shell types its commands in order, as a reader would, in a directory and a home of its own.

What a command exports, where it goes and what it leaves in the background is there for the next one. A command that
only looks is repeated until it prints what the page shows, since a reader looks again, too; one that changes something
runs once. After a command in the background nothing is typed before it has said that it is ready.
"""

from __future__ import annotations

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.docs.comparing import differs
from tests.docs.pages import ROOT, Page, Step

STEP_SECONDS = 120.0
# How long a look is repeated, and how often.
LOOK_SECONDS = 45.0
PAUSE_SECONDS = 0.3
_CHANGES = re.compile(
    r"\b(annotate|apply|approve|cancel|cp|create|cordon|delete|down|drain|edit|export|label|mkdir|patch|reset|resume"
    r"|rm|scale|serve|sh|stop|submit|taint|uncordon|up|use-context|wait)\b"
)
_READY = re.compile(r"^argosy.*\b(ready|runs)\b", re.MULTILINE)


class Wrong(AssertionError):
    """A page that does not do what it says."""


@dataclass(slots=True)
class Shell:
    """A bash that goes on from command to command; each one's output is in a file of its own."""

    process: subprocess.Popen[bytes]
    directory: Path
    # Where answers are read, and what the shell calls the other end.
    answers: int
    answering: int
    number: int = 0
    _rest: bytes = field(default=b"", repr=False)

    def run(self, text: str, seconds: float = STEP_SECONDS) -> tuple[int, Path]:
        """Type a command; its exit code, and the file that has what it printed."""
        self.number += 1
        script = self.directory / f"step-{self.number}.sh"
        output = script.with_suffix(".out")
        script.write_text(text + "\n")
        assert self.process.stdin is not None
        # Sourced, so that it changes this shell; answered on a descriptor that commands do not have.
        own = self.answering
        line = f". {script} > {output} 2>&1 < /dev/null {own}>&-; echo $? >&{own}\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()
        return self._answer(text, output, seconds), output

    def _answer(self, text: str, output: Path, seconds: float) -> int:
        deadline = time.monotonic() + seconds
        while b"\n" not in self._rest:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise Wrong(f"$ {text}\ndid not end in {seconds:g} s:\n{output.read_text()}")
            data = os.read(self.answers, 4096)
            if not data:
                raise Wrong(f"$ {text}\nended the shell:\n{output.read_text()}")
            self._rest += data
        answer, _, self._rest = self._rest.partition(b"\n")
        return int(answer)


@contextmanager
def shell(directory: Path) -> Iterator[Shell]:
    """A shell at home in `directory`; whatever it started ends with it."""
    work, home, steps = directory / "work", directory / "home", directory / "steps"
    for each in (work, home, steps):
        each.mkdir(parents=True)
    (work / "examples").symlink_to(ROOT / "examples")
    reading, writing = os.pipe()
    process = subprocess.Popen(
        ["bash", "--noprofile", "--norc", "-s"],
        stdin=subprocess.PIPE,
        cwd=work,
        env=environment(home),
        pass_fds=[writing],
        start_new_session=True,
    )
    os.close(writing)
    try:
        yield Shell(process, steps, reading, writing)
    finally:
        os.close(reading)
        _end(process, environment(home))


def environment(home: Path) -> Mapping[str, str]:
    """Only what a reader has: argosy and kubectl on the PATH, and a home."""
    kept = {name: os.environ[name] for name in ("LANG", "PYTHONPATH", "TZ") if name in os.environ}
    tools = [str(Path(sys.executable).parent)]
    if (kubectl := shutil.which("kubectl")) is not None:
        tools.append(str(Path(kubectl).parent))
    path = os.pathsep.join([*dict.fromkeys(tools), os.environ.get("PATH", "")])
    # Output comes line by line, as on a terminal.
    own = {"HOME": str(home), "USER": "reader", "PYTHONUNBUFFERED": "1"}
    return {**kept, **own, "PATH": path}


def _end(process: subprocess.Popen[bytes], env: Mapping[str, str]) -> None:
    argosy = str(Path(sys.executable).with_name("argosy"))
    subprocess.run([argosy, "down"], env=dict(env), check=False, capture_output=True, timeout=60)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    finally:
        if process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.close()


def play(page: Page, directory: Path, told: Callable[[str], None] | None = None) -> None:
    """Type the page's commands; raises Wrong at the first that fails or prints something else. With `told`, everything
    that is printed is told, and what differs does not end it.
    """
    own = (
        (str(directory / "home"), "~"),
        (str(directory / "work"), "."),
        (str(ROOT.resolve()), "."),
    )
    with shell(directory) as typing:
        for step in page.steps:
            try:
                printed = _play(page.name, typing, step, own)
            except Wrong as problem:
                if told is None:
                    raise
                told(f"WRONG {problem}")
            else:
                if told is not None:
                    told(f"$ {step.text}\n{printed}")


def _play(name: str, typing: Shell, step: Step, own: tuple[tuple[str, str], ...]) -> str:
    where = f"{name}:{step.line}"
    if step.language == "python":
        code, printed = _python(typing, step)
    elif step.text.endswith("&"):
        code, printed = _in_background(where, typing, step)
    else:
        code, printed = _typed(typing, step, own)
    _check(where, step, code, printed, own)
    return printed


def _typed(typing: Shell, step: Step, own: tuple[tuple[str, str], ...]) -> tuple[int, str]:
    until = time.monotonic() + LOOK_SECONDS
    while True:
        code, output = typing.run(step.text)
        printed = output.read_text()
        good = code == 0 and (step.shown is None or not differs(step.shown, printed, own))
        if good or _CHANGES.search(step.text) or time.monotonic() > until:
            return code, printed
        time.sleep(PAUSE_SECONDS)


def _in_background(where: str, typing: Shell, step: Step) -> tuple[int, str]:
    code, output = typing.run(step.text)
    until = time.monotonic() + STEP_SECONDS
    while not _READY.search(output.read_text()):
        if code or time.monotonic() > until:
            raise Wrong(f"{where}: $ {step.text}\ndid not become ready:\n{output.read_text()}")
        time.sleep(PAUSE_SECONDS)
    return code, output.read_text()


def _python(typing: Shell, step: Step) -> tuple[int, str]:
    """Have the page's Python, which is started in this shell with what it has exported, run a block."""
    requests, answers = typing.directory / "requests", typing.directory / "answers"
    if not requests.exists():
        interpreter = Path(__file__).with_name("interpreter.py")
        typing.run(f"mkfifo {requests} {answers}; python {interpreter} {requests} {answers} &")
    script = typing.directory / f"python-{typing.number + 1}.py"
    script.write_text(step.text + "\n")
    output = script.with_suffix(".out")
    ask = f'echo "{script} {output}" > {requests}; read code < {answers}; ( exit $code )'
    code, said = typing.run(ask)
    return code, (output if output.exists() else said).read_text()


def _check(
    where: str, step: Step, code: int, printed: str, own: tuple[tuple[str, str], ...]
) -> None:
    if code:
        raise Wrong(f"{where}: $ {step.text}\nended with {code}:\n{printed}")
    if step.shown is not None and (problem := differs(step.shown, printed, own)):
        raise Wrong(f"{where}: $ {step.text}\n{problem}. It printed:\n{printed}")
