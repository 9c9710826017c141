"""Leaving a fleet: with the agent's help, without it, half way, and coming back."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from argosy.base.errors import ServiceUnavailable
from argosy.client.resources import (
    INTERNAL_MEMBER_CLUSTERS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    WORKS,
    Resource,
)
from tests.behaviour.placement.memberworlds import MINUTE, Agent, Fleet, fleeting
from tests.fakes.clients import Fault
from tests.fakes.fleets import GROUPS

HUB = "mcv1beta1"
MEMBER = "v1beta1InternalMemberClusterController"
CLEANUP = "kubernetes-fleet.io/work-cleanup"
PROFILES = Resource("multicluster.x-k8s.io", "v1alpha1", "clusterprofiles", "ClusterProfile")


async def _is_gone(fleet: Fleet, name: str) -> bool:
    member = await fleet.get(MEMBER_CLUSTERS, name)
    return member is None and await fleet.get(NAMESPACES, f"fleet-member-{name}") is None


def test_a_member_leaves_and_its_works_go_with_its_namespace(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(5)
        await fleet.work("w", "m", CLEANUP)
        await fleet.hub.delete(MEMBER_CLUSTERS, "m")
        await fleet.pass_time(30)
        assert await _is_gone(fleet, "m")
        assert agent.joining.is_joined is False
        assert await fleet.told("m", HUB) == [
            "Normal NamespaceCreated: Namespace was created",
            "Normal RoleCreated: role was created",
            "Normal RoleBindingCreated: role binding was created",
            "Normal InternalMemberClusterCreated: Internal member cluster was created",
            "Normal MemberClusterReadyToJoin: member cluster ready to join",
            "Warning MemberClusterJoinStateUnknown: member cluster join state unknown",
            "Normal MemberClusterJoined: member cluster joined",
            "Normal InternalMemberClusterSpecUpdated: internal member cluster spec updated",
            "Normal MemberClusterJoined: member cluster left",
        ]

    fleeting(story, shared)


def test_while_its_agent_is_stopped_a_member_waits_as_in_the_golden_run(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(5)
        await agent.stop()
        await fleet.work("w", "m", CLEANUP)
        await fleet.hub.delete(MEMBER_CLUSTERS, "m")
        await fleet.pass_time(MINUTE)
        member, internal = await fleet.cluster("m"), await fleet.internal("m")
        assert member["metadata"]["finalizers"] == ["kubernetes-fleet.io/membercluster-finalizer"]
        assert internal["spec"]["state"] == "Leave"
        assert internal["metadata"]["generation"] == 2
        seen = {c["type"]: c["observedGeneration"] for c in member["status"]["conditions"]}
        assert seen == {
            "ReadyToJoin": 1,
            "Joined": 2,
            "ClusterPropertyProviderStarted": 2,
            "ClusterPropertyCollectionSucceeded": 2,
        }
        assert (await fleet.conditions("m"))["Joined"] == "True/MemberClusterJoined"
        work = await fleet.found(WORKS, "w", "fleet-member-m")
        assert work["metadata"]["finalizers"] == [CLEANUP]
        agent.start()
        await fleet.pass_time(MINUTE)
        assert await _is_gone(fleet, "m")

    fleeting(story, shared)


def test_a_member_whose_agent_never_answers_is_let_go_after_a_while(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        await fleet.work("w", "m", CLEANUP, "example.com/somebody-else")
        await fleet.hub.delete(MEMBER_CLUSTERS, "m")
        await fleet.pass_time(9 * MINUTE)
        assert (await fleet.internal("m"))["spec"]["state"] == "Leave"
        await fleet.pass_time(2 * MINUTE)
        assert await _is_gone(fleet, "m")

    fleeting(story, shared, patience=timedelta(minutes=10))


def test_a_member_that_comes_back_joins_anew(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        first = await fleet.member("m")
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        for _ in range(2):
            await fleet.pass_time(MINUTE)
            assert agent.joining.is_joined
            await fleet.hub.delete(MEMBER_CLUSTERS, "m")
            await fleet.pass_time(MINUTE)
            assert agent.joining.is_joined is False
            assert await _is_gone(fleet, "m")
            second = await fleet.member("m")
        await fleet.pass_time(MINUTE)
        assert agent.joining.is_joined
        internal = await fleet.internal("m")
        uid = internal["metadata"]["ownerReferences"][0]["uid"]
        assert uid == second["metadata"]["uid"] != first["metadata"]["uid"]
        assert (await fleet.conditions("m"))["Joined"] == "True/MemberClusterJoined"

    fleeting(story, shared)


def test_a_member_made_anew_under_the_name_of_one_torn_out_joins(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(5)
        await fleet.hub.patch(MEMBER_CLUSTERS, "m", {"metadata": {"finalizers": None}})
        await fleet.hub.delete(MEMBER_CLUSTERS, "m")
        assert await fleet.get(MEMBER_CLUSTERS, "m") is None
        second = await fleet.member("m")
        await fleet.pass_time(2 * MINUTE)
        internal = await fleet.internal("m")
        assert internal["metadata"]["ownerReferences"][0]["uid"] == second["metadata"]["uid"]
        assert (await fleet.conditions("m"))["Joined"] == "True/MemberClusterJoined"
        assert agent.joining.is_joined

    fleeting(story, shared)


def test_an_agent_that_cannot_let_its_works_go_says_so_and_tries_again(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(5)
        agent.to_hub.fail("list_all", ServiceUnavailable("the hub is tired"))
        await fleet.hub.delete(MEMBER_CLUSTERS, "m")
        await fleet.pass_time(0.5)
        joined = (await fleet.internal("m"))["status"]["agentStatus"][0]["conditions"][1]
        assert (joined["status"], joined["reason"], joined["message"]) == (
            "Unknown",
            "InternalMemberClusterFailedToLeave",
            "the hub is tired",
        )
        await fleet.pass_time(30)
        assert await _is_gone(fleet, "m")

    fleeting(story, shared)


def test_a_member_has_a_cluster_profile_where_that_is_served(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        agent = Agent(fleet, "m").start()

        async def health() -> tuple[str, str]:
            profile = await fleet.found(PROFILES, "m", "fleet-system")
            assert profile["metadata"]["labels"] == {"x-k8s.io/cluster-manager": "KubeFleet"}
            assert profile["spec"] == {
                "clusterManager": {"name": "KubeFleet"},
                "displayName": "m",
            }
            (said,) = profile["status"]["conditions"]
            assert said["type"] == "ControlPlaneHealthy"
            return said["status"], said["reason"]

        await fleet.pass_time(5)
        assert await health() == ("True", "MemberClusterAPIServerHealthy")
        await agent.stop()
        await fleet.pass_time(4 * MINUTE)
        assert await health() == ("False", "MemberAgentHeartbeatLost")
        await fleet.hub.delete(MEMBER_CLUSTERS, "m")
        await fleet.pass_time(5)
        assert await fleet.get(PROFILES, "m", "fleet-system") is None

    fleeting(story, shared, groups=(*GROUPS, "multicluster.x-k8s.io"))


def test_leaving_ends_however_often_the_hub_loses_answers(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(5)
        for number in range(5):
            await fleet.work(f"w{number}", "m", CLEANUP)
        lost = Fault(ServiceUnavailable("lost"), lost=True)
        agent.to_hub.fault("patch", lost, lost, lost)
        await fleet.hub.delete(MEMBER_CLUSTERS, "m")
        await fleet.pass_time(MINUTE)
        assert await _is_gone(fleet, "m")
        said = await fleet.get(INTERNAL_MEMBER_CLUSTERS, "m", "fleet-member-m")
        assert said is None

    fleeting(story, shared)
