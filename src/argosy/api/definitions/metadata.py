"""Types that definitions of all groups have in common: conditions, label selectors, and what names look like."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.vocabulary import (
    TEXT,
    atomic,
    choice,
    int64,
    keyed,
    mapped,
    must,
    struct,
    text,
    time,
)
from argosy.base.types import Json, Object

SUBDOMAIN: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
LABEL: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
# A name, perhaps after a domain and a slash: types of conditions, keys of labels.
QUALIFIED: Final = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
_REASON: Final = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"

CONDITION: Final = struct(
    "One thing that holds or does not.",
    lastTransitionTime=must(time("When the status last turned.")),
    message=must(text("A sentence for people.", maxLength=32768)),
    observedGeneration=int64("The generation of the object that this was said of.", minimum=0),
    reason=must(text("A word for programs.", minLength=1, maxLength=1024, pattern=_REASON)),
    status=must(choice("Whether it holds.", "True", "False", "Unknown")),
    type=must(text("What this is about.", maxLength=316, pattern=QUALIFIED)),
)


def conditions(
    said: str = "What holds for the object now, one entry per type.", /, **limits: Json
) -> Object:
    return keyed(said, CONDITION, "type", **limits)


def labels(said: str, /, **limits: Json) -> Object:
    return mapped(said, TEXT, **limits)


def label_selector(said: str, /) -> Object:
    return struct(
        said,
        matchExpressions=atomic(
            "Requirements, all of which hold.",
            struct(
                "One requirement.",
                key=must(text("The label.")),
                operator=must(text("In, NotIn, Exists or DoesNotExist.")),
                values=atomic("What the label is compared with, by In and NotIn.", TEXT),
            ),
        ),
        matchLabels=labels("Labels and their values, all of which are there."),
    ) | {"x-kubernetes-map-type": "atomic"}
