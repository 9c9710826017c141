"""What a fleet begins with, and how it follows its file: the hub's MemberClusters and the members' NodePools.

Whatever is missing is made. What is there belongs to whoever changed it last, and a start leaves it alone, unless the
start was given a fleet file: then what the file says holds again. As with `kubectl apply`, three things are compared:
what earlier files said, what this one says, and what there is. A field that the file says is set; one that an earlier
file said and this one does not is taken back; everything else (a label somebody added, the taint of a drained cluster,
a pool made by hand) stays. The decisions are pure: `member_patch`, `pool_patch`.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

import msgspec

from argosy.apiserver.access.identities import ADMIN
from argosy.base.errors import AlreadyExists, NotFound
from argosy.base.types import Json, Object
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.protocol import Client
from argosy.client.resources import MEMBER_CLUSTERS, NODE_POOLS, Resource
from argosy.fleet.agents import hub_user
from argosy.fleet.clusters import Listening
from argosy.fleet.shapes import MemberShape

_LOG: Final = logging.getLogger(__name__)
_WRITER: Final = "argosy"


class Founding(msgspec.Struct, frozen=True):
    """How much a start is to bring. `is_declared`: what shapes say holds; `before` are the shapes of earlier starts, by
    member, as far as they may be there still.
    """

    is_declared: bool = False
    before: dict[str, tuple[MemberShape, ...]] = {}

    def earlier(self, member: str) -> tuple[MemberShape, ...]:
        return self.before.get(member, ())


async def found_member(hub: Listening, shape: MemberShape, founding: Founding) -> None:
    """Have the hub know a member."""
    client = _client(hub)
    wanted = shape.member_cluster(hub_user(shape.name).name)
    if await _made(client, MEMBER_CLUSTERS, wanted) or not founding.is_declared:
        return
    live = decode(await client.get(MEMBER_CLUSTERS, shape.name))
    if patch := member_patch(live, shape, founding.earlier(shape.name)):
        await client.patch(MEMBER_CLUSTERS, shape.name, patch, field_manager=_WRITER)
        _LOG.info("%s: MemberCluster changed as its fleet file says: %s", shape.name, _named(patch))


async def found_pools(member: Listening, shape: MemberShape, founding: Founding) -> None:
    """Have a member have its machines."""
    client, earlier = _client(member), founding.earlier(shape.name)
    for pool in shape.pools:
        if await _made(client, NODE_POOLS, pool.node_pool()) or not founding.is_declared:
            continue
        live = decode(await client.get(NODE_POOLS, pool.name))
        said = [each.spec for old in earlier for each in old.pools if each.name == pool.name]
        if patch := pool_patch(live["spec"], pool.spec, said):
            await client.patch(NODE_POOLS, pool.name, {"spec": patch}, field_manager=_WRITER)
            _LOG.info("%s: NodePool %s changed: %s", shape.name, pool.name, _named(patch))
    if not founding.is_declared:
        return
    kept = {pool.name for pool in shape.pools}
    for name in sorted({pool.name for old in earlier for pool in old.pools} - kept):
        try:
            await client.delete(NODE_POOLS, name)
        except NotFound:
            continue
        _LOG.info("%s: NodePool %s is no more in the fleet file: it is drained", shape.name, name)


def member_patch(live: Object, shape: MemberShape, earlier: Sequence[MemberShape]) -> Object:
    """The merge patch that has a MemberCluster follow its shape; empty where it does."""
    before: Object = {}
    for old in earlier:
        before |= old.all_labels()
    patch: Object = {}
    if labels := _changes(live["metadata"].get("labels", {}), shape.all_labels(), [before]):
        patch["metadata"] = {"labels": labels}
    spec: Object = {}
    if live["spec"].get("heartbeatPeriodSeconds") != shape.heartbeat_seconds:
        spec["heartbeatPeriodSeconds"] = shape.heartbeat_seconds
    there = live["spec"].get("taints", [])
    gone = [_taint(each) for old in earlier for each in old.taints]
    wanted = [_taint(each) for each in shape.taints]
    kept = [each for each in there if _taint(each) in wanted or _taint(each) not in gone]
    new = [each for each in shape.taints if _taint(each) not in map(_taint, there)]
    if kept + new != there:
        spec["taints"] = kept + new
    return patch | {"spec": spec} if spec else patch


def pool_patch(live: Object, wanted: Object, earlier: Sequence[Object]) -> Object:
    """The merge patch that has a pool's spec say what it should; what earlier ones said becomes the default again."""
    return _changes(live, wanted, earlier)


def _changes(live: Object, wanted: Object, earlier: Sequence[Object]) -> Object:
    found: Object = {}
    for name, value in wanted.items():
        now = live.get(name)
        if isinstance(value, dict) and isinstance(now, dict):
            olds = [old[name] for old in earlier if isinstance(old.get(name), dict)]
            if inner := _changes(now, value, olds):
                found[name] = inner
        elif now != value:
            found[name] = value
    for old in earlier:
        for name in old.keys() - wanted.keys():
            now, said = live.get(name), old[name]
            if isinstance(now, dict) and isinstance(said, dict):
                found |= {name: inner} if (inner := _changes(now, {}, [said])) else {}
            elif now is not None and now == said:
                # What somebody has changed since is not ours to take back.
                found[name] = None
    return found


def _taint(raw: Object) -> tuple[Json, ...]:
    return raw.get("key", ""), raw.get("value", ""), raw.get("effect", "")


def _named(patch: Object) -> str:
    """The fields of a patch."""
    fields = [
        f"{name}.{inner}"
        for name, value in patch.items()
        for inner in (value if isinstance(value, dict) and value else ("",))
    ]
    return ", ".join(field.removesuffix(".") for field in fields)


def _client(cluster: Listening) -> LocalClient:
    return LocalClient(cluster.server, ADMIN, agent=_WRITER)


async def _made(client: Client, resource: Resource, obj: Object) -> bool:
    """Whether it was missing, and is there now."""
    try:
        await client.create(resource, obj)
    except AlreadyExists:
        return False
    return True
