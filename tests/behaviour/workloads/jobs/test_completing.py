"""Jobs that run to their end."""

from __future__ import annotations

from argosy.client.resources import PODS
from tests.behaviour.workloads.jobs.worlds import World, living

COMPLETE = [
    "SuccessCriteriaMet=True CompletionsReached: Reached expected number of succeeded pods",
    "Complete=True CompletionsReached: Reached expected number of succeeded pods",
]


def test_a_job_makes_its_pods_counts_them_and_completes() -> None:
    async def story(world: World) -> None:
        await world.create(completions=3, parallelism=2)
        assert await world.status() == {"active": 2, "ready": 0, "terminating": 0}
        await world.run_all()
        assert await world.status() == {"active": 2, "ready": 2, "terminating": 0}
        await world.succeed(*await world.names())
        assert await world.status() == {"active": 1, "ready": 0, "terminating": 0, "succeeded": 2}
        await world.succeed(*await world.names("Pending"))
        want = {"ready": 0, "terminating": 0, "succeeded": 3, "conditions": COMPLETE}
        assert await world.status() == want
        assert set(map(tuple, (await world.finalizers()).values())) == {()}
        events = await world.events()
        assert sorted(event.split(":")[0] for event in events) == [
            "Normal Completed",
            "Normal SuccessfulCreate",
            "Normal SuccessfulCreate",
            "Normal SuccessfulCreate",
        ]

    living(story)


def test_more_successes_than_asked_for_are_warned_of() -> None:
    async def story(world: World) -> None:
        await world.create()
        await world.stop()
        (pod,) = await world.pods()
        meta = {key: pod["metadata"][key] for key in ("labels", "finalizers", "ownerReferences")}
        spec = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "x"}]}
        twin = {"metadata": {"name": "twin", **meta}, "spec": spec}
        await world.client.create(PODS, twin, namespace="ns")
        await world.succeed(*await world.names())
        await world.start()
        await world.settle()
        want = {"ready": 0, "terminating": 0, "succeeded": 2, "conditions": COMPLETE}
        assert await world.status() == want
        events = await world.events()
        too_many = "Too many succeeded pods running after completion count reached"
        assert f"Warning TooManySucceededPods: {too_many}" in events
        assert "Normal Completed: Job completed" in events

    living(story)
