"""Carries out what was planned for the Works of a binding, several at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from itertools import islice
from typing import Final

from argosy.api.objects.fleet import names
from argosy.api.objects.fleet.bindings import Binding
from argosy.base.errors import NotFound, StatusError
from argosy.base.types import Object
from argosy.client.objects import Key
from argosy.client.resources import WORKS
from argosy.placement.views import Views
from argosy.placement.working.building import Draft, strategy_patch
from argosy.placement.working.syncing import Plan

# Works of one binding written together.
_TOGETHER: Final = 16


class Writing:
    """Writes Works."""

    def __init__(self, views: Views) -> None:
        self._views = views

    async def carry_out(self, binding: Binding, todo: Plan) -> list[StatusError]:
        """Do all of it, whatever goes wrong; what went wrong, in order."""
        left, errors = iter(self._steps(binding, todo)), []
        while batch := list(islice(left, _TOGETHER)):
            for outcome in await asyncio.gather(*batch, return_exceptions=True):
                if isinstance(outcome, StatusError):
                    errors.append(outcome)
                elif isinstance(outcome, BaseException):
                    raise outcome
        return errors

    def _steps(self, binding: Binding, todo: Plan) -> Iterable[Awaitable[None]]:
        namespace = names.member_namespace(binding.spec.target_cluster)
        align: Object = {
            "spec": {"applyStrategy": strategy_patch(binding.spec.apply_strategy)},
        }
        yield from (self._create(each) for each in todo.create)
        yield from (self.change(Key(namespace, each.name), each.patch()) for each in todo.update)
        yield from (self.change(Key(*each.metadata.key), align) for each in todo.strategies)
        yield from (self._views.delete(WORKS, each.metadata) for each in todo.delete)

    async def _create(self, draft: Draft) -> None:
        await self._views.create(WORKS, draft.document(), draft.namespace)

    async def change(self, key: Key, body: Object) -> None:
        """Change a Work. One that has gone meanwhile is made again when its end is seen."""
        work = self._views.works.get(*key)
        if work is None:
            return
        try:
            await self._views.patch(WORKS, work.metadata, body)
        except NotFound:
            return
