"""ConfigMaps and Secrets: maps of files, at most 1 MiB together, fixed for good once `immutable` is set.

Values of a Secret's data and of a ConfigMap's binaryData are base64 in JSON; sizes count what they stand for.
"""

from __future__ import annotations

import base64
import binascii
import json
from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.keypairs import key_pair_problem
from argosy.api.rules.metadata import immutable, validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_config_map_key, is_dns1123_subdomain
from argosy.base.fielderrors import FieldError, forbidden, invalid, required, too_long
from argosy.base.gotext import json_kind
from argosy.base.types import Json, Object

MAX_BYTES: Final = 1024 * 1024
_FIXED: Final = "field is immutable when `immutable` is set"
_ACCOUNT_NAME: Final = "kubernetes.io/service-account.name"
# Keys that must be there, by type.
_DOCKER_KEYS: Final = {
    "kubernetes.io/dockercfg": ".dockercfg",
    "kubernetes.io/dockerconfigjson": ".dockerconfigjson",
}


def _decoded_size(text: str) -> int:
    return len(text) // 4 * 3 - text.endswith("=") - text.endswith("==")


def _decoded(data: Object, key: str) -> bytes:
    try:
        return base64.b64decode(data.get(key) or "")
    except binascii.Error:
        return b""


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _validate_config_map(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    data: Object = obj.get("data") or {}
    binary: Object = obj.get("binaryData") or {}
    size = 0
    for key, value in data.items():
        if problems := is_config_map_key(key):
            errors += [invalid(f"data[{key}]", key, text) for text in problems]
        if key in binary:
            errors.append(invalid(f"data[{key}]", key, "duplicate of key present in binaryData"))
        size += _size(value)
    for key, value in binary.items():
        if problems := is_config_map_key(key):
            errors += [invalid(f"binaryData[{key}]", key, text) for text in problems]
        size += _decoded_size(value or "")
    if size > MAX_BYTES:
        errors.append(too_long("[]", MAX_BYTES))
    return errors


def _validate_fixed(new: Object, old: Object, *fields: str) -> list[FieldError]:
    if not old.get("immutable"):
        return []
    errors = [] if new.get("immutable") else [forbidden("immutable", _FIXED)]
    errors += [
        forbidden(field, _FIXED)
        for field in fields
        if (new.get(field) or {}) != (old.get(field) or {})
    ]
    return errors


def _validate_config_map_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += _validate_fixed(new, old, "data", "binaryData")
    errors += _validate_config_map(new)
    return errors


def _default_secret(obj: Object) -> None:
    if not obj.get("type"):
        obj["type"] = "Opaque"
    # Write-only: plain text that becomes data as soon as it is read.
    if strings := obj.pop("stringData", None):
        data: Object = obj.get("data") or {}
        for key, value in strings.items():
            data[key] = base64.b64encode(value.encode()).decode()
        obj["data"] = data


def _prepare_secret_update(new: Object, old: Object) -> None:
    if not new.get("type"):
        new["type"] = old.get("type", "")


def _validate_secret(obj: Object) -> list[FieldError]:
    errors = validate_metadata(obj, True, is_dns1123_subdomain)
    data: Object = obj.get("data") or {}
    size = 0
    for key, value in data.items():
        if problems := is_config_map_key(key):
            errors += [invalid(f"data[{key}]", key, text) for text in problems]
        size += _decoded_size(value or "")
    if size > MAX_BYTES:
        errors.append(too_long("data", MAX_BYTES))
    errors += _validate_secret_type(obj, data)
    return errors


def _validate_secret_type(obj: Object, data: Object) -> list[FieldError]:
    match kind := obj.get("type", ""):
        case "kubernetes.io/service-account-token":
            annotations = (obj.get("metadata") or {}).get("annotations") or {}
            if not annotations.get(_ACCOUNT_NAME):
                return [required(f"metadata.annotations[{_ACCOUNT_NAME}]")]
        case "kubernetes.io/dockercfg" | "kubernetes.io/dockerconfigjson":
            key = _DOCKER_KEYS[kind]
            if key not in data:
                return [required(f"data[{key}]")]
            if problem := _object_problem(_decoded(data, key)):
                return [invalid(f"data[{key}]", "<secret contents redacted>", problem)]
        case "kubernetes.io/basic-auth":
            if "username" not in data and "password" not in data:
                return [required("data[username]"), required("data[password]")]
        case "kubernetes.io/ssh-auth":
            if not data.get("ssh-privatekey"):
                return [required("data[ssh-privatekey]")]
        case "kubernetes.io/tls":
            return [required(f"data[{key}]") for key in ("tls.crt", "tls.key") if key not in data]
    return []


def _object_problem(raw: bytes) -> str:
    """Why bytes are no JSON object, in the words of Go's decoder for the usual mistakes."""
    text = raw.decode(errors="replace").strip(" \t\r\n")
    if not text:
        return "unexpected end of JSON input"
    try:
        value: Json = json.loads(text)
    except json.JSONDecodeError as error:
        if error.pos >= len(text):
            return "unexpected end of JSON input"
        return f"invalid character {text[error.pos]!r} looking for beginning of value"
    if isinstance(value, dict) or value is None:
        return ""
    kind = json_kind(value)
    return f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"


def _validate_secret_update(new: Object, old: Object) -> list[FieldError]:
    errors = validate_metadata_update(new, old)
    errors += immutable(new.get("type", ""), old.get("type", ""), "type")
    errors += _validate_fixed(new, old, "data")
    errors += _validate_secret(new)
    return errors


def _warn_secret(new: Object, _old: Object | None) -> list[str]:
    if new.get("type") != "kubernetes.io/tls":
        return []
    data: Object = new.get("data") or {}
    problem = key_pair_problem(_decoded(data, "tls.crt"), _decoded(data, "tls.key"))
    return [problem] if problem else []


RULES: Final[dict[str, Rules]] = {
    "ConfigMap": Rules(
        validate=_validate_config_map,
        validate_update=_validate_config_map_update,
        name_problems=is_dns1123_subdomain,
        tracks_generation=False,
    ),
    "Secret": Rules(
        default=_default_secret,
        prepare_update=_prepare_secret_update,
        validate=_validate_secret,
        validate_update=_validate_secret_update,
        warnings=_warn_secret,
        name_problems=is_dns1123_subdomain,
        selectable={"type": lambda obj: str(obj.get("type", ""))},
        tracks_generation=False,
    ),
}
