"""Validation of a CRD's versions: schemas, subresources, columns, selectable fields, deprecation.

Upstream's internal form hoists what all versions have in common: a schema, subresources, columns or selectable fields
that are the same in every version (so in every CRD with one version) are reported at `spec.validation`,
`spec.subresources`, and so on, otherwise at `spec.versions[i]`. Clients see those paths, so `Hoisted` hoists likewise.
"""

from __future__ import annotations

from typing import Final

from argosy.api.cel.fieldpaths import FieldPathError, resolve
from argosy.api.crds.schemas import schema_errors
from argosy.api.rules.names import is_dns1035_label
from argosy.api.rules.wording import printed
from argosy.api.schema.parsing import parse_schema
from argosy.base.fielderrors import FieldError, duplicate, invalid, required, too_many
from argosy.base.types import Json, Object

MAX_SELECTABLE_FIELDS: Final = 8
_COLUMN_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_COLUMN_FORMATS: Final = (
    "byte", "date", "date-time", "double", "float", "int32", "int64", "password",
)  # fmt: skip


def openapi_schema(version: Object) -> Object | None:
    return (version.get("schema") or {}).get("openAPIV3Schema")


def _has_status(version: Object) -> bool:
    return (version.get("subresources") or {}).get("status") is not None


class Hoisted:
    """What all versions have in common, by the version's field name, and reported at the spec's own path."""

    def __init__(self, versions: list[Object]) -> None:
        self.versions = versions
        first: Object = versions[0] if versions else {}
        self.common: dict[str, Json] = {
            name: first[name]
            for name in ("schema", "subresources", "additionalPrinterColumns", "selectableFields")
            if first.get(name) and all(version.get(name) == first[name] for version in versions)
        }

    def own(self, version: Object, name: str) -> Json:
        """A version's field, None where it is common to all."""
        return None if name in self.common else version.get(name)

    def errors(self) -> list[FieldError]:
        errors: list[FieldError] = []
        schema = (self.common.get("schema") or {}).get("openAPIV3Schema")
        if schema is not None:
            has_status = any(_has_status(version) for version in self.versions)
            errors += schema_errors(
                schema, "spec.validation.openAPIV3Schema", has_status=has_status
            )
        errors += _scale_errors(self.common.get("subresources"), "spec.subresources")
        errors += _column_errors(
            self.common.get("additionalPrinterColumns"), "spec.additionalPrinterColumns"
        )
        fields = self.common.get("selectableFields")
        return errors + _selectable_errors(
            fields, schema or _schema_of(self.versions), "spec.selectableFields"
        )


def _schema_of(versions: list[Object]) -> Object | None:
    return openapi_schema(versions[0]) if versions else None


def version_errors(version: Object, path: str, hoisted: Hoisted) -> list[FieldError]:
    errors: list[FieldError] = []
    name = version.get("name", "")
    if problems := is_dns1035_label(name):
        errors.append(invalid(f"{path}.name", name, ",".join(problems)))
    warning = version.get("deprecationWarning")
    where = f"{path}.deprecationWarning"
    deprecated = bool(version.get("deprecated"))
    errors += [
        invalid(where, warning, text) for text in _warning_problems(warning, deprecated=deprecated)
    ]
    schema = (hoisted.own(version, "schema") or {}).get("openAPIV3Schema")
    if schema is not None:
        has_status = _has_status(version)
        errors += schema_errors(schema, f"{path}.schema.openAPIV3Schema", has_status=has_status)
    errors += _scale_errors(hoisted.own(version, "subresources"), f"{path}.subresources")
    columns = hoisted.own(version, "additionalPrinterColumns")
    errors += _column_errors(columns, f"{path}.additionalPrinterColumns")
    fields = hoisted.own(version, "selectableFields")
    return errors + _selectable_errors(fields, openapi_schema(version), f"{path}.selectableFields")


def version_list_errors(versions: list[Object], hoisted: Hoisted) -> list[FieldError]:
    errors: list[FieldError] = []
    names = [version.get("name", "") for version in versions]

    def shown() -> Json:
        return printed([_internal(version, hoisted) for version in versions] or None)

    if len(set(names)) != len(names):
        errors.append(invalid("spec.versions", shown(), "must contain unique version names"))
    if sum(bool(version.get("storage")) for version in versions) != 1:
        text = "must have exactly one version marked as storage version"
        errors.append(invalid("spec.versions", shown(), text))
    # The internal form names the first version once more.
    if names and (problems := is_dns1035_label(names[0])):
        errors.append(invalid("spec.version", names[0], ",".join(problems)))
    return errors


def _internal(version: Object, hoisted: Hoisted) -> Object:
    """A version as upstream's internal type prints."""
    return {
        "Name": version.get("name", ""),
        "Served": bool(version.get("served")),
        "Storage": bool(version.get("storage")),
        "Deprecated": bool(version.get("deprecated")),
        "DeprecationWarning": version.get("deprecationWarning"),
        "Schema": hoisted.own(version, "schema"),
        "Subresources": hoisted.own(version, "subresources"),
        "AdditionalPrinterColumns": hoisted.own(version, "additionalPrinterColumns"),
        "SelectableFields": hoisted.own(version, "selectableFields"),
    }


def _warning_problems(warning: str | None, *, deprecated: bool) -> list[str]:
    if warning is None:
        return []
    if not deprecated:
        return ["can only be set for deprecated versions"]
    problems: list[str] = []
    if len(warning.encode()) > 256:
        problems.append("must be <= 256 characters long")
    if not warning:
        problems.append("must not be an empty string")
    for index, ch in enumerate(warning):
        if not ch.isprintable():
            at = len(warning[:index].encode())
            text = f"must only contain printable UTF-8 characters; non-printable character found at index {at}"
            problems.append(text)
            break
    return problems


def _path_problem(path: str) -> str:
    return "" if path.startswith(".") else "must be a simple json path starting with ."


def _scale_errors(subresources: Object | None, path: str) -> list[FieldError]:
    scale = (subresources or {}).get("scale")
    if scale is None:
        return []
    errors: list[FieldError] = []
    for name, under in (("specReplicasPath", ".spec"), ("statusReplicasPath", ".status")):
        value: str = scale.get(name) or ""
        where = f"{path}.scale.{name}"
        if not value:
            errors.append(required(where))
        elif problem := _path_problem(value):
            errors.append(invalid(where, value, problem))
        elif not value.startswith(f"{under}."):
            errors.append(invalid(where, value, f"should be a json path under {under}"))
    value = scale.get("labelSelectorPath") or ""
    if value:
        where = f"{path}.scale.labelSelectorPath"
        if problem := _path_problem(value):
            errors.append(invalid(where, value, problem))
        elif not value.startswith((".spec.", ".status.")):
            text = "should be a json path under either .spec or .status"
            errors.append(invalid(where, value, text))
    return errors


def _column_errors(columns: list[Object] | None, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, column in enumerate(columns or ()):
        where = f"{path}[{index}]"
        kind, form, at = (
            column.get("type", ""),
            column.get("format", ""),
            column.get("jsonPath", ""),
        )
        if not column.get("name"):
            errors.append(required(f"{where}.name"))
        text = f"must be one of {','.join(_COLUMN_TYPES)}"
        if not kind:
            errors.append(required(f"{where}.type", text))
        elif kind not in _COLUMN_TYPES:
            errors.append(invalid(f"{where}.type", kind, text))
        if form and form not in _COLUMN_FORMATS:
            text = f"must be one of {','.join(_COLUMN_FORMATS)}"
            errors.append(invalid(f"{where}.format", form, text))
        if not at:
            errors.append(required(f"{where}.JSONPath"))
        elif problem := _path_problem(at):
            errors.append(invalid(f"{where}.JSONPath", at, problem))
    return errors


def _selectable_errors(
    fields: list[Object] | None, schema: Object | None, path: str
) -> list[FieldError]:
    if not fields:
        return []
    errors: list[FieldError] = []
    root = parse_schema(schema or {})
    seen: set[str] = set()
    for index, field in enumerate(fields):
        where, at = f"{path}[{index}].jsonPath", field.get("jsonPath", "")
        if not at:
            errors.append(required(where))
            continue
        try:
            found, leaf = resolve(at, root, brackets=False)
        except FieldPathError as problem:
            errors.append(invalid(where, at, f"is an invalid path: {problem}"))
            continue
        if found.partition(".")[0] == "metadata":
            errors.append(invalid(where, at, "must not point to fields in metadata"))
        if leaf.type not in ("string", "boolean", "integer"):
            text = (
                "must point to a field of type string, boolean or integer. "
                "Enum string fields and strings with formats are allowed."
            )
            errors.append(invalid(where, at, text))
        if found in seen:
            errors.append(duplicate(where, at))
        seen.add(found)
    if len(seen) > MAX_SELECTABLE_FIELDS:
        errors.append(too_many(path, len(seen), MAX_SELECTABLE_FIELDS))
    return errors
