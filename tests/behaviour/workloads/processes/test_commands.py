"""exec, attach, port-forward and usage of containers that are processes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest

from argosy.apiserver.specials.streams import ExecRequest, TerminalSize
from argosy.base.errors import InternalError
from argosy.base.types import Object
from argosy.workloads.runtimes.process.keeper.orders import Isolation
from tests.behaviour.workloads.processes.machines import (
    EVERYWHERE,
    Machine,
    left_of,
    pod,
    run,
    shell,
    wait,
)

FOREVER = "while :; do sleep 0.02; done"


class Client:
    """The client's ends."""

    def __init__(self, *stdin: bytes, size: TerminalSize | None = None) -> None:
        self._stdin = [*stdin]
        self._sizes = [size] if size else []
        self.out = self.error = b""
        self.heard = asyncio.Event()

    async def read_stdin(self) -> bytes:
        return self._stdin.pop(0) if self._stdin else b""

    async def write_stdout(self, data: bytes) -> None:
        self.out += data
        self.heard.set()

    async def write_stderr(self, data: bytes) -> None:
        self.error += data

    async def next_size(self) -> TerminalSize:
        if not self._sizes:
            await asyncio.Event().wait()
        return self._sizes.pop()


def plain(machine: Machine, name: str) -> Object:
    got: Object = msgspec.to_builtins(machine.pods[name])
    return got


def ask(*command: str, stdin: bool = False, tty: bool = False) -> ExecRequest:
    return ExecRequest("main", command, stdin=stdin, stdout=True, stderr=not tty, tty=tty)


@EVERYWHERE
def test_a_command_in_the_container(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(FOREVER, env=[{"name": "COLOR", "value": "red"}])))
        await machine.until_phase("p", "Running")
        client = Client(b"first\n", b"second\n")
        script = "cat; echo $COLOR $HOSTNAME; echo oops >&2; exit 5"
        request = ask("bash", "-c", script, stdin=True)
        code = await machine.runtime.exec(plain(machine, "p"), request, client)
        assert (code, client.out, client.error) == (5, b"first\nsecond\nred p\n", b"oops\n")

    run(tmp_path, story, isolation)


@EVERYWHERE
def test_a_command_on_a_terminal(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(FOREVER)))
        await machine.until_phase("p", "Running")
        client = Client(b"hello\n", size=TerminalSize(101, 43))
        script = "tty >/dev/null && echo terminal; read x; echo got $x; stty size"
        request = ask("bash", "-c", script, stdin=True, tty=True)
        code = await machine.runtime.exec(plain(machine, "p"), request, client)
        assert code == 0
        said = client.out.decode().replace("\r", "").split("\n")
        assert "terminal" in said
        assert "got hello" in said
        assert "43 101" in said

    run(tmp_path, story, isolation)


@EVERYWHERE
def test_a_command_ends_with_its_client(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(FOREVER)))
        await machine.until_phase("p", "Running")
        client = Client()
        script = f"echo $BASHPID; {FOREVER}"
        work = machine.runtime.exec(plain(machine, "p"), ask("bash", "-c", script), client)
        task = asyncio.create_task(work)
        await client.heard.wait()
        before = left_of("p")
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        # Gone with it, while the container goes on.
        await asyncio.to_thread(wait, lambda: len(left_of("p")) < len(before))
        assert machine.phase("p") == "Running"

    run(tmp_path, story, isolation)


def test_a_command_that_does_not_exist_is_an_error_in_words(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell(FOREVER)))
        await machine.until_phase("p", "Running")
        with pytest.raises(InternalError, match='exec: "nope": executable file not found in'):
            await machine.runtime.exec(plain(machine, "p"), ask("nope"), Client())

    run(tmp_path, story)


def test_a_container_that_does_not_run_is_not_found(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("exit 0")))
        await machine.until_phase("p", "Succeeded")
        with pytest.raises(InternalError, match='container not found \\("main"\\)'):
            await machine.runtime.exec(plain(machine, "p"), ask("true"), Client())

    run(tmp_path, story)


def test_attaching_to_a_container(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("read x; echo got $x; echo bad >&2; exit 4", stdin=True)))
        await machine.until_phase("p", "Running")
        client = Client(b"hello\n")
        request = ask(stdin=True)
        code = await machine.runtime.attach(plain(machine, "p"), request, client)
        assert (code, client.out, client.error) == (4, b"got hello\n", b"bad\n")
        assert sorted(await machine.log("p")) == ["bad", "got hello"]

    run(tmp_path, story)


def test_an_input_that_is_given_once_ends_with_its_client(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        machine.start(pod("p", shell("cat; echo end", stdin=True, stdinOnce=True)))
        await machine.until_phase("p", "Running")
        client = Client(b"hello\n")
        code = await machine.runtime.attach(plain(machine, "p"), ask(stdin=True), client)
        assert (code, client.out) == (0, b"hello\nend\n")

    run(tmp_path, story)


@EVERYWHERE
def test_attaching_to_a_terminal(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        script = "read x; tty >/dev/null && echo got $x; exit 2"
        machine.start(pod("p", shell(script, stdin=True, tty=True)))
        await machine.until_phase("p", "Running")
        client = Client(b"hello\n", size=TerminalSize(80, 24))
        request = ask(stdin=True, tty=True)
        code = await machine.runtime.attach(plain(machine, "p"), request, client)
        assert code == 2
        assert b"got hello\r\n" in client.out

    run(tmp_path, story, isolation)


def test_forwarding_a_port(tmp_path: Path) -> None:
    async def story(machine: Machine) -> None:
        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write((await reader.readline()).upper())
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        machine.start(pod("p", shell(FOREVER)))
        await machine.until_phase("p", "Running")
        reader, writer = await machine.runtime.port_forward(plain(machine, "p"), port)
        writer.write(b"hello\n")
        assert await reader.read() == b"HELLO\n"
        writer.close()
        server.close()
        await server.wait_closed()
        with pytest.raises(OSError, match=r"Connect|refused|Multiple"):
            await machine.runtime.port_forward(plain(machine, "p"), port)

    run(tmp_path, story)


@EVERYWHERE
def test_what_a_container_uses(tmp_path: Path, isolation: Isolation) -> None:
    async def story(machine: Machine) -> None:
        one = machine.start(pod("p", shell("while :; do :; done")))
        await machine.until_phase("p", "Running")
        machine.runtime.look()
        async with asyncio.timeout(10):
            while (usage := machine.runtime.usage(one)["main"]).nanocores == 0:
                await asyncio.sleep(0.05)
                machine.runtime.look()
        assert usage.nanocores > 10_000_000
        assert usage.memory_bytes > 100_000

    run(tmp_path, story, isolation)
