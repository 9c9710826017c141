"""/healthz, /livez, /readyz: is the process alive, and does it take writes?

Alive means that it answers. Ready and healthy means also that the store's last write succeeded: a server on a full
disk goes on reading and says here why it does not write. Anybody may ask; what exactly is wrong is told in the log,
not to strangers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Request, Response

TEXT: Final = "text/plain; charset=utf-8"
ENDPOINTS: Final = ("/healthz", "/livez", "/readyz")

Check = Callable[[], bool]


def health_handlers(cluster: Cluster) -> dict[str, Callable[[Request], Response]]:
    """The endpoints and, below each, its single checks."""
    checks: dict[str, Check] = {"ping": lambda: True, "store": lambda: cluster.store.fault is None}
    alive: dict[str, Check] = {"ping": checks["ping"]}
    handlers: dict[str, Callable[[Request], Response]] = {}
    for endpoint in ENDPOINTS:
        chosen = alive if endpoint == "/livez" else checks
        handlers[endpoint] = _asking(endpoint, chosen)
        for name, check in chosen.items():
            handlers[f"{endpoint}/{name}"] = _asking(f"{endpoint}/{name}", {name: check})
    return handlers


def _asking(endpoint: str, checks: dict[str, Check]) -> Callable[[Request], Response]:
    name = endpoint.strip("/").partition("/")[0]

    def answer(request: Request) -> Response:
        results = {check: passes() for check, passes in checks.items()}
        lines = "".join(
            f"[+]{check} ok\n" if passed else f"[-]{check} failed: reason withheld\n"
            for check, passed in results.items()
        )
        if not all(results.values()):
            return Response(500, f"{lines}{name} check failed\n".encode(), TEXT)
        if "verbose" in request.query:
            return Response(200, f"{lines}{name} check passed\n".encode(), TEXT)
        return Response(200, b"ok", TEXT)

    return answer
