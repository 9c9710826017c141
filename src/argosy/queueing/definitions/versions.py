"""The two versions of kueue.x-k8s.io, and words for what differs between them.

v1beta2 is stored and preferred. v1beta1 is served for those who still write it, with upstream's warning, and converted
by the server itself (`argosy.queueing.conversion`).
"""

from __future__ import annotations

from functools import partial
from typing import Final

from argosy.api.definitions.kinds import Definition, Version
from argosy.api.definitions.vocabulary import Versioned, only
from argosy.base.types import Json

V1BETA1: Final = "v1beta1"
V1BETA2: Final = "v1beta2"

kueue = partial(
    Definition,
    versions=(
        Version(V1BETA1, warning="This version is deprecated. Use v1beta2 instead."),
        Version(V1BETA2, is_stored=True),
    ),
)


def beta1(value: Json) -> Versioned:
    return only(value, V1BETA1)


def beta2(value: Json) -> Versioned:
    return only(value, V1BETA2)


def differs(old: Json, new: Json) -> Versioned:
    return Versioned({V1BETA1: old, V1BETA2: new})
