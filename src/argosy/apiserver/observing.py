"""What the server measures of itself: requests by verb, resource and code, their time, watches, size."""

from __future__ import annotations

import time
from typing import Final

from argosy.apiserver.http.messages import Request, Response, Streaming
from argosy.apiserver.routing import Route
from argosy.base.metrics import Registry

# Seconds; kube-apiserver's own bounds at the lower end, where an in-process server lives.
_BUCKETS: Final = (
    0.001,
    0.0025,
    0.005,
    0.01,
    0.025,
    0.05,
    0.1,
    0.25,
    0.5,
    1.0,
    2.5,
    5.0,
    10.0,
    30.0,
)


class Observer:
    """Counts into Kubernetes' metric names."""

    def __init__(self, registry: Registry) -> None:
        labels = ("verb", "group", "version", "resource", "subresource", "scope", "code")
        self._requests = registry.counter(
            "apiserver_request_total", "Requests by verb, resource and HTTP response code.", labels
        )
        self._durations = registry.histogram(
            "apiserver_request_duration_seconds",
            "Response latency in seconds.",
            ("verb", "group", "resource"),
            _BUCKETS,
        )

    @staticmethod
    def start() -> float:
        return time.perf_counter()

    def done(
        self, request: Request, asked: Route | None, answer: Response | Streaming, started: float
    ) -> None:
        code = str(answer.status) if isinstance(answer, Response) else "200"
        if asked is None or not asked.is_resource:
            self._requests.inc((request.method, "", "", "", "", "", code))
            return
        scope = "namespace" if asked.namespace else "resource" if asked.name else "cluster"
        verb = asked.verb.upper()
        self._requests.inc(
            (verb, asked.group, asked.version, asked.resource, asked.subresource, scope, code)
        )
        if isinstance(answer, Response):
            self._durations.observe(
                (verb, asked.group, asked.resource), time.perf_counter() - started
            )
