"""Which pods are a Job's: labels held against its selector, orphans adopted, strays released.

Upstream looks at all pods of the namespace each time. Here events have noted in the ledger what is worth a look: pods
whose labels are new or changed, and orphans that may match. Nearly every Job selects by its own uid, which pods carry
as a label, so the candidates of an orphan are found by that label, and only Jobs with a selector of their own are tried
one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

import msgspec

from argosy.api.objects import Job, OwnerReference, Pod
from argosy.api.wellknown import JOB_TRACKING
from argosy.base.selectors.labels import from_object, nothing
from argosy.client.protocol import Client
from argosy.client.resources import JOBS, PODS
from argosy.workloads.jobs.ledgers import Ledger
from argosy.workloads.pods.adopting import Claiming
from argosy.workloads.pods.templates import owner_reference

CONTROLLER_UID: Final = "batch.kubernetes.io/controller-uid"


def selects_by_uid(job: Job) -> bool:
    """Whether a Job has the selector the server gave it."""
    selector = job.spec.selector
    return (
        selector is not None
        and not selector.match_expressions
        and selector.match_labels == {CONTROLLER_UID: job.metadata.uid}
    )


def matcher(job: Job) -> Callable[[dict[str, str]], bool]:
    """Whether labels match the Job's selector."""
    uid = job.metadata.uid
    if selects_by_uid(job):
        return lambda labels: labels.get(CONTROLLER_UID) == uid
    selector = job.spec.selector
    if selector is None:
        return nothing().matches
    return from_object(msgspec.to_builtins(selector)).matches


class Selecting:
    """The Jobs that choose pods by a selector of their own, by namespace and uid."""

    def __init__(self) -> None:
        self._jobs: dict[str, dict[str, Job]] = {}

    def put(self, job: Job) -> None:
        if not selects_by_uid(job):
            self._jobs.setdefault(job.metadata.namespace, {})[job.metadata.uid] = job

    def drop(self, job: Job) -> None:
        jobs = self._jobs.get(job.metadata.namespace)
        if jobs is not None:
            jobs.pop(job.metadata.uid, None)

    def candidates(self, pod: Pod) -> Iterator[str]:
        """The uids of Jobs that an orphan may belong to. Those found by label may not exist (any more)."""
        meta = pod.metadata
        if (uid := meta.labels.get(CONTROLLER_UID)) is not None:
            yield uid
        for job in self._jobs.get(meta.namespace, {}).values():
            if job.metadata.uid != uid and matcher(job)(meta.labels):
                yield job.metadata.uid


async def claim(client: Client, job: Job, ledger: Ledger) -> None:
    """Bring the ledger's pods in line with the selector. Costs what was noted since the last time."""
    matches = matcher(job)
    checked = ledger.unchecked.copy()
    ledger.unchecked.clear()
    doubtful = [
        found.pod
        for uid in checked
        if not matches((found := ledger.entries[uid]).pod.metadata.labels)
    ]
    if doubtful or ledger.orphans:
        orphans = list(ledger.orphans.values())
        claiming: Claiming[Pod] = Claiming(
            client, PODS, JOBS, job.metadata, matches, finalizers=(JOB_TRACKING,)
        )
        adopted = await claiming.claim(doubtful, orphans)
        if job.metadata.deletion_timestamp is None:
            for pod in doubtful:
                ledger.drop(pod.metadata.uid)
        for pod in adopted:
            ledger.put(_adopted(pod, job))
        for pod in orphans:
            ledger.orphans.pop(pod.metadata.uid, None)


def _adopted(pod: Pod, job: Job) -> Pod:
    """A pod as it is after its adoption, whose event is still on its way."""
    meta = pod.metadata
    owner = msgspec.convert(owner_reference(JOBS, job.metadata), OwnerReference)
    finalizers = meta.finalizers
    if JOB_TRACKING not in finalizers:
        finalizers = (*finalizers, JOB_TRACKING)
    owners = (*meta.owner_references, owner)
    changed = msgspec.structs.replace(meta, finalizers=finalizers, owner_references=owners)
    return msgspec.structs.replace(pod, metadata=changed)
