"""Makes the placements of a template's objects, and takes them away with it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import msgspec

from argosy.api.objects.fleet.placements import Placement
from argosy.api.objects.metadata import ObjectMeta, View
from argosy.base.errors import AlreadyExists, NotFound
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import RESOURCE_PLACEMENTS
from argosy.placement.batches import write_each
from argosy.placement.scopes import NAMESPACE
from argosy.placement.selecting.picking import Picked
from argosy.placement.templating.children import Chosen, is_child, plan, template_of
from argosy.placement.views import Views

_TEMPLATE: Final = "template"


class _Head(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()


_decode = msgspec.json.Decoder(_Head).decode


class Templates:
    """The children of templates."""

    def __init__(self, views: Views) -> None:
        self._views = views
        self._placements = views.placements(NAMESPACE)
        if not self._placements.has_index(_TEMPLATE):
            self._placements.add_index(
                _TEMPLATE,
                lambda each: (
                    [f"{each.metadata.namespace}/{template_of(each)}"] if is_child(each) else ()
                ),
            )

    def children(self, template: Key) -> list[Placement]:
        return self._placements.by_index(_TEMPLATE, str(template))

    async def expand(self, template: Placement, picked: Iterable[Picked]) -> int:
        """Have each object placed by itself; returns how many there are."""
        chosen = [_chosen(each) for each in picked]
        steps = plan(template, chosen, self.children(Key(*template.metadata.key)))
        await write_each(steps.removed, self._remove)
        await write_each(steps.created, self._create)
        await write_each(steps.changed, self._change)
        return len(chosen)

    async def remove_all(self, template: Key) -> None:
        """The template is going, or is none any more."""
        here = [each for each in self.children(template) if not each.metadata.deletion_timestamp]
        await write_each(here, self._remove)

    async def _create(self, body: Object) -> None:
        try:
            await self._views.create(RESOURCE_PLACEMENTS, body, body["metadata"]["namespace"])
        except AlreadyExists:
            # Somebody's own placement of that name, or one that is about to go: it comes back as news.
            return

    async def _change(self, change: tuple[Placement, Object]) -> None:
        child, patch = change
        try:
            await self._views.patch(RESOURCE_PLACEMENTS, child.metadata, patch)
        except NotFound:
            return

    async def _remove(self, child: Placement) -> None:
        await self._views.delete(RESOURCE_PLACEMENTS, child.metadata)


def _chosen(picked: Picked) -> Chosen:
    resource = picked.resource
    meta = _decode(picked.found.raw.body).metadata
    return Chosen(resource.group, resource.version, resource.kind, meta.name, meta.uid)
