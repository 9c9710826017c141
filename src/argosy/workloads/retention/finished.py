"""Deletes finished Jobs, JobSets and pods by the rules, and warns the owner of a Job that relies on the default.

A namespace is looked at when something in it finishes, when its rules change, and when its next object is due. Deleting
is batched, so that ten thousand objects that fall due together do not hold up anybody; what could not be deleted goes
back on its shelf and is tried again. After a restart the first events of the informers fill the shelves again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Final, Generic, TypeVar

from argosy.api.objects import Job, Namespace, ObjectMeta, Pod
from argosy.api.objects.jobsets import JobSet
from argosy.base.durations import format_duration
from argosy.base.errors import NotFound
from argosy.client.objects import Key
from argosy.client.protocol import Propagation
from argosy.client.resources import JOBS, NAMESPACES, PODS, Resource
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.control.reconcilers import DONE, Result
from argosy.control.references import reference
from argosy.workloads.jobsets.names import JOB_SETS
from argosy.workloads.pods.caches import pod_informer
from argosy.workloads.retention.rules import (
    JOB_LIMIT,
    JOB_TTL,
    POD_LIMIT,
    POD_TTL,
    BadRule,
    Rule,
    job_finished_at,
    jobset_finished_at,
    pod_finished_at,
    rule_of,
)
from argosy.workloads.retention.shelves import Shelf

_LOG: Final = logging.getLogger(__name__)
_AT_ONCE: Final = 100
COMPONENT: Final = "argosy-retention"

T = TypeVar("T", Job, JobSet, Pod)


class Finished(Generic[T]):
    """The finished objects of one kind."""

    def __init__(
        self,
        assembly: Assembly,
        resource: Resource,
        informer: Informer[T],
        finished_at: Callable[[T], float | None],
        annotations: tuple[str, str],
        default: Rule,
    ) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._resource = resource
        self._informer: Informer[T] = informer
        self._finished_at: Callable[[T], float | None] = finished_at
        self._annotations = annotations
        self._default = default
        self._shelves: dict[str, Shelf[Key]] = {}
        self._recorder = assembly.recorder(COMPONENT)
        self._namespaces = assembly.informer(NAMESPACES, Namespace)
        self._queue = assembly.controller(f"retention-{resource.plural}", self._reconcile)
        informer.add_handler(self._changed)
        self._namespaces.add_handler(self._namespace_changed)

    def _changed(self, old: T | None, new: T | None) -> None:
        obj = new or old
        assert obj is not None
        namespace, key = obj.metadata.namespace, Key(*obj.metadata.key)
        finished = self._finished_at(new) if new is not None else None
        shelf = self._shelves.get(namespace)
        if finished is None:
            if shelf is not None:
                shelf.drop(key)
            return
        if shelf is None:
            shelf = self._shelves[namespace] = Shelf()
        if shelf.put(key, finished):
            self._queue.add(namespace)
            # News, and not what a restart finds: only then is there an earlier state.
            if old is not None and self._resource is not PODS:
                self._warn(obj.metadata, self._rule(namespace))

    def _namespace_changed(self, old: Namespace | None, new: Namespace | None) -> None:
        name = (new or old).metadata.name  # type: ignore[union-attr]  # one of them is there
        if new is None:
            self._shelves.pop(name, None)
            return
        before = {} if old is None else old.metadata.annotations
        after = new.metadata.annotations
        if any(before.get(key) != after.get(key) for key in self._annotations):
            try:
                rule_of(after, *self._annotations, self._default)
            except BadRule as error:
                # JobSets go by the annotations of Jobs, which have told already.
                if self._resource is not JOB_SETS:
                    about = reference(NAMESPACES, new.metadata)
                    self._recorder.event(about, "Warning", "InvalidRetention", str(error))
            self._queue.add(name)

    def _rule(self, namespace: str) -> Rule:
        found = self._namespaces.get("", namespace)
        if found is None:
            return self._default
        try:
            return rule_of(found.metadata.annotations, *self._annotations, self._default)
        except BadRule:
            return self._default

    def _warn(self, meta: ObjectMeta, rule: Rule) -> None:
        kept, kind = format_duration(rule.seconds), self._resource.kind
        what = (
            f"{kind} sets no spec.ttlSecondsAfterFinished: it is deleted {kept} after it finished, or earlier when its "
            f"namespace has more than {rule.most} finished {kind}s; set the field to choose"
        )
        self._recorder.event(reference(self._resource, meta), "Warning", "DefaultTTLApplies", what)

    async def _reconcile(self, namespace: str) -> Result:
        shelf = self._shelves.get(namespace)
        if shelf is None:
            return DONE
        rule = self._rule(namespace)
        due = shelf.take_due(rule, self._clock.time())
        failures: list[BaseException] = []
        for start in range(0, len(due), _AT_ONCE):
            batch = due[start : start + _AT_ONCE]
            calls = (self._delete(*one) for one in batch)
            results = await asyncio.gather(*calls, return_exceptions=True)
            for (key, _), failure in zip(batch, results, strict=True):
                if failure is not None:
                    self._put_back(shelf, key)
                    failures.append(failure)
        if failures:
            raise failures[0]
        following = shelf.next_due(rule)
        if following is None:
            return DONE
        return Result(requeue_after=max(0.0, following - self._clock.time()))

    def _put_back(self, shelf: Shelf[Key], key: Key) -> None:
        obj = self._informer.get(*key)
        if obj is not None and (finished := self._finished_at(obj)) is not None:
            shelf.put(key, finished)

    async def _delete(self, key: Key, reason: str) -> None:
        obj = self._informer.get(*key)
        if obj is None:
            return
        propagation = Propagation.FOREGROUND if self._resource is not PODS else None
        try:
            await self._client.delete(
                self._resource,
                key.name,
                namespace=key.namespace,
                propagation=propagation,
                uid=obj.metadata.uid,
            )
        except NotFound:
            return
        _LOG.info("%s %s: deleted by %s", self._resource.qualified, key, reason)


def add_finished(assembly: Assembly, jobs: Rule, pods: Rule) -> None:
    """Have finished Jobs and pods go by these rules where their namespaces say nothing else."""
    informer = assembly.informer(JOBS, Job)
    Finished(assembly, JOBS, informer, job_finished_at, (JOB_TTL, JOB_LIMIT), jobs)
    Finished(assembly, PODS, pod_informer(assembly), pod_finished_at, (POD_TTL, POD_LIMIT), pods)


def add_finished_jobsets(assembly: Assembly, rule: Rule) -> None:
    """Have finished JobSets go as Jobs do. Their definition must be installed before the assembly runs."""
    informer = assembly.informer(JOB_SETS, JobSet)
    Finished(assembly, JOB_SETS, informer, jobset_finished_at, (JOB_TTL, JOB_LIMIT), rule)
