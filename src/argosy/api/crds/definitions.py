"""`RULES`: what Kubernetes does to CustomResourceDefinition objects themselves."""

from __future__ import annotations

from argosy.api.crds.validation import validate_crd, validate_crd_status
from argosy.api.kinds import Rules
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.api.schema.formats import format_check
from argosy.base.fielderrors import quote
from argosy.base.types import Json, Object


def default_crd(crd: Object) -> None:
    """Fill in singular, listKind, conversion and the first stored version, in place."""
    spec: Object = crd.setdefault("spec", {})
    names: Object = spec.setdefault("names", {})
    kind = names.get("kind", "")
    if not names.get("singular") and kind:
        names["singular"] = kind.lower()
    if not names.get("listKind") and kind:
        names["listKind"] = f"{kind}List"
    if spec.get("conversion") is None:
        spec["conversion"] = {"strategy": "None"}
    status: Object = crd.setdefault("status", {})
    if not status.get("storedVersions"):
        _store(spec, status)


def _store(spec: Object, status: Object) -> None:
    """Remember the storage version among those that objects may be stored in."""
    for version in spec.get("versions") or ():
        if version.get("storage"):
            name, stored = version.get("name", ""), status.get("storedVersions") or []
            if name not in stored:
                status["storedVersions"] = [*stored, name]
            return


def _prepare_create(new: Object) -> None:
    new["status"] = {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": None,
    }
    _store(new.get("spec") or {}, new["status"])


def _prepare_update(new: Object, old: Object) -> None:
    new["status"] = dict(old.get("status") or {})
    _store(new.get("spec") or {}, new["status"])


def _prepare_status(new: Object, old: Object) -> None:
    new["spec"] = old["spec"]
    metadata = new.get("metadata") or {}
    kept = {
        name: metadata[name] for name in ("managedFields", "resourceVersion") if name in metadata
    }
    dropped = {name: value for name, value in old["metadata"].items() if name != "managedFields"}
    new["metadata"] = dropped | kept


def crd_warnings(new: Object, old: Object | None) -> list[str]:
    """One line for every string format the new CRD asks for and nothing checks."""
    before = _unknown_formats(old) if old is not None else []
    return [
        f"unrecognized format {quote(name)}" for name in _unknown_formats(new) if name not in before
    ]


def _unknown_formats(crd: Object) -> list[str]:
    found: dict[str, None] = {}
    for version in (crd.get("spec") or {}).get("versions") or ():
        _collect_formats((version.get("schema") or {}).get("openAPIV3Schema"), found)
    return list(found)


def _collect_formats(schema: Json, found: dict[str, None]) -> None:
    if not isinstance(schema, dict):
        return
    name = schema.get("format", "")
    if name and schema.get("type") == "string" and format_check(name) is None:
        found[name] = None
    children = [
        *(schema.get("properties") or {}).values(),
        schema.get("items"),
        schema.get("additionalProperties"),
    ]
    children += [one for word in ("allOf", "anyOf", "oneOf") for one in schema.get(word) or ()]
    for child in [*children, schema.get("not")]:
        _collect_formats(child, found)


RULES = Rules(
    default=default_crd,
    prepare_create=_prepare_create,
    prepare_update=_prepare_update,
    prepare_status=_prepare_status,
    validate=validate_crd,
    validate_update=validate_crd,
    validate_status=validate_crd_status,
    warnings=crd_warnings,
    name_problems=is_dns1123_subdomain,
    unconditional_update=False,
)
