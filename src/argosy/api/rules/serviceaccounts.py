"""ServiceAccounts, which name the secrets and pull secrets of pods that run as them."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.metadata import validate_metadata, validate_metadata_update
from argosy.api.rules.names import is_dns1123_subdomain
from argosy.base.fielderrors import FieldError
from argosy.base.types import Object

_ENFORCE: Final = "kubernetes.io/enforce-mountable-secrets"


def _prepare(obj: Object) -> None:
    """Only the names of secrets are kept."""
    if secrets := obj.get("secrets"):
        obj["secrets"] = [
            {"name": secret["name"]} if secret.get("name") else {} for secret in secrets
        ]


def _validate(obj: Object) -> list[FieldError]:
    return validate_metadata(obj, True, is_dns1123_subdomain)


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    return validate_metadata_update(new, old) + _validate(new)


def _is_enforcing(obj: Object | None) -> bool:
    return _ENFORCE in (((obj or {}).get("metadata") or {}).get("annotations") or {})


def _warn(new: Object, old: Object | None) -> list[str]:
    if not _is_enforcing(new) or _is_enforcing(old):
        return []
    advice = "prefer separate namespaces to isolate access to mounted secrets"
    return [f"metadata.annotations[{_ENFORCE}]: deprecated in v1.32+; {advice}"]


RULES: Final[dict[str, Rules]] = {
    "ServiceAccount": Rules(
        prepare_create=_prepare,
        prepare_update=lambda new, _old: _prepare(new),
        validate=_validate,
        validate_update=_validate_update,
        warnings=_warn,
        name_problems=is_dns1123_subdomain,
        tracks_generation=False,
    )
}
