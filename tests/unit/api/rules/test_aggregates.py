"""Sums over containers: init containers one after another, sidecars beside everything after them."""

from __future__ import annotations

import pytest

from argosy.api.rules.pods.aggregates import container_requests
from argosy.base.types import Object


def asks(cpu: str, **more: str) -> Object:
    return {"resources": {"requests": {"cpu": cpu}}, **more}


CASES: dict[str, tuple[Object, str]] = {
    "containers run together": ({"containers": [asks("1"), asks("500m")]}, "1500m"),
    "a large init container counts alone": (
        {"containers": [asks("1")], "initContainers": [asks("3"), asks("2")]},
        "3",
    ),
    "a sidecar runs with the containers": (
        {"containers": [asks("1")], "initContainers": [asks("2", restartPolicy="Always")]},
        "3",
    ),
    "a sidecar runs with init containers after it": (
        {
            "containers": [asks("1")],
            "initContainers": [asks("2", restartPolicy="Always"), asks("4")],
        },
        "6",
    ),
    "a sidecar is not there for init containers before it": (
        {
            "containers": [asks("1")],
            "initContainers": [asks("4"), asks("2", restartPolicy="Always")],
        },
        "4",
    ),
}


@pytest.mark.parametrize(("spec", "want"), CASES.values(), ids=CASES.keys())
def test_requests(spec: Object, want: str) -> None:
    assert {name: str(amount) for name, amount in container_requests(spec).items()} == {"cpu": want}
