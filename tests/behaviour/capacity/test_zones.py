"""Pods that care which pods are near them get machines in zones where the scheduler can put them."""

from __future__ import annotations

from collections import Counter

from argosy.base.types import Object
from argosy.client.resources import NAMESPACES, POD_TEMPLATES, PODS
from tests.behaviour.capacity.pools import PROVISIONING_REQUESTS, Pooled, pooled

ZONE = "topology.kubernetes.io/zone"
LABELS = {"app": "web"}
SELECTOR = {"matchLabels": LABELS}


def spread(when: str = "DoNotSchedule") -> Object:
    constraint = {
        "maxSkew": 1,
        "topologyKey": ZONE,
        "whenUnsatisfiable": when,
        "labelSelector": SELECTOR,
    }
    return {"topologySpreadConstraints": [constraint]}


def affinity(kind: str, **more: object) -> Object:
    term = {"topologyKey": ZONE, "labelSelector": SELECTOR, **more}
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}


async def zones(here: Pooled, **of_each: object) -> None:
    """Pools in zones a and b, of which a is the cheaper."""
    for price, zone in enumerate("ab", start=1):
        await here.pool(zone, zone=zone, pricePerHour=price, **of_each)
    await here.pass_time(5)


async def spread_of(here: Pooled) -> Counter[str]:
    """Pods by the pool they run on; "" for those that wait."""
    bound = [pod["spec"].get("nodeName", "") for pod in await here.list(PODS)]
    return Counter(name.partition("-")[0] for name in bound)


def test_pods_spread_over_zones_are_not_stuck_behind_idle_machines_of_the_cheap_zone() -> None:
    async def story(here: Pooled) -> None:
        await zones(here, minimum=1)
        await here.pods(10, metadata={"labels": LABELS}, **spread())
        await here.pass_time(60)
        assert await spread_of(here) == {"a": 5, "b": 5}
        assert len(await here.nodes()) == 6

    pooled(story)


def test_a_spread_that_is_only_preferred_takes_the_cheapest_pool() -> None:
    async def story(here: Pooled) -> None:
        await zones(here)
        await here.pods(4, metadata={"labels": LABELS}, **spread("ScheduleAnyway"))
        await here.pass_time(30)
        assert await spread_of(here) == {"a": 4}

    pooled(story)


def test_pods_join_the_zone_of_those_they_follow_by_labels_of_a_namespace() -> None:
    async def story(here: Pooled) -> None:
        await zones(here, maximum=4)
        await here.client.patch(NAMESPACES, "ns", {"metadata": {"labels": {"team": "x"}}})
        # The leader fills a machine in b; its followers fit nowhere else.
        await here.pod(
            "leader",
            metadata={"labels": LABELS},
            container={"resources": {"requests": {"cpu": "8"}}},
            nodeSelector={ZONE: "b"},
        )
        await here.pass_time(15)
        follow = affinity("podAffinity", namespaceSelector={"matchLabels": {"team": "x"}})
        await here.pods(2, prefix="follower", **follow)
        await here.pass_time(30)
        assert await spread_of(here) == {"b": 3}

    pooled(story)


def test_a_pod_that_no_zone_may_take_is_told_and_buys_nothing() -> None:
    async def story(here: Pooled) -> None:
        await zones(here)
        apart = affinity("podAntiAffinity")
        await here.pods(3, metadata={"labels": LABELS}, **apart)
        await here.pass_time(60)
        assert await spread_of(here) == {"a": 1, "b": 1, "": 1}
        assert len(await here.nodes()) == 2
        (waiting,) = [p for p in await here.list(PODS) if not p["spec"].get("nodeName")]
        text = "pod didn't trigger scale-up: 2 node(s) didn't match pod anti-affinity rules"
        told = await here.events(waiting["metadata"]["name"])
        assert ("Normal", "NotTriggerScaleUp", text) in told

    pooled(story)


def test_numbered_pods_of_one_owner_are_one_demand_with_one_answer() -> None:
    async def story(here: Pooled) -> None:
        await zones(here)
        for number in range(4):
            numbered = {**LABELS, "batch.kubernetes.io/job-completion-index": str(number)}
            prefix = f"p{number}"
            await here.pods(1, prefix=prefix, metadata={"labels": numbered}, **spread())
        await here.pass_time(30)
        (event,) = [event for event in await here.events("a") if event[1] == "ScaledUp"]
        assert ": 2 unschedulable pods" in event[2]
        assert await spread_of(here) == {"a": 2, "b": 2}

    pooled(story)


def test_an_atomic_request_for_an_even_spread_buys_in_every_zone() -> None:
    async def story(here: Pooled) -> None:
        await zones(here)
        requests = {"requests": {"cpu": "4"}}
        container = {"name": "main", "image": "busybox", "resources": requests}
        spec = {"containers": [container], **spread()}
        template = {"metadata": {"labels": LABELS}, "spec": spec}
        await here.create(POD_TEMPLATES, {"metadata": {"name": "t"}, "template": template})
        body: Object = {
            "metadata": {"name": "req"},
            "spec": {
                "provisioningClassName": "best-effort-atomic-scale-up.autoscaling.x-k8s.io",
                "podSets": [{"podTemplateRef": {"name": "t"}, "count": 4}],
            },
        }
        await here.create(PROVISIONING_REQUESTS, body)
        await here.pass_time(10)
        assert Counter(name[0] for name in await here.nodes()) == {"a": 1, "b": 1}

    pooled(story)
