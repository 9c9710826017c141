"""The admission that an assignment amounts to, as the Workload's status will hold it."""

from __future__ import annotations

from argosy.api.objects.kueue.workloads import Admission, PodSetAssignment
from argosy.queueing.flavors.assignments import Assignment
from argosy.queueing.quotas.amounts import quantities


def admission_of(assignment: Assignment, cluster_queue: str) -> Admission:
    """`resourceUsage` is a pod set's whole usage, of the resources that got a flavor."""
    return Admission(
        cluster_queue,
        tuple(
            PodSetAssignment(
                name=pod_set.name,
                flavors={resource: one.name for resource, one in pod_set.flavors.items()},
                resource_usage=quantities(pod_set.resource_usage),
                count=pod_set.count,
                topology_assignment=pod_set.topology_assignment,
                delayed_topology_request=pod_set.delayed_topology_request,
            )
            for pod_set in assignment.pod_sets
        ),
    )
