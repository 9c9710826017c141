"""ProvisioningRequests: capacity that somebody asks for before there are pods, and pod templates that say what kind."""

from __future__ import annotations

import msgspec

from argosy.api.objects.metadata import Condition, ObjectMeta, View
from argosy.api.objects.pods import PodSpec


class TemplateReference(View, frozen=True):
    name: str = ""


class RequestedPodSet(View, frozen=True):
    pod_template_ref: TemplateReference = TemplateReference()
    count: int = 1


class ProvisioningRequestSpec(View, frozen=True):
    provisioning_class_name: str = ""
    pod_sets: tuple[RequestedPodSet, ...] = ()
    parameters: dict[str, str] = msgspec.field(default_factory=dict)


class ProvisioningRequestStatus(View, frozen=True):
    conditions: tuple[Condition, ...] = ()
    provisioning_class_details: dict[str, str] = msgspec.field(default_factory=dict)


class ProvisioningRequest(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: ProvisioningRequestSpec = ProvisioningRequestSpec()
    status: ProvisioningRequestStatus = ProvisioningRequestStatus()


class TemplatedPod(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    spec: PodSpec = PodSpec()


class PodTemplate(View, frozen=True):
    metadata: ObjectMeta = ObjectMeta()
    template: TemplatedPod = TemplatedPod()
