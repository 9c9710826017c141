"""Kueue's feature gates: the names a Configuration may use, and which are on without a word.

Gates that are on by default are simply how things work here. Only `HONORED` ones can be set otherwise; turning on or
off another is refused with a sentence, so that nobody counts on what is not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.base.fielderrors import FieldError, forbidden, invalid

_ON: Final = tuple(
    """
    AdmissionFairSharing AdmissionGatedBy AssignQueueLabelsForPods CleanupProvisioningRequestsOnEviction
    DeferRayServiceFinalizationForRedisCleanup ElasticJobsViaWorkloadSlices FairSharingPreemptWithinNominal
    FairSharingPrioritizeNonBorrowing FinishOrphanedWorkloads FlavorFungibility FlavorFungibilityPreserveScanProgress
    KueueDRAIntegration KueueDRAIntegrationExtendedResource KueueDRAIntegrationPartitionableDevices
    KueueDRARejectWorkloadsWhenDRADisabled LWSImmutableGroupSize LocalQueueMetrics
    ManagedJobsNamespaceSelectorAlwaysRespected MetricForWorkloadCreationLatency MetricsForCohorts MultiKueue
    MultiKueueAdaptersForCustomJobs MultiKueueIncrementalDispatcherConfig
    MultiKueueIncrementalDispatcherRespectConfigOrder MultiKueueKubeConfigPathValidation MultiKueueRemoteSpecSync
    PartialAdmission PodIntegrationValidateGroupOwner PrioritySortingWithinCohort QuotaCheckStrategy ReclaimablePods
    RecomputeAssignmentUponPreemptionTargetsOverlap RemoveFinalizersWithStrictPatch SchedulingEquivalenceHashing
    SkipAncestorCheckForDeletedWorkloads SkipReassignmentForPodOwnedWorkloads TASAssignmentsEncodingByHostnamePrefix
    TASCacheNodeMatchResults TASCacheTopologyTree TASCachingRemainingResources TASFailedNodeReplacement
    TASFailedNodeReplacementFailFast TASHandleOverlappingFlavors TASMultiLayerTopology TASProfileMixed
    TASRecomputeAssignmentWithinSchedulingCycle TASReplaceNodeOnNodeTaints TASReplaceNodeOnPodTermination
    TASValidateWorkloadSliceSize TLSOptions TopologyAwareScheduling UnadmittedWorkloadsObservability
    ValidateRayAndSparkJobUpdates VectorizedResourceRequests VisibilityOnDemand WorkloadIdentifierAnnotations
    WorkloadPriorityClassDefaulting WorkloadValidateResourcesAreNonNegative WorkloadValidationForPodSetMetadata
    """.split()  # noqa: SIM905  (a word list reads better than eighty quotes)
)

_OFF: Final = tuple(
    """
    ConcurrentAdmission CustomMetricLabels DisableWaitForPodsReady ElasticJobsViaWorkloadSlicesWithTAS
    FailureRecoveryPolicy FastQuotaReleaseInPodIntegration KueueDRAIntegrationConsumableCapacity
    MultiKueueClusterProfile MultiKueueManagerQuotaAutomation MultiKueueOrchestratedPreemption
    PrioritizePreemptorWorkloads PriorityBoost RejectUpdatesToCQWithInvalidOnFlavors SchedulerLibraryIntegration
    ShortWorkloadNames SparkApplicationIntegration TASBalancedPlacement TASReplaceNodeDueToNotReadyOverFixedTime
    TASRespectNodeAffinityPreferred UnadmittedWorkloadsExplicitStatus WorkloadRequestUseMergePatch
    """.split()  # noqa: SIM905  (as above)
)

GATES: Final[Mapping[str, bool]] = dict.fromkeys(_ON, True) | dict.fromkeys(_OFF, False)
DISABLE_WAIT_FOR_PODS_READY: Final = "DisableWaitForPodsReady"
EQUIVALENCE_HASHING: Final = "SchedulingEquivalenceHashing"
NON_BORROWING_FIRST: Final = "FairSharingPrioritizeNonBorrowing"
PARTIAL_ADMISSION: Final = "PartialAdmission"
PRIORITY_BOOST: Final = "PriorityBoost"
PRIORITY_SORTING: Final = "PrioritySortingWithinCohort"
RECLAIMABLE_PODS: Final = "ReclaimablePods"
RECOMPUTING: Final = "RecomputeAssignmentUponPreemptionTargetsOverlap"
# Gates whose value is looked at.
HONORED: Final = frozenset(
    {
        DISABLE_WAIT_FOR_PODS_READY,
        EQUIVALENCE_HASHING,
        NON_BORROWING_FIRST,
        PARTIAL_ADMISSION,
        PRIORITY_BOOST,
        PRIORITY_SORTING,
        RECLAIMABLE_PODS,
        RECOMPUTING,
    }
)


def validate_gates(given: Mapping[str, bool], path: str) -> list[FieldError]:
    errors = []
    for name, value in given.items():
        at = f"{path}[{name}]"
        if name not in GATES:
            errors.append(invalid(at, value, f"unrecognized feature gate: {name}"))
        elif name not in HONORED and value != GATES[name]:
            fixed = "on" if GATES[name] else "off"
            errors.append(forbidden(at, f"is always {fixed} here; remove the gate"))
    return errors
