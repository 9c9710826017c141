"""What /metrics says of queueing: the series that dashboards made for Kueue read, with their values."""

from __future__ import annotations

from argosy.client.resources import (
    CLUSTER_QUEUES,
    LOCAL_QUEUES,
    PODS,
    WORKLOAD_PRIORITY_CLASSES,
    WORKLOADS,
)
from argosy.queueing.configuration import Configuration, decode
from tests.behaviour.queueing.wired import QUEUE, Port, queueing, quotas

LOCAL = 'name="lq",namespace="ns"'
CQ = 'cluster_queue="cq"'


def configured(text: str) -> Configuration:
    header = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
    return decode((header + text).encode())


async def high_priority(port: Port) -> None:
    await port.create(WORKLOAD_PRIORITY_CLASSES, {"metadata": {"name": "high"}, "value": 100})


def test_what_waits_runs_and_has_finished_is_counted_by_queue() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="4")
        await port.job("done", cpu="4", seconds=10)
        await port.pass_time(60)
        await port.job("runs", cpu="3")
        await port.pass_time(2)
        await port.job("waits", cpu="2")
        await port.job("waits-too", cpu="2")
        await port.job("lost", queue="nowhere")
        await port.pass_time(20)
        got = await port.metrics("kueue_")
        missing = 'cluster_queue="",reason="NoReservation",underlying_cause="Misconfigured"'
        waiting = f'{CQ},reason="NoReservation",underlying_cause="WaitingForQuota"'
        want = {
            f'pending_workloads{{{CQ},status="active"}}': "0",
            f'pending_workloads{{{CQ},status="inadmissible"}}': "2",
            f'pending_scheduling_hashes{{{CQ},status="active"}}': "0",
            f'pending_scheduling_hashes{{{CQ},status="inadmissible"}}': "1",
            f"reserving_active_workloads{{{CQ}}}": "1",
            f"admitted_active_workloads{{{CQ}}}": "1",
            f"finished_workloads{{{CQ}}}": "1",
            f"unadmitted_workloads{{{waiting}}}": "2",
            f"unadmitted_workloads{{{missing}}}": "1",
            f'cluster_queue_status{{{CQ},status="active"}}': "1",
            f'cluster_queue_status{{{CQ},status="pending"}}': "0",
            f'cluster_queue_status{{{CQ},status="terminating"}}': "0",
            f'cluster_queue_info{{{CQ},parent_cohort="",root_cohort=""}}': "1",
            f'local_queue_pending_workloads{{{LOCAL},status="active"}}': "0",
            f'local_queue_pending_workloads{{{LOCAL},status="inadmissible"}}': "2",
            f"local_queue_finished_workloads{{{LOCAL}}}": "1",
            f"local_queue_unadmitted_workloads{{{LOCAL},{waiting}}}": "2",
            f"local_queue_reserving_active_workloads{{{LOCAL}}}": "1",
            f"local_queue_admitted_active_workloads{{{LOCAL}}}": "1",
            f'local_queue_status{{{LOCAL},active="True"}}': "1",
            f'local_queue_status{{{LOCAL},active="False"}}': "0",
            f'local_queue_status{{{LOCAL},active="Unknown"}}': "0",
            f'local_queue_resource_reservation{{{LOCAL},flavor="default",resource="cpu"}}': "3",
            f'local_queue_resource_usage{{{LOCAL},flavor="default",resource="cpu"}}': "3",
            f'admitted_workloads_total{{{CQ},priority_class=""}}': "2",
            f'finished_workloads_total{{{CQ},priority_class=""}}': "1",
            'workload_creation_latency_seconds_count{job_kind="Job"}': "5",
        }
        assert {series: got.get(series) for series in want} == want
        for result in ("success", "inadmissible"):
            tried = got[f'admission_attempts_total{{result="{result}"}}']
            assert int(tried) > 0
            assert got[f'admission_attempt_duration_seconds_count{{result="{result}"}}'] == tried
        assert [value for series, value in got.items() if series.startswith("build_info{")] == ["1"]
        # Quotas by flavor are many series; nobody asked for them. And there is no cohort.
        unwanted = ("cluster_queue_nominal", "cluster_queue_resource", "cohort_", "weighted_share")
        assert [series for series in got if series.startswith(unwanted)] == []

    queueing(story)


def test_series_go_with_what_they_tell_of() -> None:
    async def story(port: Port) -> None:
        await port.queues()
        await port.pass_time(1)
        queues = ("kueue_pending", "kueue_cluster_queue", "kueue_local_queue_status")
        assert len(await port.metrics(*queues)) == 11
        await port.delete(LOCAL_QUEUES, "lq")
        await port.delete(CLUSTER_QUEUES, "cq")
        await port.pass_time(2)
        assert await port.metrics(*queues) == {}

    queueing(story)


def test_whoever_waits_in_a_stopped_queue_is_inadmissible() -> None:
    async def story(port: Port) -> None:
        await port.queues(stopPolicy="Hold")
        await port.job("a")
        await port.job("b", cpu="2")
        await port.pass_time(5)
        got = await port.metrics("kueue_")
        suspended = f'{CQ},reason="NoReservation",underlying_cause="Suspended"'
        want = {
            f'cluster_queue_status{{{CQ},status="active"}}': "0",
            f'cluster_queue_status{{{CQ},status="pending"}}': "1",
            f'pending_workloads{{{CQ},status="active"}}': "0",
            f'pending_workloads{{{CQ},status="inadmissible"}}': "2",
            f'pending_scheduling_hashes{{{CQ},status="inadmissible"}}': "2",
            f'local_queue_pending_workloads{{{LOCAL},status="inadmissible"}}': "2",
            f'local_queue_status{{{LOCAL},active="False"}}': "1",
            f"unadmitted_workloads{{{suspended}}}": "2",
        }
        assert {series: got.get(series) for series in want} == want

    queueing(story)


FAIR = """
fairSharing: {preemptionStrategies: [LessThanOrEqualToFinalShare, LessThanInitialShare]}
metrics: {enableClusterQueueResources: true}
"""


def test_quotas_shares_and_cohorts() -> None:
    async def story(port: Port) -> None:
        await port.flavor()
        await port.cohort("org", resourceGroups=quotas("2"))
        await port.cohort("team", parentName="org")
        await port.cluster_queue("a", "4", cohortName="team", fairSharing={"weight": "2"})
        limits = quotas("4", borrowingLimit="1500m", lendingLimit="3")
        await port.cluster_queue("b", cohortName="org", resourceGroups=limits)
        await port.cluster_queue("burst", "0", cohortName="org", fairSharing={"weight": "0"})
        for queue in ("a", "b", "burst"):
            await port.local_queue(f"lq-{queue}", queue)
        await port.pass_time(1)
        await port.job("big", queue="lq-a", cpu="5")
        await port.job("small", queue="lq-burst", cpu="500m")
        await port.pass_time(5)
        await port.job("waits", queue="lq-b", cpu="5500m")
        await port.pass_time(5)
        got = await port.metrics("kueue_cluster_queue", "kueue_cohort")
        a, b = (
            f'cohort="{cohort}",cluster_queue="{name}",flavor="default",resource="cpu"'
            for cohort, name in (("team", "a"), ("org", "b"))
        )
        org, team = (f'cohort="{name}",flavor="default",resource="cpu"' for name in ("org", "team"))
        want = {
            f"cluster_queue_nominal_quota{{{a}}}": "4",
            f"cluster_queue_borrowing_limit{{{a}}}": "+Inf",
            f"cluster_queue_lending_limit{{{a}}}": "+Inf",
            f"cluster_queue_borrowing_limit{{{b}}}": "1.5",
            f"cluster_queue_lending_limit{{{b}}}": "3",
            f"cluster_queue_resource_reservation{{{a}}}": "5",
            f"cluster_queue_resource_usage{{{a}}}": "5",
            f"cluster_queue_resource_usage{{{b}}}": "0",
            'cluster_queue_resource_pending{cluster_queue="a",resource="cpu"}': "0",
            'cluster_queue_resource_pending{cluster_queue="b",resource="cpu"}': "5.5",
            # 1 of 9 that can be lent in its subtree's eyes is borrowed by a, with a weight of 2.
            'cluster_queue_weighted_share{cluster_queue="a",cohort="team"}': str(1000 / 9 / 2),
            'cluster_queue_weighted_share{cluster_queue="b",cohort="org"}': "0",
            'cluster_queue_weighted_share{cluster_queue="burst",cohort="org"}': "NaN",
            'cohort_weighted_share{cohort="team"}': str(1000 / 9),
            'cohort_weighted_share{cohort="org"}': "0",
            f"cohort_subtree_quota{{{org}}}": "9",
            f"cohort_subtree_quota{{{team}}}": "4",
            f"cohort_subtree_resource_reservations{{{org}}}": "5.5",
            f"cohort_subtree_resource_reservations{{{team}}}": "5",
            'cohort_subtree_admitted_active_workloads{cohort="org"}': "2",
            'cohort_subtree_admitted_active_workloads{cohort="team"}': "1",
            'cohort_subtree_admitted_workloads_total{cohort="org",priority_class=""}': "2",
            'cohort_subtree_admitted_workloads_total{cohort="team",priority_class=""}': "1",
            'cohort_info{cohort="org",parent_cohort="",root_cohort=""}': "1",
            'cohort_info{cohort="team",parent_cohort="org",root_cohort="org"}': "1",
            'cluster_queue_info{cluster_queue="a",parent_cohort="team",root_cohort="org"}': "1",
            'cluster_queue_info{cluster_queue="b",parent_cohort="org",root_cohort="org"}': "1",
        }
        assert {series: got.get(series) for series in want} == want

    queueing(story, configuration=configured(FAIR))


def test_preemptions_are_counted_for_whom_and_why() -> None:
    async def story(port: Port) -> None:
        await high_priority(port)
        await port.queues(cpu="4", preemption={"withinClusterQueue": "LowerPriority"})
        await port.job("low", cpu="4")
        await port.pass_time(5)
        await port.job("high", cpu="4", labels={"kueue.x-k8s.io/priority-class": "high"})
        await port.pass_time(60)
        assert await port.admitted() == {"high"}
        got = await port.metrics("kueue_preempted", "kueue_evicted", "kueue_workload_eviction")
        why = 'reason="Preempted",underlying_cause="",priority_class=""'
        took = got.pop(f'workload_eviction_latency_seconds_sum{{{CQ},reason="Preempted"}}')
        assert float(took) < 60
        assert got == {
            'preempted_workloads_total{preempting_cluster_queue="cq",reason="InClusterQueue"}': "1",
            f"evicted_workloads_total{{{CQ},{why}}}": "1",
            f"evicted_workloads_once_total{{{CQ},{why}}}": "1",
            f'workload_eviction_latency_seconds_count{{{CQ},reason="Preempted"}}': "1",
        }

    queueing(story)


def test_targets_that_are_searched_again_are_counted() -> None:
    """Two ClusterQueues want to reclaim what one borrower holds, in the same cycle."""

    async def story(port: Port) -> None:
        await port.flavor()
        policy = {"reclaimWithinCohort": "Any"}
        await port.cluster_queue("borrower", "0", cohortName="all")
        for name in ("a", "b"):
            await port.cluster_queue(
                name, "4", cohortName="all", preemption=policy, stopPolicy="Hold"
            )
        for name in ("borrower", "a", "b"):
            await port.local_queue(f"lq-{name}", name)
        await port.pass_time(1)
        await port.job("big", queue="lq-borrower", cpu="8")
        await port.pass_time(5)
        assert await port.admitted() == {"big"}
        for name in ("a", "b"):
            await port.job(f"wants-{name}", queue=f"lq-{name}", cpu="4")
        await port.pass_time(5)
        for name in ("a", "b"):
            await port.patch(CLUSTER_QUEUES, name, {"spec": {"stopPolicy": "None"}})
        await port.pass_time(60)
        assert await port.admitted() == {"wants-a", "wants-b"}
        got = await port.metrics("kueue_preempt", "kueue_admission_cycle")
        fitted = 'preemption_target_recomputations_total{cluster_queue="b",result="deferred_fit"}'
        assert int(got.pop(fitted)) > 0
        assert got == {
            'preempted_workloads_total{preempting_cluster_queue="a",reason="InCohortReclamation"}': "1"
        }

    queueing(story)


SELECTED = """
metrics: {localQueueMetrics: {enable: true, localQueueSelector: {matchLabels: {shown: "yes"}}}}
"""


def test_local_queues_can_be_left_out() -> None:
    async def story(port: Port) -> None:
        await port.queues()
        body = {
            "metadata": {"name": "chosen", "labels": {"shown": "yes"}},
            "spec": {"clusterQueue": "cq"},
        }
        await port.create(LOCAL_QUEUES, body)
        await port.job("a")
        await port.job("b", queue="chosen")
        await port.pass_time(5)
        got = await port.metrics("kueue_local_queue")
        assert (
            got[
                'local_queue_admitted_workloads_total{name="chosen",namespace="ns",priority_class=""}'
            ]
            == "1"
        )
        assert [series for series in got if 'name="chosen",namespace="ns"' not in series] == []
        assert (await port.metrics("kueue_admitted_active"))[
            f"admitted_active_workloads{{{CQ}}}"
        ] == "2"

    queueing(story, configuration=configured(SELECTED))


def test_no_local_queue_is_shown_where_that_is_switched_off() -> None:
    async def story(port: Port) -> None:
        await port.queues()
        await port.job("a", seconds=5)
        await port.pass_time(60)
        assert await port.metrics("kueue_local_queue") == {}
        assert (await port.metrics("kueue_finished"))[f"finished_workloads{{{CQ}}}"] == "1"

    queueing(story, configuration=configured("metrics: {localQueueMetrics: {enable: false}}"))


USAGE = "admissionFairSharing: {usageHalfLifeTime: 1h, usageSamplingInterval: 5m}"


def test_what_local_queues_used_lately_is_shown() -> None:
    async def story(port: Port) -> None:
        scope = {"admissionMode": "UsageBasedAdmissionFairSharing"}
        await port.queues(admissionScope=scope)
        await port.local_queue("idle")
        await port.job("a", cpu="2", seconds=7200)
        await port.pass_time(3660)
        got = await port.metrics("kueue_local_queue_admission_fair")
        family = "local_queue_admission_fair_sharing_usage"
        # Two CPUs for an hour, which is one half-life.
        assert abs(float(got.pop(f"{family}{{{LOCAL}}}")) - 1) < 0.1
        assert got == {f'{family}{{name="idle",namespace="ns"}}': "0"}

    queueing(story, configuration=configured(USAGE))


def test_the_gates_of_pods_are_timed() -> None:
    async def story(port: Port) -> None:
        await port.queues(cpu="1")
        containers = [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]
        body = {
            "metadata": {"name": "p", "labels": {QUEUE: "lq"}},
            "spec": {"containers": containers},
        }
        await port.create(PODS, body)
        await port.pass_time(5)
        gate = f'name="kueue.x-k8s.io/admission",{CQ},is_group="false"'
        got = await port.metrics("kueue_pod_scheduling", "kueue_workload_creation")
        assert got[f"pod_scheduling_gate_removal_seconds_count{{{gate}}}"] == "1"
        assert got['workload_creation_latency_seconds_count{job_kind="Pod"}'] == "1"
        assert len(await port.list(WORKLOADS)) == 1

    queueing(story)
