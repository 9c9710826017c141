"""What definitions of the hub and of members share: the versions of the fleet's groups, and how a manifest is named.

v1beta1 is stored. v1 knows fewer fields and v1alpha1, where there is one, fewer still; whoever writes in one of them
loses what it does not know, as upstream.
"""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.kinds import Version
from argosy.api.definitions.vocabulary import Versioned, integer, must, only, text
from argosy.base.types import Json, Object

_V1: Final = "v1"
_V1ALPHA1: Final = "v1alpha1"
_V1BETA1: Final = "v1beta1"

ALPHA: Final = Version(_V1ALPHA1)
BETA: Final = Version(_V1BETA1, is_stored=True)
STABLE: Final = Version(_V1)

PLACEMENT_CATEGORIES: Final = ("fleet", "fleet-placement")
CLUSTER_CATEGORIES: Final = ("fleet", "fleet-cluster")


def beta(value: Json) -> Versioned:
    """In v1beta1 only."""
    return only(value, _V1BETA1)


def grown(value: Json) -> Versioned:
    """In v1beta1 and v1, and not yet in v1alpha1."""
    return only(value, _V1BETA1, _V1)


def matured(alpha: Json, later: Json) -> Versioned:
    """One way in v1alpha1, another in v1beta1 and v1."""
    return Versioned({_V1ALPHA1: alpha, _V1BETA1: later, _V1: later})


def since_beta(before: Json, later: Json) -> Versioned:
    """One way in v1beta1, another in v1."""
    return Versioned({_V1BETA1: before, _V1: later})


def manifest_fields() -> dict[str, Object]:
    """Which manifest of a Work is meant, and which object of the member it became."""
    return {
        "ordinal": must(integer("Its number in the list of manifests.")),
        "group": text("The group of its kind."),
        "version": text("The version of its kind."),
        "kind": text("Its kind."),
        "resource": text("The plural of its kind."),
        "namespace": text("Its namespace; none if its kind has none."),
        "name": text("Its name."),
    }
