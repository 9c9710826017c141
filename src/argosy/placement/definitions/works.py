"""The CRD of Work: what one member is to have, and what it says of that."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.fleet import BETA, PLACEMENT_CATEGORIES, STABLE, beta, manifest_fields
from argosy.api.definitions.kinds import STATUS, Definition
from argosy.api.definitions.metadata import CONDITION
from argosy.api.definitions.vocabulary import (
    int64,
    listed,
    must,
    struct,
    time,
    whole_resource,
)
from argosy.client.resources import WORKS
from argosy.placement.definitions.statuses import differences
from argosy.placement.definitions.strategies import APPLY_STRATEGY, REPORT_BACK

_OBSERVED: Final = time("When it was last seen.")
_GENERATION: Final = int64("The generation of the object on the member that was seen.")

_MANIFEST: Final = struct(
    "One manifest.",
    backReportedStatus=beta(
        struct(
            "The status of the object on the member.",
            observationTime=must(_OBSERVED),
            observedStatus=whole_resource("The object with nothing but its status."),
        )
    ),
    conditions=must(listed("What holds for it.", CONDITION)),
    diffDetails=struct(
        "What differs in an object that was on the member before.",
        firstDiffedObservedTime=must(time("When it was first seen to differ.")),
        observationTime=must(_OBSERVED),
        observedDiffs=differences("What differs."),
        observedInMemberClusterGeneration=_GENERATION,
    ),
    driftDetails=struct(
        "What was changed on the member.",
        firstDriftedObservedTime=must(time("When it was first seen to have drifted.")),
        observationTime=must(_OBSERVED),
        observedDrifts=differences("What was changed."),
        observedInMemberClusterGeneration=must(_GENERATION),
    ),
    identifier=must(struct("Which manifest.", **manifest_fields())),
)

WORK: Final = Definition(
    WORKS,
    said="What one member of the fleet is to have; it lives in that member's namespace.",
    versions=(STABLE, BETA),
    categories=PLACEMENT_CATEGORIES,
    fields={
        "spec": struct(
            "What the member is to have.",
            applyStrategy=APPLY_STRATEGY,
            reportBackStrategy=beta(REPORT_BACK),
            workload=struct(
                "The objects.",
                manifests=listed(
                    "Objects as the member is to have them.", whole_resource("One object.")
                ),
            ),
        ),
        "status": struct(
            "What the member says.",
            conditions=must(listed("What holds for all of it.", CONDITION)),
            manifestConditions=listed("How each manifest stands.", _MANIFEST),
        ),
    },
    subresources=STATUS,
)
