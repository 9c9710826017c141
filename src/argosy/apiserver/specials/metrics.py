"""metrics.k8s.io: what nodes and pods use, as `kubectl top` and autoscalers ask for it.

Upstream an add-on (metrics-server) serves this group behind an APIService; here it is part of the server, and there at
all only where a `MetricsSource` measures something. Nothing is stored: a list is made of the nodes or pods that the
selectors choose and that have been measured, in their order. Kinds of this group are therefore no part of the scheme
that controllers walk (`EXTENSIONS` are known to discovery and dispatching alone).

Forms and refusals are metrics-server's: usage as quantities (`1234n`, `20Mi`), the object's labels, its own columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from argosy.api.kinds import Column, Kind, Version
from argosy.api.schema.structural import ANYTHING
from argosy.apiserver import encoding, negotiation, tables
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Request, Response
from argosy.apiserver.specials.streams import ContainerUsage, MetricsSource, NodeUsage, PodUsage
from argosy.apiserver.verbs.selecting import selection
from argosy.base import errors
from argosy.base.durations import format_duration
from argosy.base.quantities import Format, Quantity
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.store import Key, Record

GROUP: Final = "metrics.k8s.io"
_VERSION: Final = "v1beta1"


def _kind(name: str, plural: str, *, namespaced: bool) -> Kind:
    # Without a singular name: `kubectl get pod` must go on to mean the core group's.
    return Kind(
        group=GROUP, kind=name, plural=plural, singular="", namespaced=namespaced,
        versions={_VERSION: Version(_VERSION, ANYTHING)}, storage_version=_VERSION,
        list_kind=f"{name}List", verbs=("get", "list"),
    )  # fmt: skip


EXTENSIONS: Final = (
    _kind("NodeMetrics", "nodes", namespaced=False),
    _kind("PodMetrics", "pods", namespaced=True),
)

_COLUMNS: Final = (
    Column("Name", format="name", description="Name of the resource"),
    Column("cpu", format="quantity"),
    Column("memory", format="quantity"),
    Column("Window", format="duration"),
)


@dataclass(slots=True, frozen=True)
class _Measured:
    """One answer: the object, and what its row in a table sums up."""

    obj: Object
    usage: Object


class Metrics:
    """Both resources, get and list."""

    def __init__(self, source: MetricsSource) -> None:
        self._source = source

    async def nodes(self, cluster: Cluster, call: Call, request: Request) -> Response:
        usages = {usage.name: usage for usage in self._source.node_metrics()}
        found = [
            _node(cluster, record, usages[record.key.name])
            for record in _chosen(cluster, call, "nodes")
            if record.key.name in usages
        ]
        if call.verb == "get" and not found:
            raise errors.not_found(GROUP, "nodemetrics", call.name)
        return _answer(call, request, found)

    async def pods(self, cluster: Cluster, call: Call, request: Request) -> Response:
        usages = {
            (usage.namespace, usage.name): usage
            for usage in self._source.pod_metrics(call.namespace or None)
        }
        found = [
            _pod(cluster, record, usages[record.key.namespace, record.key.name])
            for record in _chosen(cluster, call, "pods")
            if (record.key.namespace, record.key.name) in usages
        ]
        if call.verb == "get" and not found:
            raise errors.not_found(GROUP, "podmetrics", f"{call.namespace}/{call.name}")
        return _answer(call, request, found)


def _chosen(cluster: Cluster, call: Call, resource: str) -> Iterator[Record]:
    """The objects that are asked for, measured or not, in key order."""
    if call.verb == "get":
        record = cluster.store.get(Key(resource, call.namespace, call.name))
        if record is None:
            raise errors.not_found("", resource, call.name)
        yield record
    else:
        yield from cluster.store.list(resource, selection(call)).records


def _node(cluster: Cluster, record: Record, usage: NodeUsage) -> _Measured:
    used = _quantities(usage.cpu_nanocores, usage.memory_bytes)
    return _Measured({**_head(cluster, record, usage), "usage": used}, used)


def _pod(cluster: Cluster, record: Record, usage: PodUsage) -> _Measured:
    containers = [
        {"name": c.name, "usage": _quantities(c.cpu_nanocores, c.memory_bytes)}
        for c in usage.containers
    ]
    return _Measured(
        {**_head(cluster, record, usage), "containers": containers}, _sum(usage.containers)
    )


def _head(cluster: Cluster, record: Record, usage: NodeUsage | PodUsage) -> Object:
    metadata: Object = {"name": record.key.name}
    if record.key.namespace:
        metadata["namespace"] = record.key.namespace
    metadata["creationTimestamp"] = cluster.now()
    if record.meta.labels:
        metadata["labels"] = record.meta.labels
    return {
        "metadata": metadata,
        "timestamp": format_time(usage.timestamp),
        "window": format_duration(usage.window_seconds),
    }


def _sum(containers: Sequence[ContainerUsage]) -> Object:
    return _quantities(
        sum(c.cpu_nanocores for c in containers), sum(c.memory_bytes for c in containers)
    )


def _quantities(cpu_nanocores: int, memory_bytes: int) -> Object:
    return {
        "cpu": str(Quantity(cpu_nanocores)),
        "memory": str(Quantity.of(memory_bytes, Format.BINARY_SI)),
    }


def _answer(call: Call, request: Request, found: list[_Measured]) -> Response:
    form = negotiation.negotiate(request.header(b"accept"))
    kind = {"kind": call.kind.kind, "apiVersion": call.api_version}
    single = call.verb == "get"
    match form.transform:
        case "Table":
            include = tables.parse_include_object(request.query.get("includeObject", ""))
            body = _table(found, kind, include, form.api_version)
        case "PartialObjectMetadata" if single:
            body = tables.partial_metadata(found[0].obj, form.api_version)
        case "PartialObjectMetadataList" if not single:
            body = tables.partial_metadata_list(
                [one.obj for one in found], list_meta={}, api_version=form.api_version
            )
        case "":
            body = {**kind, **found[0].obj} if single else _list(call, found)
        case _:
            raise tables.refuse_partial_metadata(call.kind, is_list=not single)
    return Response(200, encoding.to_json(body))


def _list(call: Call, found: list[_Measured]) -> Object:
    return {
        "kind": call.kind.list_kind,
        "apiVersion": call.api_version,
        "metadata": {},
        "items": [one.obj for one in found],
    }


def _table(
    found: list[_Measured], kind: Object, include: tables.IncludeObject, api_version: str
) -> Object:
    def shown(obj: Object) -> Object | None:
        match include:
            case "Metadata":
                return tables.partial_metadata(obj, api_version)
            case "Object":
                return {**kind, **obj}
        return None

    rows = [
        {
            "cells": [one.obj["metadata"]["name"], *one.usage.values(), one.obj["window"]],
            "object": shown(one.obj),
        }
        for one in found
    ]
    return {
        "kind": "Table",
        "apiVersion": api_version,
        "metadata": {},
        # Where there is nothing to show, nobody knows what would have been measured.
        "columnDefinitions": tables.column_definitions(_COLUMNS) if rows else None,
        "rows": rows,
    }
