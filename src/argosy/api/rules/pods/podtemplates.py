"""PodTemplate: a stored template that nothing runs."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.rules.pods.defaulting import default_pod_template
from argosy.api.rules.pods.strategy import drop_disabled
from argosy.api.rules.pods.templates import validate_pod_template
from argosy.api.rules.pods.warnings import template_warnings
from argosy.base.fielderrors import FieldError
from argosy.base.types import Object


def _default(obj: Object) -> None:
    default_pod_template(obj.setdefault("template", {}))


def _prepare(obj: Object) -> None:
    drop_disabled(obj["template"]["spec"])


def _validate(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    errors += validate_pod_template(obj.get("template") or {}, "template")
    return errors


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += validate_pod_template(new.get("template") or {}, "template")
    return errors


def _warn(new: Object, old: Object | None) -> list[str]:
    if old is not None and old.get("template") == new.get("template"):
        return []
    return template_warnings(new.get("template") or {}, "template")


POD_TEMPLATE: Final = Rules(
    default=_default,
    prepare_create=_prepare,
    prepare_update=lambda new, _old: _prepare(new),
    validate=_validate,
    validate_update=_validate_update,
    warnings=_warn,
    name_problems=is_dns1123_subdomain,
)
