"""The schema of `spec.simulation` is structural, and takes and refuses what the runtime takes and refuses."""

from __future__ import annotations

import pytest

from argosy.api.simulations import simulation_schema
from argosy.base.clock import VirtualClock
from argosy.base.errors import Invalid
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS, Resource
from tests.fakes.worlds import world

POOLS = Resource("argosy.dev", "v1alpha1", "nodepools", "NodePool", namespaced=False)
CRD: Object = {
    "metadata": {"name": "nodepools.argosy.dev"},
    "spec": {
        "group": "argosy.dev",
        "names": {"kind": "NodePool", "plural": "nodepools"},
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {"simulation": simulation_schema()},
                            }
                        },
                    }
                },
            }
        ],
    },
}
TAKEN: dict[str, Object] = {
    "nothing": {},
    "a constant": {"duration": {"value": "1h30m"}},
    "distributions": {
        "duration": {"type": "lognormal", "mean": "60s", "stddev": "1.5s"},
        "startup": {"type": "uniform", "min": "1s", "max": "2s"},
        "readiness": {"type": "exponential", "mean": "500ms"},
    },
    "rates": {"failureRate": 0.5, "oomRate": 0.25, "hangRate": 0.25, "failureExitCode": 3},
    "usage": {"usage": {"cpu": 0.5, "memory": 1}, "logInterval": "5s"},
}
REFUSED: dict[str, tuple[Object, str]] = {
    "no value": ({"duration": {}}, "a constant distribution needs value"),
    "no deviation": (
        {"duration": {"type": "normal", "mean": "5s"}},
        "a normal distribution needs mean and stddev",
    ),
    "an unknown distribution": (
        {"duration": {"type": "zipf"}},
        'Unsupported value: "zipf": supported values: "constant", "uniform", "normal", "lognormal", "exponential"',
    ),
    "no duration": ({"duration": {"value": "soon"}}, "spec.simulation.duration.value"),
    "rates above one together": (
        {"failureRate": 0.6, "oomRate": 0.6},
        "failureRate, oomRate and hangRate must not exceed 1 together",
    ),
    "a rate above one": ({"hangRate": 1.5}, "should be less than or equal to 1"),
}


async def create(simulation: Object) -> None:
    async with world(namespaces=()) as here:
        assert isinstance(here.clock, VirtualClock)
        await here.client.create(CUSTOM_RESOURCE_DEFINITIONS, CRD)
        pool = {"metadata": {"name": "pool"}, "spec": {"simulation": simulation}}
        await here.client.create(POOLS, pool)


@pytest.mark.parametrize("simulation", TAKEN.values(), ids=TAKEN.keys())
def test_taken(simulation: Object) -> None:
    assert run_virtual(create(simulation)) is None


@pytest.mark.parametrize(("simulation", "want"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(simulation: Object, want: str) -> None:
    with pytest.raises(Invalid) as raised:
        run_virtual(create(simulation))
    assert want in str(raised.value)
