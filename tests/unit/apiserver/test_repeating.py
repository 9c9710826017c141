"""What a report made of one pod is made of the next: to the byte what the long way makes of it (`ways` plays both)."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.calls import Call
from argosy.apiserver.verbs import patching
from argosy.base.loops import run_virtual
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.resources import NAMESPACES, PODS
from tests.fakes.clusters import memory_server
from tests.unit.apiserver.ways import (
    ENDED,
    RUNNING,
    Step,
    bind,
    delete,
    named,
    new_pod,
    own,
    play,
    pod,
    status,
)


def reported(base: Object, number: int, **more: Any) -> Object:
    """A status with the addresses and the container of one pod."""
    address, host = f"10.1.0.{number}", f"10.0.0.{number % 2}"
    container = {**base["containerStatuses"][0], "containerID": f"containerd://{number:08x}"}
    return {
        **base, "podIP": address, "podIPs": [{"ip": address}], "hostIP": host, "hostIPs": [{"ip": host}],
        "containerStatuses": [container], **more,
    }  # fmt: skip


def running(**more: Any) -> Step:
    return own(lambda number: reported(RUNNING, number, **more))


def ended(**more: Any) -> Step:
    return own(lambda number: reported(ENDED, number, **more))


def owned_by(*uids: str) -> Step:
    """Other owners; a uid may speak of the number of the pod."""

    def step(client: LocalClient, name: str) -> Awaitable[object]:
        owners = [
            {"apiVersion": "v1", "kind": "Pod", "name": "x", "uid": uid.format(name[-1])}
            for uid in uids
        ]
        return pod({"metadata": {"ownerReferences": owners}})(client, name)

    return step


UID = "00000000-0000-4000-8000-00000000000"
RELEASE = pod({"metadata": {"finalizers": None}})
CASES: dict[str, tuple[Step, ...]] = {
    "the life of a pod": (bind(), running(), ended(), RELEASE, delete),
    "a pod on the network of its host": (
        own(lambda n: reported(RUNNING, n, hostIP=f"10.1.0.{n}", hostIPs=[{"ip": f"10.1.0.{n}"}])),
        ended(),
    ),
    "an address that only some share with their host": (
        own(lambda n: reported(RUNNING, n, podIP="10.0.0.1", podIPs=[{"ip": "10.0.0.1"}])),
        own(lambda n: reported(RUNNING, n, podIP="10.0.0.0", podIPs=[{"ip": "10.0.0.0"}])),
    ),
    "addresses within each other": (
        own(lambda n: reported(RUNNING, n, podIP="10.1.0.1", podIPs=[{"ip": "10.1.0.1"}], message=f"10.1.0.1{n}")),
        own(lambda n: reported(ENDED, n, message=f'at 10.1.0.{n}, or "10.1.0.{n}"')),
    ),
    "one owner for all": (owned_by(f"{UID}a"), running(), ended(), RELEASE),
    "two owners each, in one order or the other": (
        owned_by(f"{UID}{{}}", f"{UID}1"), running(), ended(), RELEASE,
    ),
    "owners of another form": (owned_by("u{}"), running(), ended(), RELEASE),
    "nobody's": (owned_by(), running(), ended(), RELEASE),
    "an owner that is named in the status": (
        own(lambda n: reported(RUNNING, n, message=f"{UID}{n}", reason=f'"{UID}{n}"')), ended(),
    ),
    "an address that moves": (running(), own(lambda n: reported(RUNNING, n + 10)), ended()),
    "addresses of another form": (
        own(lambda n: reported(RUNNING, n, podIP=f"fd00::{n}", podIPs=[{"ip": f"fd00::{n}"}])),
        own(lambda n: reported(RUNNING, n, podIP=f"10.1.0.0{n}", podIPs=[{"ip": f"10.1.0.0{n}"}])),
        own(lambda n: reported(RUNNING, n, hostIP=f"host-{n}", hostIPs=[{"ip": f"host-{n}"}])),
    ),
    "two addresses each": (
        own(lambda n: reported(RUNNING, n, podIPs=[{"ip": f"10.1.0.{n}"}, {"ip": f"fd00::{n}"}])),
        ended(),
    ),
    "two writers of the status": (
        running(),
        status({"status": {"reason": "x"}}, "other"),
        ended(),
        status({"status": {"reason": None}}, "other"),
    ),
    "a report that changes nothing": (running(), running(), ended()),
    "a report that is refused": (running(qosClass="Guaranteed"), running(), running(qosClass="Burstable")),
    "a container that may not run again": (ended(), running(), ended()),
    "a pod that is leaving": (bind(), running(), delete, ended(), RELEASE),
    "no status to speak of": (status({"status": {}}), status({"status": {"phase": "Running"}})),
    "an old revision": (running(), named(ENDED, resourceVersion="1"), named(ENDED, "uid", "resourceVersion")),
    "finalizers that come and go": (
        pod({"metadata": {"finalizers": ["a/b"]}}), RELEASE, pod({"metadata": {"finalizers": ["c/d"]}}),
        pod({"metadata": {"finalizers": []}}), pod({"metadata": {"finalizers": ["not a name"]}}), RELEASE,
    ),
    "finalizers of an old revision": (pod({"metadata": {"finalizers": None, "resourceVersion": "1"}}),),
    "finalizers and more": (pod({"metadata": {"finalizers": None, "labels": {"a": "b"}}}), RELEASE),
    "annotations that look like finalizers": (
        pod({"metadata": {"annotations": {"finalizers": '["a"],"finalizers":["b"],'}}}), RELEASE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("steps", CASES.values(), ids=CASES.keys())
def test_both_ways_end_alike(steps: tuple[Step, ...]) -> None:
    play(*steps, pods=4)


ADDRESSES = st.sampled_from(["10.0.0.{n}", "10.1.0.1{n}", "10.1.0.1", "fd00::{n}", "{n}", ""])
IDS = st.sampled_from(
    ["containerd://{n}", "containerd://a", "a://{n}{n}", "10.1.0.{n}", "a b://{n}", ""]
)


def _filled(template: Object, number: int) -> Object:
    def fill(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: fill(item) for key, item in value.items()}
        if isinstance(value, list):
            return [fill(item) for item in value]
        return value.replace("{n}", str(number)) if isinstance(value, str) else value

    filled: Object = fill(template)
    return filled


REPORTS = st.fixed_dictionaries(
    {"phase": st.sampled_from(["Running", "Succeeded"])},
    optional={
        "podIP": ADDRESSES, "podIPs": st.lists(st.fixed_dictionaries({"ip": ADDRESSES}), max_size=2),
        "hostIP": ADDRESSES, "message": ADDRESSES, "reason": IDS,
        "containerStatuses": st.lists(
            st.builds(lambda one: {**RUNNING["containerStatuses"][0], "containerID": one}, IDS), max_size=2
        ),
    },
)  # fmt: skip


@given(st.lists(
    st.builds(lambda report: own(lambda number: _filled(report, number)), REPORTS)
    | st.just(RELEASE) | st.just(bind()),
    max_size=4,
))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_any_reports_end_alike(steps: list[Step]) -> None:
    play(*steps, pods=3)


def test_only_the_first_of_many_is_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    worked: list[str] = []
    amended = patching._amended

    def spy(cluster: Any, call: Call, *rest: Any, **more: Any) -> Any:
        worked.append(call.name)
        return amended(cluster, call, *rest, **more)

    monkeypatch.setattr(patching, "_amended", spy)

    async def story() -> list[Object]:
        client = LocalClient(memory_server(), ADMIN, agent="test")
        await client.create(NAMESPACES, {"metadata": {"name": "ns"}})
        names = [f"train-{number}" for number in range(9)]
        for number, name in enumerate(names):
            await client.create(PODS, new_pod(name, number), namespace="ns")
        for step in (running(), ended(), RELEASE):
            for name in names:
                await step(client, name)
        found = await client.list_all(
            PODS, namespace="ns", field_selector="status.phase=Succeeded,status.podIP=10.1.0.7"
        )
        return [decode(raw) for raw in found.items]

    (got,) = run_virtual(story())
    assert worked == ["train-0"] * 3
    assert got["metadata"]["name"] == "train-7"
    assert "finalizers" not in got["metadata"]
    assert got["status"]["containerStatuses"][0]["containerID"] == "containerd://00000007"


@pytest.mark.parametrize("subresource", ["status", ""])
def test_no_plugin_has_a_say_in_what_leaves_a_stored_spec_alone(subresource: str) -> None:
    server = memory_server()
    cluster = server.cluster

    async def stored() -> list[Object]:
        client = LocalClient(server, ADMIN, agent="test")
        await client.create(NAMESPACES, {"metadata": {"name": "ns"}})
        raw = await client.create(PODS, new_pod("a"), namespace="ns")
        return [decode(raw) for _ in range(3)]

    old, new, want = run_virtual(stored())
    new["status"] = want["status"] = RUNNING
    call = Call(ADMIN, "patch", cluster.kind("", "pods"), "v1", "gone", "a", subresource)
    assert cluster.admission
    for plugin in cluster.admission:
        plugin.admit(cluster, call, new, old)
        plugin.validate(cluster, call, new, old)
    assert new == want
