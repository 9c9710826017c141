"""`argosy why` against a served cluster: by workload and by job, in words and as a document, with few rights too."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from argosy.api.objects.kueue.workloads import Workload, WorkloadSpec
from argosy.api.objects.metadata import ObjectMeta
from argosy.apiserver.access.identities import AUTHENTICATED, User
from tests.compat.queues import Argosy, Queues, condition, queueing

SHORT = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default, 2 more needed"


@pytest.fixture(scope="module")
def queues(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Queues]:
    users = {name: User(name, groups=(AUTHENTICATED,)) for name in ("tenant", "lead")}
    with queueing(tmp_path_factory.mktemp("queues"), **users) as made:
        made.make("resourceflavors", "default")
        made.cluster_queue("a", "lab", "8", limits={"borrowingLimit": "0"})
        made.cluster_queue("b", "lab", "8")
        made.local_queue("lq", "a")
        made.workload("w1", "lq", "4", admitted="a")
        made.workload("w2", "lq", "4", admitted="a", spec={"priority": 7})
        said = condition("QuotaReserved", "False", 300, "WaitingForQuota", SHORT)
        job = _job(made, "train")
        made.workload(
            "job-train-1", "lq", "2", conditions=[said], ownerReferences=[job],
            labels={"kueue.x-k8s.io/job-uid": job["uid"]},
        )  # fmt: skip
        _job(made, "stray")
        made.line.queues["a"] = [_waiting("before"), _waiting("job-train-1")]
        yield made


def _job(made: Queues, name: str) -> dict[str, str]:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    body = {"metadata": {"name": name}, "spec": {"suspend": True, "template": template}}
    job = made.api.create("/apis/batch/v1/namespaces/default/jobs", body)
    return {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": job["metadata"]["uid"]}


def _waiting(name: str) -> Workload:
    meta = ObjectMeta(name=name, namespace="default")
    return Workload(metadata=meta, spec=WorkloadSpec(queue_name="lq"))


@pytest.fixture(scope="module")
def argosy(queues: Queues) -> Argosy:
    return queues.argosy


WORDS = f"""\
Workload default/job-train-1 is pending in ClusterQueue a (LocalQueue lq, cohort lab), priority 0.
  WaitingForQuota for 5m: {SHORT}
It does not fit now.
It is number 2 of 2 in line, right after default/before.

FLAVOR    RESOURCE   NEEDS   FREE   USED   NOMINAL   MAXIMUM   MISSING
default   cpu        2       0      8      8         8         2

ClusterQueue a uses 8 of 8 cpu (flavor default), may borrow 0: 0 left
Cohort lab uses 8 of 16 cpu (flavor default): 8 left

HELD BY      CLUSTERQUEUE   PRIORITY   HOLDS   SINCE
default/w1   a              0          4 cpu   60s
default/w2   a              7          4 cpu   60s

What would help, any of these:
  - raise nominalQuota of ClusterQueue a by 2 cpu (flavor default)
  - raise borrowingLimit of ClusterQueue a by 2 cpu (flavor default)
  - wait until default/w1 (4 cpu) ends

Nobody can be preempted for it: ClusterQueue a has withinClusterQueue Never and reclaimWithinCohort Never.
"""


@pytest.mark.parametrize(
    "asked",
    [("workload/job-train-1",), ("wl", "job-train-1"), ("job-train-1",), ("job/train",), ("jobs.batch", "train")],
    ids=" ".join,
)  # fmt: skip
def test_words(argosy: Argosy, asked: tuple[str, ...]) -> None:
    # Things are a minute old when the test starts, and a little more when it gets here.
    got = argosy("why", *asked)
    assert _minute(got) == WORDS


def _minute(text: str) -> str:
    """A text without the seconds that passed since its objects were made."""
    text = re.sub(r"4 cpu   [6-9]\ds", "4 cpu   60s", text)
    return re.sub(r"\bfor 5m\d+s", "for 5m", text)


def test_a_document(argosy: Argosy) -> None:
    (got,) = json.loads(argosy("why", "job/train", "-o", "json"))["explanations"]
    assert (got["name"], got["phase"], got["outlook"]) == ("job-train-1", "pending", "Waits")
    assert got["position"] == {"place": 1, "length": 2}
    assert got["flavors"] == [
        {
            "podSet": "main",
            "flavor": "default",
            "mode": "Preempt",
            "reasons": ["insufficient unused quota for cpu in flavor default, 2 more needed"],
            "needs": [
                {"resource": "cpu", "requested": "2", "free": "0", "used": "8", "nominal": "8", "maximum": "8", "missing": "2"}
            ],
        }
    ]  # fmt: skip
    assert [holder["workload"] for holder in got["holders"]] == ["default/w1", "default/w2"]
    assert got["remedies"][1]["changes"] == [
        {"kind": "ClusterQueue", "name": "a", "field": "borrowingLimit", "flavor": "default", "resource": "cpu", "by": "2"}
    ]  # fmt: skip
    assert got["remedies"][2]["workloads"] == ["default/w1"]
    assert got["now"] is None


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "a workload that is not there": (
        ("workload/nope",),
        'workloads.kueue.x-k8s.io "nope" not found',
    ),
    "a job that is not there": (("job/nope",), 'jobs.batch "nope" not found'),
    "a job that is not queued": (
        ("job/stray",),
        "jobs.batch stray has no Workload, so it is not queued; has it the label kueue.x-k8s.io/queue-name?",
    ),
    "several at once": (
        ("job/a", "job/b", "job/c"),
        "one thing at a time: say TYPE/NAME, such as job/x",
    ),
    "nothing after the slash": (("job/",), "say TYPE/NAME, such as job/x"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refusals(argosy: Argosy, case: tuple[tuple[str, ...], str]) -> None:
    asked, want = case
    assert argosy.fails("why", *asked) == f"Error: {want}\n"


def _grant(made: Queues, user: str, *, everywhere: tuple[str, ...] = ()) -> None:
    """Let a user see their namespace's part of queueing, and some resources of the whole cluster."""
    rbac = "/apis/rbac.authorization.k8s.io/v1"
    kueue, visibility, batch = ["kueue.x-k8s.io"], ["visibility.kueue.x-k8s.io"], ["batch"]
    read = ["get", "list"]
    rules = [
        {"apiGroups": kueue, "resources": ["workloads", "localqueues"], "verbs": read},
        {"apiGroups": visibility, "resources": ["localqueues/pendingworkloads"], "verbs": read},
        {"apiGroups": batch, "resources": ["jobs"], "verbs": read},
    ]
    subject = {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": user}
    own = f"{rbac}/namespaces/default"
    made.api.create(f"{own}/roles", {"metadata": {"name": user}, "rules": rules})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": user}
    made.api.create(
        f"{own}/rolebindings", {"metadata": {"name": user}, "roleRef": role, "subjects": [subject]}
    )
    if everywhere:
        rule = {"apiGroups": kueue, "resources": list(everywhere), "verbs": read}
        made.api.create(f"{rbac}/clusterroles", {"metadata": {"name": user}, "rules": [rule]})
        role = {**role, "kind": "ClusterRole"}
        made.api.create(
            f"{rbac}/clusterrolebindings",
            {"metadata": {"name": user}, "roleRef": role, "subjects": [subject]},
        )


def test_a_tenant_is_told_what_the_condition_says_and_the_place_in_line(queues: Queues) -> None:
    _grant(queues, "tenant")
    queues.line.locals["default", "lq"] = "a"
    got = _minute(queues.argosy_of("tenant")("why", "job/train"))
    assert got == (
        "Workload default/job-train-1 is pending in ClusterQueue a (LocalQueue lq), priority 0.\n"
        f"  WaitingForQuota for 5m: {SHORT}\n"
        "It is number 2 in line.\n\n"
        "ClusterQueues cannot be seen with these rights: what is missing, and who holds it, cannot be told.\n"
    )


def test_who_sees_queues_and_not_workloads_is_told_amounts(queues: Queues) -> None:
    _grant(queues, "lead", everywhere=("clusterqueues", "cohorts", "resourceflavors"))
    usage = [{"name": "default", "resources": [{"name": "cpu", "total": "8", "borrowed": "0"}]}]
    path = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues/a/status"
    queues.api.merge(path, {"status": {"flavorsReservation": usage}})
    got = queues.argosy_of("lead")("why", "job/train")
    assert "ClusterQueue a uses 8 of 8 cpu (flavor default), may borrow 0: 0 left" in got
    assert "Workloads of other namespaces cannot be seen with these rights" in got


def test_the_tree_is_for_those_who_see_queues(queues: Queues) -> None:
    refused = queues.argosy_of("tenant").fails("queue", "tree")
    assert refused.startswith(
        'Error: clusterqueues.kueue.x-k8s.io is forbidden: User "tenant" cannot list'
    )
