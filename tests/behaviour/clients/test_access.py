"""RBAC for a user without rights: refused in the same words, allowed what it is granted."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from argosy.base.errors import Details, Forbidden
from argosy.base.types import Json
from argosy.client.protocol import Client
from argosy.client.resources import (
    CONFIG_MAPS,
    DEPLOYMENTS,
    NAMESPACES,
    NODES,
    PODS,
    ROLE_BINDINGS,
    ROLES,
)
from tests.behaviour.clients.conftest import Place
from tests.behaviour.clients.waiting import Watcher, eventually

Verb = Callable[[Client, str], Awaitable[Json]]


async def watch_one(client: Client, ns: str) -> None:
    async with Watcher(client.watch(PODS, namespace=ns, since="5")) as watcher:
        await watcher.next()


REFUSED: dict[str, tuple[Verb, str, Details]] = {
    "get": (
        lambda c, ns: c.get(PODS, "a", namespace=ns),
        'pods "a" is forbidden: User "plain" cannot get resource "pods" in API group "" in the namespace "NS"',
        Details(name="a", kind="pods"),
    ),
    "get a subresource": (
        lambda c, ns: c.get(DEPLOYMENTS, "a", namespace=ns, subresource="scale"),
        ('deployments.apps "a" is forbidden: User "plain" cannot get resource "deployments/scale" '
        'in API group "apps" in the namespace "NS"'),
        Details(name="a", group="apps", kind="deployments"),
    ),
    "list in a namespace": (
        lambda c, ns: c.list(PODS, namespace=ns),
        'pods is forbidden: User "plain" cannot list resource "pods" in API group "" in the namespace "NS"',
        Details(kind="pods"),
    ),
    "list everywhere": (
        lambda c, ns: c.list(PODS),
        'pods is forbidden: User "plain" cannot list resource "pods" in API group "" at the cluster scope',
        Details(kind="pods"),
    ),
    "list one by name": (
        lambda c, ns: c.list(PODS, namespace=ns, field_selector="metadata.name=a"),
        'pods "a" is forbidden: User "plain" cannot list resource "pods" in API group "" in the namespace "NS"',
        Details(name="a", kind="pods"),
    ),
    "watch": (
        watch_one,
        'pods is forbidden: User "plain" cannot watch resource "pods" in API group "" in the namespace "NS"',
        Details(kind="pods"),
    ),
    "create": (
        lambda c, ns: c.create(CONFIG_MAPS, {"metadata": {"name": "a"}}, namespace=ns),
        ('configmaps is forbidden: User "plain" cannot create resource "configmaps" in API group "" '
        'in the namespace "NS"'),
        Details(kind="configmaps"),
    ),
    "evict": (
        lambda c, ns: c.create(PODS, {}, namespace=ns, name="a", subresource="eviction"),
        ('pods "a" is forbidden: User "plain" cannot create resource "pods/eviction" in API group "" '
        'in the namespace "NS"'),
        Details(name="a", kind="pods"),
    ),
    "update": (
        lambda c, ns: c.update(NODES, {"metadata": {"name": "n"}}),
        'nodes "n" is forbidden: User "plain" cannot update resource "nodes" in API group "" at the cluster scope',
        Details(name="n", kind="nodes"),
    ),
    "patch": (
        lambda c, ns: c.patch(NODES, "n", {}),
        'nodes "n" is forbidden: User "plain" cannot patch resource "nodes" in API group "" at the cluster scope',
        Details(name="n", kind="nodes"),
    ),
    "apply": (
        lambda c, ns: c.apply(NODES, "n", {}, field_manager="m"),
        'nodes "n" is forbidden: User "plain" cannot patch resource "nodes" in API group "" at the cluster scope',
        Details(name="n", kind="nodes"),
    ),
    "delete": (
        lambda c, ns: c.delete(PODS, "a", namespace=ns),
        'pods "a" is forbidden: User "plain" cannot delete resource "pods" in API group "" in the namespace "NS"',
        Details(name="a", kind="pods"),
    ),
    "delete a collection": (
        lambda c, ns: c.delete_collection(PODS, namespace=ns),
        ('pods is forbidden: User "plain" cannot deletecollection resource "pods" in API group "" '
        'in the namespace "NS"'),
        Details(kind="pods"),
    ),
    "a namespace is in itself": (
        lambda c, ns: c.get(NAMESPACES, ns),
        ('namespaces "NS" is forbidden: User "plain" cannot get resource "namespaces" in API group "" '
        'in the namespace "NS"'),
        Details(name="NS", kind="namespaces"),
    ),
    "permission comes before existence": (
        lambda c, ns: c.get(PODS, "nope", namespace="no-such-namespace"),
        ('pods "nope" is forbidden: User "plain" cannot get resource "pods" in API group "" '
        'in the namespace "no-such-namespace"'),
        Details(name="nope", kind="pods"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("verb", "want", "details"), REFUSED.values(), ids=REFUSED.keys())
async def test_without_rights_everything_is_refused(
    place: Place, verb: Verb, want: str, details: Details
) -> None:
    with pytest.raises(Forbidden) as got:
        await verb(place.world.plain, place.namespace)
    error = got.value
    assert error.message == want.replace("NS", place.namespace)
    named = Details(details.name.replace("NS", place.namespace), details.group, details.kind)
    assert (error.code, error.reason, error.details) == (403, "Forbidden", named)


async def grant(place: Place, **rule: list[str]) -> None:
    """Give `plain` one rule in the namespace."""
    where = place.namespace
    await place.client.create(ROLES, {"metadata": {"name": "r"}, "rules": [rule]}, namespace=where)
    binding = {
        "metadata": {"name": "r"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "plain"}],
    }
    await place.client.create(ROLE_BINDINGS, binding, namespace=where)


async def test_a_role_grants_its_verbs_and_no_more(place: Place) -> None:
    await grant(place, apiGroups=[""], resources=["configmaps"], verbs=["get", "list"])
    await place.put("a", "1")
    plain, where = place.world.plain, place.namespace

    async def granted() -> None:
        await plain.get(CONFIG_MAPS, "a", namespace=where)

    await eventually(granted, Forbidden)
    assert "a" in [raw.name for raw in (await plain.list(CONFIG_MAPS, namespace=where)).items]
    with pytest.raises(Forbidden):
        await plain.patch(CONFIG_MAPS, "a", {}, namespace=where)
    with pytest.raises(Forbidden):
        await plain.list(CONFIG_MAPS)


async def test_a_role_for_one_name(place: Place) -> None:
    await grant(
        place,
        apiGroups=[""],
        resources=["configmaps"],
        resourceNames=["a"],
        verbs=["get", "watch", "list"],
    )
    await place.put("a", "1")
    await place.put("b", "1")
    plain, where = place.world.plain, place.namespace

    async def granted() -> None:
        await plain.get(CONFIG_MAPS, "a", namespace=where)

    await eventually(granted, Forbidden)
    with pytest.raises(Forbidden):
        await plain.get(CONFIG_MAPS, "b", namespace=where)
    with pytest.raises(Forbidden):
        await plain.list(CONFIG_MAPS, namespace=where)
    got = await plain.list(CONFIG_MAPS, namespace=where, field_selector="metadata.name=a")
    assert [raw.name for raw in got.items] == ["a"]
    async with Watcher(
        plain.watch(CONFIG_MAPS, namespace=where, field_selector="metadata.name=a")
    ) as watcher:
        assert await watcher.take(1) == ["ADDED a"]


async def test_a_role_in_a_namespace_shows_the_namespace(place: Place) -> None:
    await grant(place, apiGroups=[""], resources=["namespaces"], verbs=["get"])

    async def granted() -> None:
        await place.world.plain.get(NAMESPACES, place.namespace)

    await eventually(granted, Forbidden)
    with pytest.raises(Forbidden):
        await place.world.plain.get(NAMESPACES, "default")


async def test_nobody_grants_what_they_do_not_have(place: Place) -> None:
    await grant(
        place,
        apiGroups=["rbac.authorization.k8s.io"],
        resources=["roles", "rolebindings"],
        verbs=["create"],
    )
    rule = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}
    body = {"metadata": {"name": "more"}, "rules": [rule]}

    async def granted() -> None:
        with pytest.raises(Forbidden) as got:
            await place.world.plain.create(ROLES, body, namespace=place.namespace)
        assert got.value.message.startswith(
            'roles.rbac.authorization.k8s.io "more" is forbidden: user "plain"'
        )
        assert "is attempting to grant RBAC permissions not currently held" in got.value.message

    await eventually(granted, AssertionError)
