"""Raw connections to a listening server, for everything a well-behaved client never does."""

from __future__ import annotations

import socket
import ssl
import time
from pathlib import Path

from tests.support.connections import Address

PATIENCE_SECONDS = 10.0


def tls(address: Address) -> ssl.SSLSocket:
    plain = socket.create_connection((address.host, address.port), timeout=PATIENCE_SECONDS)
    return address.tls.wrap_socket(plain, server_hostname=address.host)


def request(address: Address, line: str, *headers: str, body: bytes = b"") -> bytes:
    """A good request's bytes, as the admin."""
    lines = [line, f"Host: {address.host}", f"Authorization: Bearer {address.token}", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def read_all(connection: socket.socket) -> bytes:
    """Everything until the server closes; a reset ends it too."""
    out = b""
    try:
        while chunk := connection.recv(65536):
            out += chunk
    except (ConnectionError, ssl.SSLError):
        pass
    return out


def read_answers(connection: socket.socket, count: int) -> list[tuple[int, bytes]]:
    """So many whole answers, each as code and body."""
    answers: list[tuple[int, bytes]] = []
    left = b""
    for _ in range(count):
        while b"\r\n\r\n" not in left:
            chunk = connection.recv(65536)
            assert chunk, f"the server closed after {len(answers)} answers: {left!r}"
            left += chunk
        head, _, left = left.partition(b"\r\n\r\n")
        size = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        )
        while len(left) < size:
            left += connection.recv(65536)
        answers.append((int(head.split()[1]), left[:size]))
        left = left[size:]
    return answers


def sockets_of(pid: int) -> int:
    """How many sockets the process has open (Linux)."""
    folder = Path(f"/proc/{pid}/fd")
    count = 0
    for entry in folder.iterdir():
        try:
            count += str(entry.readlink()).startswith("socket:")
        except FileNotFoundError:
            continue
    return count


def until_sockets(pid: int, most: int) -> None:
    """Wait until the process has no more than so many sockets open."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while sockets_of(pid) > most:
        assert time.monotonic() < deadline, f"{sockets_of(pid)} sockets are open, not {most}"
        time.sleep(0.02)
