"""A placement with all that came of it, gathered from the hub: what `argosy placement tree` and `why` look at."""

from __future__ import annotations

import asyncio
from typing import Final, TypeVar

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import PolicySnapshot, ResourceSnapshot
from argosy.api.objects.fleet.updateruns import ApprovalRequest, UpdateRun
from argosy.api.objects.fleet.works import SentWork
from argosy.api.objects.metadata import View, decoder
from argosy.base.errors import Forbidden, NotFound
from argosy.client.objects import Raw
from argosy.client.protocol import Client
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENTS,
    RESOURCE_PLACEMENTS,
    WORKS,
    Resource,
)
from argosy.placement.explaining.families import Family
from argosy.placement.scopes import CLUSTER, NAMESPACE, Scope
from argosy.placement.templating.children import TEMPLATE, is_template
from argosy.sdk import errors

V = TypeVar("V", bound=View)

_CLUSTER_KINDS: Final = frozenset(("crp", "clusterresourceplacement", "clusterresourceplacements"))
_NAMESPACE_KINDS: Final = frozenset(("rp", "resourceplacement", "resourceplacements"))
KINDS: Final = frozenset(("placement", "placements")) | _CLUSTER_KINDS | _NAMESPACE_KINDS


async def gather(client: Client, namespace: str, kind: str, name: str) -> Family:
    """A placement of the namespace, else of the cluster, with its children, as far as the user may see them."""
    if kind.lower().partition(".")[0] not in KINDS:
        raise errors.FleetError(f'"{kind}" is no kind of placement: say crp/{name} or rp/{name}')
    scope, placement = await _find(client, namespace, kind.lower().partition(".")[0], name)
    namespace = placement.metadata.namespace
    selector = f"{names.PARENT}={name}"
    if namespace:
        works_selector = f"{selector},{names.PARENT_NAMESPACE}={namespace}"
    else:
        works_selector = f"{selector},!{names.PARENT_NAMESPACE}"
    policies, resources, bindings, works = await asyncio.gather(
        _list(client, scope.policy_snapshots, PolicySnapshot, selector, namespace),
        _list(client, scope.resource_snapshots, ResourceSnapshot, selector, namespace),
        _list(client, scope.bindings, Binding, selector, namespace),
        _list(client, WORKS, SentWork, works_selector, ""),
    )
    runs, approvals, children = await asyncio.gather(
        _list(client, scope.update_runs, UpdateRun, "", namespace),
        _list(client, scope.approval_requests, ApprovalRequest, "", namespace),
        _children(client, placement),
    )
    own = tuple(each for each in runs if each.spec.placement_name == name)
    names_of_runs = {each.metadata.name for each in own}
    return Family(
        scope.placements.kind,
        placement,
        policies,
        resources,
        bindings,
        works,
        own,
        tuple(each for each in approvals if each.spec.parent_stage_rollout in names_of_runs),
        children,
    )


async def _children(client: Client, placement: Placement) -> tuple[Placement, ...]:
    """The placements that a template has made."""
    if not is_template(placement):
        return ()
    selector = f"{TEMPLATE}={placement.metadata.name}"
    namespace = placement.metadata.namespace
    return await _list(client, RESOURCE_PLACEMENTS, Placement, selector, namespace)


async def _find(client: Client, namespace: str, kind: str, name: str) -> tuple[Scope, Placement]:
    wanted: list[tuple[Scope, Resource]] = []
    if kind not in _CLUSTER_KINDS:
        wanted.append((NAMESPACE, RESOURCE_PLACEMENTS))
    if kind not in _NAMESPACE_KINDS:
        wanted.append((CLUSTER, CLUSTER_RESOURCE_PLACEMENTS))
    for scope, resource in wanted:
        try:
            raw = await client.get(resource, name, namespace=namespace)
        except NotFound:
            continue
        return scope, _read(Placement, raw)
    looked = " and ".join(
        f'{resource.kind} "{name}" in namespace "{namespace}"'
        if resource.namespaced
        else f'{resource.kind} "{name}"'
        for _, resource in wanted
    )
    raise errors.NotFound(
        f"not found: {looked}; -n NAMESPACE says where to look, --context which hub"
    )


async def _list(
    client: Client, resource: Resource, view: type[V], selector: str, namespace: str
) -> tuple[V, ...]:
    try:
        found = await client.list_all(
            resource, namespace=namespace or None, label_selector=selector
        )
    except Forbidden:
        return ()
    return tuple(_read(view, raw) for raw in found.items)


def _read(view: type[V], raw: Raw) -> V:
    try:
        found: V = decoder(view)(bytes(raw.body))
    except msgspec.ValidationError as error:
        raise errors.FleetError(
            f"{raw.resource.qualified} {raw.key} cannot be read: {error}"
        ) from error
    return found
