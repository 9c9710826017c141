"""What may change in a pod once it exists: images, its deadline, more tolerations, fewer scheduling gates.

While a pod is gated, its node selector and node affinity may be narrowed too. Everything else is forbidden with a diff
of the internal spec, as upstream prints it.
"""

from __future__ import annotations

from typing import Final

from argosy.api.rules.diffs import internal_diff
from argosy.api.rules.internals import internal, printed_internal
from argosy.api.rules.labels import validate_tolerations
from argosy.api.rules.metadata import validate_metadata_update
from argosy.api.rules.names import in_range
from argosy.api.rules.pods.annotations import validate_annotation_updates
from argosy.api.rules.pods.creation import validate_pod_object
from argosy.api.rules.wording import printed
from argosy.base.fielderrors import FieldError, forbidden, invalid, required
from argosy.base.types import Object

_UPDATABLE: Final = (
    "`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
    "`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def validate_pod_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += validate_pod_object(new)
    errors += validate_annotation_updates(new, old, "metadata.annotations")
    spec: Object = new.get("spec") or {}
    before: Object = old.get("spec") or {}
    for kind in ("containers", "initContainers"):
        found, stop = _validate_container_updates(
            spec.get(kind) or [], before.get(kind) or [], f"spec.{kind}"
        )
        errors += found
        if stop:
            return errors
    found, stop = _validate_deadline(
        spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    )
    errors += found
    if stop:
        return errors
    errors += _validate_added_tolerations(
        spec.get("tolerations") or [], before.get("tolerations") or []
    )
    errors += _validate_removed_gates(
        spec.get("schedulingGates") or [], before.get("schedulingGates") or []
    )
    if spec != before:
        errors += _validate_rest(spec, before)
    return errors


def _validate_container_updates(
    new: list[Object], old: list[Object], path: str
) -> tuple[list[FieldError], bool]:
    if len(new) != len(old):
        return [forbidden(path, "pod updates may not add or remove containers")], True
    errors: list[FieldError] = []
    for index, container in enumerate(new):
        image = container.get("image", "")
        if not image:
            errors.append(required(f"{path}[{index}].image"))
        if image != image.strip():
            detail = "must not have leading or trailing whitespace"
            errors.append(invalid(f"{path}[{index}].image", image, detail))
    return errors, False


def _validate_deadline(new: int | None, old: int | None) -> tuple[list[FieldError], bool]:
    path = "spec.activeDeadlineSeconds"
    if new is None:
        if old is None:
            return [], False
        detail = "must not update from a positive integer to nil value"
        return [invalid(path, None, detail)], False
    if problems := in_range(new, 0, 2147483647):
        return [invalid(path, new, text) for text in problems], True
    if old is not None and old < new:
        return [invalid(path, new, "must be less than or equal to previous value")], True
    return [], False


def _validate_added_tolerations(new: list[Object], old: list[Object]) -> list[FieldError]:
    if new == old:
        # Stored tolerations are good, but the new object's were only checked as part of its spec.
        return validate_tolerations(new, "spec.tolerations")
    kept = [_without_seconds(toleration) for toleration in new]
    if any(_without_seconds(toleration) not in kept for toleration in old):
        detail = "existing toleration can not be modified except its tolerationSeconds"
        return [forbidden("spec.tolerations", detail)]
    return validate_tolerations(new, "spec.tolerations")


def _without_seconds(toleration: Object) -> Object:
    return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}


def _validate_removed_gates(new: list[Object], old: list[Object]) -> list[FieldError]:
    names = {gate.get("name", "") for gate in old}
    return [
        forbidden(
            f"spec.schedulingGates[{index}].name",
            f"only deletion is allowed, but found new scheduling gate '{gate.get('name', '')}'",
        )
        for index, gate in enumerate(new)
        if gate.get("name", "") not in names
    ]


def _validate_rest(spec: Object, before: Object) -> list[FieldError]:
    """With everything that may change put back, the new spec must be the old one."""
    errors: list[FieldError] = []
    munged = dict(spec)
    for kind in ("containers", "initContainers"):
        if kind in spec:
            munged[kind] = [
                {**container, "image": stored.get("image", "")}
                for container, stored in zip(spec[kind], before.get(kind) or (), strict=True)
            ]
    for field in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        _put_back(munged, before, field)
    if before.get("terminationGracePeriodSeconds", 0) < 0 and (
        munged.get("terminationGracePeriodSeconds") == 1
    ):
        _put_back(munged, before, "terminationGracePeriodSeconds")
    if before.get("schedulingGates"):
        errors += _validate_gated(munged, before)
    # No text where the two differ in nothing Kubernetes knows, such as an empty list and none.
    if munged != before and (text := internal_diff("PodSpec", before, munged)):
        detail = f"pod updates may not change fields other than {_UPDATABLE}\n{text}"
        errors.append(forbidden("spec", detail))
    return errors


def _put_back(munged: Object, before: Object, field: str) -> None:
    if field in before:
        munged[field] = before[field]
    else:
        munged.pop(field, None)


def _validate_gated(munged: Object, before: Object) -> list[FieldError]:
    errors: list[FieldError] = []
    selector, old_selector = munged.get("nodeSelector") or {}, before.get("nodeSelector") or {}
    if selector != old_selector:
        if any(selector.get(key) != value for key, value in old_selector.items()):
            errors.append(
                invalid(
                    "spec.nodeSelector",
                    selector or None,
                    "only additions to spec.nodeSelector are allowed (no mutations or deletions)",
                )
            )
        _put_back(munged, before, "nodeSelector")
    affinity, old_affinity = munged.get("affinity"), before.get("affinity")
    nodes = (affinity or {}).get("nodeAffinity")
    old_nodes = (old_affinity or {}).get("nodeAffinity")
    if nodes != old_nodes:
        errors += _validate_narrowed(nodes, old_nodes)
        rest = {key: value for key, value in (affinity or {}).items() if key != "nodeAffinity"}
        if old_nodes is not None:
            munged["affinity"] = rest | {"nodeAffinity": old_nodes}
        elif rest or old_affinity is not None:
            munged["affinity"] = rest
        else:
            del munged["affinity"]
    return errors


def _validate_narrowed(new: Object | None, old: Object | None) -> list[FieldError]:
    """Node affinity of a gated pod: terms may get more requirements, their number is fixed."""
    if old is None or old.get(_REQUIRED) is None:
        return []
    path = f"spec.affinity.nodeAffinity.{_REQUIRED}.nodeSelectorTerms"
    old_terms = old[_REQUIRED].get("nodeSelectorTerms") or []
    terms = ((new or {}).get(_REQUIRED) or {}).get("nodeSelectorTerms") or []
    if old_terms and len(old_terms) != len(terms):
        shown = printed([internal("NodeSelectorTerm", term) for term in terms] or None)
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return [invalid(path, shown, detail)]
    return [
        invalid(
            f"{path}[{index}]",
            printed_internal("NodeSelectorTerm", term),
            "only additions are allowed (no mutations or deletions)",
        )
        for index, (term, stored) in enumerate(zip(terms, old_terms, strict=False))
        if not _only_adds(term, stored)
    ]


def _only_adds(term: Object, stored: Object) -> bool:
    fields = ("matchExpressions", "matchFields")
    if not any(stored.get(field) for field in fields):
        return not any(term.get(field) for field in fields)
    return all(
        (term.get(field) or [])[: len(stored.get(field) or [])] == (stored.get(field) or [])
        for field in fields
    )


def validate_ephemeral_update(new: Object, old: Object) -> list[FieldError]:
    """The ephemeralcontainers subresource: containers may be added, never changed or removed."""
    errors = validate_metadata_update(new, old)
    errors += validate_pod_object(new)
    errors += validate_annotation_updates(new, old, "metadata.annotations")
    path = "spec.ephemeralContainers"
    now = {
        container.get("name", ""): container
        for container in (new.get("spec") or {}).get("ephemeralContainers") or ()
    }
    for stored in (old.get("spec") or {}).get("ephemeralContainers") or ():
        name = stored.get("name", "")
        if name not in now:
            detail = f'existing ephemeral containers "{name}" may not be removed\n'
            errors.append(forbidden(path, detail))
        elif now[name] != stored:
            text = internal_diff("EphemeralContainer", stored, now[name])
            detail = f'existing ephemeral containers "{name}" may not be changed\n{text}'
            errors.append(forbidden(path, detail))
    return errors
