"""Making and ending the pods of one owner, with the events that say so.

Upstream's PodControl: every pod made or ended is an event of its owner, and so is every failure, except in a namespace
that is going away, where failing is all a controller can do. Reasons and messages are upstream's. What was asked for is
expected until the informer shows it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from argosy.api.objects import ObjectMeta, Pod
from argosy.base.errors import NotFound, StatusError
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import PODS, Resource
from argosy.control.expectations import Expectations
from argosy.control.recorders import EventRecorder
from argosy.control.references import reference
from argosy.workloads.apps.tracking import SetKey
from argosy.workloads.pods.templates import in_growing_batches, is_namespace_terminating


class PodControl:
    """Writes pods for owners of one kind."""

    def __init__(
        self,
        client: Client,
        recorder: EventRecorder,
        resource: Resource,
        expectations: Expectations[SetKey],
    ) -> None:
        self._client = client
        self._recorder = recorder
        self._resource = resource
        self._expectations = expectations

    async def create(
        self, owner: ObjectMeta, count: int, draft: Callable[[int], Object]
    ) -> StatusError | None:
        """Make the pods `draft(0)` … `draft(count - 1)`; the first failure, if there was one."""

        async def create(number: int) -> None:
            try:
                await self._create(owner, draft(number))
            except StatusError as error:
                if not is_namespace_terminating(error):
                    raise

        self._expectations.expect_creations(owner.key, count)
        made, error = await in_growing_batches(count, create)
        if made < count:
            self._expectations.creation_observed(owner.key, count - made)
        return error

    async def delete(self, owner: ObjectMeta, doomed: Sequence[Pod]) -> StatusError | None:
        """End these pods; the first failure, if there was one."""
        key = owner.key
        self._expectations.expect_deletions(key, (pod.metadata.uid for pod in doomed))

        async def delete(pod: Pod) -> StatusError | None:
            try:
                is_deleted = await self._delete(owner, pod)
            except StatusError as error:
                self._expectations.deletion_observed(key, pod.metadata.uid)
                return error
            if not is_deleted:
                self._expectations.deletion_observed(key, pod.metadata.uid)
            return None

        results = await asyncio.gather(*map(delete, doomed))
        return next((error for error in results if error is not None), None)

    async def _create(self, owner: ObjectMeta, pod: Object) -> None:
        about = reference(self._resource, owner)
        try:
            made = await self._client.create(PODS, pod, namespace=owner.namespace)
        except StatusError as error:
            if not is_namespace_terminating(error):
                self._recorder.event(about, "Warning", "FailedCreate", f"Error creating: {error}")
            raise
        self._recorder.event(about, "Normal", "SuccessfulCreate", f"Created pod: {made.name}")

    async def _delete(self, owner: ObjectMeta, pod: Pod) -> bool:
        """False when it is gone already."""
        about, name = reference(self._resource, owner), pod.metadata.name
        try:
            await self._client.delete(
                PODS, name, namespace=pod.metadata.namespace, uid=pod.metadata.uid
            )
        except NotFound:
            return False
        except StatusError as error:
            self._recorder.event(about, "Warning", "FailedDelete", f"Error deleting: {error}")
            raise
        self._recorder.event(about, "Normal", "SuccessfulDelete", f"Deleted pod: {name}")
        return True
