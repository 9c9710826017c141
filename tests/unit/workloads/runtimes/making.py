"""Pods for tests of runtimes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec

from argosy.api.objects import Pod, decoder
from argosy.base.types import Object
from argosy.workloads.runtimes.runs import Run, Running, Terminated

THEN = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
NOW = datetime(2026, 1, 2, 3, 5, 0, tzinfo=UTC)


def pod(*containers: Object, status: Object | None = None, **spec: Any) -> Pod:
    """A pod with one container `a`, unless told otherwise."""
    given = {
        "metadata": {
            "name": "p",
            "namespace": "ns",
            "uid": "u",
            "generation": 2,
            "labels": {"b": 'say "x"', "a": "1"},
            "annotations": {"note": "n"},
        },
        "spec": {
            "nodeName": "node",
            "serviceAccountName": "robot",
            "containers": containers or ({"name": "a", "image": "i"},),
            **spec,
        },
        "status": status or {},
    }
    made: Pod = decoder(Pod)(msgspec.json.encode(given))
    return made


RUNNING = Run(Running(THEN))


def ended(code: int, **more: Any) -> Run:
    reason = "Error" if code else "Completed"
    return Run(Terminated(code, reason, THEN, NOW), **more)
