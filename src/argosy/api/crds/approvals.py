"""API approval: groups below k8s.io and kubernetes.io are the community's; a CRD in one must say who approved it.

The annotation holds the URL of the approval, or a reason that starts with "unapproved" for those who know what they do.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from argosy.base.fielderrors import FieldError, invalid, quote, required
from argosy.base.types import Object

APPROVAL: Final = "api-approved.kubernetes.io"
_ENHANCEMENT: Final = "https://github.com/kubernetes/enhancements/pull/1111"

# State -> status and reason of the condition.
_CONDITIONS: Final = {
    "Missing": ("False", "MissingAnnotation"),
    "Invalid": ("False", "InvalidAnnotation"),
    "Unapproved": ("False", "UnapprovedAnnotation"),
    "Approved": ("True", "ApprovedAnnotation"),
}


def _is_protected(group: str) -> bool:
    return group in ("k8s.io", "kubernetes.io") or group.endswith((".k8s.io", ".kubernetes.io"))


def approval(crd: Object) -> tuple[str, str] | None:
    """The state of a protected group's API approval and its reason; None for groups that need none."""
    if not _is_protected((crd.get("spec") or {}).get("group", "")):
        return None
    value = (crd.get("metadata", {}).get("annotations") or {}).get(APPROVAL, "")
    opening = f"protected groups must have approval annotation {quote(APPROVAL)}"
    if not value:
        return "Missing", f"{opening}, see {_ENHANCEMENT}"
    if value.startswith("unapproved"):
        return "Unapproved", f"not approved: {quote(value)}"
    parts = urlsplit(value)
    if parts.scheme and parts.netloc:
        return "Approved", f"approved in {value}"
    return (
        "Invalid",
        f'{opening} with either a URL or a reason starting with "unapproved", see {_ENHANCEMENT}',
    )


def approval_errors(new: Object, old: Object | None) -> list[FieldError]:
    found = approval(new)
    if found is None:
        return []
    state, reason = found
    before = approval(old) if old is not None else None
    if before is not None and before[0] == state:
        return []
    path = f"metadata.annotations[{APPROVAL}]"
    if state == "Missing":
        return [required(path, reason)]
    if state == "Invalid":
        return [invalid(path, new["metadata"]["annotations"][APPROVAL], reason)]
    return []


def approval_condition(crd: Object) -> Object | None:
    """The condition of a CRD in a protected group; None for others."""
    found = approval(crd)
    if found is None:
        return None
    status, reason = _CONDITIONS[found[0]]
    kind = "KubernetesAPIApprovalPolicyConformant"
    return {"type": kind, "status": status, "reason": reason, "message": found[1]}
