"""What pods ask for and what is missing, in small integers."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from argosy.api.nodefit import allocatable, requested, requested_for_scoring, shortages
from argosy.base.types import Object
from tests.unit.api.nodefit.views import asks, node, pod

MIB = 1 << 20


class Case(NamedTuple):
    spec: Object
    want: dict[str, int]
    want_scoring: tuple[int, int]


CASES = {
    "a pod that asks for nothing counts for a little in ranking": Case(
        {"containers": [{}]}, {}, (100, 200 * MIB)
    ),
    "containers add up": Case(
        {"containers": [asks(cpu="500m", memory="1Mi"), asks(cpu="1")]},
        {"cpu": 1500, "memory": MIB},
        (1500, 201 * MIB),
    ),
    "the largest init container counts when it needs more": Case(
        {"containers": [asks(cpu="1")], "initContainers": [asks(cpu="3"), asks(cpu="2")]},
        {"cpu": 3000},
        (3000, 200 * MIB),
    ),
    "a sidecar adds to the containers and to later init containers": Case(
        {
            "containers": [asks(cpu="1")],
            "initContainers": [{**asks(cpu="1"), "restartPolicy": "Always"}, asks(cpu="2")],
        },
        {"cpu": 3000},
        (3000, 400 * MIB),
    ),
    "overhead comes on top": Case(
        {"containers": [asks(cpu="1")], "overhead": {"cpu": "250m", "memory": "1Mi"}},
        {"cpu": 1250, "memory": MIB},
        (1250, 201 * MIB),
    ),
    "pod-level resources replace the sum": Case(
        {
            "containers": [asks(cpu="1"), asks(memory="5Mi")],
            "resources": {"requests": {"cpu": "4"}},
        },
        {"cpu": 4000, "memory": 5 * MIB},
        (4000, 205 * MIB),
    ),
    "extended resources count in units, zero is left out": Case(
        {"containers": [{"resources": {"requests": {"nvidia.com/gpu": "2", "cpu": "0"}}}]},
        {"nvidia.com/gpu": 2},
        (0, 200 * MIB),
    ),
    "fractions are rounded up once, after summing": Case(
        {"containers": [asks(cpu="500u", memory="500m"), asks(cpu="500u", memory="500m")]},
        {"cpu": 1, "memory": 1},
        (1, 1),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_requests(case: Case) -> None:
    spec = pod(case.spec).spec
    assert requested(spec) == case.want
    assert requested_for_scoring(spec) == case.want_scoring


def test_allocatable_includes_the_number_of_pods() -> None:
    got = allocatable(node(allocatable={"cpu": "7910m", "memory": "1Gi", "pods": "110"}))
    assert got == {"cpu": 7910, "memory": 1 << 30, "pods": 110}


def test_shortages_come_in_the_schedulers_order() -> None:
    wanted = {"x.io/b": 1, "x.io/a": 1, "ephemeral-storage": 2, "memory": 2, "cpu": 2}
    got = shortages(wanted, {"cpu": 1, "x.io/a": 1})
    assert got == ["cpu", "memory", "ephemeral-storage", "x.io/b"]
    assert shortages(wanted, dict.fromkeys(wanted, 2)) == []
