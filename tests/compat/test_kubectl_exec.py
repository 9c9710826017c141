"""`kubectl exec`, `attach` and `cp` with containers that are this host: commands really run.

Each is played twice: over WebSockets, as kubectl does by default, and over SPDY, as older clients do.
"""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.hosting import Host, hosting
from tests.support.kubectls import Kubectl, find_kubectl

pytestmark = pytest.mark.kubectl

SOON_SECONDS = 20.0


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosting(tmp_path_factory.mktemp("host")) as hosted:
        hosted.run_pod("p")
        hosted.run_pod("two", "a", "b")
        hosted.run_pod(
            "chosen", "a", "b", annotations={"kubectl.kubernetes.io/default-container": "b"}
        )
        hosted.run_pod("waiting", node="")
        hosted.run_pod("done", phase="Succeeded")
        yield hosted


@pytest.fixture(scope="module", params=["true", "false"], ids=["websockets", "spdy"])
def kubectl(
    request: pytest.FixtureRequest, host: Host, tmp_path_factory: pytest.TempPathFactory
) -> Kubectl:
    home = tmp_path_factory.mktemp("home")
    plain = Kubectl(find_kubectl(), host.kubeconfig, home, "default")
    return plain.having(KUBECTL_REMOTE_COMMAND_WEBSOCKETS=request.param)


def test_output_errors_and_exit_code(kubectl: Kubectl) -> None:
    got = kubectl.run("exec", "p", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (got.code, got.stdout) == (3, "out\n")
    assert got.stderr == "err\ncommand terminated with exit code 3\n"


def test_input_is_piped_to_its_end(kubectl: Kubectl) -> None:
    assert kubectl("exec", "-i", "p", "--", "cat", stdin="hi\nthere\n").stdout == "hi\nthere\n"


def test_input_that_nobody_reads_does_not_hold_up_the_end(kubectl: Kubectl) -> None:
    got = kubectl.run("exec", "-i", "p", "--", "head", "-1", stdin="line\n" * 300_000)
    assert (got.code, got.stdout) == (0, "line\n")


def test_much_output_comes_whole(kubectl: Kubectl) -> None:
    got = kubectl("exec", "p", "--", "sh", "-c", "seq 1 400000")
    assert got.stdout == "".join(f"{number}\n" for number in range(1, 400_001))


def test_containers_are_chosen_by_name_and_by_default(kubectl: Kubectl) -> None:
    first = kubectl("exec", "two", "--", "echo", "hi")
    assert (first.stdout, first.stderr) == ("hi\n", 'Defaulted container "a" out of: a, b\n')
    assert kubectl("exec", "two", "-c", "b", "--", "echo", "hi").stderr == ""
    assert kubectl("exec", "chosen", "--", "echo", "hi").stderr == ""


REFUSED = {
    "no such pod": (("nope",), 'Error from server (NotFound): pods "nope" not found\n'),
    "no such container": (
        ("two", "-c", "x"),
        "Error from server (BadRequest): container x is not valid for pod two\n",
    ),
    "no node yet": (
        ("waiting",),
        "Error from server (BadRequest): pod waiting does not have a host assigned\n",
    ),
    "a pod that has ended": (
        ("done",),
        "error: cannot exec into a container in a completed pod; current phase is Succeeded\n",
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refusals_read_as_on_kubernetes(
    kubectl: Kubectl, case: tuple[tuple[str, ...], str]
) -> None:
    arguments, want = case
    assert kubectl.fails("exec", *arguments, "--", "true") == want


def test_a_command_that_does_not_exist(kubectl: Kubectl) -> None:
    want = (
        "error: Internal error occurred: error executing command in container: "
        "[Errno 2] No such file or directory: '/no/such'\n"
    )
    got = kubectl.fails("exec", "p", "--", "/no/such")
    assert got in {want, want.replace("error: ", "Error from server: ", 1)}


def test_attaching_to_the_containers_own_process(kubectl: Kubectl) -> None:
    got = kubectl("attach", "-i", "p", stdin="one\ntwo\n")
    assert got.stdout == "got one\ngot two\n"


def test_files_are_copied_both_ways(kubectl: Kubectl, host: Host, tmp_path: Path) -> None:
    content = os.urandom(2_000_000)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_bytes(content)
    there = f"copy-{tmp_path.name}"
    kubectl("cp", str(tmp_path / "tree"), f"p:{there}")
    assert (host.shell.directory / there / "file").read_bytes() == content
    kubectl("cp", f"p:{there}/file", str(tmp_path / "back"))
    assert (tmp_path / "back").read_bytes() == content


def test_a_terminal_has_the_size_of_the_clients(kubectl: Kubectl, host: Host) -> None:
    """The fake has no terminal of its own; what it is told of the client's is what counts."""
    child, terminal = pty.fork()
    if child == 0:
        command = ["exec", "-it", "p", "--", "sh", "-c", "echo start; read a; echo got $a; exit 5"]
        os.execvpe(kubectl.program, kubectl.command(*command), kubectl.environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 99, 0, 0))
    output = b""
    while b"start" not in output:
        output += os.read(terminal, 1000)
    os.write(terminal, b"hey\n")
    try:
        while data := os.read(terminal, 1000):
            output += data
    except OSError:
        # The way Linux says that the other end of a terminal is closed.
        pass
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 5
    assert b"got hey" in output
    assert host.shell.sizes[-1] == (99, 33)


def test_a_client_that_is_killed_takes_its_command_along(kubectl: Kubectl, host: Host) -> None:
    before = host.shell.killed
    running = kubectl.start("exec", "p", "--", "sh", "-c", "echo up; sleep 1000")
    with running:
        assert running.stdout is not None
        assert running.stdout.readline() == "up\n"
        running.kill()
    deadline = time.monotonic() + SOON_SECONDS
    while host.shell.killed == before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert host.shell.killed == before + 1


def test_a_server_that_stops_ends_commands_and_clients(tmp_path: Path) -> None:
    with hosting(tmp_path / "host") as host:
        host.run_pod("p")
        kubectl = Kubectl(find_kubectl(), host.kubeconfig, tmp_path, "default")
        with kubectl.start("exec", "p", "--", "sh", "-c", "echo up; sleep 1000") as running:
            assert running.stdout is not None
            assert running.stderr is not None
            assert running.stdout.readline() == "up\n"
            host.stop()
            assert running.wait(SOON_SECONDS) == 1
            assert "going away" in running.stderr.read()
        assert host.shell.killed == 1
