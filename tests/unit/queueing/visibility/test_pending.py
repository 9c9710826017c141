"""The visibility API over made-up queues: what is shown, in which part, to whom, and what is refused."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from argosy.api.objects.kueue.localqueues import LocalQueue, LocalQueueSpec
from argosy.api.objects.kueue.quotas import ClusterQueue, ClusterQueueSpec
from argosy.api.objects.kueue.workloads import Workload, WorkloadSpec
from argosy.api.objects.metadata import ObjectMeta, OwnerReference
from argosy.apiserver.access.identities import ADMIN, AUTHENTICATED, User
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.http.messages import Request, Response
from argosy.apiserver.servers import ClusterServer
from argosy.base.loops import run_virtual
from argosy.client.local import LocalClient
from argosy.client.resources import NAMESPACES, ROLE_BINDINGS, ROLES
from argosy.queueing.queues.queues import Queues
from argosy.queueing.quotas.forest import Forest
from argosy.queueing.visibility import Pending
from argosy.queueing.workloads.infos import Info
from tests.fakes.clusters import memory_server

GROUP = "/apis/visibility.kueue.x-k8s.io"
CREATED = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def waiting(name: str, queue: str = "lq", namespace: str = "ns", priority: int | None = 0) -> Info:
    order = ord(name[0])
    meta = ObjectMeta(
        name=name, namespace=namespace, uid=f"uid-{name}", creation_timestamp=CREATED + timedelta(seconds=order),
        owner_references=(OwnerReference("batch/v1", "Job", f"job-{name}", f"of-{name}", controller=True),),
    )  # fmt: skip
    return Info(Workload(metadata=meta, spec=WorkloadSpec(queue_name=queue, priority=priority)), ())


class Line(list[Info]):
    def ordered(self) -> list[Info]:
        return self


@dataclass
class MadeUpQueues:
    """Queues as a test says."""

    heaps: dict[str, Line] = field(default_factory=dict)
    locals: dict[str, str] = field(default_factory=dict)

    def cluster_queue(self, name: str) -> Line | None:
        return self.heaps.get(name)

    def cluster_queue_of(self, local_queue: str) -> str | None:
        return self.locals.get(local_queue)


QUEUES = MadeUpQueues(
    {
        "cq": Line(
            [
                waiting("a", priority=100),
                waiting("b", "other"),
                waiting("c"),
                waiting("d", namespace="elsewhere"),
                waiting("e", priority=None),
            ]
        ),
        "empty": Line(),
        "Long": Line(waiting(f"w{index}") for index in range(1100)),
    },
    {
        "ns/lq": "cq",
        "ns/other": "cq",
        "elsewhere/lq": "cq",
        "ns/idle": "empty",
        "ns/lost": "gone",
    },
)


def served(source: Pending | None = None) -> ClusterServer:
    pending = source or Pending()
    if source is None:
        pending.serve(QUEUES)
    return memory_server(
        tokens={"admin": ADMIN, "eve": User("eve", groups=(AUTHENTICATED,))}, pending=lambda _: pending
    )  # fmt: skip


async def get(
    server: ClusterServer, path: str, token: str = "admin", **query: str
) -> tuple[int, Any]:
    headers = {b"authorization": f"Bearer {token}".encode(), b"accept": b"application/json"}
    answer = await server.handling(Request("GET", path, query, headers))
    assert isinstance(answer, Response)
    text = answer.content_type != "application/json"
    return answer.status, answer.body.decode() if text else json.loads(answer.body)


def ask(path: str, token: str = "admin", **query: str) -> tuple[int, Any]:
    async def run() -> tuple[int, Any]:
        return await get(served(), GROUP + path, token, **query)

    return run_virtual(run())


def positions(summary: Any) -> list[tuple[str, int, int]]:
    """Names with the positions in ClusterQueue and LocalQueue."""
    return [
        (item["metadata"]["name"], item["positionInClusterQueue"], item["positionInLocalQueue"])
        for item in summary["items"]
    ]


IN_CLUSTER_QUEUE = "/v1beta2/clusterqueues/cq/pendingworkloads"
IN_LOCAL_QUEUE = "/v1beta2/namespaces/ns/localqueues/lq/pendingworkloads"

PARTS: dict[str, tuple[str, dict[str, str], list[tuple[str, int, int]]]] = {
    "everything in the order of the ClusterQueue": (
        IN_CLUSTER_QUEUE,
        {},
        [("a", 0, 0), ("b", 1, 0), ("c", 2, 1), ("d", 3, 0), ("e", 4, 2)],
    ),
    "the first ones": (IN_CLUSTER_QUEUE, {"limit": "2"}, [("a", 0, 0), ("b", 1, 0)]),
    "later ones keep their positions": (
        IN_CLUSTER_QUEUE,
        {"offset": "2"},
        [("c", 2, 1), ("d", 3, 0), ("e", 4, 2)],
    ),
    "some in the middle": (IN_CLUSTER_QUEUE, {"limit": "1", "offset": "2"}, [("c", 2, 1)]),
    "none beyond the end": (IN_CLUSTER_QUEUE, {"offset": "5"}, []),
    "none for a negative limit": (IN_CLUSTER_QUEUE, {"limit": "-1"}, []),
    "from the start for a negative offset": (
        IN_CLUSTER_QUEUE,
        {"offset": "-3", "limit": "1"},
        [("a", 0, 0)],
    ),
    "the default for a limit of zero": (
        IN_CLUSTER_QUEUE,
        {"limit": "0", "offset": "4"},
        [("e", 4, 2)],
    ),
    "a LocalQueue's own among all": (IN_LOCAL_QUEUE, {}, [("a", 0, 0), ("c", 2, 1), ("e", 4, 2)]),
    "a LocalQueue's first": (IN_LOCAL_QUEUE, {"limit": "1"}, [("a", 0, 0)]),
    "a LocalQueue's later ones": (IN_LOCAL_QUEUE, {"offset": "1"}, [("c", 2, 1), ("e", 4, 2)]),
    "a LocalQueue's middle": (IN_LOCAL_QUEUE, {"offset": "1", "limit": "1"}, [("c", 2, 1)]),
    "a LocalQueue of the same name in another namespace": (
        "/v1beta2/namespaces/elsewhere/localqueues/lq/pendingworkloads",
        {},
        [("d", 3, 0)],
    ),
    "an empty ClusterQueue": ("/v1beta2/clusterqueues/empty/pendingworkloads", {}, []),
    "an empty LocalQueue": ("/v1beta2/namespaces/ns/localqueues/idle/pendingworkloads", {}, []),
    "a LocalQueue whose ClusterQueue is not there": (
        "/v1beta2/namespaces/ns/localqueues/lost/pendingworkloads",
        {},
        [],
    ),
}


@pytest.mark.parametrize("case", PARTS.values(), ids=PARTS)
def test_parts(case: tuple[str, dict[str, str], list[tuple[str, int, int]]]) -> None:
    path, query, want = case
    code, got = ask(path, **query)
    assert code == 200
    assert positions(got) == want


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_the_form_of_both_versions(version: str) -> None:
    _, got = ask(f"/{version}/clusterqueues/cq/pendingworkloads", limit="1")
    assert got == {
        "kind": "PendingWorkloadsSummary",
        "apiVersion": f"visibility.kueue.x-k8s.io/{version}",
        "metadata": {},
        "items": [
            {
                "metadata": {
                    "name": "a",
                    "namespace": "ns",
                    "creationTimestamp": "2026-01-02T03:05:42Z",
                    "ownerReferences": [
                        {"apiVersion": "batch/v1", "kind": "Job", "name": "job-a", "uid": "of-a"}
                    ],
                },
                "priority": 100,
                "localQueueName": "lq",
                "positionInClusterQueue": 0,
                "positionInLocalQueue": 0,
            }
        ],
    }


def test_a_thousand_are_shown_where_nobody_says_and_more_on_request() -> None:
    path = "/v1beta2/clusterqueues/Long/pendingworkloads"
    assert len(ask(path)[1]["items"]) == 1000
    assert len(ask(path, limit="2000000000")[1]["items"]) == 1100


REFUSED: dict[str, tuple[str, dict[str, str], tuple[int, str]]] = {
    "an unknown ClusterQueue": (
        "/v1beta2/clusterqueues/nope/pendingworkloads",
        {},
        (404, 'clusterqueue.visibility.kueue.x-k8s.io "nope" not found'),
    ),
    "an unknown LocalQueue": (
        "/v1beta1/namespaces/ns/localqueues/nope/pendingworkloads",
        {},
        (404, 'localqueue.visibility.kueue.x-k8s.io "nope" not found'),
    ),
    "a limit that is no number": (
        IN_CLUSTER_QUEUE,
        {"limit": "many"},
        (400, 'strconv.ParseInt: parsing "many": invalid syntax'),
    ),
    "an offset that is no number": (
        IN_LOCAL_QUEUE,
        {"offset": "1.5"},
        (400, 'strconv.ParseInt: parsing "1.5": invalid syntax'),
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_refusals(case: tuple[str, dict[str, str], tuple[int, str]]) -> None:
    path, query, want = case
    code, got = ask(path, **query)
    assert (code, got["message"]) == want


@pytest.mark.parametrize(
    "path", ["/v1beta2/clusterqueues", "/v1beta2/clusterqueues/cq", "/v1beta2/localqueues", "/v1/x"]
)
def test_the_queues_themselves_are_not_served(path: str) -> None:
    assert ask(path) == (404, "404 page not found\n")


def test_nothing_can_be_written() -> None:
    async def run() -> None:
        headers = {b"authorization": b"Bearer admin"}
        answer = await served().handling(
            Request("POST", GROUP + IN_CLUSTER_QUEUE, {}, headers, b"{}")
        )
        assert isinstance(answer, Response)
        assert answer.status == 405

    run_virtual(run())


def test_clients_are_sent_away_until_the_queues_are_read() -> None:
    async def run() -> None:
        code, got = await get(served(Pending()), GROUP + IN_CLUSTER_QUEUE)
        assert (code, got["details"]["retryAfterSeconds"]) == (503, 1)

    run_virtual(run())


def test_a_role_for_the_subresource_opens_it_in_its_namespace_only() -> None:
    async def run() -> None:
        server = served()
        await bootstrap(server.cluster)
        admin = LocalClient(server, ADMIN, agent="test")
        await admin.create(NAMESPACES, {"metadata": {"name": "ns"}})
        before = await get(server, GROUP + IN_LOCAL_QUEUE, "eve")
        assert before[0] == 403
        assert before[1]["message"] == (
            'localqueues.visibility.kueue.x-k8s.io "lq" is forbidden: User "eve" cannot get resource '
            '"localqueues/pendingworkloads" in API group "visibility.kueue.x-k8s.io" in the namespace "ns"'
        )
        rule = {
            "apiGroups": ["visibility.kueue.x-k8s.io"],
            "resources": ["localqueues/pendingworkloads"],
            "verbs": ["get"],
        }
        await admin.create(ROLES, {"metadata": {"name": "viewer"}, "rules": [rule]}, namespace="ns")
        await admin.create(
            ROLE_BINDINGS,
            {
                "metadata": {"name": "eve"},
                "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "viewer"},
                "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "eve"}],
            },
            namespace="ns",
        )  # fmt: skip
        assert (await get(server, GROUP + IN_LOCAL_QUEUE, "eve"))[0] == 200
        assert (await get(server, GROUP + IN_CLUSTER_QUEUE, "eve"))[0] == 403
        elsewhere = "/v1beta2/namespaces/elsewhere/localqueues/lq/pendingworkloads"
        assert (await get(server, GROUP + elsewhere, "eve"))[0] == 403

    run_virtual(run())


def test_discovery_names_the_subresources_as_upstream_does() -> None:
    _, got = ask("/v1beta2")
    assert got == {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": "visibility.kueue.x-k8s.io/v1beta2",
        "resources": [
            {"name": "clusterqueues", "singularName": "clusterqueue", "namespaced": False, "kind": "PendingWorkloadsSummary", "verbs": []},
            {"name": "clusterqueues/pendingworkloads", "singularName": "", "namespaced": False, "kind": "PendingWorkloadsSummary", "verbs": ["get"]},
            {"name": "localqueues", "singularName": "localqueue", "namespaced": True, "kind": "PendingWorkloadsSummary", "verbs": []},
            {"name": "localqueues/pendingworkloads", "singularName": "", "namespaced": True, "kind": "PendingWorkloadsSummary", "verbs": ["get"]},
        ],
    }  # fmt: skip
    _, group = ask("")
    assert [one["version"] for one in group["versions"]] == ["v1beta2", "v1beta1"]


def test_the_group_is_there_only_where_somebody_knows_queues() -> None:
    async def run() -> None:
        code, _ = await get(memory_server(tokens={"admin": ADMIN}), GROUP + "/v1beta2")
        assert code == 404

    run_virtual(run())


def test_the_schedulers_own_queues_are_shown_in_their_order() -> None:
    queues = Queues(Forest(), lambda _: {})
    queue = ClusterQueue(metadata=ObjectMeta(name="cq"), spec=ClusterQueueSpec())
    queues.put_cluster_queue(queue, 0.0)
    local = LocalQueue(
        metadata=ObjectMeta(name="lq", namespace="ns"), spec=LocalQueueSpec(cluster_queue="cq")
    )
    queues.put_local_queue(local, 0.0)
    for name, priority in (("x", 0), ("y", 5), ("z", 0)):
        found = waiting(name)
        found.priority = priority
        queues.put_workload(found, 0.0)
    pending = Pending()
    pending.serve(queues)
    assert pending.cluster_queue_of("ns", "lq") == "cq"
    shown = pending.pending("cq")
    assert shown is not None
    assert [one.metadata.name for one in shown] == ["y", "x", "z"]
    assert pending.pending("nope") is None
