"""Argosy killed, Jobs suspended, nodes cordoned in the middle of the work: counts are exact and nothing runs twice."""

from __future__ import annotations

import pytest

from argosy.client.resources import PODS
from tests.behaviour.faults.wholes import Whole, whole

MINUTE = 60.0


# Seconds after the Job was made: its pods are being made, all run, a wave has just ended, the last wave runs.
@pytest.mark.parametrize(
    ("completions", "seconds"), [(100, 0.02), (100, 1.0), (500, 31.0), (100, 61.5)]
)
def test_a_big_job_survives_a_kill(completions: int, seconds: float) -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=20, maximum=20)
        await here.pass_time(1)
        # A third at a time, so that the kill finds some done, some running, some not made yet.
        await here.job(
            "many", "sleep", "30",
            parallelism=completions // 3, completions=completions, completionMode="Indexed",
        )  # fmt: skip
        await here.pass_time(seconds)
        await here.kill()
        await here.pass_time(7)
        await here.start()
        await here.pass_time(10 * MINUTE)
        assert await here.conditions("many") == ["SuccessCriteriaMet", "Complete"]
        assert await here.counts("many") == (0, completions, 0)
        done = [
            pod["metadata"]["labels"]["batch.kubernetes.io/job-completion-index"]
            for pod in await here.list(PODS)
            if pod["status"]["phase"] == "Succeeded"
        ]
        assert sorted(map(int, done)) == list(range(completions))

    whole(story)


def test_a_job_suspended_with_running_pods_ends_them_and_goes_on_later() -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=2, maximum=2)
        # Two waves of three; the second is interrupted.
        await here.job("train", "sleep", "100", parallelism=3, completions=6)
        await here.pass_time(120)
        assert await here.counts("train") == (3, 3, 0)
        await here.edit_job("train", suspend=True)
        await here.pass_time(60)
        assert await here.conditions("train") == ["Suspended"]
        assert await here.counts("train") == (0, 3, 0)
        assert await here.phases() == {"Succeeded": 3}
        await here.pass_time(30 * MINUTE)
        assert await here.phases() == {"Succeeded": 3}
        await here.edit_job("train", suspend=False)
        await here.pass_time(150)
        assert await here.conditions("train") == ["SuccessCriteriaMet", "Complete"]
        assert await here.counts("train") == (0, 6, 0)
        reasons = [reason for _, reason, _ in await here.events("train")]
        assert [r for r in reasons if r in {"Suspended", "Resumed", "Completed"}] == [
            "Suspended",
            "Resumed",
            "Completed",
        ]

    whole(story)


def test_a_container_that_ignores_sigterm_is_killed_when_its_grace_is_over() -> None:
    async def story(here: Whole) -> None:
        await here.pool(minimum=1)
        await here.pass_time(5)
        await here.pod(
            "deaf",
            metadata={"annotations": {"argosy.dev/termination": "never"}},
            terminationGracePeriodSeconds=40,
        )
        await here.pass_time(10)
        await here.client.delete(PODS, "deaf", namespace="ns")
        await here.pass_time(38)
        pod = await here.get(PODS, "deaf")
        assert pod is not None
        assert "running" in pod["status"]["containerStatuses"][0]["state"]
        await here.pass_time(5)
        assert await here.get(PODS, "deaf") is None

    whole(story)
