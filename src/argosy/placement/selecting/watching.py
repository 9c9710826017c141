"""Following the kinds that placements may select: from the moment one does, until a while after the last has gone.

A hub has hundreds of kinds and most are of no interest, so each is followed by an informer of its own that starts when
a placement first wants it. Whoever wants a kind is told when all its objects are known; until then nobody selects.
After the last one has gone the kind is followed for another minute, because placements come and go. A kind that is
served no more ends at once, and its objects with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from argosy.client.objects import Key
from argosy.client.resources import Resource
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.control.persisting import for_ever
from argosy.placement.selecting.watched import Watched, read

_LINGER_SECONDS: Final = 60.0
_NAMESPACE: Final = "namespace"

# The resource, its object before and after.
News: TypeAlias = Callable[[Resource, Watched | None, Watched | None], None]


class Watches:
    """The kinds that are followed, and who wants them. `news` hears of changes, `ready` who may select now."""

    def __init__(self, assembly: Assembly, news: News, ready: Callable[[Key], None]) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._source = assembly.source
        self._news = news
        self._ready = ready
        self._informers: dict[Resource, Informer[Watched]] = {}
        self._tasks: dict[Resource, asyncio.Task[None]] = {}
        self._wanted_by: dict[Resource, set[Key]] = {}
        self._wants: dict[Key, frozenset[Resource]] = {}
        self._group: asyncio.TaskGroup | None = None
        assembly.task("placement-watches", self.run)

    # Reading.

    def get(self, resource: Resource, namespace: str, name: str) -> Watched | None:
        informer = self._informers.get(resource)
        return informer.get(namespace, name) if informer is not None else None

    def within(self, resource: Resource, namespace: str) -> list[Watched]:
        informer = self._informers.get(resource)
        return informer.by_index(_NAMESPACE, namespace) if informer is not None else []

    def is_synced(self, key: Key) -> bool:
        """Whether all that a placement wants is known."""
        return all(
            (found := self._informers.get(each)) is not None and found.is_synced
            for each in self._wants.get(key, ())
        )

    # Who wants what.

    def want(self, key: Key, resources: frozenset[Resource]) -> None:
        before = self._wants.get(key, frozenset())
        if before == resources:
            return
        self._wants[key] = resources
        for resource in sorted(resources - before, key=_order):
            self._wanted_by.setdefault(resource, set()).add(key)
            self._follow(resource)
        self._release(key, before - resources)

    def forget(self, key: Key) -> None:
        self._release(key, self._wants.pop(key, frozenset()))

    def end(self, resource: Resource) -> None:
        """The resource is served no more."""
        self._wanted_by.pop(resource, None)
        for key, resources in self._wants.items():
            if resource in resources:
                self._wants[key] = resources - {resource}
        self._stop(resource)

    def followed(self) -> Iterable[Resource]:
        return tuple(self._informers)

    def _release(self, key: Key, resources: Iterable[Resource]) -> None:
        for resource in resources:
            wanted_by = self._wanted_by.get(resource)
            if wanted_by is None:
                continue
            wanted_by.discard(key)
            if not wanted_by:
                del self._wanted_by[resource]
                if self._group is not None:
                    self._group.create_task(self._linger(resource))

    async def _linger(self, resource: Resource) -> None:
        await self._clock.sleep(_LINGER_SECONDS)
        if resource not in self._wanted_by:
            self._stop(resource)

    # Following.

    async def run(self) -> None:
        """Follow what is wanted, until cancelled."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                for resource in sorted(self._informers, key=_order):
                    self._start(resource)
                await asyncio.Event().wait()
        finally:
            self._group = None
            self._tasks.clear()

    def _follow(self, resource: Resource) -> None:
        if resource in self._informers:
            return
        informer = Informer(
            self._client, resource, Watched, clock=self._clock, source=self._source, read=read
        )
        informer.add_index(_NAMESPACE, lambda each: (each.namespace,))
        informer.add_handler(lambda old, new: self._tell(informer, old, new))
        self._informers[resource] = informer
        self._start(resource)

    def _start(self, resource: Resource) -> None:
        if self._group is not None:
            task = self._group.create_task(self._run(resource), name=f"watch:{resource.qualified}")
            self._tasks[resource] = task

    async def _run(self, resource: Resource) -> None:
        informer = self._informers[resource]
        following = asyncio.create_task(
            for_ever(f"informer {resource.qualified}", informer.run, self._clock)
        )
        try:
            await informer.synced()
            for key in sorted(self._wanted_by.get(resource, ())):
                self._ready(key)
            await following
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    def _stop(self, resource: Resource) -> None:
        self._informers.pop(resource, None)
        task = self._tasks.pop(resource, None)
        if task is not None:
            task.cancel()

    def _tell(self, informer: Informer[Watched], old: Watched | None, new: Watched | None) -> None:
        # What comes with the first list is told to all at once.
        if informer.is_synced:
            self._news(informer.resource, old, new)


def _order(resource: Resource) -> tuple[str, str, str]:
    return resource.group, resource.kind, resource.version
