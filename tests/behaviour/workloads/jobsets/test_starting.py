"""When replicated jobs start: in order, after others, suspended and resumed."""

from __future__ import annotations

from argosy.client.resources import PODS
from tests.behaviour.workloads.jobsets.worlds import Fleet, replicated, sailing

IN_PROGRESS = "StartupPolicyInProgress={} InOrderStartupPolicyInProgress: in order startup policy is in progress"
STARTED = "StartupPolicyCompleted=True InOrderStartupPolicyCompleted: in order startup policy has completed"
SUSPENDED = "Suspended=True SuspendedJobs: jobset is suspended"
RESUMED = "Suspended=False ResumeJobs: jobset is resumed"


def slow(name: str, startup: str = "30s") -> dict[str, object]:
    job = replicated(name, duration="300s")
    job["template"]["spec"]["template"]["metadata"]["annotations"]["argosy.dev/startup"] = startup
    return job


def test_in_order_the_next_starts_when_the_one_before_is_ready() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(
            slow("first"), slow("second"), startupPolicy={"startupPolicyOrder": "InOrder"}
        )
        assert await fleet.jobs() == {"js-first-0": "Active"}
        assert await fleet.conditions() == [IN_PROGRESS.format("True")]
        await fleet.pass_time(40)
        assert await fleet.jobs() == {"js-first-0": "Active", "js-second-0": "Active"}
        assert await fleet.conditions() == [IN_PROGRESS.format("True")]
        await fleet.pass_time(40)
        assert await fleet.conditions() == [IN_PROGRESS.format("False"), STARTED]
        await fleet.pass_time(600)
        assert (await fleet.conditions())[2:] == [
            "Completed=True AllJobsCompleted: jobset completed successfully"
        ]

    sailing(story)


def test_dependents_start_when_what_they_depend_on_is_ready_or_complete() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(
            slow("driver"),
            replicated("init", duration="60s"),
            {**slow("w"), "dependsOn": [{"name": "driver", "status": "Ready"}]},
            {
                **slow("x"),
                "dependsOn": [
                    {"name": "driver", "status": "Ready"},
                    {"name": "init", "status": "Complete"},
                ],
            },
        )
        assert set(await fleet.jobs()) == {"js-driver-0", "js-init-0"}
        await fleet.pass_time(40)
        assert set(await fleet.jobs()) == {"js-driver-0", "js-init-0", "js-w-0"}
        await fleet.pass_time(40)
        assert set(await fleet.jobs()) == {"js-driver-0", "js-init-0", "js-w-0", "js-x-0"}

    sailing(story)


def test_a_suspended_jobset_has_suspended_jobs_and_takes_new_selectors_when_it_resumes() -> None:
    async def story(fleet: Fleet) -> None:
        made = await fleet.jobset(replicated("w", replicas=2), suspend=True)
        assert await fleet.jobs() == {"js-w-0": "Suspended", "js-w-1": "Suspended"}
        assert await fleet.conditions() == [SUSPENDED]
        assert await fleet.counts() == {"w": {"suspended": 2}}
        jobs = made["spec"]["replicatedJobs"]
        pod = jobs[0]["template"]["spec"]["template"]
        pod["metadata"].setdefault("labels", {})["flavor"] = "rack-1"
        pod["spec"]["nodeSelector"] = {"rack": "r1"}
        pod["spec"]["tolerations"] = [{"key": "spot", "operator": "Exists"}]
        await fleet.change({"suspend": False, "replicatedJobs": jobs})
        await fleet.pass_time(10)
        assert await fleet.conditions() == [RESUMED]
        got = [
            (
                pod["metadata"]["labels"]["flavor"],
                pod["spec"]["nodeSelector"],
                pod["spec"]["nodeName"],
                pod["spec"]["tolerations"][0]["key"],
            )
            for pod in await fleet.list(PODS)
        ]
        assert got == [("rack-1", {"rack": "r1"}, "n1", "spot")] * 2
        assert await fleet.told() == [
            "Normal SuspendedJobs: jobset is suspended",
            "Normal ResumeJobs: jobset is resumed",
        ]

    sailing(story)


def test_a_running_jobset_can_be_suspended_and_starts_over() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(replicated("w", duration="60s"))
        await fleet.pass_time(20)
        await fleet.change({"suspend": True})
        await fleet.pass_time(60)
        assert await fleet.jobs() == {"js-w-0": "Suspended"}
        assert await fleet.list(PODS) == []
        await fleet.change({"suspend": False})
        await fleet.pass_time(120)
        assert (await fleet.conditions())[0] == RESUMED
        assert await fleet.jobs() == {"js-w-0": "Complete"}

    sailing(story)


def test_in_order_jobs_made_suspended_resume_one_after_the_other() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(
            slow("first"),
            slow("second"),
            startupPolicy={"startupPolicyOrder": "InOrder"},
            suspend=True,
        )
        assert await fleet.jobs() == {"js-first-0": "Suspended", "js-second-0": "Suspended"}
        await fleet.change({"suspend": False})
        assert await fleet.jobs() == {"js-first-0": "Active", "js-second-0": "Suspended"}
        await fleet.pass_time(40)
        assert await fleet.jobs() == {"js-first-0": "Active", "js-second-0": "Active"}
        await fleet.pass_time(40)
        assert await fleet.conditions() == [RESUMED, IN_PROGRESS.format("False"), STARTED]

    sailing(story)
