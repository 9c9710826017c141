"""`kubectl port-forward` to a port of this host, over WebSockets and over SPDY."""

from __future__ import annotations

import re
import socket
import socketserver
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.hosting import Host, hosting
from tests.support.kubectls import Kubectl, find_kubectl

pytestmark = pytest.mark.kubectl


class Shouting(socketserver.StreamRequestHandler):
    """Answers all it was sent in capitals when the client has ended its input."""

    def handle(self) -> None:
        self.wfile.write(self.rfile.read().upper())


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Shouting) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_address[1]
        server.shutdown()
        thread.join()


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosting(tmp_path_factory.mktemp("host")) as hosted:
        hosted.run_pod("p")
        hosted.run_pod("waiting", node="", phase="Pending")
        yield hosted


@pytest.fixture(scope="module", params=["true", "false"], ids=["websockets", "spdy"])
def kubectl(
    request: pytest.FixtureRequest, host: Host, tmp_path_factory: pytest.TempPathFactory
) -> Kubectl:
    home = tmp_path_factory.mktemp("home")
    plain = Kubectl(find_kubectl(), host.kubeconfig, home, "default")
    return plain.having(KUBECTL_PORT_FORWARD_WEBSOCKETS=request.param)


@contextmanager
def forwarding(kubectl: Kubectl, port: int) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    """kubectl while it forwards, and the local port it chose."""
    with kubectl.start("port-forward", "--address", "127.0.0.1", "p", f":{port}") as running:
        try:
            assert running.stdout is not None
            line = running.stdout.readline()
            found = re.match(r"Forwarding from 127\.0\.0\.1:(\d+) -> ", line)
            assert found is not None, line
            yield int(found.group(1)), running
        finally:
            running.terminate()


def ask(port: int, text: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(text)
        connection.shutdown(socket.SHUT_WR)
        got = b""
        while data := connection.recv(1 << 16):
            got += data
        return got


def test_connections_are_forwarded_one_after_the_other_and_at_once(
    kubectl: Kubectl, port: int
) -> None:
    with forwarding(kubectl, port) as (local, _):
        assert ask(local, b"hello") == b"HELLO"
        large = b"x" * 1_000_000
        assert ask(local, large) == large.upper()
        got: list[bytes] = []
        threads = [
            threading.Thread(target=lambda n=n: got.append(ask(local, b"n%d" % n)))
            for n in range(5)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(got) == [b"N%d" % n for n in range(5)]


def test_a_port_where_nobody_listens(kubectl: Kubectl) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nobody = unused.getsockname()[1]
        with forwarding(kubectl, nobody) as (local, running):
            assert ask(local, b"") == b""
            assert running.wait(20) == 1
            assert running.stderr is not None
            said = running.stderr.read()
    want = f"failed to connect to localhost:{nobody} inside the pod: connect: connection refused"
    assert want in said
    assert said.endswith("error: lost connection to pod\n")


def test_a_pod_that_does_not_run(kubectl: Kubectl) -> None:
    got = kubectl.fails("port-forward", "waiting", ":80")
    assert (
        got == "error: unable to forward port because pod is not running. Current status=Pending\n"
    )
