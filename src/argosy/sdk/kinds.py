"""The kinds of jobs: which they are, what their resources are called, where they are suspended, and which queue they
wait in.

A job is what runs and comes to an end. What runs for ever (Deployments, RayServices) can be placed, but is no job.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from argosy.api.needs import runs
from argosy.base.types import Object
from argosy.client.resources import JOBS, Resource
from argosy.member.availability.outcomes import JOB_SETS, RAY_JOBS

# As `queueing.jobs.names` has it, whose package brings all of queueing along.
QUEUE_NAME: Final = "kueue.x-k8s.io/queue-name"
# What every hub is asked for. Further kinds are asked for where a placement selects them.
USUAL: Final = (JOBS, JOB_SETS, RAY_JOBS)


def _kubeflow(kind: str) -> Resource:
    return Resource("kubeflow.org", "v1", f"{kind.lower()}s", kind)


_OTHERS: Final = (
    *(_kubeflow(kind) for kind in ("PyTorchJob", "TFJob", "XGBoostJob", "PaddleJob", "JAXJob")),
    Resource("kubeflow.org", "v2beta1", "mpijobs", "MPIJob"),
)
ALL: Final = (*USUAL, *_OTHERS)
_KNOWN: Final[Mapping[tuple[str, str], Resource]] = {(each.group, each.kind): each for each in ALL}
_JOB_NAME: Final = "batch.kubernetes.io/job-name"
_POD_LABELS: Final = {
    "jobset.x-k8s.io": "jobset.sigs.k8s.io/jobset-name",
    "kubeflow.org": "training.kubeflow.org/job-name",
}


def is_job(group: str, kind: str) -> bool:
    return (group, kind) in _KNOWN


def runs_for_ever(group: str, kind: str) -> bool:
    """Whether a kind makes pods and never ends."""
    return runs(group, kind) and not is_job(group, kind)


def resource_of(group: str, kind: str, version: str = "") -> Resource:
    """KeyError for what is no job."""
    known = _KNOWN[group, kind]
    if not version or version == known.version:
        return known
    return Resource(known.group, version, known.plural, known.kind, known.namespaced)


def names_of_kinds() -> str:
    """For messages."""
    return ", ".join(sorted({each.kind for each in _KNOWN.values()}))


def matching(text: str) -> frozenset[str]:
    """The kinds that somebody means by a kind, a plural, or either with its group; all for nothing."""
    word = text.lower()
    return frozenset(
        each.kind
        for each in _KNOWN.values()
        if not word
        or word in {each.kind.lower(), each.plural, each.qualified}
        or word == f"{each.kind}.{each.group}".lower()
    )


def queue_of(meta: Mapping[str, object]) -> str:
    """The LocalQueue that an object's metadata names: a label, or an annotation as some guides write it."""
    for field in ("labels", "annotations"):
        found = meta.get(field)
        if isinstance(found, dict) and found.get(QUEUE_NAME):
            return str(found[QUEUE_NAME])
    return ""


def is_suspended(job: Object) -> bool:
    spec = job.get("spec") or {}
    return bool(spec.get("suspend") or (spec.get("runPolicy") or {}).get("suspend"))


def suspend(job: Object) -> Object:
    """The job, held back for its queue."""
    spec = dict(job.get("spec") or {})
    if job["apiVersion"].startswith("kubeflow.org/"):
        spec["runPolicy"] = {**(spec.get("runPolicy") or {}), "suspend": True}
    else:
        spec["suspend"] = True
    return {**job, "spec": spec}


def further(identified: Iterable[tuple[str, str, str]]) -> list[Resource]:
    """The resources of jobs among (group, version, kind)s that are not asked for anyway."""
    usual = {(each.group, each.kind) for each in USUAL}
    found = {
        (group, kind): resource_of(group, kind, version)
        for group, version, kind in identified
        if is_job(group, kind) and (group, kind) not in usual
    }
    return [found[key] for key in sorted(found)]


def pods_of(job: Object) -> str:
    """The label selector of a job's pods on its clusters. Of a RayJob it is the pod that submits it, which has the
    job's output.
    """
    name, spec = job["metadata"]["name"], job.get("spec") or {}
    group = str(job.get("apiVersion", "")).rpartition("/")[0]
    own = (spec.get("selector") or {}).get("matchLabels") if spec.get("manualSelector") else None
    if own:
        return ",".join(f"{key}={value}" for key, value in sorted(own.items()))
    return f"{_POD_LABELS.get(group, _JOB_NAME)}={name}"
