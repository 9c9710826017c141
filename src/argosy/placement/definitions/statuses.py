"""How a placement stands: what it took along, and what failed, drifted or differs on which cluster."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.fleet import beta, since_beta
from argosy.api.definitions.metadata import CONDITION, conditions
from argosy.api.definitions.vocabulary import (
    TEXT,
    int64,
    listed,
    must,
    struct,
    text,
    time,
)
from argosy.base.types import Object

_ENVELOPES: Final = ("ClusterResourceEnvelope", "ResourceEnvelope")


def _identified(said: str, /, **more: Object) -> Object:
    """An object that is placed, and more about it."""
    return struct(
        said,
        envelope=struct(
            "The envelope that it came in.",
            name=must(text("Its name.")),
            namespace=text("Its namespace, if its kind has one."),
            type=text("What kind of envelope it is.")
            | {
                "enum": since_beta(("ConfigMap", *_ENVELOPES), _ENVELOPES),
                "default": beta("ConfigMap"),
            },
        ),
        group=text("The group of its kind."),
        kind=must(text("Its kind.")),
        name=must(text("Its name.")),
        namespace=text("Its namespace, if its kind has one."),
        version=must(text("The version of its kind.")),
        **more,
    )


def differences(said: str, /) -> Object:
    """Fields that are not on a member what they are on the hub."""
    return listed(
        said,
        struct(
            "One field.",
            path=must(text("Where it is, as a JSON pointer.")),
            valueInHub=text("What the hub says; nothing, if it does not say it."),
            valueInMember=text("What the member has; nothing, if it does not have it."),
        ),
    )


def overrides(said: str, /) -> Object:
    """Snapshots of ResourceOverrides."""
    return listed(
        said,
        struct(
            "One snapshot.",
            name=must(text("Its name.")),
            namespace=must(text("Its namespace.")),
        ),
    )


_OBSERVED: Final = time("When it was last seen.")
_GENERATION: Final = int64("The generation of the object on the member that was seen.")

# What went wrong on one cluster, in a binding and in a placement alike. Nobody is told of more than a hundred.
TROUBLES: Final[Object] = {
    "diffedPlacements": listed(
        "Objects that were on the cluster before and are different from those of the hub.",
        _identified(
            "One object.",
            firstDiffedObservedTime=must(time("When it was first seen to differ.")),
            observationTime=must(_OBSERVED),
            observedDiffs=differences("What differs."),
            targetClusterObservedGeneration=_GENERATION,
        ),
        maxItems=100,
    ),
    "driftedPlacements": listed(
        "Objects that were changed on the cluster.",
        _identified(
            "One object.",
            firstDriftedObservedTime=must(time("When it was first seen to have drifted.")),
            observationTime=must(_OBSERVED),
            observedDrifts=differences("What was changed."),
            targetClusterObservedGeneration=must(_GENERATION),
        ),
        maxItems=100,
    ),
    "failedPlacements": listed(
        "Objects that could not be applied, or are not available.",
        _identified("One object.", condition=must(CONDITION)),
        maxItems=100,
    ),
}

_RESOURCE_INDEX: Final = text("The index of the resource snapshot that this is about.")

PLACEMENT_STATUS: Final = struct(
    "How the placement stands.",
    conditions=conditions(),
    observedResourceIndex=_RESOURCE_INDEX,
    placementStatuses=listed(
        "How it stands on each cluster, and why clusters were not picked.",
        struct(
            "One cluster.",
            applicableClusterResourceOverrides=listed(
                "Snapshots of ClusterResourceOverrides that apply there.", TEXT
            ),
            applicableResourceOverrides=overrides(
                "Snapshots of ResourceOverrides that apply there."
            ),
            clusterName=text("The cluster; none, if it was not picked."),
            conditions=listed("What holds for the placement there.", CONDITION),
            **TROUBLES,
            observedResourceIndex=_RESOURCE_INDEX,
        ),
    ),
    selectedResources=listed("What is placed.", _identified("One object.")),
)
