"""Validation of a Pod object: its metadata, its annotations, its spec, and what only a new pod is held to."""

from __future__ import annotations

from argosy.api.rules.metadata import validate_metadata
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.pods.annotations import validate_pod_annotations, validate_profiles_match
from argosy.api.rules.pods.containers import validate_image_padding
from argosy.api.rules.pods.spec import validate_pod_spec
from argosy.base.fielderrors import FieldError, forbidden
from argosy.base.types import Object


def validate_pod(pod: Object) -> list[FieldError]:
    """A pod about to be created."""
    errors = validate_pod_object(pod)
    spec: Object = pod.get("spec") or {}
    meta: Object = pod.get("metadata") or {}
    if spec.get("ephemeralContainers"):
        errors.append(forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        detail = "cannot be set until all schedulingGates have been cleared"
        errors.append(forbidden("spec.nodeName", detail))
    if meta.get("annotations"):
        errors += validate_profiles_match(meta, spec, "spec")
    return errors


def validate_pod_object(pod: Object) -> list[FieldError]:
    """What every write of a pod is checked for."""
    spec: Object = pod.get("spec") or {}
    meta: Object = pod.get("metadata") or {}
    errors = validate_metadata(pod, True, is_dns1123_subdomain)
    if annotations := meta.get("annotations"):
        errors += validate_pod_annotations(annotations, spec, "metadata.annotations")
    errors += validate_pod_spec(spec, "spec", pod_name=meta.get("name", ""), is_pod=True)
    if not spec.get("serviceAccountName"):
        errors += _validate_no_tokens(spec)
    for kind in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(kind) or ()):
            errors += validate_image_padding(container, f"spec.{kind}[{index}]")
    return errors


def _validate_no_tokens(spec: Object) -> list[FieldError]:
    return [
        forbidden(
            f"spec.volumes[{index}].projected.sources[{position}].serviceAccountToken",
            "must not be specified when serviceAccountName is not set",
        )
        for index, volume in enumerate(spec.get("volumes") or ())
        for position, source in enumerate((volume.get("projected") or {}).get("sources") or ())
        if source.get("serviceAccountToken") is not None
    ]
