"""What a JobSet and its parts are called: the resource, labels and annotations, and names made from others.

Nearly every key is both a label and an annotation of child Jobs and their pods; programs in pods read them through
the downward API to learn who they are within the whole.
"""

from __future__ import annotations

import hashlib
from typing import Final

from argosy.api.objects.jobsets import Coordinator, JobSet
from argosy.client.resources import Resource

JOB_SETS: Final = Resource("jobset.x-k8s.io", "v1alpha2", "jobsets", "JobSet")

# The value of managedBy that means this controller; so does none.
CONTROLLER_NAME: Final = "jobset.sigs.k8s.io/jobset-controller"

_PREFIX: Final = "jobset.sigs.k8s.io/"
JOBSET_NAME: Final = f"{_PREFIX}jobset-name"
JOBSET_UID: Final = f"{_PREFIX}jobset-uid"
REPLICATED_JOB_NAME: Final = f"{_PREFIX}replicatedjob-name"
REPLICATED_JOB_REPLICAS: Final = f"{_PREFIX}replicatedjob-replicas"
GLOBAL_REPLICAS: Final = f"{_PREFIX}global-replicas"
JOB_INDEX: Final = f"{_PREFIX}job-index"
JOB_GLOBAL_INDEX: Final = f"{_PREFIX}job-global-index"
JOB_KEY: Final = f"{_PREFIX}job-key"
RESTART_ATTEMPT: Final = f"{_PREFIX}restart-attempt"
GROUP_NAME: Final = f"{_PREFIX}group-name"
GROUP_REPLICAS: Final = f"{_PREFIX}group-replicas"
JOB_GROUP_INDEX: Final = f"{_PREFIX}job-group-index"
COORDINATOR: Final = f"{_PREFIX}coordinator"
PRIORITY: Final = f"{_PREFIX}priority"

# Exclusive placement: one Job per topology domain. Annotations that users set.
EXCLUSIVE_TOPOLOGY: Final = "alpha.jobset.sigs.k8s.io/exclusive-topology"
NODE_SELECTOR_STRATEGY: Final = "alpha.jobset.sigs.k8s.io/node-selector"
# The label and the taint of nodes prepared for the node selector strategy.
NAMESPACED_JOB: Final = "alpha.jobset.sigs.k8s.io/namespaced-job"
NO_SCHEDULE: Final = "alpha.jobset.sigs.k8s.io/no-schedule"


def job_name(jobset: str, replicated_job: str, index: int | str) -> str:
    return f"{jobset}-{replicated_job}-{index}"


def job_key(namespace: str, name: str) -> str:
    """A label value that tells Jobs of all namespaces apart, whatever the length of their names."""
    return hashlib.sha1(f"{namespace}/{name}".encode(), usedforsecurity=False).hexdigest()


def subdomain(jobset: JobSet) -> str:
    """The name of the headless service, and the last part of pods' host names."""
    return jobset.spec.network.subdomain or jobset.metadata.name


def coordinator_endpoint(jobset: JobSet, coordinator: Coordinator) -> str:
    """Where the coordinator's pod is reached: its host name and subdomain."""
    job = job_name(jobset.metadata.name, coordinator.replicated_job, coordinator.job_index)
    return f"{job}-{coordinator.pod_index}.{subdomain(jobset)}"
