"""Which resource a request means: group, version, plural, and whether it lives in namespaces.

Controllers name resources by the constants below; custom ones are made with `Resource(...)`. A `Resource`
knows its HTTP path and the opening bytes of its objects.

A name that is no part of a path is refused before anything is sent, in client-go's words: a delete of "" would
otherwise be a delete of everything.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

import msgspec

from argosy.base.errors import BadRequest
from argosy.base.types import Object


class Resource(msgspec.Struct, frozen=True, gc=False):
    """One resource in one version, such as `jobs` of `batch/v1`."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool = True

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """`jobs.batch`, `pods`: how error messages name it."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def prefix(self) -> bytes:
        """The opening of an object's JSON: brace, kind, apiVersion and a comma."""
        return f'{{"kind":"{self.kind}","apiVersion":"{self.api_version}",'.encode()

    def path(self, namespace: str | None = None, name: str = "", subresource: str = "") -> str:
        """The URL path. No namespace means all of them, which only lists and watches may ask for."""
        root = f"/apis/{self.group}" if self.group else "/api"
        parts = [f"{root}/{self.version}"]
        if self.namespaced and namespace:
            parts.append(f"namespaces/{quote(namespace, safe='')}")
        parts.append(self.plural)
        if name:
            parts.append(quote(name, safe=""))
        if subresource:
            parts.append(subresource)
        return "/".join(parts)


def check_name(name: str) -> None:
    """Raises BadRequest for a name that cannot stand in a path."""
    if not name:
        raise BadRequest("resource name may not be empty")
    _check_segment("resource name", name)


def check_namespace(namespace: str | None) -> None:
    """Raises BadRequest for a namespace that cannot stand in a path; none at all is fine."""
    if namespace:
        _check_segment("namespace", namespace)


def _check_segment(what: str, given: str) -> None:
    if given in {".", ".."}:
        raise BadRequest(f"invalid {what} \"{given}\": [may not be '{given}']")
    problems = [f"may not contain '{mark}'" for mark in "/%" if mark in given]
    if problems:
        raise BadRequest(f'invalid {what} "{given}": [{" ".join(problems)}]')


def of(obj: Object, plural: str, *, namespaced: bool = True) -> Resource:
    """The resource of an object, whose plural the caller knows."""
    group, _, version = obj["apiVersion"].rpartition("/")
    return Resource(group, version, plural, obj["kind"], namespaced)


def _core(plural: str, kind: str, *, namespaced: bool = True) -> Resource:
    return Resource("", "v1", plural, kind, namespaced)


CONFIG_MAPS: Final = _core("configmaps", "ConfigMap")
ENDPOINTS: Final = _core("endpoints", "Endpoints")
EVENTS: Final = _core("events", "Event")
LIMIT_RANGES: Final = _core("limitranges", "LimitRange")
NAMESPACES: Final = _core("namespaces", "Namespace", namespaced=False)
NODES: Final = _core("nodes", "Node", namespaced=False)
PERSISTENT_VOLUME_CLAIMS: Final = _core("persistentvolumeclaims", "PersistentVolumeClaim")
PERSISTENT_VOLUMES: Final = _core("persistentvolumes", "PersistentVolume", namespaced=False)
POD_TEMPLATES: Final = _core("podtemplates", "PodTemplate")
PODS: Final = _core("pods", "Pod")
REPLICATION_CONTROLLERS: Final = _core("replicationcontrollers", "ReplicationController")
RESOURCE_QUOTAS: Final = _core("resourcequotas", "ResourceQuota")
SECRETS: Final = _core("secrets", "Secret")
SERVICE_ACCOUNTS: Final = _core("serviceaccounts", "ServiceAccount")
SERVICES: Final = _core("services", "Service")

CONTROLLER_REVISIONS: Final = Resource("apps", "v1", "controllerrevisions", "ControllerRevision")
DAEMON_SETS: Final = Resource("apps", "v1", "daemonsets", "DaemonSet")
DEPLOYMENTS: Final = Resource("apps", "v1", "deployments", "Deployment")
REPLICA_SETS: Final = Resource("apps", "v1", "replicasets", "ReplicaSet")
STATEFUL_SETS: Final = Resource("apps", "v1", "statefulsets", "StatefulSet")

CRON_JOBS: Final = Resource("batch", "v1", "cronjobs", "CronJob")
JOBS: Final = Resource("batch", "v1", "jobs", "Job")

NODE_POOLS: Final = Resource("argosy.dev", "v1alpha1", "nodepools", "NodePool", namespaced=False)
JOB_HISTORIES: Final = Resource("argosy.dev", "v1alpha1", "jobhistories", "JobHistory")

LEASES: Final = Resource("coordination.k8s.io", "v1", "leases", "Lease")
ENDPOINT_SLICES: Final = Resource("discovery.k8s.io", "v1", "endpointslices", "EndpointSlice")
POD_DISRUPTION_BUDGETS: Final = Resource(
    "policy", "v1", "poddisruptionbudgets", "PodDisruptionBudget"
)
PRIORITY_CLASSES: Final = Resource(
    "scheduling.k8s.io", "v1", "priorityclasses", "PriorityClass", namespaced=False
)
RUNTIME_CLASSES: Final = Resource(
    "node.k8s.io", "v1", "runtimeclasses", "RuntimeClass", namespaced=False
)
STORAGE_CLASSES: Final = Resource(
    "storage.k8s.io", "v1", "storageclasses", "StorageClass", namespaced=False
)
CLUSTER_ROLES: Final = Resource(
    "rbac.authorization.k8s.io", "v1", "clusterroles", "ClusterRole", namespaced=False
)
CLUSTER_ROLE_BINDINGS: Final = Resource(
    "rbac.authorization.k8s.io", "v1", "clusterrolebindings", "ClusterRoleBinding", namespaced=False
)
ROLES: Final = Resource("rbac.authorization.k8s.io", "v1", "roles", "Role")
ROLE_BINDINGS: Final = Resource("rbac.authorization.k8s.io", "v1", "rolebindings", "RoleBinding")
CUSTOM_RESOURCE_DEFINITIONS: Final = Resource(
    "apiextensions.k8s.io",
    "v1",
    "customresourcedefinitions",
    "CustomResourceDefinition",
    namespaced=False,
)


def _kueue(plural: str, kind: str, *, namespaced: bool = False) -> Resource:
    return Resource("kueue.x-k8s.io", "v1beta2", plural, kind, namespaced)


ADMISSION_CHECKS: Final = _kueue("admissionchecks", "AdmissionCheck")
CLUSTER_QUEUES: Final = _kueue("clusterqueues", "ClusterQueue")
COHORTS: Final = _kueue("cohorts", "Cohort")
LOCAL_QUEUES: Final = _kueue("localqueues", "LocalQueue", namespaced=True)
MULTI_KUEUE_CLUSTERS: Final = _kueue("multikueueclusters", "MultiKueueCluster")
MULTI_KUEUE_CONFIGS: Final = _kueue("multikueueconfigs", "MultiKueueConfig")
PROVISIONING_REQUEST_CONFIGS: Final = _kueue(
    "provisioningrequestconfigs", "ProvisioningRequestConfig"
)
RESOURCE_FLAVORS: Final = _kueue("resourceflavors", "ResourceFlavor")
TOPOLOGIES: Final = _kueue("topologies", "Topology")
WORKLOAD_PRIORITY_CLASSES: Final = _kueue("workloadpriorityclasses", "WorkloadPriorityClass")
WORKLOADS: Final = _kueue("workloads", "Workload", namespaced=True)


def _placement(plural: str, kind: str, *, namespaced: bool = False) -> Resource:
    return Resource("placement.kubernetes-fleet.io", "v1beta1", plural, kind, namespaced)


APPLIED_WORKS: Final = _placement("appliedworks", "AppliedWork")
APPROVAL_REQUESTS: Final = _placement("approvalrequests", "ApprovalRequest", namespaced=True)
CLUSTER_APPROVAL_REQUESTS: Final = _placement("clusterapprovalrequests", "ClusterApprovalRequest")
CLUSTER_RESOURCE_BINDINGS: Final = _placement("clusterresourcebindings", "ClusterResourceBinding")
CLUSTER_RESOURCE_ENVELOPES: Final = _placement(
    "clusterresourceenvelopes", "ClusterResourceEnvelope"
)
CLUSTER_RESOURCE_OVERRIDES: Final = _placement(
    "clusterresourceoverrides", "ClusterResourceOverride"
)
CLUSTER_RESOURCE_OVERRIDE_SNAPSHOTS: Final = _placement(
    "clusterresourceoverridesnapshots", "ClusterResourceOverrideSnapshot"
)
CLUSTER_RESOURCE_PLACEMENTS: Final = _placement(
    "clusterresourceplacements", "ClusterResourcePlacement"
)
CLUSTER_RESOURCE_PLACEMENT_DISRUPTION_BUDGETS: Final = _placement(
    "clusterresourceplacementdisruptionbudgets", "ClusterResourcePlacementDisruptionBudget"
)
CLUSTER_RESOURCE_PLACEMENT_EVICTIONS: Final = _placement(
    "clusterresourceplacementevictions", "ClusterResourcePlacementEviction"
)
CLUSTER_RESOURCE_PLACEMENT_STATUSES: Final = _placement(
    "clusterresourceplacementstatuses", "ClusterResourcePlacementStatus", namespaced=True
)
CLUSTER_RESOURCE_SNAPSHOTS: Final = _placement(
    "clusterresourcesnapshots", "ClusterResourceSnapshot"
)
CLUSTER_SCHEDULING_POLICY_SNAPSHOTS: Final = _placement(
    "clusterschedulingpolicysnapshots", "ClusterSchedulingPolicySnapshot"
)
CLUSTER_STAGED_UPDATE_RUNS: Final = _placement("clusterstagedupdateruns", "ClusterStagedUpdateRun")
CLUSTER_STAGED_UPDATE_STRATEGIES: Final = _placement(
    "clusterstagedupdatestrategies", "ClusterStagedUpdateStrategy"
)
RESOURCE_BINDINGS: Final = _placement("resourcebindings", "ResourceBinding", namespaced=True)
RESOURCE_ENVELOPES: Final = _placement("resourceenvelopes", "ResourceEnvelope", namespaced=True)
RESOURCE_OVERRIDES: Final = _placement("resourceoverrides", "ResourceOverride", namespaced=True)
RESOURCE_OVERRIDE_SNAPSHOTS: Final = _placement(
    "resourceoverridesnapshots", "ResourceOverrideSnapshot", namespaced=True
)
RESOURCE_PLACEMENTS: Final = _placement("resourceplacements", "ResourcePlacement", namespaced=True)
RESOURCE_SNAPSHOTS: Final = _placement("resourcesnapshots", "ResourceSnapshot", namespaced=True)
SCHEDULING_POLICY_SNAPSHOTS: Final = _placement(
    "schedulingpolicysnapshots", "SchedulingPolicySnapshot", namespaced=True
)
STAGED_UPDATE_RUNS: Final = _placement("stagedupdateruns", "StagedUpdateRun", namespaced=True)
STAGED_UPDATE_STRATEGIES: Final = _placement(
    "stagedupdatestrategies", "StagedUpdateStrategy", namespaced=True
)
WORKS: Final = _placement("works", "Work", namespaced=True)

MEMBER_CLUSTERS: Final = Resource(
    "cluster.kubernetes-fleet.io", "v1beta1", "memberclusters", "MemberCluster", namespaced=False
)
INTERNAL_MEMBER_CLUSTERS: Final = Resource(
    "cluster.kubernetes-fleet.io", "v1beta1", "internalmemberclusters", "InternalMemberCluster"
)
