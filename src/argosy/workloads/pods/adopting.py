"""Who a controller's objects are: those it owns and still selects, those it adopts, those it lets go.

Mirrors upstream's ControllerRefManager. An orphan that the selector matches is adopted by adding an owner
reference; an
owned object the selector no longer matches is released by taking it away. Both are patches that carry the object's
uid,
so that a namesake made in the meantime is left alone. Before the first adoption the owner is read again from the
server: one that is being deleted, or another of the same name, adopts nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Generic, Protocol, TypeVar

from argosy.api.objects import ObjectMeta
from argosy.base.errors import Invalid, NotFound
from argosy.base.types import Object
from argosy.client.objects import decode
from argosy.client.protocol import Client, PatchType
from argosy.client.resources import Resource
from argosy.workloads.pods.templates import owner_reference


class Owned(Protocol):
    """Anything with metadata."""

    @property
    def metadata(self) -> ObjectMeta: ...


O = TypeVar("O", bound=Owned)  # noqa: E741  (the object's type)


class Claiming(Generic[O]):
    """Claims objects of one resource for one owner, in one reconciliation."""

    def __init__(
        self,
        client: Client,
        resource: Resource,
        owner_resource: Resource,
        owner: ObjectMeta,
        matches: Callable[[dict[str, str]], bool],
        *,
        finalizers: Iterable[str] = (),
        can_adopt: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        self._client = client
        self._resource = resource
        self._owner_resource = owner_resource
        self._owner = owner
        self._matches = matches
        self._finalizers = tuple(finalizers)
        self._can_adopt = can_adopt or self._owner_is_there
        self._may_adopt: bool | None = None

    async def claim(self, owned: Iterable[O], orphans: Iterable[O]) -> list[O]:
        """Of what it owns, and of what nobody owns: the objects that are the owner's, in this order.

        An adopted object is given as it was before; its event is on its way.
        """
        mine = []
        for obj in owned:
            if self._matches(obj.metadata.labels):
                mine.append(obj)
            elif self._owner.deletion_timestamp is None:
                await self._release(obj)
        for obj in orphans:
            if (
                obj.metadata.deletion_timestamp is None
                and self._owner.deletion_timestamp is None
                and self._matches(obj.metadata.labels)
                and await self._adopt(obj)
            ):
                mine.append(obj)  # noqa: PERF401  (awaits)
        return mine

    async def _adopt(self, obj: O) -> bool:
        if self._may_adopt is None:
            self._may_adopt = await self._can_adopt()
        if not self._may_adopt:
            return False
        meta = obj.metadata
        patch: Object = {
            "metadata": {
                "uid": meta.uid,
                "ownerReferences": [owner_reference(self._owner_resource, self._owner)],
            }
        }
        if self._finalizers:
            patch["metadata"]["finalizers"] = list(self._finalizers)
        return await self._patch(meta, patch)

    async def _release(self, obj: O) -> None:
        meta = obj.metadata
        patch: Object = {
            "metadata": {
                "uid": meta.uid,
                "ownerReferences": [{"$patch": "delete", "uid": self._owner.uid}],
            }
        }
        if self._finalizers:
            patch["metadata"]["$deleteFromPrimitiveList/finalizers"] = list(self._finalizers)
        await self._patch(meta, patch)

    async def _patch(self, meta: ObjectMeta, patch: Object) -> bool:
        """False when the object is gone, or another has taken its name."""
        try:
            await self._client.patch(
                self._resource,
                meta.name,
                patch,
                kind=PatchType.STRATEGIC,
                namespace=meta.namespace,
            )
        except (NotFound, Invalid):
            return False
        return True

    async def _owner_is_there(self) -> bool:
        try:
            raw = await self._client.get(
                self._owner_resource, self._owner.name, namespace=self._owner.namespace
            )
        except NotFound:
            return False
        meta = decode(raw)["metadata"]
        return meta["uid"] == self._owner.uid and "deletionTimestamp" not in meta
