"""The Workload controller when its calls fail."""

from __future__ import annotations

import random

import pytest

from argosy.base.errors import Conflict, ServiceUnavailable
from argosy.client.protocol import Client
from argosy.client.resources import LOCAL_QUEUES, WORKLOADS
from argosy.queueing.workloads.decisions import LifeRules, PodsReadyRules
from tests.behaviour.queueing.lives import Life, living
from tests.fakes.clients import Fault, FaultyClient

RULES = LifeRules(PodsReadyRules(300, 120, 1, 60, 600), 3600)


@pytest.mark.parametrize("seed", range(5))
def test_calls_that_fail_or_fail_too_late_change_nothing_in_the_end(seed: int) -> None:
    """Half of all writes fail, are late, or succeed and seem to fail. What comes of it is what comes of it otherwise."""
    source = random.Random(seed)

    def fault(verb: str) -> Fault:
        if verb != "patch" or source.random() < 0.5:
            return Fault()
        return source.choice(
            [
                Fault(Conflict("somebody was faster")),
                Fault(ServiceUnavailable("gone")),
                Fault(ServiceUnavailable("gone"), lost=True),
                Fault(before=0.5, after=0.5),
            ]
        )

    def through(client: Client) -> Client:
        return FaultyClient(client, fault)

    async def story(life: Life) -> None:
        await life.queues("a")
        await life.workload()
        await life.reserve()
        await life.world.pass_time(60)
        await life.check("Ready")
        await life.world.pass_time(60)
        assert (await life.says())["Admitted"] == "True Admitted: The workload is admitted"
        await life.patch(LOCAL_QUEUES, "lq", {"spec": {"stopPolicy": "HoldAndDrain"}})
        await life.world.pass_time(60)
        found = await life.read()
        assert (await life.says())["Evicted"] == "True LocalQueueStopped: The LocalQueue is stopped"
        stats = found.status.scheduling_stats
        assert stats is not None
        assert [one.count for one in stats.evictions] == [1], "an eviction is counted once"
        await life.release()
        await life.patch(LOCAL_QUEUES, "lq", {"spec": {"stopPolicy": "None"}})
        await life.world.pass_time(60)
        assert (await life.says())["Requeued"].startswith("True LocalQueueRestarted")
        await life.patch(WORKLOADS, "wl", {"spec": {"active": False}})
        await life.world.pass_time(60)
        assert (await life.says())["QuotaReserved"] == (
            "False Deactivated: The workload is deactivated"
        )

    living(story, RULES, through=through)
