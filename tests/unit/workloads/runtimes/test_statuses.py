"""Whole statuses of pods, as kubelets write them."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.workloads.runtimes.runs import Run, Terminated, Waiting
from argosy.workloads.runtimes.statuses import TERMINATION_BY_KUBELET, Verdict, compose
from tests.unit.workloads.runtimes.making import NOW, RUNNING, THEN, ended, pod

BEFORE, AFTER = "2026-01-02T03:04:05Z", "2026-01-02T03:05:00Z"


def condition(
    type_: str, status: str, reason: str = "", message: str = "", at: str = AFTER
) -> Object:
    one: Object = {
        "type": type_,
        "observedGeneration": 2,
        "status": status,
        "lastProbeTime": None,
        "lastTransitionTime": at,
    }
    if reason:
        one["reason"] = reason
    if message:
        one["message"] = message
    return one


def test_a_pod_that_nothing_has_started_of() -> None:
    unready = "containers with unready status: [a]"
    want = {
        "phase": "Pending",
        "observedGeneration": 2,
        "conditions": [
            condition("PodReadyToStartContainers", "False"),
            condition("Initialized", "True"),
            condition("Ready", "False", "ContainersNotReady", unready),
            condition("ContainersReady", "False", "ContainersNotReady", unready),
            condition("PodScheduled", "True"),
        ],
        "hostIP": "10.0.0.1",
        "hostIPs": [{"ip": "10.0.0.1"}],
        "startTime": AFTER,
        "containerStatuses": [
            {
                "name": "a",
                "state": {"waiting": {"reason": "ContainerCreating"}},
                "lastState": {},
                "ready": False,
                "restartCount": 0,
                "image": "i",
                "imageID": "",
                "started": False,
            }
        ],
    }
    got = compose(pod(), {}, now=NOW, host_ips=["10.0.0.1"], has_sandbox=False)
    assert got == want


def test_a_container_that_was_restarted_and_runs() -> None:
    mounts = [{"name": "v", "mountPath": "/v", "readOnly": True}]
    resources = {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}}
    one = pod({"name": "a", "image": "i", "volumeMounts": mounts, "resources": resources})
    last = Terminated(1, "Error", THEN, NOW, "why", container_id="process://0")
    run = Run(RUNNING.state, last, 1, container_id="process://1", image_id="i@1")
    got = compose(one, {"a": run}, now=NOW, pod_ips=["10.0.0.9", "fd00::9"])
    assert got["podIP"] == "10.0.0.9"
    assert got["podIPs"] == [{"ip": "10.0.0.9"}, {"ip": "fd00::9"}]
    assert got["containerStatuses"] == [
        {
            "name": "a",
            "state": {"running": {"startedAt": BEFORE}},
            "lastState": {
                "terminated": {
                    "exitCode": 1,
                    "reason": "Error",
                    "message": "why",
                    "startedAt": BEFORE,
                    "finishedAt": AFTER,
                    "containerID": "process://0",
                }
            },
            "ready": True,
            "restartCount": 1,
            "image": "i",
            "imageID": "i@1",
            "started": True,
            "containerID": "process://1",
            "resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1"}},
            "allocatedResources": {"cpu": "1"},
            "volumeMounts": [
                {"name": "v", "mountPath": "/v", "readOnly": True, "recursiveReadOnly": "Disabled"}
            ],
        }
    ]


def claims(status: Object) -> dict[str, tuple[str, str, str]]:
    return {
        one["type"]: (one["status"], one.get("reason", ""), one.get("message", ""))
        for one in status["conditions"]
    }


def test_init_containers_that_are_not_done() -> None:
    one = pod(initContainers=[{"name": "one"}, {"name": "two"}])
    got = compose(one, {"one": ended(0), "two": RUNNING}, now=NOW)
    assert claims(got)["Initialized"] == (
        "False", "ContainersNotInitialized", "containers with incomplete status: [two]",
    )  # fmt: skip
    assert [init["ready"] for init in got["initContainerStatuses"]] == [True, False]
    assert got["containerStatuses"][0]["state"] == {"waiting": {"reason": "PodInitializing"}}


def test_a_pod_that_succeeded() -> None:
    got = compose(pod(restartPolicy="Never"), {"a": ended(0)}, now=NOW)
    assert got["phase"] == "Succeeded"
    assert claims(got) == {
        "PodReadyToStartContainers": ("True", "", ""),
        "Initialized": ("True", "PodCompleted", ""),
        "Ready": ("False", "PodCompleted", ""),
        "ContainersReady": ("False", "PodCompleted", ""),
        "PodScheduled": ("True", "", ""),
    }


def test_a_pod_that_failed() -> None:
    got = compose(pod(restartPolicy="Never"), {"a": ended(1)}, now=NOW)
    assert got["phase"] == "Failed"
    assert claims(got)["Ready"] == ("False", "PodFailed", "")
    assert claims(got)["Initialized"] == ("True", "", "")


def test_transition_times_stay_while_the_status_is_the_same() -> None:
    one = pod()
    first = compose(one, {"a": RUNNING}, now=THEN)
    second = compose(one, {"a": RUNNING}, now=NOW, previous=first)
    assert second == first
    third = compose(one, {"a": Run(Waiting("CrashLoopBackOff"), ended(1).ended)}, now=NOW, previous=first)  # fmt: skip
    times = {one["type"]: one["lastTransitionTime"] for one in third["conditions"]}
    assert times == {
        "PodReadyToStartContainers": BEFORE,
        "Initialized": BEFORE,
        "Ready": AFTER,
        "ContainersReady": AFTER,
        "PodScheduled": BEFORE,
    }
    assert third["startTime"] == BEFORE


def test_the_pods_own_status_counts_when_nothing_was_composed_yet() -> None:
    told = {
        "phase": "Running",
        "startTime": BEFORE,
        "qosClass": "BestEffort",
        "conditions": [{"type": "Ready", "status": "True", "lastTransitionTime": BEFORE}],
    }
    got = compose(pod(status=told), {"a": RUNNING}, now=NOW)
    assert got["startTime"] == BEFORE
    assert got["qosClass"] == "BestEffort"
    ready = next(one for one in got["conditions"] if one["type"] == "Ready")
    assert ready["lastTransitionTime"] == BEFORE


def test_conditions_of_others_are_kept() -> None:
    disrupted = {
        "type": "DisruptionTarget",
        "status": "True",
        "reason": "EvictionByEvictionAPI",
        "message": "m",
        "observedGeneration": 1,
        "lastProbeTime": None,
        "lastTransitionTime": BEFORE,
    }
    got = compose(pod(status={"conditions": [disrupted]}), {"a": RUNNING}, now=NOW)
    assert got["conditions"][0] == disrupted
    assert len(got["conditions"]) == 6


def test_readiness_gates() -> None:
    gates = [{"conditionType": "x/one"}, {"conditionType": "x/two"}]
    two = {"type": "x/two", "status": "False"}
    got = compose(pod(readinessGates=gates, status={"conditions": [two]}), {"a": RUNNING}, now=NOW)
    assert claims(got)["Ready"] == (
        "False",
        "ReadinessGatesNotReady",
        (
            'corresponding condition of pod readiness gate "x/one" does not exist., '
            'the status of pod readiness gate "x/two" is not "True", but False'
        ),
    )
    assert claims(got)["ContainersReady"] == ("True", "", "")


def test_a_verdict_waits_for_the_last_container() -> None:
    verdict = Verdict("DeadlineExceeded", "too long")
    one = pod({"name": "a"}, {"name": "b"}, status={"phase": "Running"})
    runs = {"a": ended(143), "b": RUNNING}
    still = compose(one, runs, now=NOW, verdict=verdict)
    assert (still["phase"], "reason" in still) == ("Running", False)
    over = compose(one, {**runs, "b": ended(143)}, now=NOW, verdict=verdict, previous=still)
    assert (over["phase"], over["reason"], over["message"]) == ("Failed", *verdict[:2])
    assert "DisruptionTarget" not in claims(over)


def test_a_verdict_that_is_a_disruption_says_so_when_it_is_final() -> None:
    verdict = Verdict("Terminated", "the node ends", TERMINATION_BY_KUBELET)
    theirs = {"type": "DisruptionTarget", "status": "False", "reason": "PreemptionByScheduler"}
    one = pod(restartPolicy="Never", status={"phase": "Running", "conditions": [theirs]})
    still = compose(one, {"a": RUNNING}, now=NOW, verdict=verdict)
    assert claims(still)["DisruptionTarget"] == ("False", "PreemptionByScheduler", "")
    got = compose(one, {"a": ended(0)}, now=NOW, verdict=verdict, previous=still)
    assert (got["phase"], got["reason"], got["message"]) == ("Failed", *verdict[:2])
    want = condition("DisruptionTarget", "True", TERMINATION_BY_KUBELET, "the node ends")
    assert [one for one in got["conditions"] if one["type"] == "DisruptionTarget"] == [want]


def test_a_final_phase_stays_with_its_reason() -> None:
    told = {"phase": "Failed", "reason": "Evicted", "message": "m"}
    got = compose(pod(status=told), {"a": RUNNING}, now=NOW)
    assert (got["phase"], got["reason"], got["message"]) == ("Failed", "Evicted", "m")
    assert claims(got)["Ready"] == ("False", "PodFailed", "")


def test_a_container_that_its_probes_do_not_like() -> None:
    slow = Run(RUNNING.state, started=False)
    sick = Run(RUNNING.state, ready=False)
    one = pod({"name": "b"}, {"name": "a"})
    got = compose(one, {"a": slow, "b": sick}, now=NOW)
    assert [(c["name"], c["started"], c["ready"]) for c in got["containerStatuses"]] == [
        ("a", False, False),
        ("b", True, False),
    ]
    assert claims(got)["Ready"][2] == "containers with unready status: [b a]"
