"""The resources that this package defines, and the names it goes by."""

from __future__ import annotations

from typing import Final

from argosy.client.resources import Resource

PROVISIONING_REQUESTS: Final = Resource(
    "autoscaling.x-k8s.io", "v1", "provisioningrequests", "ProvisioningRequest"
)

# Who writes, and who speaks in events.
MANAGER: Final = "argosy"
COMPONENT: Final = "argosy-autoscaler"
