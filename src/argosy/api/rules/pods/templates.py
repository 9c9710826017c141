"""Pod templates, as Jobs, Deployments and others hold them."""

from __future__ import annotations

from argosy.api.rules.labels import validate_annotations, validate_labels
from argosy.api.rules.pods.annotations import validate_pod_annotations, validate_profiles_match
from argosy.api.rules.pods.spec import validate_pod_spec
from argosy.base.fielderrors import FieldError, forbidden
from argosy.base.types import Object


def validate_pod_template(template: Object, path: str) -> list[FieldError]:
    """What is wrong with a defaulted template; `path` is that of the template, `spec.template` in most kinds."""
    meta: Object = template.get("metadata") or {}
    spec: Object = template.get("spec") or {}
    # Upstream's paths of these two leave `metadata` out.
    errors = validate_labels(meta.get("labels"), f"{path}.labels")
    if annotations := meta.get("annotations"):
        errors += validate_annotations(annotations, f"{path}.annotations")
        errors += validate_pod_annotations(annotations, spec, f"{path}.annotations")
    errors += validate_pod_spec(spec, f"{path}.spec")
    if meta.get("annotations"):
        errors += validate_profiles_match(meta, spec, f"{path}.spec")
    if spec.get("ephemeralContainers"):
        errors.append(
            forbidden(
                f"{path}.spec.ephemeralContainers",
                "ephemeral containers not allowed in pod template",
            )
        )
    return errors
