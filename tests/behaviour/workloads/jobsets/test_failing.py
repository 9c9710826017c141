"""JobSets whose Jobs fail: failing, starting over, and rules that tell which."""

from __future__ import annotations

from argosy.client.resources import PODS
from argosy.workloads.jobsets.names import JOB_SETS
from tests.behaviour.workloads.jobsets.worlds import Fleet, replicated, sailing


def test_without_a_policy_one_failed_job_fails_the_jobset_and_ends_the_others() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(
            replicated("good", duration="forever"),
            replicated("bad", duration="20s", outcome="fail"),
        )
        await fleet.pass_time(120)
        message = "jobset failed due to one or more job failures (first failed job: js-bad-0)"
        assert await fleet.conditions() == [f"Failed=True FailedJobs: {message}"]
        assert await fleet.jobs() == {"js-bad-0": "Failed"}
        assert await fleet.told() == [f"Warning FailedJobs: {message}"]

    sailing(story)


def test_a_jobset_starts_over_until_its_restarts_are_used_up() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(
            replicated("good", duration="forever"),
            replicated("bad", duration="20s", outcome="fail"),
            failurePolicy={"maxRestarts": 2},
        )
        await fleet.pass_time(30)
        job = await fleet.job("js-good-0")
        assert job["metadata"]["labels"]["jobset.sigs.k8s.io/restart-attempt"] == "1"
        await fleet.pass_time(600)
        found = await fleet.get(JOB_SETS, "js")
        assert found is not None
        status = found["status"]
        assert (status["restarts"], status["restartsCountTowardsMax"]) == (2, 2)
        reached = (
            "jobset failed due to reaching max number of restarts (first failed job: js-bad-0)"
        )
        assert await fleet.conditions() == [f"Failed=True ReachedMaxRestarts: {reached}"]
        assert status["terminalState"] == "Failed"
        again = (
            "Warning RestartJobSetFailurePolicyAction: applying RestartJobSet failure policy action "
            "(first failed job: js-bad-0)"
        )
        assert await fleet.told() == [again, f"Warning ReachedMaxRestarts: {reached}"]
        assert await fleet.jobs() == {"js-bad-0": "Failed"}

    sailing(story)


def test_blocking_recreate_waits_until_every_old_job_is_gone() -> None:
    async def story(fleet: Fleet) -> None:
        lingering = {"argosy.dev/termination": "never", "argosy.dev/duration": "forever"}
        good = replicated("good", pod={"terminationGracePeriodSeconds": 100})
        good["template"]["spec"]["template"]["metadata"]["annotations"] = lingering
        await fleet.jobset(
            good,
            replicated("bad", duration="20s", outcome="fail"),
            failurePolicy={"maxRestarts": 1, "restartStrategy": "BlockingRecreate"},
        )
        await fleet.pass_time(80)
        assert await fleet.jobs() == {"js-good-0": "Deleting"}
        await fleet.pass_time(50)
        assert await fleet.jobs() == {"js-good-0": "Active", "js-bad-0": "Active"}

    sailing(story)


def test_recreate_brings_each_job_back_when_its_old_one_is_gone() -> None:
    async def story(fleet: Fleet) -> None:
        lingering = {"argosy.dev/termination": "never", "argosy.dev/duration": "forever"}
        good = replicated("good", pod={"terminationGracePeriodSeconds": 100})
        good["template"]["spec"]["template"]["metadata"]["annotations"] = lingering
        await fleet.jobset(
            good,
            replicated("bad", duration="20s", outcome="fail"),
            failurePolicy={"maxRestarts": 1},
        )
        await fleet.pass_time(35)
        assert await fleet.jobs() == {"js-good-0": "Deleting", "js-bad-0": "Active"}

    sailing(story)


def test_rules_decide_by_target_and_reason() -> None:
    async def story(fleet: Fleet) -> None:
        rules = [
            {"action": "FailJobSet", "targetReplicatedJobs": ["leader"]},
            {
                "name": "hostMaintenance",
                "action": "RestartJobSetAndIgnoreMaxRestarts",
                "onJobFailureReasons": ["BackoffLimitExceeded"],
                "onJobFailureMessagePatterns": ["has reached the specified backoff.*"],
            },
        ]
        made = await fleet.jobset(
            replicated("leader", duration="100s", outcome="fail"),
            replicated("worker", duration="30s", outcome="fail"),
            failurePolicy={"maxRestarts": 0, "rules": rules},
        )
        assert made["spec"]["failurePolicy"]["rules"][0]["name"] == "failurePolicyRule0"
        await fleet.pass_time(200)
        found = await fleet.get(JOB_SETS, "js")
        assert found is not None
        assert found["status"]["restarts"] >= 2
        assert "restartsCountTowardsMax" not in found["status"]
        assert not await fleet.conditions()
        assert await fleet.told() == [
            (
                "Warning RestartJobSetAndIgnoreMaxRestartsFailurePolicyAction: applying "
                "RestartJobSetAndIgnoreMaxRestarts failure policy action (first failed job: js-worker-0)"
            )
        ]

    sailing(story)


def test_a_rule_that_fails_the_jobset_does_so_at_once() -> None:
    async def story(fleet: Fleet) -> None:
        rules = [{"action": "FailJobSet", "targetReplicatedJobs": ["leader"]}]
        await fleet.jobset(
            replicated("leader", duration="20s", outcome="fail"),
            replicated("worker", duration="forever"),
            failurePolicy={"maxRestarts": 5, "rules": rules},
        )
        await fleet.pass_time(120)
        assert await fleet.conditions() == [
            (
                "Failed=True FailJobSetFailurePolicyAction: applying FailJobSet failure policy action "
                "(first failed job: js-leader-0)"
            )
        ]
        assert len(await fleet.list(PODS)) == 1

    sailing(story)
