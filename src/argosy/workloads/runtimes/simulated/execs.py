"""Commands in simulated containers: `kubectl exec` runs a small honest set, and says so of all others.

The shell of `shells` is played in real time: what it prints goes to the client, what it sleeps passes. `sh` without a
script reads commands from the client, line by line; with a terminal it shows a prompt and what is typed.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Iterator
from typing import Final

from argosy.api.objects import Container, Pod
from argosy.apiserver.specials.streams import ExecRequest, Streams
from argosy.base.clock import Clock
from argosy.workloads.runtimes.simulated.environments import environment
from argosy.workloads.runtimes.simulated.files import files_of
from argosy.workloads.runtimes.simulated.shells.builtins import BUILTINS, SHELLS, script_of
from argosy.workloads.runtimes.simulated.shells.parsing import parse
from argosy.workloads.runtimes.simulated.shells.playing import Effect, Exited, Printed, Shell

NOT_FOUND: Final = 127
_PROMPT: Final = b"# "
# A command that would never end is waited for in steps: the client ends it by going away.
_STEP_SECONDS: Final = 3600.0


class _ExecShell(Shell):
    """A shell that does not know what it does not know."""

    def unknown(self, name: str) -> Iterator[Effect]:
        self.code = NOT_FOUND
        known = ", ".join(sorted(BUILTINS))
        text = (
            f"{name}: not found: this pod is simulated and has no files to run; it knows {known}\n"
        )
        yield Printed(text, is_error=True)


async def execute(
    pod: Pod, container: Container, request: ExecRequest, streams: Streams, clock: Clock
) -> int:
    """Run a command; its exit code."""
    shell = _ExecShell(environment(pod, container), BUILTINS, clock.time(), files=files_of(pod))
    words = list(request.command)
    if words[0].rpartition("/")[2] in SHELLS and script_of(words)[0] is None:
        return await _converse(shell, request, streams, clock)
    await _play(_running(shell, words), request, streams, clock)
    return shell.code


async def _converse(shell: Shell, request: ExecRequest, streams: Streams, clock: Clock) -> int:
    """Play lines as they come, until the input ends or one of them is `exit`."""
    if request.tty:
        await streams.write_stdout(_PROMPT)
    async for line in _lines(request, streams):
        shell.started, shell.elapsed, shell.steps = clock.time(), 0.0, 0
        is_over = await _play(_line(shell, line), request, streams, clock)
        if is_over:
            break
        if request.tty:
            await streams.write_stdout(_PROMPT)
    return shell.code


async def _lines(request: ExecRequest, streams: Streams) -> AsyncIterator[str]:
    """Lines of the input; of a terminal each key is shown, and the usual ones work."""
    line = b""
    while data := await streams.read_stdin():
        for key in data:
            if key in b"\r\n":
                if request.tty:
                    await streams.write_stdout(b"\r\n")
                yield line.decode("utf-8", "replace")
                line = b""
            elif request.tty and key == 0x04 and not line:
                return
            elif request.tty and key == 0x03:
                line = b""
                await streams.write_stdout(b"^C\r\n" + _PROMPT)
            elif request.tty and key in b"\x7f\b":
                if line:
                    line = line[:-1]
                    await streams.write_stdout(b"\b \b")
            else:
                line += bytes([key])
                if request.tty:
                    await streams.write_stdout(bytes([key]))
    if line and not request.tty:
        yield line.decode("utf-8", "replace")


def _running(shell: Shell, words: list[str]) -> Iterator[Effect]:
    try:
        yield from shell.run(words)
    except Exited:
        return


def _line(shell: Shell, line: str) -> Iterator[Effect | None]:
    """Effects of one line; None as the last where the shell has ended."""
    chain = parse(line)
    yield from shell.play(chain)
    if shell.has_exited:
        yield None


async def _play(
    effects: Iterator[Effect | None], request: ExecRequest, streams: Streams, clock: Clock
) -> bool:
    """Let effects happen; whether the shell has ended by itself."""
    for effect in effects:
        if effect is None:
            return True
        if isinstance(effect, Printed):
            data = effect.text.encode()
            if request.tty:
                await streams.write_stdout(data.replace(b"\n", b"\r\n"))
            elif effect.is_error:
                await streams.write_stderr(data)
            else:
                await streams.write_stdout(data)
        elif math.isinf(effect.seconds):
            while True:
                await clock.sleep(_STEP_SECONDS)
        else:
            await clock.sleep(effect.seconds)
    return False
