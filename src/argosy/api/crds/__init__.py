"""CustomResourceDefinitions: validating them, granting their names, and serving the kinds they define."""

from __future__ import annotations

from argosy.api.crds.conditions import CLEANUP, accept_names, begin_ending, set_terminating
from argosy.api.crds.definitions import RULES, default_crd
from argosy.api.crds.dialects import Dialects, speaking
from argosy.api.crds.kinds import kind_from_crd
from argosy.api.crds.objects import (
    decode_custom,
    validate_custom,
    validate_custom_status,
    validate_custom_update,
)
from argosy.api.crds.validation import validate_crd, validate_crd_status

__all__ = [
    "CLEANUP",
    "RULES",
    "Dialects",
    "accept_names",
    "begin_ending",
    "decode_custom",
    "default_crd",
    "kind_from_crd",
    "set_terminating",
    "speaking",
    "validate_crd",
    "validate_crd_status",
    "validate_custom",
    "validate_custom_status",
    "validate_custom_update",
]
