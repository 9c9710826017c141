"""The endpointslice controller: writes the slices of every service that selects pods.

Mirrors pkg/controller/endpointslice. Slices go with their service by the owner they name; the garbage collector sees to
that. Not done: topology hints, and slices for Endpoints that users write by hand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Final

from argosy.api.objects import Pod
from argosy.api.objects.services import EndpointSlice, Service
from argosy.base.errors import NotFound, StatusError
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import ENDPOINT_SLICES, SERVICES
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.workloads.endpoints.backends import Backends
from argosy.workloads.endpoints.endpoints import (
    Identity,
    Ports,
    endpoint,
    families,
    identity,
    is_listed,
    slice_ports,
)
from argosy.workloads.endpoints.sightings import Sightings
from argosy.workloads.endpoints.slicing import (
    CONTROLLER,
    MANAGED_BY,
    SERVICE_NAME,
    Draft,
    Plan,
    labels,
    new_slice,
    plan,
    printed_ports,
)
from argosy.workloads.endpoints.triggers import TRIGGER_TIME, TriggerTimes
from argosy.workloads.pods.templates import is_namespace_terminating

_SERVICE: Final = "service"
# After somebody else changed a slice.
_CHANGED_SECONDS: Final = 1.0
# When the informer lags behind us, or a pod is left out because its node is not there: it may be on its way.
_LAGGING_SECONDS: Final = 5.0


class EndpointSlices:
    """One cluster's slices."""

    def __init__(self, assembly: Assembly, backends: Backends) -> None:
        self._client = assembly.client
        self._backends = backends
        self._recorder = assembly.recorder("endpoint-slice-controller")
        self._slices = assembly.informer(ENDPOINT_SLICES, EndpointSlice)
        self._slices.add_index(_SERVICE, _service_of)
        self._sightings = Sightings(assembly.clock)
        self._triggers = TriggerTimes()
        # Services whose slices are being written, with the names of those that shall go.
        self._writing: dict[Key, set[str]] = {}
        self._disturbed: set[Key] = set()
        self._behind: set[Key] = set()
        self._queue = assembly.controller("endpointslice", self._reconcile, workers=5)
        self._slices.add_handler(self._slice_changed)
        backends.listen(self._queue.add_after)

    def _slice_changed(self, old: EndpointSlice | None, new: EndpointSlice | None) -> None:
        for text in {*_services_of(old), *_services_of(new)}:
            key = Key(*text.split("/", 1))
            name = (new or old).metadata.name  # type: ignore[union-attr]  # one of them is there
            revision = new.metadata.resource_version if new is not None else None
            is_own = self._sightings.is_own(key, name, revision)
            if new is None:
                self._sightings.gone(key, name)
            if key in self._writing:
                self._disturbed.add(key)
                if new is None and name not in self._writing[key]:
                    self._queue.add_after(key, _CHANGED_SECONDS)
            elif key in self._behind:
                self._behind.discard(key)
                self._queue.add(key)
            elif not is_own:
                self._queue.add_after(key, _CHANGED_SECONDS)

    async def _reconcile(self, key: Key) -> Result:
        service = self._backends.service(key)
        if service is None:
            self._triggers.forget(key)
            self._sightings.forget(key)
            return DONE
        if service.spec.type == "ExternalName" or not service.spec.selector:
            return DONE
        existing = self._slices.by_index(_SERVICE, str(key))
        shown = {one.metadata.name: one.metadata.resource_version for one in existing}
        if not self._sightings.is_current(key, shown):
            self._behind.add(key)
            return Result(requeue_after=_LAGGING_SECONDS)
        existing = [one for one in existing if one.metadata.deletion_timestamp is None]
        pods = self._backends.pods(key)
        trigger = self._triggers.look(key, service, pods)
        plans, lost = self._plan(service, pods, existing)
        try:
            await self._write(key, service, plans, trigger)
        except StatusError as error:
            if is_namespace_terminating(error):
                return DONE
            self._complain(service, str(error))
            raise
        if not lost:
            return DONE
        self._complain(
            service,
            ", ".join(
                f"skipping Pod {pod.metadata.name} for Service {key}: Node {pod.spec.node_name} Not Found"
                for pod in lost
            ),
        )
        return Result(requeue_after=_LAGGING_SECONDS)

    def _plan(
        self, service: Service, pods: list[Pod], existing: list[EndpointSlice]
    ) -> tuple[list[Plan], list[Pod]]:
        """What to write, for each family of addresses, and the pods whose node is not there."""
        wanted_families = families(service)
        lost: dict[str, Pod] = {}
        plans = [Plan(delete=[one for one in existing if one.address_type not in wanted_families])]
        for family in wanted_families:
            wanted: dict[Ports, dict[Identity, Object]] = {}
            for pod in pods:
                if not is_listed(pod, with_leaving=True):
                    continue
                group = wanted.setdefault(slice_ports(service, pod), {})
                zone = self._backends.zone(pod.spec.node_name)
                if zone is None and not service.spec.publish_not_ready_addresses:
                    lost[pod.metadata.name] = pod
                    continue
                made = endpoint(pod, service, family, zone or "")
                if made["addresses"]:
                    group[identity(made)] = made
            mine = [one for one in existing if one.address_type == family]
            plans.append(plan(service, family, wanted, mine))
        return plans, list(lost.values())

    async def _write(
        self, key: Key, service: Service, plans: list[Plan], trigger: str | None
    ) -> None:
        self._writing[key] = {old.metadata.name for one in plans for old in one.delete}
        try:
            if service.metadata.deletion_timestamp is None:
                created = (draft for one in plans for draft in one.create)
                await _all(self._create(key, service, draft, trigger) for draft in created)
            updated = (draft for one in plans for draft in one.update)
            await _all(self._update(key, service, draft, trigger) for draft in updated)
            deleted = (old for one in plans for old in one.delete)
            await _all(self._delete(key, old) for old in deleted)
        finally:
            del self._writing[key]
            if key in self._disturbed:
                self._disturbed.discard(key)
                self._look_around(key)

    def _look_around(self, key: Key) -> None:
        """Whether what changed while we wrote was more than what we wrote."""
        for one in self._slices.by_index(_SERVICE, str(key)):
            meta = one.metadata
            if not self._sightings.is_own(key, meta.name, meta.resource_version):
                self._queue.add_after(key, _CHANGED_SECONDS)
                return

    async def _create(self, key: Key, service: Service, draft: Draft, trigger: str | None) -> None:
        annotations = {TRIGGER_TIME: trigger} if trigger is not None else {}
        body = new_slice(draft, service, annotations)
        raw = await self._client.create(ENDPOINT_SLICES, body, namespace=key.namespace)
        self._sightings.wrote(key, raw.name, raw.revision)

    async def _update(self, key: Key, service: Service, draft: Draft, trigger: str | None) -> None:
        one = self._slices.get(key.namespace, draft.name)
        before = one.metadata.labels if one is not None else {}
        patch: Object = {
            "metadata": {
                "resourceVersion": draft.revision,
                "labels": {**dict.fromkeys(before), **labels(service)},
                "annotations": {TRIGGER_TIME: trigger},
            },
            "endpoints": draft.endpoints,
            "ports": printed_ports(draft.ports),
        }
        raw = await self._client.patch(ENDPOINT_SLICES, draft.name, patch, namespace=key.namespace)
        self._sightings.wrote(key, draft.name, raw.revision)

    async def _delete(self, key: Key, old: EndpointSlice) -> None:
        meta = old.metadata
        try:
            await self._client.delete(
                ENDPOINT_SLICES, meta.name, namespace=key.namespace, uid=meta.uid
            )
        except NotFound:
            return
        if self._slices.get(key.namespace, meta.name) is not None:
            self._sightings.removed(key, meta.name)

    def _complain(self, service: Service, why: str) -> None:
        meta = service.metadata
        message = f"Error updating Endpoint Slices for Service {meta.namespace}/{meta.name}: {why}"
        about = reference(SERVICES, meta)
        self._recorder.event(about, "Warning", "FailedToUpdateEndpointSlices", message)


async def _all(writes: Iterable[Coroutine[None, None, None]]) -> None:
    """Do all of them at once, and fail if one does when all are done."""
    for result in await asyncio.gather(*writes, return_exceptions=True):
        if isinstance(result, BaseException):
            raise result


def _service_of(one: EndpointSlice) -> Iterable[str]:
    found = one.metadata.labels
    name = found.get(SERVICE_NAME)
    is_ours = bool(name) and found.get(MANAGED_BY) == CONTROLLER
    return (f"{one.metadata.namespace}/{name}",) if is_ours else ()


def _services_of(one: EndpointSlice | None) -> Iterable[str]:
    return _service_of(one) if one is not None else ()
