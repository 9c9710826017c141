"""What upstream's webhooks do to jobs, as an admission plugin: fill in new ones, refuse wrong ones.

Jobs in namespaces that are not managed are left alone. Refusals read as kube-apiserver relays those of a webhook. What
is asked of the store is its latest state, so a queue made a moment ago counts.

What a new pod becomes depends, beside the pod, on its namespace and on priority classes (`reads`); on whether its
namespace has a default queue, which changes so rarely that copies of pods are simply forgotten when it does; and on
whether its owner is queued, which cannot change while that makes pods: a job's queue is fixed while it runs.
"""

from __future__ import annotations

from typing import ClassVar, Final

import msgspec

from argosy.api.kinds import Kind
from argosy.api.objects import Namespace
from argosy.apiserver import encoding
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.base.errors import Forbidden
from argosy.base.fielderrors import FieldError
from argosy.base.types import Object
from argosy.client.resources import (
    ADMISSION_CHECKS,
    CLUSTER_QUEUES,
    LOCAL_QUEUES,
    PODS,
    WORKLOAD_PRIORITY_CLASSES,
)
from argosy.queueing.configuration import Configuration
from argosy.queueing.jobs import names
from argosy.queueing.jobs.ancestry import PASSED, NestingError, Parent
from argosy.queueing.jobs.defaulting import default_job
from argosy.queueing.jobs.kinds import JobKind
from argosy.queueing.jobs.validating import validate_create, validate_update
from argosy.store import Key, Record

_NAMESPACES: Final = "namespaces"
_DEFAULT_PRIORITY: Final = Key(
    WORKLOAD_PRIORITY_CLASSES.qualified, "", names.DEFAULT_PRIORITY_CLASS
)
_read_namespace: Final = msgspec.json.Decoder(Namespace).decode


class StoredFacts:
    """What the store says; implements `Facts`."""

    def __init__(
        self, cluster: Cluster, configuration: Configuration, kinds: list[JobKind]
    ) -> None:
        self.manages_unnamed: Final = configuration.manage_jobs_without_queue_name
        self._cluster = cluster
        self._managed = configuration.managed_namespaces
        self._kinds = {(kind.resource.api_version, kind.resource.kind): kind for kind in kinds}
        cluster.committed.setdefault(LOCAL_QUEUES.qualified, []).append(self._queue_changed)

    def _queue_changed(self, kind: Kind, record: Record, deleted: bool) -> None:
        """A queue's status changes all the time; only its coming and going matters to pods."""
        if record.key.name == names.DEFAULT_LOCAL_QUEUE:
            self._cluster.memory.originals.clear()

    def is_managed_namespace(self, name: str) -> bool:
        record = self._cluster.store.latest(Key(_NAMESPACES, "", name))
        if record is None:
            return False
        return self._managed.matches(_read_namespace(record.raw).metadata.labels)

    def has_default_queue(self, namespace: str) -> bool:
        return self._get(LOCAL_QUEUES.qualified, namespace, names.DEFAULT_LOCAL_QUEUE) is not None

    def has_default_priority(self) -> bool:
        return self._cluster.store.latest(_DEFAULT_PRIORITY) is not None

    def is_dispatched(self, namespace: str, queue: str) -> bool:
        local = self._get(LOCAL_QUEUES.qualified, namespace, queue)
        name = ((local or {}).get("spec") or {}).get("clusterQueue", "")
        found = self._get(CLUSTER_QUEUES.qualified, "", name) if name else None
        strategy = ((found or {}).get("spec") or {}).get("admissionChecksStrategy") or {}
        checks = (
            self._get(ADMISSION_CHECKS.qualified, "", rule["name"])
            for rule in strategy.get("admissionChecks") or ()
        )
        return any(
            check is not None
            and check["spec"].get("controllerName") == names.MULTI_KUEUE_CONTROLLER
            for check in checks
        )

    def is_framework(self, reference: Object) -> bool:
        return (reference["apiVersion"], reference["kind"]) in self._kinds

    def parent(self, reference: Object, namespace: str) -> Parent | None:
        key = reference["apiVersion"], reference["kind"]
        kind = self._kinds.get(key)
        if kind is not None:
            resource = kind.resource.qualified
        elif key in PASSED:
            resource = "replicasets.apps"
        else:
            return None
        found = self._get(resource, namespace, reference["name"])
        return Parent(found, kind is not None) if found is not None else None

    def _get(self, resource: str, namespace: str, name: str) -> Object | None:
        plural, _, group = resource.partition(".")
        kind = self._cluster.scheme.find(group, plural)
        if kind is None:
            return None
        record = self._cluster.store.latest(Key(kind.stored_resource, namespace, name))
        return encoding.from_bytes(kind, record.raw) if record is not None else None


class JobAdmission:
    """Defaults new jobs, checks new and changed ones; their status is left alone."""

    reads: ClassVar = frozenset({_NAMESPACES, WORKLOAD_PRIORITY_CLASSES.qualified})
    singly: ClassVar = b""

    def __init__(
        self, cluster: Cluster, configuration: Configuration, kinds: list[JobKind]
    ) -> None:
        self._facts = StoredFacts(cluster, configuration, kinds)
        self._kinds = {kind.resource.qualified: kind for kind in kinds}

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        kind = self._concerned(call)
        if kind is None or new is None or (old is not None and not kind.fills_in_changes):
            return
        if new["metadata"].get("deletionTimestamp"):
            return
        _place(new, call)
        try:
            after = default_job(kind, new, self._facts)
        except NestingError as error:
            refuse(kind.webhook, str(error))
            return
        # The caller's object is changed in place; hooks after this one see it.
        new.update(after)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        kind = self._concerned(call)
        if kind is None or new is None:
            return
        if kind.resource is PODS and not _is_marked(new) and not _is_marked(old):
            # Most pods of a cluster, and the most frequent of all writes.
            return
        if not self._facts.is_managed_namespace(call.namespace):
            return
        if old is None:
            problems = validate_create(kind, new, manages_unnamed=self._facts.manages_unnamed)
        elif new["metadata"].get("deletionTimestamp"):
            return
        else:
            has_default = self._facts.has_default_queue(call.namespace)
            problems = validate_update(
                kind,
                new,
                old,
                has_default_queue=has_default,
                manages_unnamed=self._facts.manages_unnamed,
            )
        refuse(kind.webhook, _aggregate(problems))

    def _concerned(self, call: Call) -> JobKind | None:
        return None if call.subresource else self._kinds.get(call.kind.resource)


def _is_marked(pod: Object | None) -> bool:
    """Whether anything about a pod is said to queueing."""
    meta = pod["metadata"] if pod is not None else {}
    return any(
        key.startswith(names.PREFIX)
        for field in ("labels", "annotations")
        for key in meta.get(field) or ()
    )


def _place(new: Object, call: Call) -> None:
    """A body may leave its namespace to the path."""
    new["metadata"].setdefault("namespace", call.namespace)


def refuse(webhook: str, problem: str) -> None:
    """Raise Forbidden with the words of a webhook, if there is a problem."""
    if problem:
        raise Forbidden(f'admission webhook "{webhook}" denied the request: {problem}')


def _aggregate(problems: list[FieldError]) -> str:
    texts = list(dict.fromkeys(str(problem) for problem in problems))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]" if texts else ""
