"""SPDY/3.1, as far as Kubernetes' streams need it: many byte streams on one connection, named by headers.

Google's predecessor of HTTP/2 lives on in `kubectl port-forward` (its frames travel inside WebSocket messages) and in
Go programs that run commands in pods. Of the protocol only what their library, moby/spdystream, speaks is here: streams
that the client opens, data, the end of either direction, resets and pings. There is no flow control and no pushing.
"""

from argosy.apiserver.http.spdy.sessions import Session, Stream

__all__ = ["Session", "Stream"]
