"""JobSets from creation to their end."""

from __future__ import annotations

from argosy.client.protocol import Propagation
from argosy.client.resources import JOBS, PODS, SERVICES
from argosy.workloads.jobsets.names import JOB_SETS
from tests.behaviour.workloads.jobsets.worlds import Fleet, replicated, sailing

COMPLETED = "Completed=True AllJobsCompleted: jobset completed successfully"


def test_a_jobset_runs_all_its_jobs_and_completes() -> None:
    async def story(fleet: Fleet) -> None:
        workers = replicated("workers", replicas=2, job={"completions": 2, "parallelism": 2})
        await fleet.jobset(replicated("driver"), workers)
        assert await fleet.jobs() == {
            "js-driver-0": "Active",
            "js-workers-0": "Active",
            "js-workers-1": "Active",
        }
        await fleet.pass_time(20)
        assert await fleet.counts() == {
            "workers": {"ready": 2, "active": 2},
            "driver": {"ready": 1, "active": 1},
        }
        await fleet.pass_time(120)
        assert set((await fleet.jobs()).values()) == {"Complete"}
        assert await fleet.counts() == {"workers": {"succeeded": 2}, "driver": {"succeeded": 1}}
        assert await fleet.conditions() == [COMPLETED]
        found = await fleet.get(JOB_SETS, "js")
        assert found is not None
        assert found["status"]["terminalState"] == "Completed"
        assert found["status"]["restarts"] == 0
        assert await fleet.told() == ["Normal AllJobsCompleted: jobset completed successfully"]

    sailing(story)


def test_pods_find_each_other_by_the_headless_service() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(replicated("w", job={"completions": 2, "parallelism": 2}))
        service = await fleet.get(SERVICES, "js")
        assert service is not None
        assert service["spec"]["clusterIP"] == "None"
        assert service["spec"]["selector"] == {"jobset.sigs.k8s.io/jobset-name": "js"}
        assert service["spec"]["publishNotReadyAddresses"] is True
        got = sorted(
            (pod["spec"]["hostname"], pod["spec"]["subdomain"]) for pod in await fleet.list(PODS)
        )
        assert got == [("js-w-0-0", "js"), ("js-w-0-1", "js")]

    sailing(story)


def test_a_service_that_was_deleted_comes_back() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(replicated("w"), network={"subdomain": "net"})
        await fleet.client.delete(SERVICES, "net", namespace="ns")
        await fleet.pass_time(5)
        assert await fleet.get(SERVICES, "net") is not None

    sailing(story)


def test_pods_learn_where_the_coordinator_is() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(
            replicated("driver", job={"completions": 1}),
            replicated("workers"),
            coordinator={"replicatedJob": "driver", "jobIndex": 0, "podIndex": 0},
        )
        pod = await fleet.pod_of("js-workers-0")
        key = "jobset.sigs.k8s.io/coordinator"
        got = (pod["metadata"]["labels"][key], pod["metadata"]["annotations"][key])
        assert got == ("js-driver-0-0.js", "js-driver-0-0.js")

    sailing(story)


def test_any_success_of_a_target_ends_the_others() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(
            replicated("driver", duration="30s"),
            replicated("workers", duration="forever", replicas=2),
            successPolicy={"operator": "Any", "targetReplicatedJobs": ["driver"]},
        )
        await fleet.pass_time(120)
        assert await fleet.conditions() == [COMPLETED]
        assert await fleet.jobs() == {"js-driver-0": "Complete"}
        assert await fleet.counts() == {"workers": {}, "driver": {"succeeded": 1}}

    sailing(story)


def test_a_finished_jobset_is_deleted_when_its_time_is_over() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(replicated("w", duration="10s"), ttlSecondsAfterFinished=100)
        await fleet.pass_time(60)
        assert await fleet.conditions() == [COMPLETED]
        await fleet.pass_time(120)
        assert await fleet.get(JOB_SETS, "js") is None
        assert await fleet.list(JOBS) == []
        assert await fleet.services() == []

    sailing(story)


def test_a_deleted_jobset_takes_everything_with_it() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(replicated("w", replicas=2, duration="forever"))
        await fleet.client.delete(
            JOB_SETS, "js", namespace="ns", propagation=Propagation.FOREGROUND
        )
        await fleet.pass_time(60)
        got = [await fleet.list(resource) for resource in (JOB_SETS, JOBS, PODS)]
        assert (got, await fleet.services()) == ([[], [], []], [])

    sailing(story)


def test_a_jobset_of_another_manager_is_left_alone() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(replicated("w"), managedBy="acme.io/elsewhere")
        assert (await fleet.jobs(), await fleet.services()) == ({}, [])
        await fleet.jobset(
            replicated("w"), name="mine", managedBy="jobset.sigs.k8s.io/jobset-controller"
        )
        assert await fleet.jobs() == {"mine-w-0": "Active"}

    sailing(story)


def test_a_job_that_cannot_be_made_is_told_of_and_tried_again() -> None:
    async def story(fleet: Fleet) -> None:
        pod = {"spec": {"restartPolicy": "Never", "containers": [{"name": "m", "image": "x"}]}}
        taken = {"metadata": {"name": "js-w-0"}, "spec": {"suspend": True, "template": pod}}
        await fleet.create(JOBS, taken)
        await fleet.jobset(replicated("w", replicas=2))
        assert await fleet.jobs() == {"js-w-0": "Suspended", "js-w-1": "Active"}
        want = (
            'Warning JobCreationFailed: job "js-w-0" creation failed with error: '
            'jobs.batch "js-w-0" already exists'
        )
        assert want in await fleet.told()
        await fleet.client.delete(JOBS, "js-w-0", namespace="ns")
        await fleet.pass_time(600)
        assert await fleet.conditions() == [COMPLETED]

    sailing(story)


def test_more_jobs_than_one_look_makes_are_all_made() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.jobset(replicated("many", replicas=1100), suspend=True)
        await fleet.pass_time(10)
        assert len(await fleet.jobs()) == 1100
        assert await fleet.counts() == {"many": {"suspended": 1100}}

    sailing(story)
