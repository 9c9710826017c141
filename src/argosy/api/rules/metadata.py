"""Validation of metadata, which every kind shares.

Upstream checks metadata twice: each kind's own code with the kind's name rule, and the generic server with the weakest
one. Both show in the causes of a rejected update, so both exist here:

* a kind's `validate` calls `validate_metadata`, its `validate_update` calls `validate_metadata_update`;
* the server calls `validate_common_create` after a kind's `validate` found nothing, and puts `validate_common_update`
  in front of what `validate_update` found. It drops repeated texts from the message, never from the causes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from argosy.api.rules.labels import validate_annotations, validate_labels
from argosy.api.rules.names import is_dns1123_label, is_path_segment, is_qualified_name, masked
from argosy.api.rules.wording import IMMUTABLE, NOT_NEGATIVE, in_order, printed
from argosy.base.fielderrors import (
    FieldError,
    forbidden,
    invalid,
    quote,
    required,
    too_long,
)
from argosy.base.types import Json, Object

NameCheck = Callable[[str], list[str]]

_OWNER_ORDER: Final = (
    "apiVersion",
    "kind",
    "name",
    "uid",
    "controller",
    "blockOwnerDeletion",
)
_IMMUTABLE_FIELDS: Final = (
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
)
_ABSENT: Final = {"name": "", "namespace": "", "uid": ""}
_STANDARD_FINALIZERS: Final = frozenset({"kubernetes", "orphan", "foregroundDeletion"})


def validate_metadata(obj: Object, namespaced: bool, name_problems: NameCheck) -> list[FieldError]:
    """Metadata of an object of a built-in kind about to be created; a generated name is already in place."""
    errors = _validate_metadata(obj, namespaced, name_problems)
    errors += _validate_standard_finalizers(obj)
    return errors


def validate_metadata_update(new: Object, old: Object) -> list[FieldError]:
    """What may not change in the metadata of a built-in kind."""
    errors = _validate_metadata_update(new, old)
    errors += _validate_standard_finalizers(new)
    return errors


def validate_generic_metadata(
    obj: Object, namespaced: bool, name_problems: NameCheck
) -> list[FieldError]:
    """The same for custom resources and CRDs, whose finalizers need no domain."""
    return _validate_metadata(obj, namespaced, name_problems)


def validate_generic_metadata_update(new: Object, old: Object) -> list[FieldError]:
    """What may not change in the metadata of custom resources and CRDs."""
    return _validate_metadata_update(new, old)


def validate_common_create(obj: Object, namespaced: bool) -> list[FieldError]:
    """The generic server's own check of a create, for kinds whose code checks less."""
    return _validate_metadata(obj, namespaced, is_path_segment)


def validate_common_update(new: Object, old: Object, namespaced: bool) -> list[FieldError]:
    """The generic server's own check of an update."""
    errors = _validate_metadata(new, namespaced, is_path_segment)
    errors += _validate_metadata_update(new, old)
    return errors


def _validate_metadata(obj: Object, namespaced: bool, name_problems: NameCheck) -> list[FieldError]:
    path = "metadata"
    meta: Object = obj.get("metadata") or {}
    errors: list[FieldError] = []
    if prefix := meta.get("generateName"):
        errors += [
            invalid(f"{path}.generateName", prefix, text) for text in name_problems(masked(prefix))
        ]
    if not (name := meta.get("name")):
        errors.append(required(f"{path}.name", "name or generateName is required"))
    elif problems := name_problems(name):
        errors += [invalid(f"{path}.name", name, text) for text in problems]
    namespace = meta.get("namespace")
    if not namespaced:
        if namespace:
            errors.append(forbidden(f"{path}.namespace", "not allowed on this type"))
    elif not namespace:
        errors.append(required(f"{path}.namespace"))
    elif problems := is_dns1123_label(namespace):
        errors += [invalid(f"{path}.namespace", namespace, text) for text in problems]
    if meta.get("generation", 0) < 0:
        errors.append(invalid(f"{path}.generation", meta["generation"], NOT_NEGATIVE))
    errors += _validate_maps_and_owners(meta, path)
    if finalizers := meta.get("finalizers"):
        errors += validate_finalizers(finalizers, f"{path}.finalizers")
    if fields := meta.get("managedFields"):
        errors += _validate_managed_fields(fields, f"{path}.managedFields")
    return errors


def _validate_metadata_update(new: Object, old: Object) -> list[FieldError]:
    path = "metadata"
    meta: Object = new.get("metadata") or {}
    before: Object = old.get("metadata") or {}
    errors: list[FieldError] = []
    if before.get("deletionTimestamp"):
        errors += _validate_no_new_finalizers(meta, before, f"{path}.finalizers")
    if not meta.get("resourceVersion"):
        errors.append(invalid(f"{path}.resourceVersion", "", "must be specified for an update"))
    if meta.get("generation", 0) < before.get("generation", 0):
        errors.append(
            invalid(f"{path}.generation", meta.get("generation", 0), "must not be decremented")
        )
    for field in _IMMUTABLE_FIELDS:
        value = meta.get(field) or _ABSENT.get(field)
        if value != (before.get(field) or _ABSENT.get(field)):
            errors.append(invalid(f"{path}.{field}", value, IMMUTABLE))
    errors += _validate_maps_and_owners(meta, path)
    if fields := meta.get("managedFields"):
        errors += _validate_managed_fields(fields, f"{path}.managedFields")
    return errors


def immutable(new: Json, old: Json, path: str) -> list[FieldError]:
    """One error where a value differs from what is stored. Nothing and an empty collection are the same."""
    if new == old or (not new and not old and not isinstance(new, int)):
        return []
    return [invalid(path, new, IMMUTABLE)]


def _validate_standard_finalizers(obj: Object) -> list[FieldError]:
    """Finalizers without a domain are Kubernetes' own."""
    if not (finalizers := (obj.get("metadata") or {}).get("finalizers")):
        return []
    return [
        error
        for index, name in enumerate(finalizers)
        for error in validate_finalizer_name(name, f"metadata.finalizers[{index}]")
    ]


def validate_finalizer_name(name: str, path: str) -> list[FieldError]:
    if "/" in name or name in _STANDARD_FINALIZERS:
        return []
    detail = "name is neither a standard finalizer name nor is it fully qualified"
    return [invalid(path, name, detail)]


def validate_finalizers(finalizers: list[str], path: str) -> list[FieldError]:
    errors = [invalid(path, name, text) for name in finalizers for text in is_qualified_name(name)]
    if "orphan" in finalizers and "foregroundDeletion" in finalizers:
        errors.append(
            invalid(
                path,
                printed(finalizers),
                "finalizer orphan and foregroundDeletion cannot be both set",
            )
        )
    return errors


def _validate_maps_and_owners(meta: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if labels := meta.get("labels"):
        errors += validate_labels(labels, f"{path}.labels")
    if annotations := meta.get("annotations"):
        errors += validate_annotations(annotations, f"{path}.annotations")
    if owners := meta.get("ownerReferences"):
        errors += _validate_owners(owners, f"{path}.ownerReferences")
    return errors


def _validate_owners(owners: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    controller = ""
    for owner in owners:
        errors += _validate_owner(owner, path)
        if owner.get("controller"):
            name = f"{owner.get('kind', '')}/{owner.get('name', '')}"
            if controller:
                errors.append(
                    invalid(
                        path,
                        printed([in_order(each, _OWNER_ORDER) for each in owners]),
                        'Only one reference can have Controller set to true. Found "true" in references '
                        f"for {controller} and {name}",
                    )
                )
            else:
                controller = name
    return errors


def _validate_owner(owner: Object, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    api_version, kind = owner.get("apiVersion", ""), owner.get("kind", "")
    # More than one slash makes no group and version at all.
    if not api_version or api_version == "/" or api_version.count("/") > 1:
        errors.append(invalid(f"{path}.apiVersion", api_version, "version must not be empty"))
    if not kind:
        errors.append(invalid(f"{path}.kind", kind, "must not be empty"))
    errors += [
        invalid(f"{path}.{field}", "", "must not be empty")
        for field in ("name", "uid")
        if not owner.get(field)
    ]
    if api_version == "v1" and kind == "Event":
        errors.append(
            invalid(
                path,
                printed(in_order(owner, _OWNER_ORDER)),
                "/v1, Kind=Event is disallowed from being an owner",
            )
        )
    return errors


def _validate_no_new_finalizers(meta: Object, before: Object, path: str) -> list[FieldError]:
    extra = sorted(set(meta.get("finalizers") or ()) - set(before.get("finalizers") or ()))
    if not extra:
        return []
    shown = ", ".join(quote(name) for name in extra)
    return [
        forbidden(
            path,
            "no new finalizers can be added if the object is being deleted, found new finalizers "
            f"[]string{{{shown}}}",
        )
    ]


def validate_field_manager(manager: str, path: str) -> list[FieldError]:
    """The name a writer gives itself, in options and in managedFields."""
    errors = [too_long(path, 128)] if len(manager.encode()) > 128 else []
    if not manager.isprintable():
        position = 0
        for character in manager:
            if not character.isprintable():
                errors.append(
                    invalid(
                        path,
                        manager,
                        f"invalid character U+{ord(character):04X} (at position {position})",
                    )
                )
            position += len(character.encode())
    return errors


def _validate_managed_fields(entries: list[Object], path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for index, entry in enumerate(entries):
        at = f"{path}[{index}]"
        operation = entry.get("operation", "")
        if operation not in {"Apply", "Update"}:
            errors.append(invalid(f"{at}.operation", operation, "must be `Apply` or `Update`"))
        if (kind := entry.get("fieldsType", "")) not in {"", "FieldsV1"}:
            errors.append(invalid(f"{at}.fieldsType", kind, "must be `FieldsV1`"))
        errors += validate_field_manager(entry.get("manager", ""), f"{at}.manager")
        if len(entry.get("subresource", "")) > 256:
            errors.append(too_long(f"{at}.subresource", 256))
    return errors
