"""A member's agent in good and bad times: what it reports, and how it comes back by itself."""

from __future__ import annotations

from pathlib import Path

from argosy.base.errors import InternalError, ServiceUnavailable
from argosy.base.timestamps import parse_time
from argosy.client.resources import (
    CUSTOM_RESOURCE_DEFINITIONS,
    NODES,
    PODS,
    WORKLOADS,
)
from argosy.queueing.definitions import definitions
from tests.behaviour.placement.memberworlds import MINUTE, Agent, Fleet, fleeting
from tests.fakes.clients import Fault

MEMBER = "v1beta1InternalMemberClusterController"
HOUR = 60 * MINUTE


def test_the_first_report_tells_what_the_cluster_has(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m", 600)
        await fleet.settle()
        agent = Agent(fleet, "m")
        await agent.namespace("ns")
        await agent.node("n1", **{"nvidia.com/gpu": "8"})
        await agent.node("n2", cpu="15900m")
        await agent.pod("p", "n1", cpu="1500m", memory="1Gi", **{"nvidia.com/gpu": "2"})
        await agent.pod("unbound", "", cpu="7")
        agent.start()
        await fleet.pass_time(1)
        status = (await fleet.cluster("m"))["status"]
        assert status["properties"]["kubernetes-fleet.io/node-count"]["value"] == "2"
        usage = status["resourceUsage"]
        assert usage["capacity"] == {
            "cpu": "31900m",
            "memory": "128Gi",
            "nvidia.com/gpu": "8",
            "pods": "220",
        }
        assert usage["available"] == {
            "cpu": "30400m",
            "memory": "127Gi",
            "nvidia.com/gpu": "6",
            "pods": "219",
        }

    fleeting(story, shared)


def test_later_reports_follow_nodes_and_pods_and_forget_what_has_gone(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m", 15)
        await fleet.settle()
        agent = Agent(fleet, "m")
        await agent.namespace("ns")
        await agent.node("n1", **{"nvidia.com/gpu": "8"})
        await agent.node("n2")
        agent.start()
        await fleet.pass_time(5)
        await agent.pod("p", "n2", cpu="4")
        await agent.client.delete(NODES, "n1")
        await fleet.pass_time(20)
        usage = (await fleet.cluster("m"))["status"]["resourceUsage"]
        assert usage["available"] == {"cpu": "12", "memory": "64Gi", "pods": "109"}
        patch = {"status": {"phase": "Succeeded"}}
        await agent.client.patch(PODS, "p", patch, namespace="ns", subresource="status")
        await fleet.pass_time(20)
        usage = (await fleet.cluster("m"))["status"]["resourceUsage"]
        assert usage["available"] == {"cpu": "16", "memory": "64Gi", "pods": "110"}

    fleeting(story, shared)


def test_queues_are_told_of_as_soon_as_they_are_served(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m", 15)
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await agent.namespace("ns")
        await fleet.pass_time(5)
        properties = (await fleet.cluster("m"))["status"]["properties"]
        assert set(properties) == {"kubernetes-fleet.io/node-count"}
        for definition in definitions():
            await agent.client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
        container = {"name": "main", "image": "busybox"}
        template = {"spec": {"containers": [container], "restartPolicy": "Never"}}
        pod_set = {"name": "main", "count": 1, "template": template}
        for name in ("a", "b"):
            body = {"metadata": {"name": name}, "spec": {"queueName": "q", "podSets": [pod_set]}}
            await agent.client.create(WORKLOADS, body, namespace="ns")
        await fleet.pass_time(5 * MINUTE)
        properties = (await fleet.cluster("m"))["status"]["properties"]
        assert properties["argosy.dev/pending-workloads"]["value"] == "2"
        assert 280 <= int(properties["argosy.dev/queue-wait-seconds"]["value"]) <= 300

    fleeting(story, shared)


def test_a_hub_that_is_away_for_an_hour_finds_its_member_again(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m", 15)
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(MINUTE)
        joined = (await fleet.cluster("m"))["status"]["agentStatus"][0]["conditions"]
        away = Fault(ServiceUnavailable("no route to the hub"))
        agent.to_hub._always = lambda _verb: away
        agent.to_hub.cut(ServiceUnavailable("connection lost"))
        agent.to_hub.calls.clear()
        await fleet.pass_time(HOUR)
        tries = agent.to_hub.calls.count(("patch", "internalmemberclusters"))
        assert 220 <= tries <= 270, "about once a heartbeat, after a few quicker ones"
        assert len(fleet.failures.warnings) == 3, "the watch broke, stays away, and so does the hub"
        assert agent.joining.is_joined, "what was applied is still looked after"
        agent.to_hub._always = None
        await fleet.pass_time(20)
        agents = (await fleet.cluster("m"))["status"]["agentStatus"]
        assert agents[0]["conditions"] == joined
        age = fleet.clock.now() - parse_time(agents[0]["lastReceivedHeartbeat"])
        assert age.total_seconds() <= 20
        assert (await fleet.conditions("m"))["Joined"] == "True/MemberClusterJoined"
        # Events live for an hour; nothing was said anew.
        assert await fleet.told("m", MEMBER) == []

    fleeting(story, shared)


def test_an_agent_that_starts_before_its_member_is_known_joins_when_it_is(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(5 * MINUTE)
        assert agent.joining.is_joined is False
        await fleet.member("m", 15)
        await fleet.pass_time(MINUTE)
        assert (await fleet.conditions("m"))["Joined"] == "True/MemberClusterJoined"

    fleeting(story, shared)


def test_an_agent_that_starts_again_joins_without_a_word(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m", 15)
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(MINUTE)
        before = await fleet.cluster("m")
        said = await fleet.told("m", MEMBER)
        await agent.stop()
        await fleet.pass_time(MINUTE)
        Agent(fleet, "m", agent.client).start(seed=50)
        await fleet.pass_time(MINUTE)
        after = await fleet.cluster("m")
        assert after["status"]["conditions"] == before["status"]["conditions"]
        assert await fleet.told("m", MEMBER) == said
        assert len(after["status"]["agentStatus"]) == 1

    fleeting(story, shared)


def test_two_agents_of_one_member_do_not_quarrel(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m", 15)
        await fleet.settle()
        first = Agent(fleet, "m").start()
        second = Agent(fleet, "m", first.client).start(seed=50)
        await fleet.pass_time(10 * MINUTE)
        agents = (await fleet.cluster("m"))["status"]["agentStatus"]
        assert [agent["type"] for agent in agents] == ["MemberAgent"]
        assert [c["status"] for c in agents[0]["conditions"]] == ["True", "True"]
        beats = first.to_hub.calls.count(("patch", "internalmemberclusters"))
        assert 35 <= beats <= 45, "nobody writes because the other did"
        assert second.joining.is_joined

    fleeting(story, shared)


def test_a_cluster_whose_api_server_is_ill_is_told_of_and_recovers(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m", 60)
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(5)
        ill = Fault(InternalError("etcd is gone"))
        agent.to_member._always = lambda verb: ill if verb == "list" else Fault()
        await fleet.pass_time(MINUTE)
        (status,) = (await fleet.cluster("m"))["status"]["agentStatus"]
        healthy = status["conditions"][0]
        assert healthy["type"] == "Healthy"
        assert (healthy["status"], healthy["reason"], healthy["message"]) == (
            "False",
            "InternalMemberClusterUnhealthy",
            "health probe failed with status code 500",
        )
        assert (await fleet.conditions("m"))["Joined"] == "True/MemberClusterJoined"
        agent.to_member._always = None
        await fleet.pass_time(15)
        (status,) = (await fleet.cluster("m"))["status"]["agentStatus"]
        assert status["conditions"][0]["status"] == "True"
        assert await fleet.told("m", MEMBER) == [
            "Normal InternalMemberClusterHealthy: internal member cluster healthy",
            "Normal Started: The property provider has started successfully",
            "Normal InternalMemberClusterJoined: internal member cluster joined",
            "Warning InternalMemberClusterUnhealthy: internal member cluster unhealthy",
        ]

    fleeting(story, shared)


def test_a_cluster_whose_nodes_cannot_be_read_joins_without_properties(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m", 60)
        await fleet.settle()
        agent = Agent(fleet, "m")
        blind = Fault(ServiceUnavailable("not yet"))
        agent.to_member._always = lambda verb: blind if verb == "watch" else Fault()
        agent.start()
        await fleet.pass_time(12)
        assert await fleet.conditions("m") == {
            "ReadyToJoin": "True/MemberClusterReadyToJoin",
            "Joined": "True/MemberClusterJoined",
            "ClusterPropertyProviderStarted": "False/TimedOut",
        }
        await agent.node("n")
        agent.to_member._always = None
        await fleet.pass_time(MINUTE)
        assert await fleet.conditions("m") == {
            "ReadyToJoin": "True/MemberClusterReadyToJoin",
            "Joined": "True/MemberClusterJoined",
            "ClusterPropertyProviderStarted": "True/Started",
            "ClusterPropertyCollectionSucceeded": "True/PropertiesCollected",
        }
        properties = (await fleet.cluster("m"))["status"]["properties"]
        assert properties["kubernetes-fleet.io/node-count"]["value"] == "1"

    fleeting(story, shared)


def test_members_do_not_beat_in_step(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        agents = [Agent(fleet, f"m{number:02}") for number in range(8)]
        for agent in agents:
            await fleet.member(agent.name, 60)
        await fleet.settle()
        for number, agent in enumerate(agents):
            agent.start(seed=100 * number)
        await fleet.pass_time(30 * MINUTE)
        seen = {
            (await fleet.cluster(agent.name))["status"]["agentStatus"][0]["lastReceivedHeartbeat"]
            for agent in agents
        }
        assert len(seen) > len(agents) // 2

    fleeting(story, shared)
