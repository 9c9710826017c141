"""Validation of CustomResourceDefinition objects, in apiextensions' order and words.

Here is what concerns the CRD as a whole: group, scope, names, conversion, immutability, stored versions, API approval;
`versions` has the rest.

Two things are refused that upstream accepts, because Argosy runs no webhooks and stores nothing unpruned:
conversion by webhook, and (as upstream does for new CRDs) `preserveUnknownFields: true`.

A spec that was found good, by this process or when it was stored, is not looked at again: the clusters of one process
have the same CRDs, every start applies them anew, and most of the work is compiling their rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

import msgspec

from argosy.api.crds.approvals import approval_errors
from argosy.api.crds.conditions import is_true
from argosy.api.crds.versions import Hoisted, openapi_schema, version_errors, version_list_errors
from argosy.api.rules.metadata import (
    validate_generic_metadata,
    validate_generic_metadata_update,
)
from argosy.api.rules.names import is_dns1035_label, is_dns1123_subdomain
from argosy.api.rules.wording import IMMUTABLE, unsupported
from argosy.base.fielderrors import (
    FieldError,
    forbidden,
    invalid,
    required,
)
from argosy.base.types import Object

NO_WEBHOOKS: Final = (
    "conversion by webhook is not available here: versions are converted by their apiVersion, and by what this server "
    "knows of its own kinds; "
    'set strategy to "None"'
)
# Digests of good specs; emptied when there are many, because what is in use comes back soon.
_GOOD: Final[set[bytes]] = set()
_MOST_GOOD: Final = 1024


def validate_crd(new: Object, old: Object | None = None) -> list[FieldError]:
    """What is wrong with a CRD that is created, or updated from `old`."""
    spec: Object = new.get("spec") or {}
    errors: list[FieldError] = []
    if old is None:
        errors += validate_generic_metadata(new, False, lambda name: _name_problems(name, spec))
        errors += _spec_errors(spec)
    else:
        errors += validate_generic_metadata_update(new, old)
        if spec != old.get("spec"):
            errors += _spec_errors(spec)
        errors += _immutable_errors(spec, old)
    status: Object = new.get("status") or {}
    errors += _names_errors(status.get("acceptedNames") or {}, "status.acceptedNames")
    errors += _stored_errors(status.get("storedVersions"), spec.get("versions") or ())
    errors += approval_errors(new, old)
    if spec.get("preserveUnknownFields") and not (old or {}).get("spec", {}).get(
        "preserveUnknownFields"
    ):
        text = (
            "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in "
            "spec.versions[*].schema instead"
        )
        errors.append(invalid("spec.preserveUnknownFields", True, text))
    return errors


def validate_crd_status(new: Object, old: Object) -> list[FieldError]:
    """What is wrong with an update of a CRD's status."""
    status: Object = new.get("status") or {}
    errors = validate_generic_metadata_update(new, old)
    return errors + _names_errors(status.get("acceptedNames") or {}, "status.acceptedNames")


def _name_problems(name: str, spec: Object) -> list[str]:
    problems = is_dns1123_subdomain(name)
    if name != f"{_names(spec).get('plural', '')}.{spec.get('group', '')}":
        problems = [*problems, 'must be spec.names.plural+"."+spec.group']
    return problems


def _names(spec: Object) -> Object:
    return spec.get("names") or {}


def vouch(spec: Object) -> None:
    """Have this spec, with what a server fills in, taken as good: whoever ships it has judged it."""
    _remember(_digest(spec))


def _spec_errors(spec: Object) -> list[FieldError]:
    digest = _digest(spec)
    if digest in _GOOD:
        return []
    errors = _found_errors(spec)
    if not errors:
        _remember(digest)
    return errors


def _digest(spec: Object) -> bytes:
    return sha256(msgspec.json.encode(spec, order="deterministic")).digest()


def _remember(digest: bytes) -> None:
    if len(_GOOD) >= _MOST_GOOD:
        _GOOD.clear()
    _GOOD.add(digest)


def _found_errors(spec: Object) -> list[FieldError]:
    errors = _group_errors(spec.get("group", ""))
    scope = spec.get("scope", "")
    if not scope:
        errors.append(required("spec.scope"))
    elif scope not in ("Cluster", "Namespaced"):
        errors.append(unsupported("spec.scope", scope, ("Cluster", "Namespaced")))
    versions: list[Object] = spec.get("versions") or []
    for index, version in enumerate(versions):
        if openapi_schema(version) is None:
            errors.append(required(f"spec.versions[{index}].schema.openAPIV3Schema"))
    hoisted = Hoisted(versions)
    for index, version in enumerate(versions):
        errors += version_errors(version, f"spec.versions[{index}]", hoisted)
    errors += version_list_errors(versions, hoisted)
    names = _names(spec)
    errors += [
        required(f"spec.names.{name}")
        for name in ("plural", "singular", "kind", "listKind")
        if not names.get(name)
    ]
    errors += _names_errors(names, "spec.names")
    errors += hoisted.errors()
    return errors + _conversion_errors(spec.get("conversion"))


def _group_errors(group: str) -> list[FieldError]:
    if not group:
        return [required("spec.group")]
    if problems := is_dns1123_subdomain(group):
        return [invalid("spec.group", group, ",".join(problems))]
    if "." not in group:
        return [invalid("spec.group", group, "should be a domain with at least one dot")]
    return []


def _names_errors(names: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for name in ("plural", "singular", "kind", "listKind"):
        value: str = names.get(name) or ""
        mixed = name in ("kind", "listKind")
        problems = is_dns1035_label(value.lower() if mixed else value) if value else []
        if problems:
            opening = "may have mixed case, but should otherwise match: " if mixed else ""
            errors.append(invalid(f"{path}.{name}", value, opening + ",".join(problems)))
    errors += _label_errors(names.get("shortNames") or (), f"{path}.shortNames")
    if names.get("kind") and names.get("kind") == names.get("listKind"):
        text = "kind and listKind may not be the same"
        errors.append(invalid(f"{path}.listKind", names["listKind"], text))
    return errors + _label_errors(names.get("categories") or (), f"{path}.categories")


def _label_errors(values: Iterable[str], path: str) -> list[FieldError]:
    return [
        invalid(f"{path}[{index}]", value, ",".join(problems))
        for index, value in enumerate(values)
        if (problems := is_dns1035_label(value))
    ]


def _conversion_errors(conversion: Object | None) -> list[FieldError]:
    if conversion is None:
        return []
    path, strategy = "spec.conversion", conversion.get("strategy", "")
    webhook: Object = conversion.get("webhook") or {}
    if not strategy:
        return [required(f"{path}.strategy")]
    errors: list[FieldError] = []
    if strategy == "Webhook":
        if webhook.get("clientConfig") is None:
            text = "required when strategy is set to Webhook"
            errors.append(required(f"{path}.webhookClientConfig", text))
        if not webhook.get("conversionReviewVersions"):
            errors.append(required(f"{path}.conversionReviewVersions"))
        # Only who has a webhook hears that it would not be called.
        return errors or [forbidden(f"{path}.strategy", NO_WEBHOOKS)]
    if strategy != "None":
        errors.append(unsupported(f"{path}.strategy", strategy, ("None", "Webhook")))
    text = "should not be set when strategy is not set to Webhook"
    if webhook.get("clientConfig") is not None:
        errors.append(forbidden(f"{path}.webhookClientConfig", text))
    if webhook.get("conversionReviewVersions"):
        errors.append(forbidden(f"{path}.conversionReviewVersions", text))
    return errors


def _immutable_errors(spec: Object, old: Object) -> list[FieldError]:
    before: Object = old.get("spec") or {}
    errors: list[FieldError] = []
    names, names_before = _names(spec), _names(before)
    if is_true(old, "Established"):
        if spec.get("scope") != before.get("scope"):
            errors.append(invalid("spec.scope", spec.get("scope"), IMMUTABLE))
        if names.get("kind") != names_before.get("kind"):
            errors.append(invalid("spec.names.kind", names.get("kind"), IMMUTABLE))
    if spec.get("group") != before.get("group"):
        errors.append(invalid("spec.group", spec.get("group"), IMMUTABLE))
    if names.get("plural") != names_before.get("plural"):
        errors.append(invalid("spec.names.plural", names.get("plural"), IMMUTABLE))
    return errors


def _stored_errors(stored: list[str] | None, versions: Iterable[Object]) -> list[FieldError]:
    path = "status.storedVersions"
    if not stored:
        return [invalid(path, stored, "must have at least one stored version")]
    names = [version.get("name", "") for version in versions]
    errors = [
        invalid(path, stored, f"must have the storage version {version.get('name', '')}")
        for version in versions
        if version.get("storage") and version.get("name", "") not in stored
    ]
    for index, name in enumerate(stored):
        if name not in names:
            text = (
                f"missing from spec.versions; {name} was previously a storage version, and must remain in "
                f"spec.versions until a storage migration ensures no data remains persisted in {name} and "
                f"removes {name} from status.storedVersions"
            )
            errors.append(invalid(f"{path}[{index}]", name, text))
    return errors
