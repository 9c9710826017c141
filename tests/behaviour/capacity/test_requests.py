"""ProvisioningRequests: asked for, found or bought, booked, consumed, expired."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.client.resources import POD_TEMPLATES, PODS, Resource
from tests.behaviour.capacity.pools import PROVISIONING_REQUESTS, Pooled, pooled

CHECK = "check-capacity.autoscaling.x-k8s.io"
ATOMIC = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
CONSUMES = {"autoscaling.x-k8s.io/consume-provisioning-request": "req"}


async def ask(here: Pooled, class_: str, count: int, **parameters: str) -> None:
    container = {
        "name": "main",
        "image": "busybox",
        "resources": {"requests": {"cpu": "4", "memory": "1Gi"}},
    }
    template = {"spec": {"containers": [container]}}
    await here.create(POD_TEMPLATES, {"metadata": {"name": "t"}, "template": template})
    spec: Object = {
        "provisioningClassName": class_,
        "podSets": [{"podTemplateRef": {"name": "t"}, "count": count}],
    }
    if parameters:
        spec["parameters"] = parameters
    await here.create(PROVISIONING_REQUESTS, {"metadata": {"name": "req"}, "spec": spec})


async def said(here: Pooled) -> dict[str, tuple[str, str]]:
    found = await here.get(PROVISIONING_REQUESTS, "req")
    assert found is not None
    conditions = found.get("status", {}).get("conditions", ())
    return {one["type"]: (one["status"], one["reason"]) for one in conditions}


def test_a_check_finds_what_is_there_and_books_it_for_ten_minutes() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(minimum=2)
        await here.pass_time(5)
        await ask(here, CHECK, 4)
        await here.pass_time(5)
        want = {"Accepted": ("True", "Accepted"), "Provisioned": ("True", "CapacityIsFound")}
        assert await said(here) == want
        # What is booked is not for others: two more machines for two pods of their own.
        await here.pass_time(601)
        want["BookingExpired"] = ("True", "CapacityReservationTimeExpired")
        assert await said(here) == want

    pooled(story)


def test_a_check_that_finds_nothing_tries_again_later() -> None:
    async def story(here: Pooled) -> None:
        await here.pool()
        await ask(here, CHECK, 2)
        await here.pass_time(5)
        assert (await said(here))["Provisioned"] == ("False", "CapacityIsNotFound")
        assert await here.nodes() == []
        await here.edit("pool", minimum=1)
        await here.pass_time(70)
        assert (await said(here))["Provisioned"] == ("True", "CapacityIsFound")

    pooled(story)


def test_a_check_without_retry_fails() -> None:
    async def story(here: Pooled) -> None:
        await here.pool()
        await ask(here, CHECK, 2, noRetry="true")
        await here.pass_time(5)
        assert (await said(here))["Failed"] == ("True", "CapacityIsNotFound")

    pooled(story)


def test_an_atomic_request_buys_all_machines_at_once_and_its_pods_consume_them() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(scaling={"maxStepUp": 1}, bootTime="20s")
        await ask(here, ATOMIC, 6)
        await here.pass_time(5)
        assert (await said(here))["Provisioned"] == ("True", "CapacityIsProvisioned")
        assert (await here.status_of())["booting"] == 3
        await here.pods(6, metadata={"annotations": CONSUMES})
        await here.pass_time(60)
        assert all(pod["spec"].get("nodeName") for pod in await here.list(PODS))
        assert len(await here.nodes()) == 3
        assert (await said(here))["BookingExpired"] == ("True", "CapacityBookingConsumed")

    pooled(story)


def test_an_atomic_request_beyond_the_maximum_buys_nothing_and_expires() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(maximum=2)
        await ask(here, ATOMIC, 6, ValidUntilSeconds="300")
        await here.pass_time(5)
        assert (await said(here))["Provisioned"] == ("False", "CapacityIsNotFound")
        await here.pass_time(400)
        assert await here.nodes() == []
        assert (await said(here))["Failed"] == ("True", "Expired")

    pooled(story)


def test_an_atomic_request_that_the_stock_cannot_meet_buys_nothing() -> None:
    async def story(here: Pooled) -> None:
        await here.pool(stock=2)
        await ask(here, ATOMIC, 6)
        await here.pass_time(20)
        assert (await said(here))["Provisioned"] == ("False", "CapacityIsNotFound")
        assert await here.nodes() == []
        assert (await here.condition("StockOut"))[0] == "True"
        await here.edit("pool", stock=3)
        await here.pass_time(900)
        assert (await said(here))["Provisioned"] == ("True", "CapacityIsProvisioned")
        assert len(await here.nodes()) == 3

    pooled(story)


def test_pods_of_a_request_wait_for_its_answer() -> None:
    async def story(here: Pooled) -> None:
        await here.pool()
        await ask(here, CHECK, 2)
        await here.pods(2, metadata={"annotations": CONSUMES})
        await here.pass_time(30)
        assert await here.nodes() == []
        # A request that nobody has made holds nobody back.
        other = {"autoscaling.x-k8s.io/consume-provisioning-request": "other"}
        await here.pods(2, prefix="free", metadata={"annotations": other})
        await here.pass_time(5)
        assert len(await here.nodes()) == 1

    pooled(story)


def test_a_booking_survives_a_kill() -> None:
    async def story(here: Pooled) -> None:
        short = {"idleTime": "10s", "stabilizationWindow": "10s"}
        await here.pool(scaling=short)
        await ask(here, ATOMIC, 2)
        await here.pass_time(60)
        before = await here.nodes()
        await here.kill()
        await here.start()
        await here.pass_time(120)
        assert await here.nodes() == before
        assert len(before) == 1
        assert (await said(here))["Provisioned"] == ("True", "CapacityIsProvisioned")

    pooled(story)


def test_booked_machines_stay_and_others_get_their_own() -> None:
    async def story(here: Pooled) -> None:
        short = {"idleTime": "10s", "stabilizationWindow": "10s"}
        await here.pool(scaling=short)
        await ask(here, ATOMIC, 4)
        await here.pass_time(300)
        assert len(await here.nodes()) == 2
        await here.pass_time(400)
        assert await here.nodes() == []

    pooled(story)


def test_booked_capacity_that_is_lost_is_said() -> None:
    async def story(here: Pooled) -> None:
        await here.node("by-hand")
        await ask(here, CHECK, 2)
        await here.pass_time(5)
        assert (await said(here))["Provisioned"] == ("True", "CapacityIsFound")
        await here.client.delete(Resource("", "v1", "nodes", "Node", False), "by-hand")
        await here.pass_time(15)
        assert (await said(here))["CapacityRevoked"] == ("True", "CapacityIsNotFound")

    pooled(story)


def test_a_missing_template_fails_the_request() -> None:
    async def story(here: Pooled) -> None:
        spec = {
            "provisioningClassName": CHECK,
            "podSets": [{"podTemplateRef": {"name": "t"}, "count": 1}],
        }
        await here.create(PROVISIONING_REQUESTS, {"metadata": {"name": "req"}, "spec": spec})
        await here.pass_time(15)
        assert (await said(here))["Failed"] == ("True", "FailedToCreatePods")
        found = await here.get(PROVISIONING_REQUESTS, "req")
        assert found is not None
        want = "missing pod templates, 1 pod templates were referenced, 1 templates were missing: t"
        assert [one["message"] for one in found["status"]["conditions"]] == [want]

    pooled(story)


def test_a_template_may_be_applied_a_moment_after_its_request() -> None:
    async def story(here: Pooled) -> None:
        spec = {
            "provisioningClassName": CHECK,
            "podSets": [{"podTemplateRef": {"name": "t"}, "count": 1}],
        }
        await here.pool(minimum=1)
        await here.create(PROVISIONING_REQUESTS, {"metadata": {"name": "req"}, "spec": spec})
        await here.pass_time(2)
        template = {"spec": {"containers": [{"name": "main", "image": "busybox"}]}}
        await here.create(POD_TEMPLATES, {"metadata": {"name": "t"}, "template": template})
        await here.pass_time(5)
        assert (await said(here))["Provisioned"] == ("True", "CapacityIsFound")

    pooled(story)


def test_both_versions_are_served() -> None:
    async def story(here: Pooled) -> None:
        await ask(here, "other.example.com", 1)
        old = Resource(
            "autoscaling.x-k8s.io", "v1beta1", "provisioningrequests", "ProvisioningRequest"
        )
        found = await here.get(old, "req")
        assert found is not None
        assert found["apiVersion"] == "autoscaling.x-k8s.io/v1beta1"
        await here.pass_time(5)
        assert await said(here) == {}

    pooled(story)


def test_pods_that_consume_a_request_by_its_old_annotation_are_told_and_make_no_pool_grow() -> None:
    old = {"cluster-autoscaler.kubernetes.io/consume-provisioning-request": "req"}

    async def story(here: Pooled) -> None:
        await here.pool()
        await ask(here, CHECK, 1)
        await here.pass_time(5)
        await here.pods(1, metadata={"annotations": old})
        await here.pass_time(30)
        assert await here.nodes() == []
        text = "Unschedulable pod didn't trigger scale-up, because it's consuming ProvisioningRequest ns/req"
        told = [event for event in await here.events("pod-0") if event[1] == "NotTriggerScaleUp"]
        assert told == [("Normal", "NotTriggerScaleUp", text)]

    pooled(story)


def test_a_template_that_only_limits_its_gpus_asks_for_them() -> None:
    async def story(here: Pooled) -> None:
        await here.pool("gpus", machine={"cpu": 96, "memory": "1Ti", "gpus": 8})
        limits = {"requests": {"cpu": "1"}, "limits": {"nvidia.com/gpu": "1"}}
        container = {"name": "main", "image": "busybox", "resources": limits}
        template = {"spec": {"containers": [container]}}
        await here.create(POD_TEMPLATES, {"metadata": {"name": "t"}, "template": template})
        body: Object = {
            "metadata": {"name": "req"},
            "spec": {
                "provisioningClassName": ATOMIC,
                "podSets": [{"podTemplateRef": {"name": "t"}, "count": 16}],
            },
        }
        await here.create(PROVISIONING_REQUESTS, body)
        await here.pass_time(5)
        assert len(await here.nodes()) == 2

    pooled(story)
