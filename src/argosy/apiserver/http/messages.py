"""Requests and responses as the rest of the server sees them: plain data, no sockets.

A response is either whole (`Response`), or a stream (`Streaming`) whose `run` writes chunks until it returns, as
watches and followed logs do, or the end of HTTP on its connection (`Upgrading`): from there on `run` has both ways.
Header names of requests are lower-case bytes as they came; nobody decodes those that nobody asks for.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import parse_qsl

Headers = tuple[tuple[str, str], ...]

JSON_TYPE = "application/json"
NO_CACHE = ("Cache-Control", "no-cache, private")


@dataclass(slots=True)
class Request:
    """One HTTP request, read to its end."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[bytes, bytes]
    body: bytes = b""
    # The body was over the limit and has been dropped.
    oversized: bool = False
    # The query as it came, for the few parameters that may be repeated.
    raw_query: str = ""
    # The protocol in which the client wants to go on, lower-case; "" for nearly everybody.
    upgrade: str = ""

    def values(self, name: str) -> list[str]:
        """Every value of a query parameter, in order."""
        return [
            value for key, value in parse_qsl(self.raw_query, keep_blank_values=True) if key == name
        ]

    def header(self, name: bytes) -> str:
        value = self.headers.get(name)
        return value.decode("latin-1") if value is not None else ""


@dataclass(slots=True)
class Response:
    """A whole answer. `tail` follows the body; it is kept apart so that no large body is copied for it."""

    status: int = 200
    body: bytes = b""
    content_type: str = JSON_TYPE
    headers: Headers = ()
    warnings: list[str] = field(default_factory=list)
    tail: bytes = b""


def page_not_found() -> Response:
    """What kube-apiserver says of a path that belongs to no group it knows: plain text and no Status."""
    return Response(
        404,
        b"404 page not found\n",
        "text/plain; charset=utf-8",
        (("X-Content-Type-Options", "nosniff"),),
    )


class Writer(Protocol):
    """The open end of a stream."""

    def write(self, chunk: bytes) -> None: ...

    async def drain(self) -> None:
        """Wait until the peer has taken enough of what was written; raises ConnectionError when it is gone."""


@dataclass(slots=True)
class Streaming:
    """An answer that goes on: `run` writes chunks and returns when the stream ends."""

    run: Callable[[Writer], Awaitable[None]]
    content_type: str = JSON_TYPE
    headers: Headers = ()
    warnings: list[str] = field(default_factory=list)


class Duplex(Protocol):
    """A connection after an upgrade: plain bytes both ways."""

    async def read(self) -> bytes:
        """Some bytes; b"" when the peer is gone."""

    def write(self, data: bytes) -> None: ...

    async def drain(self) -> None:
        """As a `Writer`'s."""


@dataclass(slots=True)
class Upgrading:
    """101: the connection goes on in another protocol, which `headers` name; it is closed when `run` returns."""

    run: Callable[[Duplex], Awaitable[None]]
    headers: Headers = ()
    warnings: list[str] = field(default_factory=list)


Answer = Response | Streaming | Upgrading
Handler = Callable[[Request], Awaitable[Answer]]


def parse_query(raw: str) -> dict[str, str]:
    """The query's first value of each name; `Request.values` has the parameters that are repeated."""
    query: dict[str, str] = {}
    for name, value in parse_qsl(raw, keep_blank_values=True):
        query.setdefault(name, value)
    return query


def warning_headers(texts: list[str]) -> Headers:
    """`Warning: 299 - "text"`, once per text, as RFC 7234 and kubectl want them."""
    unique = dict.fromkeys(texts)
    return tuple(("Warning", f'299 - "{_escape(text)}"') for text in unique)


def _escape(text: str) -> str:
    clean = "".join(ch if ch.isprintable() else " " for ch in text)
    return clean.replace("\\", "\\\\").replace('"', '\\"')
