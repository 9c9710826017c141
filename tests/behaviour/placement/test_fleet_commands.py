"""`argosy approve`, `drain` and `uncordon` on a hub in virtual time: what they write, say and return."""

from __future__ import annotations

import argparse
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from argosy.base.errors import Conflict
from argosy.base.types import Object
from argosy.cli import approving, draining
from argosy.cli.connecting import CommandError, Session
from argosy.client.protocol import Client
from argosy.client.resources import (
    CLUSTER_RESOURCE_BINDINGS,
    CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS,
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
    MEMBER_CLUSTERS,
    RESOURCE_BINDINGS,
)
from argosy.placement.scopes import CLUSTER, NAMESPACE, Scope
from tests.behaviour.placement.runworlds import Hub, on_hub
from tests.behaviour.placement.test_update_runs import CANARY, PROD
from tests.fakes.clients import FaultyClient

EVICTIONS = CLUSTER_RESOURCE_PLACEMENT_EVICTIONS
BUDGETS = CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS
CORDON: Object = {"key": "cordon-key", "value": "cordon-value", "effect": "NoSchedule"}
Command = Callable[[Session, argparse.Namespace], Awaitable[int]]


async def call(
    hub: Hub, command: Command, name: str, timeout: str = "5m", client: Client | None = None
) -> int:
    used = client or hub.client
    session = Session(used, hub.namespace or "default", hub.clock.now())
    code = await command(session, argparse.Namespace(name=name, timeout=timeout))
    await hub.settle()
    return code


async def waiting_run(hub: Hub) -> None:
    await hub.member("one", env="canary")
    await hub.member("two", env="prod")
    await hub.placed("one", "two")
    await hub.strategy("stages", CANARY, PROD)
    await hub.run()
    await hub.arrive("one")


APPROVALS = {
    "of the cluster": (CLUSTER, approving.cluster_request, "ClusterApprovalRequest"),
    "of a namespace": (NAMESPACE, approving.request, "ApprovalRequest"),
}


@pytest.mark.parametrize(("scope", "command", "kind"), APPROVALS.values(), ids=APPROVALS)
def test_an_approved_run_goes_on(
    shared: Path,
    capsys: pytest.CaptureFixture[str],
    scope: Scope,
    command: Command,
    kind: str,
) -> None:
    async def story(hub: Hub) -> None:
        await waiting_run(hub)
        assert await call(hub, command, "run-after-canary") == 0
        request = await hub.get(scope.approval_requests, "run-after-canary")
        assert request is not None
        approved, accepted = request["status"]["conditions"]
        assert (approved["type"], approved["reason"]) == ("Approved", f"{kind}Approved")
        assert approved["message"] == f"{kind} has been approved"
        assert approved["observedGeneration"] == 1
        assert accepted["type"] == "ApprovalAccepted"
        assert await call(hub, command, "run-after-canary") == 0
        await hub.pass_time(6)
        assert await call(hub, command, "run-before-prod") == 0
        assert (await hub.states())["two"] == "Bound app-0-snapshot"

    on_hub(story, shared, scope)
    group = "placement.kubernetes-fleet.io"
    assert capsys.readouterr().out.splitlines() == [
        f"{kind.lower()}.{group}/run-after-canary approved",
        'update run "run" may leave stage "canary"',
        f"{kind.lower()}.{group}/run-after-canary was approved already",
        'update run "run" may leave stage "canary"',
        f"{kind.lower()}.{group}/run-before-prod approved",
        'update run "run" may begin stage "prod"',
    ]


def test_an_approval_is_tried_again_while_others_write(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await waiting_run(hub)
        faulty = FaultyClient(hub.client)
        faulty.fail("patch", *[Conflict("somebody was faster")] * 3)
        client: Client = faulty
        code = await call(hub, approving.cluster_request, "run-after-canary", client=client)
        assert code == 0
        assert len([verb for verb, _ in faulty.calls if verb == "patch"]) == 4

    on_hub(story, shared)


def test_what_cannot_be_approved(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        with pytest.raises(CommandError) as raised:
            await call(hub, approving.request, "nothing")
        assert str(raised.value) == (
            'there is no approvalrequest "nothing": `kubectl get approvalrequests -n ns` lists those that wait'
        )
        with pytest.raises(CommandError, match='--timeout "soon" is no time to wait'):
            await call(hub, approving.request, "nothing", timeout="soon")
        faulty = FaultyClient(hub.client)
        faulty.fail("get", *[Conflict("always somebody is faster")] * 1000)
        client: Client = faulty
        with pytest.raises(CommandError, match="could not be approved within 10s"):
            await call(hub, approving.request, "nothing", timeout="10s", client=client)

    on_hub(story, shared, NAMESPACE)


async def taints(hub: Hub, name: str) -> list[Object]:
    member = await hub.get(MEMBER_CLUSTERS, name)
    assert member is not None
    found: list[Object] = member["spec"].get("taints", [])
    return found


async def rolled_out(hub: Hub, *clusters: str, **placed: Object) -> None:
    for cluster in clusters:
        await hub.member(cluster)
    await hub.placed(*clusters, **placed)
    for cluster in clusters:
        name = hub.binding_name(cluster)
        patch: Object = {"spec": {"state": "Bound"}, "metadata": {"finalizers": None}}
        await hub.client.patch(CLUSTER_RESOURCE_BINDINGS, name, patch)
        await hub.arrive(cluster)


def test_a_drained_cluster_takes_nothing_and_is_left(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story(hub: Hub) -> None:
        await rolled_out(hub, "one", "two")
        gpu = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
        await hub.client.patch(MEMBER_CLUSTERS, "one", {"spec": {"taints": [gpu]}})
        assert await call(hub, draining.drain, "one") == 0
        assert await taints(hub, "one") == [gpu, CORDON]
        assert list(await hub.states()) == ["two"]
        [eviction] = await hub.list(EVICTIONS)
        name, spec = eviction["metadata"]["name"], eviction["spec"]
        assert name.startswith("drain-eviction-app-one-")
        assert len(name.removeprefix("drain-eviction-app-one-")) == 8
        assert spec == {"placementName": "app", "clusterName": "one"}
        assert await call(hub, draining.drain, "one") == 0
        assert await call(hub, draining.uncordon, "one") == 0
        assert await taints(hub, "one") == [gpu]
        assert await call(hub, draining.uncordon, "one") == 0

    on_hub(story, shared)
    drained = 'cluster "one" drained; `argosy uncordon cluster one` takes it back'
    assert capsys.readouterr().out.splitlines() == [
        'cluster "one" cordoned',
        (
            'clusterresourceplacement "app" leaves cluster "one": Eviction is allowed, no '
            "ClusterResourcePlacementDisruptionBudget specified"
        ),
        drained,
        'cluster "one" was cordoned already',
        'no ClusterResourcePlacement is on cluster "one"',
        drained,
        'cluster "one" uncordoned',
        'cluster "one" was not cordoned',
    ]


def test_what_a_budget_keeps_is_told_and_the_command_fails(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story(hub: Hub) -> None:
        await rolled_out(hub, "one", "two")
        await hub.create(BUDGETS, {"metadata": {"name": "app"}, "spec": {"minAvailable": 2}})
        assert await call(hub, draining.drain, "one") == 1
        assert list(await hub.states()) == ["one", "two"]
        assert len(await hub.list(EVICTIONS)) == 1
        assert await taints(hub, "one") == [CORDON]

    on_hub(story, shared)
    assert capsys.readouterr().err.splitlines() == [
        (
            'clusterresourceplacement "app" stays on cluster "one": Eviction is blocked by specified '
            "ClusterResourcePlacementDisruptionBudget, availablePlacements: 2, totalPlacements: 2; change "
            'ClusterResourcePlacementDisruptionBudget "app" and drain again'
        ),
        'cluster "one" is cordoned, but not drained',
    ]


def test_a_placement_that_names_the_cluster_has_to_be_changed(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story(hub: Hub) -> None:
        policy = {"placementType": "PickFixed", "clusterNames": ["one"]}
        await rolled_out(hub, "one", policy=policy)
        assert await call(hub, draining.drain, "one") == 1

    on_hub(story, shared)
    assert "take the cluster out of its spec.policy.clusterNames" in capsys.readouterr().err


def test_placements_of_namespaces_are_named_because_they_cannot_be_evicted(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story(hub: Hub) -> None:
        await hub.member("one")
        await hub.placed("one")
        assert await call(hub, draining.drain, "one") == 0
        assert len((await hub.client.list(RESOURCE_BINDINGS)).items) == 1

    on_hub(story, shared, NAMESPACE)
    told = capsys.readouterr()
    assert told.err.splitlines() == [
        (
            'resourceplacement "ns/app" stays on cluster "one": ResourcePlacements cannot be evicted, change its policy or '
            "delete it"
        )
    ]
    assert 'cluster "one" drained, 1 ResourcePlacement(s) aside' in told.out


def test_a_placement_that_comes_back_tolerates_the_taint(
    shared: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A scheduler that puts it there again and again, whatever is evicted."""

    class Stubborn(FaultyClient):
        async def list_all(self, *args: object, **options: object) -> object:
            if not await self.hub.list(CLUSTER_RESOURCE_BINDINGS):
                await self.hub.bind("one", state="Bound")
                patch: Object = {"metadata": {"finalizers": None}}
                name = self.hub.binding_name("one")
                await self.hub.client.patch(CLUSTER_RESOURCE_BINDINGS, name, patch)
            return await self.hub.client.list_all(*args, **options)

        hub: Hub

    async def story(hub: Hub) -> None:
        await rolled_out(hub, "one")
        stubborn = Stubborn(hub.client)
        stubborn.hub = hub
        client: Client = stubborn
        assert await call(hub, draining.drain, "one", client=client) == 1
        assert len(await hub.list(EVICTIONS)) == 2

    on_hub(story, shared)
    assert 'clusterresourceplacement "app" came back to cluster "one"' in capsys.readouterr().err


def test_a_hub_where_nobody_decides(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        await rolled_out(hub, "one")
        with pytest.raises(CommandError) as raised:
            await call(hub, draining.drain, "one", timeout="30s")
        assert str(raised.value) == (
            'cluster "one" is cordoned, but its evictions were not decided within 30s: see `kubectl get '
            "clusterresourceplacementevictions` and whether the hub's controllers run, then drain again"
        )
        assert await taints(hub, "one") == [CORDON]

    on_hub(story, shared, alive=False)


def test_a_cluster_that_is_not_of_the_fleet(shared: Path) -> None:
    async def story(hub: Hub) -> None:
        for command in (draining.drain, draining.uncordon):
            with pytest.raises(CommandError) as raised:
                await call(hub, command, "moon")
            assert str(raised.value) == (
                'there is no member cluster "moon": `kubectl get memberclusters` lists those of the fleet'
            )

    on_hub(story, shared)
