"""exec and attach over a WebSocket: who is let in, what travels on which channel, how it ends."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import dataclass

import pytest

from argosy.apiserver.http.frames import Opcode
from argosy.apiserver.specials.streams import (
    ExecRequest,
    Streams,
    TerminalSize,
    container_not_found,
)
from tests.behaviour.apiserver.streaming import PODS, Cluster, Played, streaming

SUCCESS = b'{"metadata":{},"status":"Success"}'
ALL = "stdin=true&stdout=true&stderr=true"


async def settle() -> None:
    await asyncio.sleep(0.001)


@dataclass(frozen=True)
class Refused:
    path: str
    want: tuple[int, str]
    # Of the request, besides the handshake.
    upgrade: str = "websocket"


REFUSED = {
    "no such pod": Refused("nope/exec?command=x&stdout=1", (404, 'pods "nope" not found')),
    "no such container": Refused(
        "p/exec?command=x&stdout=1&container=x", (400, "container x is not valid for pod p")
    ),
    "several containers": Refused(
        "two/exec?command=x&stdout=1",
        (400, "a container name must be specified for pod two, choose one of: [a b]"),
    ),
    "no node yet": Refused(
        "waiting/exec?command=x&stdout=1", (400, "pod waiting does not have a host assigned")
    ),
    "no node yet, and that is said before the command is looked at": Refused(
        "waiting/exec?stdout=1", (400, "pod waiting does not have a host assigned")
    ),
    "a pod that has ended": Refused(
        "done/exec?command=x&stdout=1",
        (500, 'Internal error occurred: unable to upgrade connection: container not found ("main")'),
    ),
    "no command": Refused(
        "p/exec?stdout=1", (400, "you must specify at least one command for the container")
    ),
    "no stream": Refused(
        "p/exec?command=x&stdout=0&stdin=false",
        (400, "you must specify at least 1 of stdin, stdout, stderr"),
    ),
    "an attach without a stream": Refused(
        "p/attach", (400, "you must specify at least 1 of stdin, stdout, stderr")
    ),
    "no upgrade": Refused("p/exec?command=x&stdout=1", (400, "Upgrade request required"), ""),
    "an upgrade to something else": Refused(
        "p/exec?command=x&stdout=1", (400, "Upgrade request required"), "h2c"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_can_be_known_before_is_said_before_the_upgrade(case: Refused) -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        await cluster.pod("two", "a", "b")
        await cluster.pod("waiting", node="")
        await cluster.pod("done", phase="Succeeded")
        assert await cluster.refusal(f"{PODS}/{case.path}", upgrade=case.upgrade) == case.want
        assert cluster.source.notes == []

    streaming(story)


def test_without_anything_that_runs_pods_no_container_is_found() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        code, said = await cluster.refusal(f"{PODS}/p/exec?command=x&stdout=1")
        assert (code, said.rpartition(": ")[2]) == (500, 'container not found ("main")')

    streaming(story, without_source=True)


def test_getting_is_not_enough_for_who_wants_to_exec() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        path = f"{PODS}/p/exec?command=x&stdout=1"
        cannot = 'pods "p" is forbidden: User "reader" cannot get resource "pods/exec" in API group "" in the namespace "ns"'
        assert await cluster.refusal(path, token="reader") == (403, cannot)
        for verbs, want in (
            (["get"], (403, 'pods "p" is forbidden: ')),
            (["get", "create"], (400, "Upgrade request required")),
        ):
            rules = [{"apiGroups": [""], "resources": ["pods/exec"], "verbs": verbs}]
            await _grant(cluster, verbs[-1], rules)
            assert await cluster.refusal(path, token="reader", upgrade="") == want

    streaming(story)


async def _grant(cluster: Cluster, name: str, rules: list[dict[str, list[str]]]) -> None:
    rbac, api = "/apis/rbac.authorization.k8s.io/v1/namespaces/ns", "rbac.authorization.k8s.io"
    role = {"metadata": {"name": name}, "rules": rules}
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": api, "kind": "Role", "name": name},
        "subjects": [{"apiGroup": api, "kind": "User", "name": "reader"}],
    }
    assert (await cluster.ask("POST", f"{rbac}/roles", role))[0] == 201
    assert (await cluster.ask("POST", f"{rbac}/rolebindings", binding))[0] == 201


async def cat(request: ExecRequest, streams: Streams) -> int:
    """Answers its input, complains once, and ends with its input's length."""
    await streams.write_stderr(b"listening")
    total = 0
    while data := await streams.read_stdin():
        total += len(data)
        await streams.write_stdout(data)
    assert await streams.read_stdin() == b""
    return total


def test_a_command_has_its_streams_and_its_exit_code() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        async with cluster.calling(f"{PODS}/p/exec?command=cat&command=-n&{ALL}") as call:
            call.caller.send(b"\0ab")
            call.caller.send(b"\0c")
            call.caller.send(b"\xff\0")
            got = await call.messages()
        failure = {
            "metadata": {},
            "status": "Failure",
            "message": "command terminated with non-zero exit code: command terminated with exit code 3",
            "reason": "NonZeroExitCode",
            "details": {"causes": [{"reason": "ExitCode", "message": "3"}]},
        }
        assert got[:-1] == [(1, b""), (2, b"listening"), (1, b"ab"), (1, b"c")]
        assert (got[-1][0], json.loads(got[-1][1])) == (3, failure)
        want = ExecRequest("main", ("cat", "-n"), stdin=True, stdout=True, stderr=True)
        assert cluster.source.notes == [("exec", "p", want)]
        assert call.headers["Sec-WebSocket-Protocol"] == "v5.channel.k8s.io"

    streaming(story, source=Played(cat))


def test_streams_that_were_not_asked_for_are_empty_or_thrown_away() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        async with cluster.calling(f"{PODS}/p/exec?command=cat&stderr=true") as call:
            call.caller.send(b"\0dropped")
            assert await call.messages() == [(2, b""), (2, b"listening"), (3, SUCCESS)]
        async with cluster.calling(f"{PODS}/p/exec?command=cat&stdin=true") as call:
            call.caller.send(b"\xff\0")
            assert await call.messages() == [(3, b""), (3, SUCCESS)]

    streaming(story, source=Played(cat))


def test_an_attach_tells_no_exit_code() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p", "a", "b")
        async with cluster.calling(f"{PODS}/p/attach?container=b&stdin=1&stdout=1") as call:
            call.caller.send(b"\0x")
            call.caller.send(b"\xff\0")
            assert await call.messages() == [(1, b""), (1, b"x"), (3, SUCCESS)]
        want = ExecRequest("b", stdin=True, stdout=True)
        assert cluster.source.notes == [("attach", "p", want)]

    streaming(story, source=Played(cat))


def test_a_terminal_has_sizes_and_no_stderr() -> None:
    sizes: list[TerminalSize] = []

    async def note(request: ExecRequest, streams: Streams) -> int:
        sizes.extend([await streams.next_size(), await streams.next_size()])
        await streams.write_stderr(b"unheard")
        return 0

    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        async with cluster.calling(f"{PODS}/p/exec?command=sh&tty=true&{ALL}") as call:
            for said in (b'{"Width":80,"Height":24}', b"nonsense}", b'{"Width":-1,"Height":1}'):
                call.caller.send(b"\4" + said)
            call.caller.send(b'\4{"Width":100,"Height":30}')
            assert await call.messages() == [(1, b""), (3, SUCCESS)]
        assert sizes == [TerminalSize(80, 24), TerminalSize(100, 30)]

    streaming(story, source=Played(note))


def test_in_v4_nothing_closes_a_channel() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        path = f"{PODS}/p/exec?command=cat&stdin=1&stdout=1"
        async with cluster.calling(path, "v4.channel.k8s.io") as call:
            call.caller.send(b"\xff\0")
            call.caller.send(b"")
            call.caller.send(b"\0x")
            assert (await call.caller.receive()).payload == b"\1"
            assert (await call.caller.receive()).payload == b"\1x"
        assert cluster.source.notes[-1] == "cancelled"

    streaming(story, source=Played(cat))


def test_browsers_may_speak_base64() -> None:
    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        path = f"{PODS}/p/exec?command=cat&stdin=1&stdout=1"
        async with cluster.calling(path, "v4.base64.channel.k8s.io") as call:
            call.caller.send(b"0!!!", Opcode.TEXT)
            call.caller.send(b"0" + base64.b64encode(b"\xfe"), Opcode.TEXT)
            got = [await call.caller.receive(), await call.caller.receive()]
            assert [(m.opcode, m.payload) for m in got] == [
                (Opcode.TEXT, b"1"),
                (Opcode.TEXT, b"1" + base64.b64encode(b"\xfe")),
            ]

    streaming(story, source=Played(cat))


def test_a_client_that_goes_away_cancels_the_command() -> None:
    async def hang(request: ExecRequest, streams: Streams) -> int:
        await asyncio.sleep(1e6)
        return 0

    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        for leave in ("close", "vanish"):
            async with cluster.calling(f"{PODS}/p/exec?command=x&stdout=1") as call:
                await settle()
                if leave == "close":
                    call.caller.send(b"\x03\xe8", Opcode.CLOSE)
                else:
                    call.wire.hang_up()
                await call.running
        assert [note for note in cluster.source.notes if isinstance(note, str)] == ["cancelled"] * 2

    streaming(story, source=Played(hang))


def test_a_server_that_stops_cancels_the_command_and_says_so() -> None:
    async def hang(request: ExecRequest, streams: Streams) -> int:
        await asyncio.sleep(1e6)
        return 0

    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        async with cluster.calling(f"{PODS}/p/exec?command=x&stdout=1") as call:
            await settle()
            call.running.cancel()
            got = await call.caller.until_close()
            assert got[-1].payload == b"\x03\xe9"
        assert cluster.source.notes[-1] == "cancelled"

    streaming(story, source=Played(hang))


def test_a_slow_client_makes_the_command_wait() -> None:
    written: list[int] = []

    async def spill(request: ExecRequest, streams: Streams) -> int:
        for number in range(3):
            await streams.write_stdout(b"x")
            written.append(number)
        return 0

    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        async with cluster.calling(f"{PODS}/p/exec?command=x&stdout=1") as call:
            call.wire.taking.clear()
            await asyncio.sleep(10)
            assert written == []
            call.wire.taking.set()
            assert len(await call.messages()) == 5

    streaming(story, source=Played(spill))


def test_a_command_that_does_not_read_makes_the_client_wait() -> None:
    gate = asyncio.Event()

    async def late(request: ExecRequest, streams: Streams) -> int:
        await gate.wait()
        total = 0
        while data := await streams.read_stdin():
            total += len(data)
        return 0 if total == 40 else 1

    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        async with cluster.calling(f"{PODS}/p/exec?command=x&stdin=1&stdout=1") as call:
            for _ in range(40):
                call.caller.send(b"\0x")
            call.caller.send(b"\xff\0")
            await settle()
            assert call.wire.unread > 10
            gate.set()
            assert await call.messages() == [(1, b""), (3, SUCCESS)]

    streaming(story, source=Played(late))


FAILURES = {
    "in Kubernetes' words": (
        container_not_found("main"),
        'Internal error occurred: unable to upgrade connection: container not found ("main")',
    ),
    "of the system": (
        FileNotFoundError(2, "No such file or directory", "/no/such"),
        "Internal error occurred: error executing command in container: [Errno 2] No such file or directory: '/no/such'",
    ),
    "of our own making": (
        KeyError("defect"),
        "Internal error occurred: error executing command in container: see the server's log",
    ),
}


@pytest.mark.parametrize("case", FAILURES.values(), ids=FAILURES)
def test_a_failure_is_told_on_the_error_channel(case: tuple[Exception, str]) -> None:
    error, want = case

    async def fail(request: ExecRequest, streams: Streams) -> int:
        raise error

    async def story(cluster: Cluster) -> None:
        await cluster.pod("p")
        async with cluster.calling(f"{PODS}/p/exec?command=x&stdout=1") as call:
            (_, (channel, status)) = await call.messages()
            told = json.loads(status)
            assert (channel, told["status"], told["code"], told["message"]) == (
                3,
                "Failure",
                500,
                want,
            )

    streaming(story, source=Played(fail))
