"""Whatever happens to pods, network and controller: every pod that ends is counted once, and freed only then.

Pods succeed, fail and are deleted at random; calls take their time and answers are lost; the controller is killed at
any moment and starts anew without a memory. What the kubelet did is the truth that the counters are held against.
"""

from __future__ import annotations

import asyncio
import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from argosy.api.wellknown import JOB_TRACKING
from argosy.apiserver.access.identities import ADMIN
from argosy.base.errors import ServiceUnavailable
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import Raw, decode
from argosy.client.resources import JOBS, PODS, Resource
from argosy.workloads.jobs.indexes import COMPLETION_INDEX, parse
from tests.behaviour.workloads.jobs.worlds import World, living
from tests.fakes.clients import Fault, FaultyClient

deeds = st.lists(
    st.tuples(st.sampled_from(["succeed", "fail", "delete", "run"]), st.integers(0, 9))
    | st.tuples(st.sampled_from(["crash", "wait"]), st.integers(1, 30)),
    max_size=25,
)


class Auditing:
    """Stands before the cluster and looks on when a pod loses its finalizer: it must be in the books by then."""

    def __init__(self, client: LocalClient) -> None:
        self._client = client
        self.violations: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    async def patch(self, resource: Resource, name: str, patch: Any, **options: Any) -> Raw:
        if resource != PODS:
            return await self._client.patch(resource, name, patch, **options)
        before = decode(await self._client.get(PODS, name, namespace="ns"))
        tracked = JOB_TRACKING in before["metadata"].get("finalizers", [])
        if tracked and _has_ended(before) and not await self._is_counted(before):
            self.violations.append(name)
        return await self._client.patch(resource, name, patch, **options)

    async def _is_counted(self, pod: Object) -> bool:
        job = decode(await self._client.get(JOBS, "job", namespace="ns"))
        uncounted = job["status"].get("uncountedTerminatedPods", {})
        if pod["metadata"]["uid"] in (
            *uncounted.get("succeeded", ()),
            *uncounted.get("failed", ()),
        ):
            return True
        if job["spec"]["completionMode"] != "Indexed" or pod["status"]["phase"] != "Succeeded":
            return False
        index = int(pod["metadata"]["annotations"][COMPLETION_INDEX])
        return index in parse(job["status"].get("completedIndexes", ""), 1000)


def _has_ended(pod: Object) -> bool:
    """A pod that has not is one too many: it is freed and deleted, and never counted."""
    is_terminal = pod["status"]["phase"] in {"Succeeded", "Failed"}
    return is_terminal or "deletionTimestamp" in pod["metadata"]


def luck(source: random.Random) -> Fault:
    """Calls that take up to a second, and some answers that never come."""
    error = ServiceUnavailable("the network is down") if source.random() < 0.1 else None
    return Fault(error, before=source.random() / 2, after=source.random() / 2, lost=True)


async def happen(world: World, events: list[tuple[str, int]], truth: dict[str, str]) -> None:
    """Act as kubelet and user. `truth` is what has become of each pod, by uid."""
    for what, number in events:
        if what == "wait":
            await asyncio.sleep(number / 4)
        elif what == "crash":
            await world.stop()
            await asyncio.sleep(number / 10)
            await world.start()
        else:
            alive = [pod for pod in await world.pods() if pod["metadata"]["uid"] not in truth]
            if alive:
                await befall(world, what, alive[number % len(alive)], truth)


async def befall(world: World, what: str, pod: Object, truth: dict[str, str]) -> None:
    name, uid = pod["metadata"]["name"], pod["metadata"]["uid"]
    if what == "run":
        await world.report(
            name, {"phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}
        )
        return
    truth[uid] = "succeeded" if what == "succeed" else "failed"
    if what == "delete":
        await world.client.delete(PODS, name, namespace="ns")
    else:
        await world.report(name, {"phase": truth[uid].capitalize(), "conditions": []})


def tell(
    events: list[tuple[str, int]], seed: int, **spec: Any
) -> tuple[Object, list[str], list[str]]:
    """The status in the end, the truth about all pods, and those that were freed too early."""
    truth: dict[str, str] = {}
    ends: list[Object] = []
    auditing: list[Auditing] = []

    async def story(world: World) -> None:
        auditing.append(Auditing(LocalClient(world.server, ADMIN, agent="test", namespace="ns")))
        source = random.Random(seed)
        bad = FaultyClient(
            auditing[0],
            always=lambda verb: luck(source) if verb in {"create", "patch", "delete"} else Fault(),
        )
        world.faulty = bad
        await world.start()
        await world.create(backoffLimit=1000, **spec)
        await happen(world, events, truth)
        bad._always = None
        await asyncio.sleep(120)
        ends.append(await world.status())
        finalizers = {
            pod["metadata"]["uid"]
            for pod in await world.pods()
            if pod["metadata"].get("finalizers")
        }
        assert not finalizers & truth.keys(), "pods that have ended keep their finalizer"

    living(story, starts=False)
    return ends[0], list(truth.values()), auditing[0].violations


@settings(max_examples=30)
@given(deeds, st.integers(0, 9999))
def test_counts_are_exact(events: list[tuple[str, int]], seed: int) -> None:
    status, truth, violations = tell(events, seed, completions=500, parallelism=4)
    assert (status.get("succeeded", 0), status.get("failed", 0)) == (
        truth.count("succeeded"),
        truth.count("failed"),
    )
    assert "uncountedTerminatedPods" not in status
    assert violations == []


@settings(max_examples=30)
@given(deeds, st.integers(0, 9999))
def test_counts_of_indexed_jobs_are_exact(events: list[tuple[str, int]], seed: int) -> None:
    status, truth, violations = tell(
        events, seed, completions=400, parallelism=4, completionMode="Indexed"
    )
    assert (status.get("succeeded", 0), status.get("failed", 0)) == (
        truth.count("succeeded"),
        truth.count("failed"),
    )
    assert "uncountedTerminatedPods" not in status
    assert violations == []
