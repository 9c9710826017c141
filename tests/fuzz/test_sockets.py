"""A listening server against peers that do not speak HTTP, or stop in the middle of it.

After each of them the server answers others, has logged no traceback and holds no connection more than before.
"""

from __future__ import annotations

import json
import random
import socket
import ssl
import struct
import sys
import time
from collections.abc import Iterator

import pytest

from tests.fuzz.sockets import read_all, read_answers, request, tls, until_sockets
from tests.support.connections import Address, Connection, address_of
from tests.support.processes import ServeProcess, serving

PODS = "/api/v1/namespaces/default/pods"
MAPS = "/api/v1/namespaces/default/configmaps"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServeProcess]:
    with serving(tmp_path_factory.mktemp("sockets"), "--memory") as served:
        yield served


@pytest.fixture
def address(served: ServeProcess) -> Iterator[Address]:
    """The server's address; afterwards the server must be as well as before."""
    address = address_of(served.kubeconfig)
    with Connection(address) as before:
        assert before.get("/readyz") == "ok"
        revision = before.get("/api/v1/namespaces")["metadata"]["resourceVersion"]
    if sys.platform == "linux":
        until_sockets(served.process.pid, IDLE_SOCKETS)
    yield address
    with Connection(address) as after:
        assert after.get("/readyz") == "ok"
        assert after.get("/api/v1/namespaces")["metadata"]["resourceVersion"] == revision
    assert "Traceback" not in served.log
    if sys.platform == "linux":
        until_sockets(served.process.pid, IDLE_SOCKETS)


# The listener, and what the event loop uses to wake itself up.
IDLE_SOCKETS = 4

GARBAGE = {
    "nothing": b"",
    "a line break": b"\r\n",
    "many line breaks": b"\r\n" * 5000,
    "words": b"hello there\r\n\r\n",
    "zeros": b"\x00" * 1000,
    "high bytes": b"\xff" * 1000,
    "TLS again": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "HTTP/9": b"GET / HTTP/9.9\r\n\r\n",
    "no version": b"GET /\r\n\r\n",
    "a method nobody knows": b"LEAP / HTTP/1.1\r\n\r\n",
    "a header without a colon": b"GET / HTTP/1.1\r\nwonder\r\n\r\n",
    "a header with a space": b"GET / HTTP/1.1\r\nwon der: 1\r\n\r\n",
    "a folded header": b"GET / HTTP/1.1\r\na: b\r\n c\r\n\r\n",
    "a bare line feed": b"GET / HTTP/1.1\nhost: a\n\n",
    "a length that is no number": b"POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n",
    "a length below zero": b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "a huge length": b"POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "length and chunks": b"POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "a bad chunk": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "a huge chunk": b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n",
    "an unknown encoding": b"POST / HTTP/1.1\r\nTransfer-Encoding: wonder\r\n\r\nabc",
    "an upgrade": b"GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "a tunnel": b"CONNECT example.com:443 HTTP/1.1\r\n\r\n",
    "a bad escape": b"GET /%zz%f HTTP/1.1\r\nConnection: close\r\n\r\n",
    "bytes in the path": b"GET /\xff\xfe\x01 HTTP/1.1\r\nConnection: close\r\n\r\n",
}


@pytest.mark.parametrize("case", GARBAGE)
def test_garbage_inside_tls(address: Address, case: str) -> None:
    with tls(address) as connection:
        connection.sendall(GARBAGE[case])
        connection.sendall(b"GET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n")
        answer = read_all(connection)
    codes = {int(part.split()[0]) for part in answer.split(b"HTTP/1.1 ")[1:]}
    assert codes <= {400, 401, 404, 431}, answer


@pytest.mark.parametrize(
    "case", ["nothing", "words", "zeros", "high bytes", "TLS again", "no version"]
)
def test_garbage_without_tls(address: Address, case: str) -> None:
    with socket.create_connection((address.host, address.port), timeout=10) as connection:
        connection.sendall(GARBAGE[case] + b"GET / HTTP/1.1\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        assert b"HTTP/1.1 2" not in read_all(connection)


def test_random_bytes(address: Address) -> None:
    choice = random.Random(7)
    for _ in range(60):
        with tls(address) as connection:
            connection.sendall(choice.randbytes(choice.randrange(1, 400)))
            if choice.random() < 0.5:
                connection.shutdown(socket.SHUT_RDWR)


def test_a_good_request_with_a_few_wrong_bytes(address: Address) -> None:
    choice = random.Random(8)
    good = (
        request(
            address, f"POST {MAPS}?dryRun=All HTTP/1.1", "Content-Length: 28", "Connection: close"
        )
        + b'{"metadata":{"name":"app"}}\n'
    )
    for _ in range(120):
        raw = bytearray(good)
        for _ in range(choice.randrange(1, 4)):
            raw[choice.randrange(len(raw))] = choice.randrange(256)
        with tls(address) as connection:
            connection.sendall(bytes(raw))
            connection.settimeout(0.05)
            try:
                answer = connection.recv(65536)
            except TimeoutError:
                continue
            assert not answer.startswith(b"HTTP/1.1 5"), (bytes(raw), answer)


@pytest.mark.parametrize("part", [1, 10, 40, 90, 150, -30, -1])
def test_half_a_request(address: Address, part: int) -> None:
    whole = (
        request(
            address, f"POST {MAPS} HTTP/1.1", "Content-Type: application/json", "Content-Length: 29"
        )
        + b'{"metadata":{"name":"never"}}'
    )
    with tls(address) as connection:
        connection.sendall(whole[:part])
    with tls(address) as connection:
        connection.sendall(whole[:part])
        # Not even a goodbye: the peer's machine is gone.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def test_a_slow_sender_is_answered(address: Address) -> None:
    raw = request(address, "GET /readyz HTTP/1.1", "Connection: close")
    with tls(address) as connection:
        for at in range(0, len(raw), 8):
            connection.sendall(raw[at : at + 8])
            time.sleep(0.002)
        assert read_all(connection).endswith(b"ok")


def test_a_head_that_is_too_large(address: Address) -> None:
    cases = (
        request(address, "GET /readyz HTTP/1.1", "X: " + "x" * 100_000),
        request(address, "GET /readyz HTTP/1.1", *(f"X-{n}: {'x' * 100}" for n in range(2000))),
        request(address, f"GET /readyz?{'x' * 100_000} HTTP/1.1"),
    )
    for raw in cases:
        with tls(address) as connection:
            try:
                connection.sendall(raw)
            except (ConnectionError, ssl.SSLError):
                continue
            assert read_all(connection).startswith(b"HTTP/1.1 431 ")


def test_a_body_that_is_too_large(address: Address) -> None:
    size = 3 * 1024 * 1024 + 1
    head = request(
        address,
        f"POST {MAPS} HTTP/1.1",
        "Content-Type: application/json",
        f"Content-Length: {size}",
        "Connection: close",
    )
    with tls(address) as connection:
        connection.sendall(head)
        try:
            connection.sendall(b" " * size)
        except (ConnectionError, ssl.SSLError):
            pass
        answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 413 ")
    status = json.loads(answer.partition(b"\r\n\r\n")[2])
    assert (status["code"], status["reason"]) == (413, "RequestEntityTooLarge")


def test_requests_in_a_row_are_answered_in_order(address: Address) -> None:
    paths = ["/readyz", f"{PODS}/none", "/version", "/api/v1/namespaces/default", "/nowhere"] * 20
    raw = b"".join(request(address, f"GET {path} HTTP/1.1") for path in paths)
    with tls(address) as connection:
        connection.sendall(raw)
        answers = read_answers(connection, len(paths))
    assert [code for code, _ in answers] == [200, 404, 200, 200, 404] * 20
    assert answers[0][1] == b"ok"
    assert json.loads(answers[3][1])["metadata"]["name"] == "default"


def test_requests_behind_a_bad_one_are_not_answered(address: Address) -> None:
    raw = request(address, "GET /readyz HTTP/1.1") + b"nonsense\r\n\r\n"
    raw += request(address, f"DELETE {MAPS}/kube-root-ca.crt HTTP/1.1")
    with tls(address) as connection:
        connection.sendall(raw)
        codes = [int(part.split()[0]) for part in read_all(connection).split(b"HTTP/1.1 ")[1:]]
    assert codes in ([200, 400], [400])


def test_a_client_that_leaves_before_the_answer(address: Address) -> None:
    for _ in range(40):
        with tls(address) as connection:
            connection.sendall(request(address, "GET /openapi/v2 HTTP/1.1"))


def test_watches_whose_clients_leave(address: Address) -> None:
    raw = request(address, "GET /api/v1/namespaces?watch=1 HTTP/1.1")
    for way in ("politely", "abruptly", "in the middle"):
        connections = [tls(address) for _ in range(10)]
        for connection in connections:
            connection.sendall(raw)
            assert connection.recv(10) == b"HTTP/1.1 2"
            if way == "in the middle":
                connection.recv(50)
            if way == "abruptly":
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()


def test_a_request_on_the_connection_of_a_watch(address: Address) -> None:
    """What follows a watch waits for its end: a watch has the connection for itself."""
    with tls(address) as connection:
        connection.sendall(
            request(address, f"GET {PODS}?watch=1&timeoutSeconds=1 HTTP/1.1")
            + request(address, "GET /readyz HTTP/1.1", "Connection: close")
        )
        answer = read_all(connection)
    assert answer.count(b"HTTP/1.1 200 OK") == 2
    assert answer.index(b"\r\n0\r\n\r\n") < answer.rindex(b"HTTP/1.1 200 OK")
    assert answer.endswith(b"ok")


def test_a_hundred_idle_connections(address: Address) -> None:
    connections = [tls(address) for _ in range(100)]
    for connection in connections[::10]:
        connection.sendall(request(address, "GET /readyz HTTP/1.1"))
        assert read_answers(connection, 1) == [(200, b"ok")]
    for connection in connections:
        connection.close()


def test_continue_is_said_before_a_body_is_sent(address: Address) -> None:
    body = b'{"metadata":{"name":"app"}}'
    raw = request(
        address,
        f"POST {MAPS}?dryRun=All HTTP/1.1",
        "Expect: 100-continue",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        "Connection: close",
    )
    with tls(address) as connection:
        connection.sendall(raw)
        assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert read_all(connection).startswith(b"HTTP/1.1 201 Created\r\n")


def test_head_has_no_body(address: Address) -> None:
    with tls(address) as connection:
        connection.sendall(request(address, "HEAD /readyz HTTP/1.1", "Connection: close"))
        head, _, body = read_all(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 OK")
    assert body == b""
