"""Work, what a member is to apply and how that went, and AppliedWork, what a member has applied.

The hub passes manifests on and then looks at results, so its view leaves the manifests out.
"""

from __future__ import annotations

import msgspec

from argosy.api.objects.fleet.placements import ApplyStrategy, ReportBackStrategy
from argosy.api.objects.metadata import Condition, ObjectMeta, View
from argosy.base.types import Object

APPLIED = "Applied"
AVAILABLE = "Available"
DIFF_REPORTED = "DiffReported"
STATUS_TRIMMED = "StatusTrimmed"
# Of a manifest that is a job, and only here: how it stands, or ended. Upstream does not tell.
FINISHED = "Finished"


class WorkResourceIdentifier(View, frozen=True):
    ordinal: int
    group: str = ""
    version: str = ""
    kind: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""


class ManifestCondition(View, frozen=True):
    """One manifest. What drifted, what differs and what its status is are passed on as they are."""

    identifier: WorkResourceIdentifier
    conditions: tuple[Condition, ...] = ()
    drift_details: Object | None = None
    diff_details: Object | None = None
    back_reported_status: Object | None = None


class WorkStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()
    manifest_conditions: tuple[ManifestCondition, ...] = ()


class Workload(View, frozen=True):
    manifests: tuple[msgspec.Raw, ...] = ()


class WorkSpec(View, frozen=True):
    workload: Workload = Workload()
    apply_strategy: ApplyStrategy | None = None
    report_back_strategy: ReportBackStrategy | None = None


class Work(View, frozen=True):
    """As its member reads it."""

    metadata: ObjectMeta = ObjectMeta()
    spec: WorkSpec = WorkSpec()
    status: WorkStatus = WorkStatus()


class SentWorkSpec(View, frozen=True):
    apply_strategy: ApplyStrategy | None = None


class SentWork(View, frozen=True):
    """As the hub reads it."""

    metadata: ObjectMeta = ObjectMeta()
    spec: SentWorkSpec = SentWorkSpec()
    status: WorkStatus = WorkStatus()


class AppliedResource(View, frozen=True):
    ordinal: int
    group: str = ""
    version: str = ""
    kind: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    uid: str = ""


class AppliedWorkSpec(View, frozen=True):
    work_name: str = ""
    work_namespace: str = ""


class AppliedWorkStatus(View, frozen=True):
    applied_resources: tuple[AppliedResource, ...] = ()


class AppliedWork(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: AppliedWorkSpec = AppliedWorkSpec()
    status: AppliedWorkStatus = AppliedWorkStatus()
