"""componentstatuses: what `kubectl get cs` shows. Long deprecated, still asked for.

Upstream probes its scheduler, controller manager and etcd. Here the controllers are part of this process, and the one
component that can be asked is the store, under the name scripts look for.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from argosy.apiserver import encoding, negotiation, tables
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Request, Response
from argosy.base.types import Object

_WARNING: Final = "v1 ComponentStatus is deprecated in v1.19+"
_STORE: Final = "etcd-0"


async def component_statuses(cluster: Cluster, call: Call, request: Request) -> Response:
    """Both get and list."""
    call.warn(_WARNING)
    form = negotiation.negotiate(request.header(b"accept"))
    single = call.verb == "get"
    if single and call.name != _STORE:
        raise call.not_found()
    objects = [_status(_STORE)]
    if form.transform == "Table":
        return Response(200, _table(call, objects, cluster.clock.now(), form.api_version))
    head: Object = {"apiVersion": "v1", "metadata": {}}
    if single:
        return Response(200, encoding.to_json({"kind": "ComponentStatus", **head, **objects[0]}))
    return Response(
        200, encoding.to_json({"kind": "ComponentStatusList", **head, "items": objects})
    )


def _status(name: str) -> Object:
    healthy = {"type": "Healthy", "status": "True", "message": "ok"}
    return {"metadata": {"name": name}, "conditions": [healthy]}


def _table(call: Call, objects: list[Object], now: datetime, api_version: str) -> bytes:
    table = tables.table(
        call.kind, call.version, objects, list_meta={}, now=now, api_version=api_version
    )
    return encoding.to_json(table)
