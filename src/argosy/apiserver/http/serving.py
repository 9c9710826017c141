"""A listening HTTPS server for one handler."""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from typing import Final

from argosy.apiserver.http.messages import Handler
from argosy.apiserver.http.protocols import Connections

# Connections the kernel may hold before we accept them: a burst of kubectl and informers.
BACKLOG: Final = 1024


@dataclass(slots=True)
class Listener:
    """A bound server. `port` is the real one when 0 was asked for."""

    host: str
    port: int
    _server: asyncio.Server
    _connections: Connections

    async def stop(self, grace_seconds: float = 5.0) -> None:
        self._server.close()
        await self._connections.stop(grace_seconds)


async def listen(handler: Handler, host: str, port: int, tls: ssl.SSLContext | None) -> Listener:
    """Bind and serve. Raises OSError when the address is taken."""
    connections = Connections(handler)
    server = await asyncio.get_running_loop().create_server(
        connections, host, port, ssl=tls, backlog=BACKLOG, reuse_address=True
    )
    bound = server.sockets[0].getsockname()
    return Listener(host, int(bound[1]), server, connections)


def server_context(certificate: str, key: str) -> ssl.SSLContext:
    """TLS 1.2 and up with HTTP/1.1; `certificate` and `key` are PEM file paths."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["http/1.1"])
    return context
