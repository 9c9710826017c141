"""A Client over a dict: enough of an API server to test controllers, with faults on demand.

Revisions count up with every write, watches replay history and can be expired, and `fail` makes the next calls of a verb
raise. No defaulting, validation or admission: those belong to the real server and its tests.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator

import msgspec

from argosy.base import errors
from argosy.base.selectors import labels
from argosy.base.types import Json, Object
from argosy.client import paging
from argosy.client.objects import (
    Body,
    Key,
    ListResult,
    Raw,
    WatchEvent,
    decode,
    encode,
    key_of,
    read,
)
from argosy.client.protocol import PatchType, Propagation
from argosy.client.resources import Resource


class FakeClient:
    def __init__(self) -> None:
        self.revision = 0
        self.oldest = 0
        self.calls: list[tuple[str, str]] = []
        self.streams_lists = True
        self._objects: dict[Resource, dict[Key, Object]] = defaultdict(dict)
        self._history: list[tuple[int, Resource, str, Object]] = []
        self._changed = asyncio.Event()
        self._faults: dict[str, list[Exception]] = defaultdict(list)
        self._cut = 0

    # Faults.

    def fail(self, verb: str, *faults: Exception) -> None:
        """Raise these, one per call of the verb."""
        self._faults[verb] += faults

    def expire(self) -> None:
        """Forget the history: watches from before end with Expired."""
        self.oldest = self.revision
        self.cut()

    def cut(self) -> None:
        """End every watch that is open."""
        self._cut += 1
        self._wake()

    def objects(self, resource: Resource) -> list[Object]:
        return [decode(self._raw(resource, obj)) for obj in self._objects[resource].values()]

    def _enter(self, verb: str, what: str) -> None:
        self.calls.append((verb, what))
        if self._faults[verb]:
            raise self._faults[verb].pop(0)

    # Storage.

    def _raw(self, resource: Resource, obj: Object) -> Raw:
        return read(resource, encode(resource, obj))

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _write(self, resource: Resource, event: str, obj: Object) -> Raw:
        self.revision += 1
        obj["metadata"]["resourceVersion"] = str(self.revision)
        key = key_of(obj)
        if event == "DELETED":
            del self._objects[resource][key]
        else:
            self._objects[resource][key] = obj
        self._history.append((self.revision, resource, event, obj))
        self._wake()
        return self._raw(resource, obj)

    def _find(self, resource: Resource, key: Key) -> Object:
        found = self._objects[resource].get(key)
        if found is None:
            raise errors.not_found(resource.group, resource.plural, key.name)
        return found

    def _copy(self, resource: Resource, obj: Body, key: Key) -> Object:
        copied = decode(encode(resource, obj))
        copied.setdefault("metadata", {})["name"] = key.name
        if resource.namespaced:
            copied["metadata"]["namespace"] = key.namespace
        return copied

    # Verbs.

    async def get(
        self, resource: Resource, name: str, *, namespace: str | None = None, subresource: str = ""
    ) -> Raw:
        self._enter("get", name)
        return self._raw(resource, self._find(resource, Key(namespace or "", name)))

    async def list(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
        limit: int = 0,
        continue_: str = "",
    ) -> ListResult:
        self._enter("list", resource.plural)
        if continue_ and int(continue_.split("/", 1)[0]) < self.oldest:
            raise errors.expired("The provided continue parameter is too old")
        selected = [
            obj
            for key, obj in sorted(self._objects[resource].items())
            if self._selects(obj, namespace, label_selector)
        ]
        start = int(continue_.split("/", 1)[1]) if continue_ else 0
        end = start + limit if limit else len(selected)
        following = f"{self.revision}/{end}" if end < len(selected) else ""
        items = [self._raw(resource, obj) for obj in selected[start:end]]
        return ListResult(items, str(self.revision), following)

    async def list_all(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
    ) -> ListResult:
        return await paging.collect(
            lambda limit, continue_: self.list(
                resource,
                namespace=namespace,
                label_selector=label_selector,
                limit=limit,
                continue_=continue_,
            )
        )

    def _selects(self, obj: Object, namespace: str | None, label_selector: str) -> bool:
        meta = obj["metadata"]
        if namespace and meta.get("namespace") != namespace:
            return False
        return labels.parse(label_selector).matches(meta.get("labels") or {})

    async def watch(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
        since: str = "",
        bookmarks: bool = True,
        initial_events: bool = False,
    ) -> AsyncGenerator[WatchEvent, None]:
        self._enter("watch", resource.plural)
        cut = self._cut
        at = int(since or self.revision)
        if initial_events:
            if not self.streams_lists:
                raise errors.Invalid("ListOptions", "", [], group="meta.k8s.io")
            at = self.revision
            for obj in list(self._objects[resource].values()):
                if self._selects(obj, namespace, label_selector):
                    yield WatchEvent("ADDED", self._raw(resource, obj))
            yield WatchEvent("BOOKMARK", Raw(resource, b"{}", revision=str(at)), initial_end=True)
        while True:
            if at < self.oldest:
                raise errors.expired(f"too old resource version: {at} ({self.oldest})")
            if cut != self._cut:
                return
            for revision, changed, event, obj in list(self._history):
                if revision > at:
                    at = revision
                    if changed == resource and self._selects(obj, namespace, label_selector):
                        yield WatchEvent(event, self._raw(resource, obj))
            if at >= self.revision and cut == self._cut:
                await self._changed.wait()

    async def create(
        self,
        resource: Resource,
        obj: Body,
        *,
        namespace: str | None = None,
        name: str = "",
        subresource: str = "",
        field_manager: str = "",
        dry_run: bool = False,
    ) -> Raw:
        key = key_of(obj, namespace)
        self._enter("create", key.name)
        if key in self._objects[resource]:
            raise errors.already_exists(resource.group, resource.plural, key.name)
        return self._write(resource, "ADDED", self._copy(resource, obj, key))

    async def update(
        self,
        resource: Resource,
        obj: Body,
        *,
        namespace: str | None = None,
        name: str = "",
        subresource: str = "",
        field_manager: str = "",
        dry_run: bool = False,
    ) -> Raw:
        key = key_of(obj, namespace, name)
        self._enter("update", key.name)
        old, new = self._find(resource, key), self._copy(resource, obj, key)
        given = new["metadata"].get("resourceVersion")
        if given and given != old["metadata"]["resourceVersion"]:
            raise errors.stale(resource.group, resource.plural, key.name)
        return self._write(resource, "MODIFIED", new)

    async def patch(
        self,
        resource: Resource,
        name: str,
        patch: Json,
        *,
        kind: PatchType = PatchType.MERGE,
        namespace: str | None = None,
        subresource: str = "",
        field_manager: str = "",
        dry_run: bool = False,
    ) -> Raw:
        self._enter("patch", name)
        old = self._find(resource, Key(namespace or "", name))
        return self._write(resource, "MODIFIED", _merge(old, msgspec.to_builtins(patch)))

    async def apply(
        self,
        resource: Resource,
        name: str,
        obj: Body,
        *,
        field_manager: str,
        namespace: str | None = None,
        subresource: str = "",
        force: bool = False,
        dry_run: bool = False,
    ) -> Raw:
        key = key_of(obj, namespace, name)
        self._enter("apply", name)
        new = self._copy(resource, obj, key)
        old = self._objects[resource].get(key)
        return self._write(resource, "MODIFIED" if old else "ADDED", _merge(old or {}, new))

    async def delete(
        self,
        resource: Resource,
        name: str,
        *,
        namespace: str | None = None,
        propagation: Propagation | None = None,
        grace_seconds: int | None = None,
        uid: str = "",
        resource_version: str = "",
        dry_run: bool = False,
    ) -> None:
        self._enter("delete", name)
        old = self._find(resource, Key(namespace or "", name))
        self._write(resource, "DELETED", {**old, "metadata": dict(old["metadata"])})

    async def delete_collection(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
        propagation: Propagation | None = None,
        grace_seconds: int | None = None,
        dry_run: bool = False,
    ) -> None:
        self._enter("delete_collection", resource.plural)
        for obj in list(self._objects[resource].values()):
            if self._selects(obj, namespace, label_selector):
                self._write(resource, "DELETED", {**obj, "metadata": dict(obj["metadata"])})

    async def close(self) -> None:
        self.cut()


def _merge(old: Json, patch: Json) -> Json:
    if not isinstance(patch, dict):
        return patch
    merged = dict(old) if isinstance(old, dict) else {}
    for name, value in patch.items():
        if value is None:
            merged.pop(name, None)
        else:
            merged[name] = _merge(merged.get(name), value)
    return merged
