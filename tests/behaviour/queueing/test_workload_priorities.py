"""Workloads follow the value of their priority class."""

from __future__ import annotations

from argosy.client.resources import WORKLOAD_PRIORITY_CLASSES
from argosy.queueing.workloads.finishing import finish
from tests.behaviour.queueing.lives import Life, living

HIGH = {"group": "kueue.x-k8s.io", "kind": "WorkloadPriorityClass", "name": "high"}


async def _class(life: Life, value: int) -> None:
    body = {"metadata": {"name": "high"}, "value": value}
    await life.world.create(WORKLOAD_PRIORITY_CLASSES, body)
    await life.world.settle()


def test_waiting_and_running_workloads_follow_a_changed_value() -> None:
    async def story(life: Life) -> None:
        await _class(life, 100)
        await life.queues()
        await life.workload(priority=100, priorityClassRef=HIGH)
        await life.patch(WORKLOAD_PRIORITY_CLASSES, "high", {"value": 200})
        assert (await life.read()).spec.priority == 200
        await life.admit()
        await life.patch(WORKLOAD_PRIORITY_CLASSES, "high", {"value": 50})
        assert (await life.read()).spec.priority == 50

    living(story)


def test_finished_workloads_do_not() -> None:
    async def story(life: Life) -> None:
        await _class(life, 100)
        await life.workload(priority=100, priorityClassRef=HIGH)
        await life.write(lambda draft: finish(draft, "Succeeded", "done"))
        await life.patch(WORKLOAD_PRIORITY_CLASSES, "high", {"value": 200})
        assert (await life.read()).spec.priority == 100

    living(story)
