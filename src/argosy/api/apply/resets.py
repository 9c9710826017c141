"""Fields an endpoint resets, so that writing them there makes nobody their owner.

The rule: the main resource resets `.status`, the status subresource resets `.spec`. The table holds the kinds that do
otherwise (their strategies' GetResetFields). Kinds without a status subresource reset nothing.
"""

from __future__ import annotations

from typing import Final

from argosy.api.apply.fieldsets import EMPTY, FieldSet

_MAIN: Final[FieldSet] = {"f:status": {}}
_STATUS: Final[FieldSet] = {"f:spec": {}}
_STATUS_AND_METADATA: Final[FieldSet] = {"f:spec": {}, "f:metadata": {}}

# By group, kind and subresource.
_EXCEPTIONS: Final[dict[tuple[str, str, str], FieldSet]] = {
    ("", "Pod", "status"): {
        "f:spec": {},
        "f:metadata": {"f:deletionTimestamp": {}, "f:ownerReferences": {}},
    },
    ("", "Namespace", "finalize"): {"f:status": {}},
    ("apps", "Deployment", "status"): {"f:spec": {}, "f:metadata": {"f:labels": {}}},
    ("apiextensions.k8s.io", "CustomResourceDefinition", "status"): _STATUS_AND_METADATA,
    ("storage.k8s.io", "VolumeAttachment", "status"): _STATUS_AND_METADATA,
    ("certificates.k8s.io", "CertificateSigningRequest", ""): {"f:spec": {}, "f:status": {}},
    ("certificates.k8s.io", "CertificateSigningRequest", "status"): {
        "f:spec": {},
        "f:status": {"f:conditions": {}},
    },
    ("certificates.k8s.io", "CertificateSigningRequest", "approval"): {
        "f:spec": {},
        "f:status": {"f:certificate": {}},
    },
}


def reset_fields(group: str, kind: str, subresource: str, *, has_status: bool) -> FieldSet:
    """What a write to this endpoint never owns. `has_status`: the kind has a status subresource."""
    found = _EXCEPTIONS.get((group, kind, subresource))
    if found is not None:
        return found
    return default_resets(subresource) if has_status else EMPTY


def default_resets(subresource: str) -> FieldSet:
    if subresource == "":
        return _MAIN
    return _STATUS if subresource == "status" else EMPTY
