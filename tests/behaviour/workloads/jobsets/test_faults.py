"""A bad network between the JobSet controller and the API server changes when things happen, not what happens."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from argosy.base.errors import ServiceUnavailable
from argosy.workloads.jobsets.names import JOB_SETS
from tests.behaviour.workloads.jobsets.worlds import Fleet, replicated, sailing
from tests.fakes.clients import Fault

REACHED = "jobset failed due to reaching max number of restarts (first failed job: js-bad-0)"


def bad_network(seed: int) -> Callable[[str], Fault]:
    """One write in three fails: half of those before it is done, half after. Others take up to a second."""
    source = random.Random(seed)

    def fault(verb: str) -> Fault:
        if verb not in {"create", "patch", "delete"}:
            return Fault()
        if source.random() < 0.3:
            return Fault(ServiceUnavailable("out of reach"), lost=source.random() < 0.5)
        return Fault(before=source.random(), after=source.random())

    return fault


@pytest.mark.parametrize("seed", range(4))
def test_every_attempt_is_counted_once(seed: int) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(
            replicated("good", replicas=2, duration="forever"),
            replicated("bad", duration="60s", outcome="fail"),
            failurePolicy={"maxRestarts": 2, "restartStrategy": "BlockingRecreate"},
        )
        await fleet.pass_time(1200)
        found = await fleet.get(JOB_SETS, "js")
        assert found is not None
        assert found["status"]["restarts"] == 2
        assert await fleet.conditions() == [f"Failed=True ReachedMaxRestarts: {REACHED}"]
        assert await fleet.jobs() == {"js-bad-0": "Failed"}

    sailing(story, faults=bad_network(seed))


@pytest.mark.parametrize("seed", range(4))
def test_a_jobset_is_suspended_resumed_and_completes(seed: int) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(replicated("a", replicas=3), suspend=True)
        await fleet.pass_time(120)
        assert set((await fleet.jobs()).values()) == {"Suspended"}
        await fleet.change({"suspend": False})
        await fleet.pass_time(20)
        await fleet.change({"suspend": True})
        await fleet.pass_time(200)
        assert set((await fleet.jobs()).values()) == {"Suspended"}
        await fleet.change({"suspend": False})
        await fleet.pass_time(600)
        assert (await fleet.conditions())[-1] == (
            "Completed=True AllJobsCompleted: jobset completed successfully"
        )

    sailing(story, faults=bad_network(seed))
