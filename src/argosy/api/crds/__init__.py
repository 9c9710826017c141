"""CustomResourceDefinitions: validating them, granting their names, and serving the kinds they define."""

from __future__ import annotations

from argosy.api.crds.conditions import accept_names
from argosy.api.crds.definitions import RULES, default_crd
from argosy.api.crds.kinds import kind_from_crd
from argosy.api.crds.objects import (
    decode_custom,
    validate_custom,
    validate_custom_status,
    validate_custom_update,
)
from argosy.api.crds.validation import validate_crd, validate_crd_status

__all__ = [
    "RULES",
    "accept_names",
    "decode_custom",
    "default_crd",
    "kind_from_crd",
    "validate_crd",
    "validate_crd_status",
    "validate_custom",
    "validate_custom_status",
    "validate_custom_update",
]
