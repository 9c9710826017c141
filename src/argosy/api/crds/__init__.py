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
from argosy.api.crds.parts import (
    content_bytes,
    is_apart,
    is_known_status,
    is_same_content,
    is_steady,
    rules_let_stay,
    settle_status,
    status_holds,
)
from argosy.api.crds.validation import validate_crd, validate_crd_status, vouch

__all__ = [
    "CLEANUP",
    "RULES",
    "Dialects",
    "accept_names",
    "begin_ending",
    "content_bytes",
    "decode_custom",
    "default_crd",
    "is_apart",
    "is_known_status",
    "is_same_content",
    "is_steady",
    "kind_from_crd",
    "rules_let_stay",
    "set_terminating",
    "settle_status",
    "speaking",
    "status_holds",
    "validate_crd",
    "validate_crd_status",
    "validate_custom",
    "validate_custom_status",
    "validate_custom_update",
    "vouch",
]
