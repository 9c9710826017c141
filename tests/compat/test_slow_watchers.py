"""A watcher that does not read is cut off: the server keeps no more for it than its bound, and others miss nothing."""

from __future__ import annotations

import http.client
import json
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.connections import Address, Connection, address_of
from tests.support.processes import ServeProcess

PATH = "/api/v1/namespaces/default/configmaps"
WATCH = f"{PATH}?watch=1&fieldSelector=metadata.name%3Dbig"
WRITES = 400
SIZE_BYTES = 500_000
# By then the bounds of the history (64 MiB) and of a watcher (32 MiB) are long passed; from here on nothing may grow.
FULL = 200
GROWTH_KIB = 48 * 1024


@pytest.fixture
def served(private_cluster: Callable[..., ServeProcess]) -> Iterator[ServeProcess]:
    served = private_cluster("--memory")
    yield served
    assert "Traceback" not in served.log


def resident_kib(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS:"))


def open_watch(address: Address) -> socket.socket:
    """A watch whose client reads the head of the answer and no more."""
    plain = socket.socket()
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.connect((address.host, address.port))
    connection = address.tls.wrap_socket(plain, server_hostname=address.host)
    lines = [f"GET {WATCH} HTTP/1.1", "Connection: close", f"Authorization: Bearer {address.token}"]
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    assert connection.recv(12) == b"HTTP/1.1 200"
    return connection


def test_a_watcher_that_does_not_read_is_cut_off(served: ServeProcess) -> None:
    address = address_of(served.kubeconfig)
    seen: list[str] = []
    ready = threading.Event()

    def read_well() -> None:
        stream = http.client.HTTPSConnection(
            address.host, address.port, context=address.tls, timeout=60
        )
        stream.request("GET", WATCH, headers={"Authorization": f"Bearer {address.token}"})
        response = stream.getresponse()
        ready.set()
        while len(seen) < WRITES + 1:
            seen.append(json.loads(response.readline())["object"]["metadata"]["resourceVersion"])
        stream.close()

    reader = threading.Thread(target=read_well)
    reader.start()
    assert ready.wait(20)
    slow = open_watch(address)
    sizes = []
    with Connection(address) as connection:
        written = [connection.create(PATH, {"metadata": {"name": "big"}})]
        for number in range(WRITES):
            text = str(number).ljust(SIZE_BYTES, "x")
            written.append(connection.merge(f"{PATH}/big", {"data": {"text": text}}))
            if number in {FULL, WRITES - 1} and sys.platform == "linux":
                sizes.append(resident_kib(served.process.pid))
    reader.join(60)
    assert seen == [one["metadata"]["resourceVersion"] for one in written]
    assert not sizes or sizes[1] - sizes[0] < GROWTH_KIB, sizes
    slow.settimeout(60)
    taken, last = 0, b""
    while chunk := slow.recv(1 << 20):
        taken += len(chunk)
        last = (last + chunk)[-2000:]
    slow.close()
    assert taken < WRITES * SIZE_BYTES, "the slow watcher was never cut off"
    assert b'"type":"ERROR"' in last
    assert b'"code":410' in last
