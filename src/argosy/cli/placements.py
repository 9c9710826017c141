"""`argosy placement tree NAME` and `argosy why placement/NAME`: a placement with all that came of it."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator
from typing import Final, TypeVar

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.fleet.snapshots import PolicySnapshot, ResourceSnapshot
from argosy.api.objects.fleet.updateruns import ApprovalRequest, UpdateRun
from argosy.api.objects.fleet.works import SentWork
from argosy.api.objects.metadata import View, decoder
from argosy.base.errors import NotFound
from argosy.base.types import Object
from argosy.cli import printing
from argosy.cli.connecting import CommandError, Session
from argosy.client.objects import Raw
from argosy.client.resources import (
    CLUSTER_RESOURCE_PLACEMENTS,
    RESOURCE_PLACEMENTS,
    WORKS,
    Resource,
)
from argosy.placement.explaining.families import Family
from argosy.placement.explaining.trees import Branch, tree
from argosy.placement.explaining.whys import told
from argosy.placement.scopes import CLUSTER, NAMESPACE, Scope
from argosy.placement.templating.children import TEMPLATE, is_template

V = TypeVar("V", bound=View)

_CLUSTER_KINDS: Final = frozenset(("crp", "clusterresourceplacement", "clusterresourceplacements"))
_NAMESPACE_KINDS: Final = frozenset(("rp", "resourceplacement", "resourceplacements"))
KINDS: Final = frozenset(("placement", "placements")) | _CLUSTER_KINDS | _NAMESPACE_KINDS
_HEAD: Final = ("NAME", "WHAT", "CLUSTER", "STATE", "REASON", "MESSAGE")


async def show_tree(session: Session, parsed: argparse.Namespace) -> int:
    printing.check_output(parsed.output, printing.DOCUMENTS)
    kind, _, name = parsed.name.rpartition("/")
    branch = tree(await gather(session, kind or "placement", name))
    if parsed.output:
        sys.stdout.write(printing.document(_document(branch), parsed.output))
    else:
        sys.stdout.write(printing.table([_HEAD, *_rows(branch, "", "")]))
    return 0


async def explain(session: Session, kind: str, name: str, output: str) -> int:
    family = await gather(session, kind, name)
    if output:
        explanation = {"placement": family.title, "explanation": told(family).splitlines()}
        sys.stdout.write(printing.document(explanation, output))
    else:
        sys.stdout.write(told(family))
    return 0


async def gather(session: Session, kind: str, name: str) -> Family:
    """A placement of the namespace, else of the cluster, with its children."""
    if kind.lower().partition(".")[0] not in KINDS:
        raise CommandError(f'"{kind}" is no kind of placement: say crp/{name} or rp/{name}')
    scope, placement = await _find(session, kind.lower().partition(".")[0], name)
    namespace = placement.metadata.namespace
    selector = f"{names.PARENT}={name}"
    if namespace:
        works_selector = f"{selector},{names.PARENT_NAMESPACE}={namespace}"
    else:
        works_selector = f"{selector},!{names.PARENT_NAMESPACE}"
    policies, resources, bindings, works = await asyncio.gather(
        _list(session, scope.policy_snapshots, PolicySnapshot, selector, namespace),
        _list(session, scope.resource_snapshots, ResourceSnapshot, selector, namespace),
        _list(session, scope.bindings, Binding, selector, namespace),
        _list(session, WORKS, SentWork, works_selector, ""),
    )
    runs, approvals, children = await asyncio.gather(
        _list(session, scope.update_runs, UpdateRun, "", namespace),
        _list(session, scope.approval_requests, ApprovalRequest, "", namespace),
        _children(session, placement),
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


async def _children(session: Session, placement: Placement) -> tuple[Placement, ...]:
    """The placements that a template has made."""
    if not is_template(placement):
        return ()
    selector = f"{TEMPLATE}={placement.metadata.name}"
    namespace = placement.metadata.namespace
    return await _list(session, RESOURCE_PLACEMENTS, Placement, selector, namespace)


async def _find(session: Session, kind: str, name: str) -> tuple[Scope, Placement]:
    wanted: list[tuple[Scope, Resource]] = []
    if kind not in _CLUSTER_KINDS:
        wanted.append((NAMESPACE, RESOURCE_PLACEMENTS))
    if kind not in _NAMESPACE_KINDS:
        wanted.append((CLUSTER, CLUSTER_RESOURCE_PLACEMENTS))
    for scope, resource in wanted:
        try:
            raw = await session.client.get(resource, name, namespace=session.namespace)
        except NotFound:
            continue
        return scope, _read(Placement, raw)
    looked = " and ".join(
        f'{resource.kind} "{name}" in namespace "{session.namespace}"'
        if resource.namespaced
        else f'{resource.kind} "{name}"'
        for _, resource in wanted
    )
    raise CommandError(f"not found: {looked}; -n NAMESPACE says where to look, --context which hub")


async def _list(
    session: Session, resource: Resource, view: type[V], selector: str, namespace: str
) -> tuple[V, ...]:
    found = await session.client.list_all(
        resource, namespace=namespace or None, label_selector=selector
    )
    return tuple(_read(view, raw) for raw in found.items)


def _read(view: type[V], raw: Raw) -> V:
    try:
        found: V = decoder(view)(bytes(raw.body))
    except msgspec.ValidationError as error:
        raise CommandError(f"{raw.resource.qualified} {raw.key} cannot be read: {error}") from error
    return found


def _rows(branch: Branch, lead: str, below: str) -> Iterator[tuple[str, ...]]:
    yield (
        f"{lead}{branch.name}",
        branch.kind,
        branch.cluster,
        branch.state,
        branch.reason,
        branch.message,
    )
    for index, child in enumerate(branch.children):
        is_last = index == len(branch.children) - 1
        yield from _rows(
            child, below + ("└─" if is_last else "├─"), below + ("  " if is_last else "│ ")
        )


def _document(branch: Branch) -> Object:
    document: Object = {"what": branch.kind, "name": branch.name}
    for field in ("cluster", "state", "reason", "message"):
        if value := getattr(branch, field):
            document[field] = value
    if branch.children:
        document["children"] = [_document(child) for child in branch.children]
    return document
