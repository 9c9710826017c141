"""The CRD of AppliedWork, the only kind of the fleet that a member has: what a Work of the hub became here.

It is cluster-scoped because it owns objects of all namespaces: when it goes, garbage collection takes them.
"""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.fleet import BETA, PLACEMENT_CATEGORIES, STABLE, manifest_fields
from argosy.api.definitions.kinds import STATUS, Definition
from argosy.api.definitions.vocabulary import listed, must, struct, text
from argosy.base.types import Object
from argosy.client.resources import APPLIED_WORKS

APPLIED_WORK: Final = Definition(
    APPLIED_WORKS,
    said="What a Work of the hub became on this cluster; it owns all of that.",
    versions=(STABLE, BETA),
    categories=PLACEMENT_CATEGORIES,
    fields={
        "spec": must(
            struct(
                "Whose it is.",
                workName=must(text("The Work on the hub.")),
                workNamespace=must(text("The namespace of the Work: this member's, on the hub.")),
            )
        ),
        "status": struct(
            "What is here.",
            appliedResources=listed(
                "Objects that were applied.",
                struct("One object.", **manifest_fields(), uid=text("Its uid on this cluster.")),
            ),
        ),
    },
    subresources=STATUS,
)


def definitions() -> list[Object]:
    """What a cluster needs before it joins."""
    return [APPLIED_WORK.document()]
