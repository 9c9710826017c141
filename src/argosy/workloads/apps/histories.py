"""ControllerRevisions: what StatefulSets and DaemonSets were, so that they can be told apart and brought back.

A revision's data is a patch that replaces the pod template; `kubectl rollout undo` applies it. Equal data is the same
revision: a set that returns to an earlier template gets that revision back with a new, highest number. A name that is
taken by other data is avoided by counting collisions into the hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from argosy.api.objects import ObjectMeta, decoder
from argosy.api.objects.apps import ControllerRevision
from argosy.base.errors import AlreadyExists, NotFound
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import CONTROLLER_REVISIONS, Resource
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.workloads.pods.adopting import Claiming
from argosy.workloads.pods.templates import owner_reference

# On pods of both kinds, and on the revisions of DaemonSets.
REVISION_LABEL: Final = "controller-revision-hash"
# On the revisions of StatefulSets.
HASH_LABEL: Final = "controller.kubernetes.io/hash"

# By the uid of the set that owns the revision, and by namespace those nobody owns.
CONTROLLER: Final = "controller"
ORPHAN: Final = "orphan"

_PREFIX_CHARACTERS: Final = 223
_EPOCH: Final = datetime.fromtimestamp(0, UTC)
_read: Final[Callable[[bytes], ControllerRevision]] = decoder(ControllerRevision)


def revision_informer(assembly: Assembly) -> Informer[ControllerRevision]:
    """The shared informer of all revisions, with the indexes above."""
    informer = assembly.informer(CONTROLLER_REVISIONS, ControllerRevision)
    if not informer.has_index(CONTROLLER):
        informer.add_index(CONTROLLER, _controller)
        informer.add_index(ORPHAN, _orphan)
    return informer


def revision_data(template: Object) -> Object:
    """The patch that brings a template back."""
    return {"spec": {"template": {**template, "$patch": "replace"}}}


def template_of(revision: ControllerRevision) -> Object:
    """The template a revision brings back."""
    template = revision.data["spec"]["template"]
    return {key: value for key, value in template.items() if key != "$patch"}


def in_order(revisions: Iterable[ControllerRevision]) -> list[ControllerRevision]:
    """The oldest first."""
    return sorted(
        revisions,
        key=lambda each: (
            each.revision,
            each.metadata.creation_timestamp or _EPOCH,
            each.metadata.name,
        ),
    )


def name_of(owner: str, digest: str) -> str:
    return f"{owner[:_PREFIX_CHARACTERS]}-{digest}"


def beyond_limit(
    revisions: Sequence[ControllerRevision], live: set[str], limit: int | None
) -> list[ControllerRevision]:
    """Revisions to forget, the oldest of those not in `live` (names), given in order."""
    history = [each for each in revisions if each.metadata.name not in live]
    return history[: max(0, len(history) - limit)] if limit is not None else []


class Histories:
    """Reads and writes the revisions of one kind of set."""

    def __init__(
        self, client: Client, informer: Informer[ControllerRevision], resource: Resource
    ) -> None:
        self._client = client
        self._informer = informer
        self._resource = resource

    async def claim(
        self, owner: ObjectMeta, matches: Callable[[dict[str, str]], bool]
    ) -> list[ControllerRevision]:
        """The set's revisions in order, orphans it selects included."""
        claiming: Claiming[ControllerRevision] = Claiming(
            self._client, CONTROLLER_REVISIONS, self._resource, owner, matches
        )
        return in_order(
            await claiming.claim(
                self._informer.by_index(CONTROLLER, owner.uid),
                self._informer.by_index(ORPHAN, owner.namespace),
            )
        )

    async def create(
        self,
        owner: ObjectMeta,
        name: str,
        labels: Mapping[str, str],
        data: Object,
        revision: int,
    ) -> ControllerRevision | None:
        """Make a revision; one of this name with the same data is as good, None if it has other data."""
        body: Object = {
            "metadata": {
                "name": name,
                "labels": dict(labels),
                "annotations": owner.annotations,
                "ownerReferences": [owner_reference(self._resource, owner)],
            },
            "data": data,
            "revision": revision,
        }
        try:
            raw = await self._client.create(CONTROLLER_REVISIONS, body, namespace=owner.namespace)
        except AlreadyExists:
            raw = await self._client.get(CONTROLLER_REVISIONS, name, namespace=owner.namespace)
            found = _read(bytes(raw.body))
            return found if found.data == data else None
        return _read(bytes(raw.body))

    async def renumber(self, revision: ControllerRevision, number: int) -> ControllerRevision:
        meta = revision.metadata
        raw = await self._client.patch(
            CONTROLLER_REVISIONS, meta.name, {"revision": number}, namespace=meta.namespace
        )
        return _read(bytes(raw.body))

    async def forget(self, revisions: Iterable[ControllerRevision]) -> None:
        for each in revisions:
            meta = each.metadata
            try:
                await self._client.delete(
                    CONTROLLER_REVISIONS, meta.name, namespace=meta.namespace, uid=meta.uid
                )
            except NotFound:
                continue


def _controller(revision: ControllerRevision) -> Iterable[str]:
    controller = revision.metadata.controller
    return (controller.uid,) if controller is not None else ()


def _orphan(revision: ControllerRevision) -> Iterable[str]:
    return (revision.metadata.namespace,) if revision.metadata.controller is None else ()
