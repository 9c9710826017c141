"""Roles and bindings. Their names only have to fit into a URL, so `system:node` is one.

A binding's roleRef never changes: whoever may edit the subjects of a binding must not thereby hand out another role.
Whether the writer may grant what the object grants is a question of access, answered by the server.
"""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.labels import validate_label_selector
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain, is_path_segment
from argosy.api.rules.wording import printed, unsupported
from argosy.base.fielderrors import FieldError, invalid, required
from argosy.base.types import Object

GROUP: Final = "rbac.authorization.k8s.io"
_SUBJECT_KINDS: Final = ("ServiceAccount", "User", "Group")


def _default_role(obj: Object) -> None:
    obj.setdefault("rules", None)


def _default_binding(obj: Object) -> None:
    reference: Object = obj.setdefault("roleRef", {})
    if not reference.get("apiGroup"):
        reference["apiGroup"] = GROUP
    for subject in obj.get("subjects") or ():
        if not subject.get("apiGroup") and subject.get("kind") in {"User", "Group"}:
            subject["apiGroup"] = GROUP


def _validate_role(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_path_segment)
    for index, rule in enumerate(obj.get("rules") or ()):
        errors += _validate_policy_rule(rule, f"rules[{index}]", namespaced=True)
    return errors


def _validate_role_update(new: Object, old: Object) -> list[FieldError]:
    return _validate_role(new) + validate_metadata_update(new, old)


def _validate_cluster_role(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, False, is_path_segment)
    for index, rule in enumerate(obj.get("rules") or ()):
        errors += _validate_policy_rule(rule, f"rules[{index}]", namespaced=False)
    if (aggregation := obj.get("aggregationRule")) is not None:
        errors += _validate_aggregation(aggregation)
    return errors


def _validate_cluster_role_update(new: Object, old: Object) -> list[FieldError]:
    return _validate_cluster_role(new) + validate_metadata_update(new, old)


def _validate_aggregation(aggregation: Object) -> list[FieldError]:
    path = "aggregationRule.clusterRoleSelectors"
    selectors = aggregation.get("clusterRoleSelectors") or ()
    if not selectors:
        detail = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        return [required(path, detail)]
    errors: list[FieldError] = []
    for index, selector in enumerate(selectors):
        problems = validate_label_selector(selector, f"{path}[{index}]")
        errors += problems
        if problems:
            # What no selector can be made of prints as none.
            errors.append(invalid(f"{path}[{index}]", None, "invalid label selector."))
    return errors


def _validate_policy_rule(rule: Object, path: str, *, namespaced: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    if not rule.get("verbs"):
        errors.append(required(f"{path}.verbs", "verbs must contain at least one value"))
    if urls := rule.get("nonResourceURLs"):
        at = f"{path}.nonResourceURLs"
        if namespaced:
            detail = "namespaced rules cannot apply to non-resource URLs"
            errors.append(invalid(at, urls, detail))
        if any(rule.get(field) for field in ("apiGroups", "resources", "resourceNames")):
            detail = "rules cannot apply to both regular resources and non-resource URLs"
            errors.append(invalid(at, urls, detail))
        return errors
    if not rule.get("apiGroups"):
        detail = "resource rules must supply at least one api group"
        errors.append(required(f"{path}.apiGroups", detail))
    if not rule.get("resources"):
        detail = "resource rules must supply at least one resource"
        errors.append(required(f"{path}.resources", detail))
    return errors


def _validate_role_binding(obj: Object) -> list[FieldError]:
    return _validate_binding(obj, ("Role", "ClusterRole"), namespaced=True)


def _validate_cluster_role_binding(obj: Object) -> list[FieldError]:
    return _validate_binding(obj, ("ClusterRole",), namespaced=False)


def _validate_binding(obj: Object, kinds: tuple[str, ...], *, namespaced: bool) -> list[FieldError]:
    errors = validate_metadata(obj, namespaced, is_path_segment)
    reference: Object = obj.get("roleRef") or {}
    if (group := reference.get("apiGroup", "")) != GROUP:
        errors.append(unsupported("roleRef.apiGroup", group, (GROUP,)))
    if (kind := reference.get("kind", "")) not in kinds:
        errors.append(unsupported("roleRef.kind", kind, kinds))
    if not (name := reference.get("name", "")):
        errors.append(required("roleRef.name"))
    errors += [invalid("roleRef.name", name, text) for text in is_path_segment(name)]
    for index, subject in enumerate(obj.get("subjects") or ()):
        errors += _validate_subject(subject, f"subjects[{index}]", namespaced=namespaced)
    return errors


def _validate_subject(subject: Object, path: str, *, namespaced: bool) -> list[FieldError]:
    errors: list[FieldError] = []
    name, group = subject.get("name", ""), subject.get("apiGroup", "")
    if not name:
        errors.append(required(f"{path}.name"))
    match kind := subject.get("kind", ""):
        case "ServiceAccount":
            if name:
                errors += [
                    invalid(f"{path}.name", name, text) for text in is_dns1123_subdomain(name)
                ]
            if group:
                errors.append(unsupported(f"{path}.apiGroup", group, ("",)))
            if not namespaced and not subject.get("namespace"):
                errors.append(required(f"{path}.namespace"))
        case "User" | "Group":
            if group != GROUP:
                errors.append(unsupported(f"{path}.apiGroup", group, (GROUP,)))
        case _:
            errors.append(unsupported(f"{path}.kind", kind, _SUBJECT_KINDS))
    return errors


def _validate_role_binding_update(new: Object, old: Object) -> list[FieldError]:
    return _validate_role_binding(new) + _validate_same_role(new, old)


def _validate_cluster_role_binding_update(new: Object, old: Object) -> list[FieldError]:
    return _validate_cluster_role_binding(new) + _validate_same_role(new, old)


def _validate_same_role(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    reference: Object = new.get("roleRef") or {}
    if reference != (old.get("roleRef") or {}):
        fields = (("APIGroup", "apiGroup"), ("Kind", "kind"), ("Name", "name"))
        shown = printed({inner: reference.get(field, "") for inner, field in fields})
        errors.append(invalid("roleRef", shown, "cannot change roleRef"))
    return errors


RULES: Final[dict[str, Rules]] = {
    "Role": Rules(
        default=_default_role,
        validate=_validate_role,
        validate_update=_validate_role_update,
        name_problems=is_path_segment,
        create_on_update=True,
        tracks_generation=False,
    ),
    "ClusterRole": Rules(
        default=_default_role,
        validate=_validate_cluster_role,
        validate_update=_validate_cluster_role_update,
        name_problems=is_path_segment,
        create_on_update=True,
        tracks_generation=False,
    ),
    "RoleBinding": Rules(
        default=_default_binding,
        validate=_validate_role_binding,
        validate_update=_validate_role_binding_update,
        name_problems=is_path_segment,
        create_on_update=True,
        tracks_generation=False,
    ),
    "ClusterRoleBinding": Rules(
        default=_default_binding,
        validate=_validate_cluster_role_binding,
        validate_update=_validate_cluster_role_binding_update,
        name_problems=is_path_segment,
        create_on_update=True,
        tracks_generation=False,
    ),
}
