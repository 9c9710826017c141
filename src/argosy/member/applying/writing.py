"""How a manifest gets onto the member: created, merged three ways, or applied by the server.

A write that would change nothing is not sent. Whoever asked for `IfNotDrifted` has the object's resourceVersion in the
write, so a change that came in between is never overwritten unseen.

Where upstream's JSON merge patch of a custom resource replaces the whole list of owners or finalizers, ours keeps the
others.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.placements import (
    CLIENT_SIDE_APPLY,
    SERVER_SIDE_APPLY,
    ApplyStrategy,
)
from argosy.api.patches.failures import PatchFailed
from argosy.api.patches.three_way import three_way_patch
from argosy.api.schema.structural import ANYTHING
from argosy.base.errors import StatusError
from argosy.base.types import Json, Object
from argosy.client.objects import decode
from argosy.client.protocol import Client, PatchType
from argosy.client.resources import Resource
from argosy.member.applying.catalogs import merging_schema
from argosy.member.applying.objects import (
    OURS,
    annotation,
    finalizers,
    held,
    must_force,
    owned,
    recorded,
)
from argosy.member.applying.owners import NotOurs, check_before_apply, is_same, owners
from argosy.member.comparing.cleaning import sanitized

IF_NOT_DRIFTED = "IfNotDrifted"


class Failed(Exception):
    """Something did not work out; the text is what people read."""


def api_error(what: str, error: StatusError) -> Failed:
    return Failed(f"{what}: error returned by the API server: {error}")


@dataclass(slots=True, frozen=True)
class Order:
    """One manifest to write: what it says, the hash of what the hub said, whose it will be, and how."""

    resource: Resource
    name: str
    namespace: str
    wanted: Object
    digest: str
    owner: Object
    strategy: ApplyStrategy
    # A job that stays until its end has been told.
    is_held: bool = False


async def write(client: Client, order: Order, live: Object | None) -> Object:
    """The object as it is after applying. Raises Failed."""
    strategy = order.strategy
    try:
        check_before_apply(order.wanted, live, order.owner, may_share=strategy.allow_co_ownership)
    except NotOurs as error:
        raise Failed(f"failed to validate owner references: {error}") from error
    body = owned(sanitized(order.wanted), order.digest, order.owner)
    if order.is_held:
        body = held(body, live)
    merges = False
    if strategy.type == CLIENT_SIDE_APPLY:
        body, merges = recorded(body, body)
    if live is None:
        return await _create(client, order, body)
    if merges:
        return await _merge(client, order, body, live)
    return await _apply(client, order, body, live)


async def take_over(
    client: Client, order: Order, live: Object, owner_references: list[Object]
) -> Object:
    """The object with these owners and nothing else changed. Raises Failed."""
    changed = {**live, "metadata": {**live["metadata"], "ownerReferences": owner_references}}
    try:
        raw = await client.update(
            order.resource, changed, name=order.name, namespace=order.namespace or None
        )
    except StatusError as error:
        raise api_error("failed to take over the object", error) from error
    return decode(raw)


async def _create(client: Client, order: Order, body: Object) -> Object:
    try:
        raw = await client.create(
            order.resource, body, namespace=order.namespace or None, field_manager=OURS
        )
    except StatusError as error:
        raise api_error("failed to create manifest object", error) from error
    return decode(raw)


async def _merge(client: Client, order: Order, body: Object, live: Object) -> Object:
    schema = merging_schema(order.resource)
    if schema is None:
        body = _beside_others(body, live, order.owner)
    try:
        patch = three_way_patch(schema or ANYTHING, _last_applied(live), body, live)
    except PatchFailed as error:
        what = "strategic merge patch" if schema is not None else "JSON merge patch"
        raise Failed(
            f"failed to create three-way merge patch: failed to create three-way {what}: {error}"
        ) from error
    if not patch:
        return live
    if order.strategy.when_to_apply == IF_NOT_DRIFTED:
        patch["metadata"] = {**(patch.get("metadata") or {}), **_lock(live)}
    try:
        raw = await client.patch(
            order.resource,
            order.name,
            patch,
            kind=PatchType.MERGE if schema is None else PatchType.STRATEGIC,
            namespace=order.namespace or None,
            field_manager=OURS,
        )
    except StatusError as error:
        raise api_error("failed to patch the manifest object", error) from error
    return decode(raw)


async def _apply(client: Client, order: Order, body: Object, live: Object) -> Object:
    config = order.strategy.server_side_apply_config
    wishes = order.strategy.type == SERVER_SIDE_APPLY and config is not None and config.force
    if order.strategy.when_to_apply == IF_NOT_DRIFTED:
        body = {**body, "metadata": {**body["metadata"], **_lock(live)}}
    return await server_side_apply(client, order, body, force=wishes or must_force(live))


async def server_side_apply(
    client: Client, order: Order, body: Object, *, force: bool, dry_run: bool = False
) -> Object:
    """Raises Failed, whose cause is what the server said."""
    try:
        raw = await client.apply(
            order.resource,
            order.name,
            body,
            field_manager=OURS,
            namespace=order.namespace or None,
            force=force,
            dry_run=dry_run,
        )
    except StatusError as error:
        raise api_error("failed to apply the manifest object", error) from error
    return decode(raw)


def _lock(live: Object) -> Object:
    return {"resourceVersion": live["metadata"]["resourceVersion"]}


def _beside_others(body: Object, live: Object, owner: Object) -> Object:
    """The body with the owners and finalizers that others have put there."""
    kept = [owner if is_same(each, owner) else each for each in owners(live)]
    meta = {**body["metadata"], "ownerReferences": kept}
    wanted = finalizers(body)
    if wanted:
        meta["finalizers"] = list(dict.fromkeys([*finalizers(live), *wanted]))
    return {**body, "metadata": meta}


def _last_applied(live: Object) -> Object:
    """What was applied last; nothing where somebody has spoilt the record."""
    try:
        found: Json = msgspec.json.decode(annotation(live, names.LAST_APPLIED) or b"{}")
    except msgspec.DecodeError:
        return {}
    return found if isinstance(found, dict) else {}
