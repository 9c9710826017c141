"""The hub's webhooks as a plugin of the server: who asks them, what they see, and what a user reads."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
import pytest

from argosy.apiserver.access.identities import ADMIN
from argosy.base.errors import Forbidden
from argosy.base.loops import run_virtual
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.resources import (
    CLUSTER_RESOURCE_OVERRIDES,
    CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS,
    CLUSTER_RESOURCE_PLACEMENT_EVICTIONS,
    CLUSTER_RESOURCE_PLACEMENTS,
    CUSTOM_RESOURCE_DEFINITIONS,
    MEMBER_CLUSTERS,
    NAMESPACES,
    RESOURCE_OVERRIDES,
    RESOURCE_PLACEMENTS,
    Resource,
)
from argosy.placement.admission import add_admission
from argosy.placement.definitions import definitions
from argosy.queueing.definitions import definitions as queueing_definitions
from tests.fakes.clusters import memory_server

NAMESPACE = {"group": "", "version": "v1", "kind": "Namespace", "name": "ns"}
CONFIG_MAP = {"group": "", "version": "v1", "kind": "ConfigMap", "name": "c"}


def hub(story: Callable[[LocalClient], Awaitable[None]], *, checked: bool = True) -> None:
    async def main() -> None:
        server = memory_server()
        client = LocalClient(server, ADMIN, agent="test")
        for name in ("ns", "other"):
            await client.create(NAMESPACES, {"metadata": {"name": name}})
        for definition in [*definitions(), *queueing_definitions()]:
            await client.create(CUSTOM_RESOURCE_DEFINITIONS, definition)
        if checked:
            add_admission(server.cluster)
        await story(client)

    run_virtual(main())


def placing(*selectors: Object, **spec: Json) -> Object:
    return {"resourceSelectors": list(selectors) or [NAMESPACE], **spec}


async def create(
    client: LocalClient, resource: Resource, spec: Object, name: str = "x", namespace: str = "ns"
) -> Object:
    body = {"metadata": {"name": name}, "spec": spec}
    where = namespace if resource.namespaced else None
    return decode(await client.create(resource, body, namespace=where))


async def denied(asked: Awaitable[object]) -> str:
    with pytest.raises(Forbidden) as refused:
        await asked
    return str(refused.value)


def test_a_placement_is_filled_in_whatever_version_it_comes_in() -> None:
    async def story(client: LocalClient) -> None:
        v1 = msgspec.structs.replace(CLUSTER_RESOURCE_PLACEMENTS, version="v1")
        made = await create(client, v1, placing())

        assert made["spec"]["policy"] == {"placementType": "PickAll"}
        assert made["spec"]["strategy"] == {
            "type": "RollingUpdate",
            "rollingUpdate": {
                "maxUnavailable": "25%",
                "maxSurge": "25%",
                "unavailablePeriodSeconds": 60,
            },
            "applyStrategy": {
                "type": "ClientSideApply",
                "comparisonOption": "PartialComparison",
                "whenToApply": "Always",
                "whenToTakeOver": "Always",
            },
        }

    hub(story)


def test_without_webhooks_a_placement_stays_as_it_is() -> None:
    async def story(client: LocalClient) -> None:
        made = await create(client, CLUSTER_RESOURCE_PLACEMENTS, placing(CONFIG_MAP))

        assert made["spec"] == {
            "resourceSelectors": [{**CONFIG_MAP, "selectionScope": "NamespaceWithResources"}],
            "revisionHistoryLimit": 10,
            "statusReportingScope": "ClusterScopeOnly",
        }

    hub(story, checked=False)


def test_a_placement_of_the_cluster_takes_nothing_of_a_namespace() -> None:
    async def story(client: LocalClient) -> None:
        asked = create(client, CLUSTER_RESOURCE_PLACEMENTS, placing(CONFIG_MAP))

        assert await denied(asked) == (
            'admission webhook "fleet.clusterresourceplacementv1beta1.validating" denied the request: deny '
            "create/update v1beta1 CRP has invalid fields the resource is not found in schema (please retry) or it is "
            "not a cluster scoped resource: /v1, Kind=ConfigMap"
        )
        # Nobody looks at a placement of a namespace.
        await create(client, RESOURCE_PLACEMENTS, placing(NAMESPACE))

    hub(story)


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_a_kind_may_be_named_in_any_version_that_is_served(version: str) -> None:
    async def story(client: LocalClient) -> None:
        queue = {"group": "kueue.x-k8s.io", "version": version, "kind": "ClusterQueue"}
        await create(client, CLUSTER_RESOURCE_PLACEMENTS, placing(queue))
        asked = create(client, CLUSTER_RESOURCE_PLACEMENTS, placing({**queue, "version": "v9"}))
        assert 'no matches for kind "ClusterQueue" in version "kueue.x-k8s.io/v9"' in (
            await denied(asked)
        )

    hub(story)


def test_a_placement_whose_kind_has_gone_can_be_deleted_and_no_more() -> None:
    async def story(client: LocalClient) -> None:
        queue = {"group": "kueue.x-k8s.io", "version": "v1beta2", "kind": "ClusterQueue"}
        crp = CLUSTER_RESOURCE_PLACEMENTS
        await create(client, crp, placing(queue))
        await client.patch(crp, "x", {"metadata": {"finalizers": ["a.b/c"]}})
        gone = "clusterqueues.kueue.x-k8s.io"
        await client.delete(CUSTOM_RESOURCE_DEFINITIONS, gone)
        await client.patch(CUSTOM_RESOURCE_DEFINITIONS, gone, {"metadata": {"finalizers": []}})

        told = await denied(client.patch(crp, "x", {"metadata": {"labels": {"a": "b"}}}))
        assert "deny update on old invalid v1beta1 CRP with DeletionTimestamp not set" in told
        await client.patch(crp, "x", {"status": {"conditions": []}}, subresource="status")
        await client.delete(crp, "x")
        await client.patch(crp, "x", {"metadata": {"finalizers": []}})
        assert not (await client.list(crp)).items

    hub(story)


def test_a_policy_may_be_removed_where_it_said_what_holds_without_it() -> None:
    """The webhook fills it in again before the rule that keeps policies looks."""

    async def story(client: LocalClient) -> None:
        crp = CLUSTER_RESOURCE_PLACEMENTS
        await create(client, crp, placing(policy={"placementType": "PickAll"}))
        kept = decode(await client.patch(crp, "x", {"spec": {"policy": None}}))

        assert kept["spec"]["policy"] == {"placementType": "PickAll"}

    hub(story)


def test_taints_of_a_member_are_looked_at() -> None:
    async def story(client: LocalClient) -> None:
        taint = {"key": "k", "effect": "NoSchedule"}
        spec = {"identity": {"kind": "User", "name": "u"}, "taints": [taint]}
        await create(client, MEMBER_CLUSTERS, spec, "m")
        twice = {"spec": {"taints": [taint, taint]}}

        assert await denied(client.patch(MEMBER_CLUSTERS, "m", twice)) == (
            'admission webhook "fleet.membercluster.validating" denied the request: taint {Key:k Value: '
            "Effect:NoSchedule} already exists, taints must be unique"
        )
        await client.delete(MEMBER_CLUSTERS, "m")

    hub(story)


def overriding(selectors: str, name: str) -> Object:
    change = {"op": "add", "path": "/metadata/labels/a", "value": "b"}
    rules = [{"jsonPatchOverrides": [change]}]
    selector = {"group": "", "version": "v1", "kind": "X", "name": name}
    return {selectors: [selector], "policy": {"overrideRules": rules}}


def test_an_object_has_one_override_of_the_cluster() -> None:
    async def story(client: LocalClient) -> None:
        spec = overriding("clusterResourceSelectors", "ns")
        await create(client, CLUSTER_RESOURCE_OVERRIDES, spec, "a")
        told = await denied(create(client, CLUSTER_RESOURCE_OVERRIDES, spec, "b"))

        assert told == (
            'admission webhook "fleet.clusterresourceoverride.validating" denied the request: invalid resource '
            "selector {Group: Version:v1 Kind:X Name:ns LabelSelector:nil SelectionScope:NamespaceWithResources}: the "
            "resource has been selected by both b and a, which is not supported"
        )
        await client.patch(CLUSTER_RESOURCE_OVERRIDES, "a", {"metadata": {"labels": {"a": "b"}}})

    hub(story)


def test_an_object_has_one_override_in_its_namespace() -> None:
    async def story(client: LocalClient) -> None:
        spec = overriding("resourceSelectors", "c")
        await create(client, RESOURCE_OVERRIDES, spec, "a")
        await create(client, RESOURCE_OVERRIDES, spec, "b", "other")
        told = await denied(create(client, RESOURCE_OVERRIDES, spec, "b"))

        assert told == (
            'admission webhook "fleet.resourceoverride.validating" denied the request: invalid resource selector '
            "{Group: Version:v1 Kind:X Name:c}: the resource has been selected by both b and a, which is not supported"
        )

    hub(story)


def test_evictions_and_budgets_are_held_against_their_placement() -> None:
    async def story(client: LocalClient) -> None:
        fixed = placing(policy={"placementType": "PickFixed", "clusterNames": ["m"]})
        await create(client, CLUSTER_RESOURCE_PLACEMENTS, fixed, "fixed")
        await create(client, CLUSTER_RESOURCE_PLACEMENTS, placing(), "all")
        evictions = CLUSTER_RESOURCE_PLACEMENT_EVICTIONS
        budgets = CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS
        of = {"placementName": "fixed", "clusterName": "m"}

        assert await denied(create(client, evictions, of)) == (
            'admission webhook "fleet.clusterresourceplacementeviction.validating" denied the request: cluster '
            "resource placement policy type PickFixed is not supported"
        )
        await create(client, evictions, {**of, "placementName": "nobody"})
        assert await denied(create(client, budgets, {"maxUnavailable": "10%"}, "all")) == (
            'admission webhook "fleet.clusterresourceplacementdisruptionbudget.validating" denied the request: '
            "cluster resource placement policy type PickAll is not supported with any specified max unavailable 10%"
        )
        await create(client, budgets, {"minAvailable": 1}, "all")

    hub(story)
