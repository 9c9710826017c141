"""How a placement gets to its clusters: rolled out in steps, applied in one way or another, reported back."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.fleet import beta
from argosy.api.definitions.vocabulary import (
    choice,
    flag,
    int_or_string,
    integer,
    must,
    rule,
    ruled,
    struct,
)
from argosy.base.types import Object

# A number of clusters, or a share of them.
_SOME: Final = r"^((100|[0-9]{1,2})%|[0-9]+)$"

APPLY_STRATEGY: Final = struct(
    "How a member writes what it gets.",
    allowCoOwnership=flag("Whether objects may have other owners beside this placement."),
    comparisonOption=choice(
        "Whether fields that the hub does not say count as differences.",
        "PartialComparison",
        "FullComparison",
        default="PartialComparison",
    ),
    serverSideApplyConfig=struct(
        "How it is applied by the server.",
        force=flag("Whether fields are taken from other managers."),
    ),
    type=choice(
        "Whether the agent or the server merges, or differences are only reported.",
        "ClientSideApply",
        "ServerSideApply",
        "ReportDiff",
        default="ClientSideApply",
    ),
    whenToApply=choice(
        "Whether objects that were changed on the member are written over.",
        "Always",
        "IfNotDrifted",
        default="Always",
    ),
    whenToTakeOver=choice(
        "Whether objects that were on the member before become this placement's.",
        "Always",
        "IfNoDiff",
        "Never",
        default="Always",
    ),
)
REPORT_BACK: Final = struct(
    "Whether statuses of members come back to the hub.",
    destination=choice(
        "Where they are kept: in the object itself or in the Work.", "OriginalResource", "WorkAPI"
    ),
    type=must(choice("Mirror copies them.", "Disabled", "Mirror", default="Disabled")),
)


def _share(said: str, /) -> Object:
    return int_or_string(said, pattern=_SOME, default="25%")


STRATEGY: Final = struct(
    "How the placement gets to its clusters.",
    applyStrategy=APPLY_STRATEGY,
    deleteStrategy=beta(
        struct(
            "What becomes of objects on members when the placement goes.",
            propagationPolicy=choice("Whether they go too.", "Abandon", "Delete", default="Delete"),
        )
    ),
    reportBackStrategy=beta(
        ruled(
            REPORT_BACK,
            rule(
                "when reportBackStrategy.type is 'Mirror', a destination must be specified",
                "(self == null) || (self.type == 'Mirror' ? size(self.destination) != 0 : true)",
            ),
        )
    ),
    rollingUpdate=struct(
        "How many clusters change at a time.",
        maxSurge=_share("How many clusters more than wanted there may be on the way."),
        maxUnavailable=_share("How many clusters may be without it on the way."),
        unavailablePeriodSeconds=integer(
            "How long objects whose availability cannot be told count as unavailable.",
            minimum=0,
            default=60,
        ),
    ),
    type=ruled(
        choice(
            "RollingUpdate changes clusters a few at a time; External waits for an update run.",
            "RollingUpdate",
            "External",
            default="RollingUpdate",
        ),
        rule(
            "cannot change rollout strategy type from 'External' to other types",
            "!(self != 'External' && oldSelf == 'External')",
        ),
    ),
)
