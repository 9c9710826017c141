"""Joining a fleet, as the hub and the member's agent write it down together."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
import yaml

from argosy.apiserver.access.identities import User
from argosy.base.errors import Forbidden, ServiceUnavailable
from argosy.base.types import Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import Client
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENTS,
    CONFIG_MAPS,
    EVENTS,
    INTERNAL_MEMBER_CLUSTERS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    ROLE_BINDINGS,
    ROLES,
    SECRETS,
    WORKS,
    Resource,
)
from tests.behaviour.placement.memberworlds import Agent, Fleet, fleeting
from tests.fakes.clients import Fault, FaultyClient

HUB = "mcv1beta1"
MEMBER = "v1beta1InternalMemberClusterController"


def _v1(resource: Resource) -> Resource:
    """As `kubectl get` shows it."""
    return Resource(resource.group, "v1", resource.plural, resource.kind, resource.namespaced)


def _normal(found: Object) -> Object:
    """Without what differs from run to run, as the golden runs were normalized."""
    meta = found["metadata"]
    for name in ("uid", "resourceVersion", "creationTimestamp", "managedFields"):
        meta.pop(name, None)
    for owner in meta.get("ownerReferences", ()):
        owner["uid"] = "<uuid>"
    status = found["status"]
    for name in ("properties", "resourceUsage"):
        status.pop(name, None)
    for agent in status["agentStatus"]:
        agent["lastReceivedHeartbeat"] = "<time>"
        for condition in agent["conditions"]:
            condition["lastTransitionTime"] = "<time>"
    for condition in status["conditions"]:
        condition["lastTransitionTime"] = "<time>"
    return found


def test_two_members_look_like_those_of_the_golden_run(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        for name in ("member-1", "member-2"):
            await fleet.member(name)
            await Agent(fleet, name).start().node("n1")
        await fleet.pass_time(60)
        golden = shared / "fixtures" / "kubefleet" / "cases" / "01-guide"
        for resource, file in (
            (MEMBER_CLUSTERS, "memberclusters"),
            (INTERNAL_MEMBER_CLUSTERS, "internalmemberclusters"),
        ):
            want = list(yaml.safe_load_all((golden / f"{file}.yaml").read_text()))
            found = (await fleet.hub.list(_v1(resource))).items
            got = [_normal(decode(raw)) for raw in found]
            assert got == want

    fleeting(story, shared)


def test_members_without_an_agent_are_told_of_as_somebody_reports_for_them(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        golden = shared / "fixtures" / "kubefleet" / "cases" / "05-unfulfilled"
        reports = yaml.safe_load_all((golden / "internalmemberclusters.yaml").read_text())
        wanted = yaml.safe_load_all((golden / "memberclusters.yaml").read_text())
        fakes = {"fake-000", "fake-001"}
        want = [each for each in wanted if each["metadata"]["name"] in fakes]
        for each in want:
            labels = {"fake": "true", "region": each["metadata"]["labels"]["region"]}
            meta = {"name": each["metadata"]["name"], "labels": labels}
            await fleet.hub.create(MEMBER_CLUSTERS, {"metadata": meta, "spec": each["spec"]})
        await fleet.settle()
        for each in reports:
            if (name := each["metadata"]["name"]) in fakes:
                text = json.dumps(each["status"]).replace("<time>", "2026-01-01T00:00:00Z")
                await fleet.hub.patch(
                    INTERNAL_MEMBER_CLUSTERS,
                    name,
                    {"status": json.loads(text)},
                    namespace=f"fleet-member-{name}",
                    subresource="status",
                )
        await fleet.settle()
        found = (await fleet.hub.list(_v1(MEMBER_CLUSTERS))).items
        assert [_normal(decode(raw)) for raw in found] == want

    fleeting(story, shared)


@pytest.mark.parametrize("seed", range(8))
def test_a_hub_that_fails_now_and_then_ends_where_it_should(shared: Path, seed: int) -> None:
    luck = random.Random(seed)

    def fault(verb: str) -> Fault:
        if verb not in {"create", "patch", "delete"} or luck.random() > 0.3:
            return Fault()
        return Fault(ServiceUnavailable("try again"), lost=luck.random() < 0.5)

    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.pass_time(60)
        agent = Agent(fleet, "m").start()
        agent.to_hub._always = fault
        await fleet.pass_time(120)
        assert (await fleet.conditions("m"))["Joined"] == "True/MemberClusterJoined"
        for number in range(3):
            await fleet.work(f"w{number}", "m", "kubernetes-fleet.io/work-cleanup")
        await fleet.hub.delete(MEMBER_CLUSTERS, "m")
        await fleet.pass_time(180)
        assert await fleet.get(MEMBER_CLUSTERS, "m") is None
        assert await fleet.get(NAMESPACES, "fleet-member-m") is None

    def through(client: Client) -> Client:
        return FaultyClient(client, fault)  # type: ignore[return-value]  # it has every verb

    fleeting(story, shared, through=through)


def test_what_a_member_is_given(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        member = await fleet.member("m")
        await fleet.settle()
        owner = {
            "apiVersion": "cluster.kubernetes-fleet.io/v1beta1",
            "kind": "MemberCluster",
            "name": "m",
            "uid": member["metadata"]["uid"],
            "controller": True,
        }
        namespace = await fleet.found(NAMESPACES, "fleet-member-m")
        role = await fleet.found(ROLES, "fleet-role-m", "fleet-member-m")
        binding = await fleet.found(ROLE_BINDINGS, "fleet-rolebinding-m", "fleet-member-m")
        for each in (namespace, role, binding):
            assert each["metadata"]["ownerReferences"] == [owner]
        assert namespace["metadata"]["labels"]["kubernetes-fleet.io/is-fleet-resource"] == "true"
        groups = [(rule["apiGroups"], rule["resources"], rule["verbs"]) for rule in role["rules"]]
        assert groups == [
            (["cluster.kubernetes-fleet.io"], ["*"], ["*"]),
            (["placement.kubernetes-fleet.io"], ["*"], ["*"]),
            (["networking.fleet.azure.com"], ["*"], ["*"]),
            ([""], ["events"], ["get", "list", "update", "patch", "watch", "create"]),
        ]
        assert binding["roleRef"]["name"] == "fleet-role-m"
        assert binding["subjects"] == [
            {"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "m-agent"}
        ]
        assert await fleet.conditions("m") == {
            "ReadyToJoin": "True/MemberClusterReadyToJoin",
            "Joined": "Unknown/MemberClusterJoinStateUnknown",
        }

    fleeting(story, shared)


def test_events_of_a_member_that_joins(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        Agent(fleet, "m").start()
        await fleet.pass_time(40)
        assert await fleet.told("m", HUB) == [
            "Normal NamespaceCreated: Namespace was created",
            "Normal RoleCreated: role was created",
            "Normal RoleBindingCreated: role binding was created",
            "Normal InternalMemberClusterCreated: Internal member cluster was created",
            "Normal MemberClusterReadyToJoin: member cluster ready to join",
            "Warning MemberClusterJoinStateUnknown: member cluster join state unknown",
            "Normal MemberClusterJoined: member cluster joined",
        ]
        assert await fleet.told("m", MEMBER) == [
            "Normal InternalMemberClusterHealthy: internal member cluster healthy",
            "Normal Started: The property provider has started successfully",
            "Normal InternalMemberClusterJoined: internal member cluster joined",
        ]

    fleeting(story, shared)


READABLE = (INTERNAL_MEMBER_CLUSTERS, WORKS, EVENTS)
HIDDEN = (CONFIG_MAPS, SECRETS, ROLES)


def test_a_members_identity_sees_its_own_namespace_only(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        for name in ("a", "b"):
            await fleet.member(name)
        await fleet.settle()
        await fleet.work("w", "a")
        await fleet.work("w", "b")
        agent = LocalClient(fleet.server, User("a-agent"), agent="member-agent")
        own = [raw.name for raw in (await agent.list(WORKS, namespace="fleet-member-a")).items]
        assert own == ["w"]
        found = await agent.get(INTERNAL_MEMBER_CLUSTERS, "a", namespace="fleet-member-a")
        assert found.name == "a"
        for resource in READABLE:
            await agent.list(resource, namespace="fleet-member-a")
            for elsewhere in ("fleet-member-b", "default", None):
                with pytest.raises(Forbidden):
                    await agent.list(resource, namespace=elsewhere)
        for resource in HIDDEN:
            with pytest.raises(Forbidden):
                await agent.list(resource, namespace="fleet-member-a")
        for resource in (MEMBER_CLUSTERS, CLUSTER_RESOURCE_PLACEMENTS, NAMESPACES):
            with pytest.raises(Forbidden):
                await agent.list(resource)
        for name in ("a", "b"):
            with pytest.raises(Forbidden):
                await agent.get(MEMBER_CLUSTERS, name)
        with pytest.raises(Forbidden):
            await agent.get(WORKS, "w", namespace="fleet-member-b")
        with pytest.raises(Forbidden):
            await agent.patch(
                INTERNAL_MEMBER_CLUSTERS,
                "b",
                {"status": {"conditions": []}},
                namespace="fleet-member-b",
                subresource="status",
            )

    fleeting(story, shared)


def test_a_heartbeat_is_copied_with_one_write_and_nothing_else_is_written(shared: Path) -> None:
    clients: list[FaultyClient] = []

    def through(client: Client) -> Client:
        clients.append(FaultyClient(client))
        return clients[0]  # type: ignore[return-value]  # it has every verb

    async def story(fleet: Fleet) -> None:
        await fleet.member("m", 60)
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(30)
        before = (await fleet.cluster("m"))["status"]["agentStatus"][0]["lastReceivedHeartbeat"]
        clients[0].calls.clear()
        agent.to_hub.calls.clear()
        await fleet.pass_time(600)
        after = (await fleet.cluster("m"))["status"]["agentStatus"][0]["lastReceivedHeartbeat"]
        beats = agent.to_hub.calls.count(("patch", "internalmemberclusters"))
        assert 9 <= beats <= 11
        assert set(agent.to_hub.calls) == {("patch", "internalmemberclusters")}
        assert clients[0].calls == [("patch", "memberclusters")] * beats
        assert after > before

    fleeting(story, shared, through=through)


def test_taints_and_labels_of_users_survive_and_generations_are_followed(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        Agent(fleet, "m").start()
        await fleet.pass_time(5)
        taint = {"key": "gpu", "value": "yes", "effect": "NoSchedule"}
        patch = {"metadata": {"labels": {"region": "r0"}}, "spec": {"taints": [taint]}}
        await fleet.hub.patch(MEMBER_CLUSTERS, "m", patch)
        await fleet.pass_time(60)
        member = await fleet.cluster("m")
        assert member["spec"]["taints"] == [taint]
        assert member["metadata"]["labels"] == {
            "region": "r0",
            "kubernetes-fleet.io/member-name": "m",
        }
        assert member["metadata"]["generation"] == 2
        seen = {c["observedGeneration"] for c in member["status"]["conditions"]}
        seen |= {c["observedGeneration"] for c in member["status"]["agentStatus"][0]["conditions"]}
        assert seen == {2}
        internal = await fleet.internal("m")
        assert internal["metadata"]["generation"] == 1

    fleeting(story, shared)


def test_another_heartbeat_period_reaches_the_agent(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m", 600)
        await fleet.settle()
        agent = Agent(fleet, "m").start()
        await fleet.pass_time(5)
        await fleet.hub.patch(MEMBER_CLUSTERS, "m", {"spec": {"heartbeatPeriodSeconds": 10}})
        await fleet.pass_time(1)
        agent.to_hub.calls.clear()
        await fleet.pass_time(60)
        assert 5 <= agent.to_hub.calls.count(("patch", "internalmemberclusters")) <= 7
        said = await fleet.told("m", HUB)
        assert (
            "Normal InternalMemberClusterSpecUpdated: internal member cluster spec updated" in said
        )

    fleeting(story, shared)


def test_what_somebody_takes_away_or_changes_is_put_back(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        where = {"namespace": "fleet-member-m"}
        await fleet.hub.delete(ROLE_BINDINGS, "fleet-rolebinding-m", **where)
        await fleet.hub.patch(ROLES, "fleet-role-m", {"rules": []}, **where)
        patch = {"metadata": {"labels": {"kubernetes-fleet.io/is-fleet-resource": None}}}
        await fleet.hub.patch(NAMESPACES, "fleet-member-m", patch)
        await fleet.hub.patch(MEMBER_CLUSTERS, "m", {"metadata": {"labels": None}})
        await fleet.settle()
        role = await fleet.found(ROLES, "fleet-role-m", "fleet-member-m")
        namespace = await fleet.found(NAMESPACES, "fleet-member-m")
        assert len(role["rules"]) == 4
        assert await fleet.get(ROLE_BINDINGS, "fleet-rolebinding-m", "fleet-member-m")
        assert "kubernetes-fleet.io/is-fleet-resource" in namespace["metadata"]["labels"]
        labels = (await fleet.cluster("m"))["metadata"]["labels"]
        assert labels == {"kubernetes-fleet.io/member-name": "m"}
        said = await fleet.told("m", HUB)
        assert "Normal RoleUpdated: role was updated" in said
        assert "Normal NamespacePatched: Namespace was patched" in said

    fleeting(story, shared)


def test_another_identity_takes_the_place_of_the_first(shared: Path) -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.member("m")
        await fleet.settle()
        other = {"kind": "ServiceAccount", "name": "agent", "namespace": "fleet-system"}
        patch = {"spec": {"identity": {**other, "apiGroup": None}}}
        await fleet.hub.patch(MEMBER_CLUSTERS, "m", patch)
        await fleet.settle()
        binding = await fleet.found(ROLE_BINDINGS, "fleet-rolebinding-m", "fleet-member-m")
        assert binding["subjects"] == [other]
        agent = LocalClient(fleet.server, User("m-agent"), agent="member-agent")
        with pytest.raises(Forbidden):
            await agent.list(WORKS, namespace="fleet-member-m")

    fleeting(story, shared)
