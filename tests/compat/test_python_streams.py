"""The Python client's `stream` and `portforward`: WebSockets with v4 channels.

Programs of their own, as users write them: the client leaves sockets open, which would be held against these tests.
"""

from __future__ import annotations

import json
import os
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.hosting import Host, hosting

PROGRAM_SECONDS = 60.0
HEAD = """
import json, os
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException
from kubernetes.stream import portforward, stream

config.load_kube_config(os.environ["KUBECONFIG"])
api = client.CoreV1Api()

def run(script, pod="p", **options):
    return stream(
        api.connect_get_namespaced_pod_exec, pod, "default", command=["sh", "-c", script],
        stdout=True, stderr=True, tty=False, **options,
    )
"""


class Shouting(socketserver.StreamRequestHandler):
    """Answers one line in capitals."""

    def handle(self) -> None:
        self.wfile.write(self.rfile.readline().upper())


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with hosting(tmp_path_factory.mktemp("host")) as hosted:
        hosted.run_pod("p")
        yield hosted


@pytest.fixture
def port() -> Iterator[int]:
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Shouting) as server:
        server.daemon_threads = True
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        yield server.server_address[1]
        server.shutdown()
        serving.join()


def play(host: Host, program: str, **variables: str) -> Any:
    """What a program prints as JSON."""
    done = subprocess.run(
        [sys.executable, "-c", HEAD + program],
        env={**os.environ, "KUBECONFIG": str(host.kubeconfig), **variables},
        capture_output=True,
        text=True,
        timeout=PROGRAM_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_command_is_run_at_once(host: Host) -> None:
    got = play(host, 'print(json.dumps(run("echo out; echo err >&2", stdin=False)))')
    assert sorted(got.splitlines()) == ["err", "out"]


def test_a_command_is_talked_to(host: Host) -> None:
    got = play(
        host,
        """
talk = run("read line; echo got $line; exit 4", stdin=True, _preload_content=False)
talk.write_stdin("this\\n")
talk.run_forever(timeout=20)
print(json.dumps([talk.read_stdout(), talk.returncode]))
""",
    )
    assert got == ["got this\n", 4]


def test_a_pod_that_is_not_there(host: Host) -> None:
    got = play(
        host,
        """
try:
    run("true", pod="nope")
except ApiException as error:
    print(json.dumps(str(error)))
""",
    )
    assert "Handshake status 404 Not Found" in got
    assert '"message":"pods \\"nope\\" not found"' in got


def test_a_port_is_forwarded(host: Host, port: int) -> None:
    got = play(
        host,
        """
port = int(os.environ["PORT"])
forwarded = portforward(api.connect_get_namespaced_pod_portforward, "p", "default", ports=str(port))
there = forwarded.socket(port)
there.settimeout(20)
there.sendall(b"hello\\n")
said = there.recv(100).decode(), there.recv(100).decode(), forwarded.error(port)
print(json.dumps(said))
""",
        PORT=str(port),
    )
    assert got == ["HELLO\n", "", None]
