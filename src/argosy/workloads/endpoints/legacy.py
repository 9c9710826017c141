"""The endpoints controller: one Endpoints object for every service that selects pods, for clients that know no slices.

Mirrors pkg/controller/endpoint. The object goes with its service. Unlike slices it is written whole, so an old picture
costs at most a write too many.
"""

from __future__ import annotations

from argosy.api.objects.services import Endpoints, Service
from argosy.base.errors import AlreadyExists, NotFound, StatusError
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import ENDPOINTS
from argosy.control.assemblies import Assembly
from argosy.control.correlating import Reference
from argosy.control.reconcilers import DONE, Result
from argosy.workloads.endpoints.backends import Backends
from argosy.workloads.endpoints.subsets import (
    CONTROLLER,
    MANAGED_BY,
    OVER_CAPACITY,
    labels,
    subsets_of,
)
from argosy.workloads.endpoints.triggers import TRIGGER_TIME, TriggerTimes
from argosy.workloads.pods.templates import is_namespace_terminating


class EndpointsObjects:
    """One cluster's Endpoints."""

    def __init__(self, assembly: Assembly, backends: Backends) -> None:
        self._client = assembly.client
        self._backends = backends
        self._recorder = assembly.recorder(CONTROLLER)
        self._endpoints = assembly.informer(ENDPOINTS, Endpoints)
        self._triggers = TriggerTimes()
        self._queue = assembly.controller("endpoint", self._reconcile, workers=5)
        self._endpoints.add_handler(self._endpoints_changed)
        backends.listen(self._queue.add_after)

    def _endpoints_changed(self, old: Endpoints | None, new: Endpoints | None) -> None:
        found = new or old
        assert found is not None
        # One that went is made again; one that outlived its service while nobody looked goes.
        is_ours = found.metadata.labels.get(MANAGED_BY) == CONTROLLER
        if new is None or (old is None and is_ours):
            self._queue.add(Key(*found.metadata.key))

    async def _reconcile(self, key: Key) -> Result:
        service = self._backends.service(key)
        if service is None:
            self._triggers.forget(key)
            await self._delete(key)
            return DONE
        if service.spec.type == "ExternalName" or not service.spec.selector:
            return DONE
        pods = self._backends.pods(key)
        trigger = self._triggers.look(key, service, pods)
        subsets, is_truncated = subsets_of(service, pods)
        found = self._endpoints.get(*key)
        if found is not None and _is_as(found, service, subsets, is_truncated=is_truncated):
            return DONE
        annotations = {TRIGGER_TIME: trigger, OVER_CAPACITY: "truncated" if is_truncated else None}
        try:
            await self._write(key, found, labels(service), annotations, subsets)
        except AlreadyExists:
            raise
        except StatusError as error:
            if found is None and is_namespace_terminating(error):
                return DONE
            self._complain(key, found, error)
            raise
        return DONE

    async def _write(
        self,
        key: Key,
        found: Endpoints | None,
        wanted: dict[str, str],
        annotations: dict[str, str | None],
        subsets: list[Object],
    ) -> None:
        if found is None:
            kept = {name: value for name, value in annotations.items() if value is not None}
            body: Object = {
                "metadata": {"name": key.name, "labels": wanted, "annotations": kept},
                "subsets": subsets,
            }
            await self._client.create(ENDPOINTS, body, namespace=key.namespace)
            return
        patch: Object = {
            "metadata": {
                "labels": {**dict.fromkeys(found.metadata.labels), **wanted},
                "annotations": annotations,
            },
            "subsets": subsets,
        }
        await self._client.patch(ENDPOINTS, key.name, patch, namespace=key.namespace)

    async def _delete(self, key: Key) -> None:
        if self._endpoints.get(*key) is None:
            return
        try:
            await self._client.delete(ENDPOINTS, key.name, namespace=key.namespace)
        except NotFound:
            return

    def _complain(self, key: Key, found: Endpoints | None, error: StatusError) -> None:
        if found is None:
            reason = "FailedToCreateEndpoint"
            message = f"Failed to create endpoint for service {key}: {error}"
        else:
            reason = "FailedToUpdateEndpoint"
            message = f"Failed to update endpoint {key}: {error}"
        about = Reference(kind="Endpoints", name=key.name, namespace=key.namespace, apiVersion="v1")
        self._recorder.event(about, "Warning", reason, message)


def _is_as(
    found: Endpoints, service: Service, subsets: list[Object], *, is_truncated: bool
) -> bool:
    """Whether the object says what it should."""
    return (
        list(found.subsets) == subsets
        and found.metadata.labels == labels(service)
        and (OVER_CAPACITY in found.metadata.annotations) == is_truncated
    )
