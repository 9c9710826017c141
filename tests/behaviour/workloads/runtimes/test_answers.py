"""kubectl logs, exec, attach, port-forward and top, of pods on simulated nodes and on others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from argosy.apiserver.specials.logs import LogQuery
from argosy.apiserver.specials.streams import ExecRequest, TerminalSize
from argosy.base.errors import BadRequest, InternalError, NotFound, ServiceUnavailable, StatusError
from argosy.base.types import Object
from argosy.client.resources import NODES, PODS
from argosy.control.assemblies import Assembly
from argosy.workloads.runtimes.answering import Answers
from tests.behaviour.workloads.runtimes.simulating import add_agent, add_node, add_pod
from tests.fakes.worlds import World, running

DEMO = 'echo "Starting mock compute job..."\nsleep 10\necho "Epoch 1/3: 65%"\nsleep 10\necho done'


class Client:
    """The other end of a command: what it typed, and what it saw."""

    def __init__(self, *typed: bytes) -> None:
        self._typed = list(typed)
        self.out = b""
        self.error = b""

    async def read_stdin(self) -> bytes:
        return self._typed.pop(0) if self._typed else b""

    async def write_stdout(self, data: bytes) -> None:
        self.out += data

    async def write_stderr(self, data: bytes) -> None:
        self.error += data

    async def next_size(self) -> TerminalSize:
        return await asyncio.Future()


def answering(tell: Callable[[World, Answers], Awaitable[None]]) -> None:
    """A story on a cluster whose questions are answered."""
    answers = Answers()

    def add(assembly: Assembly) -> None:
        answers.serve(add_agent(assembly))

    async def story(world: World) -> None:
        await tell(world, answers)

    running(story, add)


async def logs(world: World, answers: Answers, name: str = "p", **wanted: object) -> list[str]:
    pod = await world.get(PODS, name)
    assert pod is not None
    query = LogQuery("main", **wanted)  # type: ignore[arg-type]  # as the test says
    lines = [line async for line in answers.lines(pod, query)]
    return [line.decode().rstrip("\n") for line in lines]


async def run(
    world: World, answers: Answers, *command: str, client: Client | None = None, tty: bool = False
) -> tuple[int, Client]:
    pod = await world.get(PODS, "p")
    assert pod is not None
    client = client or Client()
    request = ExecRequest("main", command, stdin=True, stdout=True, stderr=not tty, tty=tty)
    return await answers.exec(pod, request, client), client


def test_logs_are_what_the_command_says() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_pod(world, "p", "/bin/bash", "-c", DEMO)
        await world.pass_time(12)
        want = [
            "2026-01-01T00:00:00.000000Z Starting mock compute job...",
            "2026-01-01T00:00:10.000000Z Epoch 1/3: 65%",
        ]
        assert await logs(world, answers) == want
        assert await logs(world, answers, tail=1) == want[1:]
        since = world.clock.time() - 5
        assert await logs(world, answers, since=since) == want[1:]

    answering(tell)


def test_a_log_is_followed_until_the_container_ends() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_pod(world, "p", "/bin/bash", "-c", DEMO)
        await world.pass_time(5)
        got = await logs(world, answers, follow=True)
        assert [line.split(" ", 1)[1] for line in got] == [
            "Starting mock compute job...",
            "Epoch 1/3: 65%",
            "done",
        ]
        assert 20 <= world.clock.time() - 1_767_225_600 < 22

    answering(tell)


def test_following_ends_with_the_pod() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_pod(world, "p", "sh", "-c", "while true; do echo hi; sleep 60; done")
        await world.pass_time(5)
        following = asyncio.create_task(logs(world, answers, follow=True))
        await world.pass_time(70)
        await world.client.delete(PODS, "p", namespace="ns")
        await world.pass_time(2)
        assert len(await asyncio.wait_for(following, 1)) == 2

    answering(tell)


def test_the_run_before_has_its_own_log() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_pod(world, "p", "sh", "-c", "date +%s; sleep 30; exit 1", policy="Always")
        await world.pass_time(5)
        with pytest.raises(BadRequest) as raised:
            await logs(world, answers, previous=True)
        assert str(raised.value) == 'previous terminated container "main" in pod "p" not found'
        await world.pass_time(30)
        before = await logs(world, answers, previous=True)
        now = await logs(world, answers)
        assert [line.split(" ")[1] for line in before + now] == ["1767225600", "1767225630"]

    answering(tell)


def test_a_container_that_waits_has_no_log() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "5", annotations={"argosy.dev/startup": "1m"})
        await world.settle()
        with pytest.raises(BadRequest) as raised:
            await logs(world, answers)
        want = 'container "main" in pod "p" is waiting to start: ContainerCreating'
        assert str(raised.value) == want

    answering(tell)


COMMANDS: dict[str, tuple[tuple[str, ...], int, str]] = {
    "echo": (("echo", "a", "b"), 0, "a b\n"),
    "hostname": (("hostname",), 0, "p\n"),
    "a variable": (("printenv", "WHO"), 0, "me\n"),
    "a variable that is not set": (("printenv", "NOBODY"), 1, ""),
    "a script": (("sh", "-c", "echo $WHO; exit 7"), 7, "me\n"),
    "a file": (("cat", "/etc/hostname"), 0, "p\n"),
    "a folder": (("ls", "/etc"), 0, "hostname\nhosts\nos-release\nresolv.conf\n"),
    "true": (("true",), 0, ""),
    "false": (("false",), 1, ""),
    "the time": (("date", "+%Y-%m-%d"), 0, "2026-01-01\n"),
    "a sleep": (("sh", "-c", "sleep 30; echo late"), 0, "late\n"),
}


@pytest.mark.parametrize(("command", "code", "out"), COMMANDS.values(), ids=COMMANDS.keys())
def test_commands_that_are_known(command: tuple[str, ...], code: int, out: str) -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        env = [{"name": "WHO", "value": "me"}]
        await add_pod(world, "p", "sleep", "600", container={"env": env})
        await world.settle()
        got, client = await run(world, answers, *command)
        assert (got, client.out.decode(), client.error) == (code, out, b"")

    answering(tell)


def test_commands_that_are_not_known_say_why() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "600")
        await world.settle()
        code, client = await run(world, answers, "nvidia-smi")
        assert (code, client.out) == (127, b"")
        assert client.error.startswith(b"nvidia-smi: not found: this pod is simulated")
        code, client = await run(world, answers, "sh", "-c", "nvidia-smi || exit 9")
        assert (code, client.error[:21]) == (9, b"nvidia-smi: not found")

    answering(tell)


def test_a_shell_takes_commands() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "600")
        await world.settle()
        client = Client(b"A=1; echo $A\nec", b"ho $A$A\nexit 5\necho no\n")
        code, _ = await run(world, answers, "/bin/sh", client=client)
        assert (code, client.out) == (5, b"1\n11\n")
        typed = Client(b"echox\x7f a\r", b"junk\x03", b"\x04")
        code, _ = await run(world, answers, "bash", client=typed, tty=True)
        want = b"# echox\b \b a\r\na\r\n# junk^C\r\n# "
        assert (code, typed.out) == (0, want)

    answering(tell)


def test_an_attach_sees_what_comes_until_the_end() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_pod(world, "p", "sh", "-c", DEMO + "; exit 3")
        await world.pass_time(12)
        pod, client = await world.get(PODS, "p"), Client()
        assert pod is not None
        request = ExecRequest("main", stdout=True)
        assert (await answers.attach(pod, request, client), client.out) == (3, b"done\n")

    answering(tell)


def test_nobody_listens_in_a_simulated_pod() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        pod = await add_pod(world, "p", "sleep", "600")
        await world.settle()
        with pytest.raises(ConnectionRefusedError):
            await answers.port_forward(pod, 80)

    answering(tell)


def test_a_container_that_does_not_run_takes_no_commands() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_pod(world, "p", "sleep", "5", annotations={"argosy.dev/startup": "1m"})
        await world.settle()
        with pytest.raises(InternalError) as raised:
            await run(world, answers, "true")
        assert 'container not found ("main")' in str(raised.value)

    answering(tell)


def test_usage_of_pods_adds_up_to_that_of_their_node() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_node(world, "n2")
        needs = {"resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}
        for name in ("a", "b"):
            await add_pod(world, name, "sleep", "600", container=needs)
        await add_pod(world, "ended", "true")
        await world.settle()
        pods = list(answers.pod_metrics())
        nodes = {one.name: one for one in answers.node_metrics()}
        assert sorted(one.name for one in pods) == ["a", "b"]
        total = sum(one.cpu_nanocores for pod in pods for one in pod.containers)
        assert nodes["n1"].cpu_nanocores == total > 800_000_000
        assert (nodes["n2"].cpu_nanocores, nodes["n2"].memory_bytes) == (0, 0)
        assert list(answers.pod_metrics("other")) == []

    answering(tell)


def elsewhere(pod: Object, node: str) -> Object:
    return {**pod, "spec": {**pod["spec"], "nodeName": node}}


def test_nodes_that_cannot_be_reached_are_told_in_upstreams_words() -> None:
    async def tell(world: World, answers: Answers) -> None:
        await add_node(world)
        await add_node(world, "gone", annotations={"argosy.dev/fault": "vanish"})
        await world.node("own")
        pod = await add_pod(world, "p", "sleep", "600")
        await world.settle()
        assert (await world.get(NODES, "gone")) is not None
        get = 'Get "https://10.0.0.1:10250/containerLogs/ns/p/main": dial tcp 10.0.0.1:10250: '
        dial = "error dialing backend: dial tcp 10.0.0.1:10250: "
        refused, late = "connect: connection refused", "i/o timeout"
        for node, kind, log, command in (
            ("nowhere", NotFound, 'nodes "nowhere" not found', 'nodes "nowhere" not found'),
            ("own", InternalError, get + refused, dial + refused),
            ("gone", InternalError, get + late, dial + late),
        ):
            other = elsewhere(pod, node)
            with pytest.raises(kind) as raised:
                [line async for line in answers.lines(other, LogQuery("main"))]
            assert str(raised.value) == log
            with pytest.raises(StatusError) as raised:
                await answers.exec(other, ExecRequest("main", ("true",)), Client())
            assert str(raised.value) == command

    answering(tell)


def test_before_there_is_an_agent_nothing_is_answered() -> None:
    async def story(world: World) -> None:
        answers = Answers()
        pod = await add_pod(world, "p", "sleep", "600")
        with pytest.raises(ServiceUnavailable):
            await answers.exec(pod, ExecRequest("main", ("true",)), Client())
        assert (list(answers.node_metrics()), list(answers.pod_metrics())) == ([], [])

    running(story)
