"""Types that several kinds are made of: names, conditions, selectors, taints, tolerations, shares."""

from __future__ import annotations

from typing import Final

from argosy.base.types import Json, Object
from argosy.queueing.definitions.vocabulary import (
    AMOUNT,
    TEXT,
    atomic,
    beta2,
    choice,
    int64,
    keyed,
    mapped,
    must,
    quantity,
    rule,
    ruled,
    struct,
    text,
    time,
)

SUBDOMAIN: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
LABEL: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"
# A name, perhaps after a domain and a slash: types of conditions, keys of labels.
QUALIFIED: Final = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)
_REASON: Final = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"

IMMUTABLE: Final = rule("field is immutable", "self == oldSelf")
UNIQUE: Final = rule(
    "must be unique", "size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0"
)

_EFFECTS: Final = "['NoSchedule', 'PreferNoSchedule', 'NoExecute']"
_EFFECTS_SAID: Final = (
    "supported taint effect values: 'NoSchedule', 'PreferNoSchedule', 'NoExecute'"
)


def name(said: str, /, **limits: Json) -> Object:
    """The name of an object: a DNS subdomain."""
    return text(said, maxLength=253, pattern=SUBDOMAIN, **limits)


def pod_set_name(said: str, /, **limits: Json) -> Object:
    return text(said, maxLength=63, pattern=LABEL, **limits)


def labels(said: str, /, **limits: Json) -> Object:
    return mapped(said, TEXT, **limits)


FLAVOR: Final = name("The name of a ResourceFlavor.")
RESOURCE: Final = text("The name of a resource, such as cpu or nvidia.com/gpu.")
PREEMPTION_GATE: Final = text("The name of the gate.", minLength=1, maxLength=63)
STOP_POLICY: Final = choice(
    "Whether workloads are let in: None lets them, Hold lets no more in, HoldAndDrain also sends out those that are.",
    "None",
    "Hold",
    "HoldAndDrain",
    default="None",
)
FAIR_SHARING: Final = struct(
    "How much counts when spare quota is shared among siblings.",
    weight=quantity(
        "A sibling of twice the weight gets twice as much; 0 gets only what nobody else wants.",
        default=1,
    ),
)
WEIGHTED_SHARE: Final = int64(
    "The largest share of any resource that is borrowed, in thousandths of what can be lent, divided by the weight."
)
USAGE_HISTORY: Final = struct(
    "What was used lately, which decides who of a ClusterQueue is let in next.",
    consumedResources=must(mapped("Resources used, older use counting less.", AMOUNT)),
    lastUpdate=must(time("When this was worked out.")),
)

CONDITIONS: Final = keyed(
    "What holds for the object now, one entry per type.",
    struct(
        "One thing that holds or does not.",
        lastTransitionTime=must(time("When the status last turned.")),
        message=must(text("A sentence for people.", maxLength=32768)),
        observedGeneration=int64("The generation of the object that this was said of.", minimum=0),
        reason=must(text("A word for programs.", minLength=1, maxLength=1024, pattern=_REASON)),
        status=must(choice("Whether it holds.", "True", "False", "Unknown")),
        type=must(text("What this is about.", maxLength=316, pattern=QUALIFIED)),
    ),
    "type",
    maxItems=beta2(16),
)

SELECTOR: Final = struct(
    "Which namespaces may use it, by their labels. Without it no namespace may; an empty one selects all.",
    matchExpressions=atomic(
        "Requirements, all of which hold.",
        struct(
            "One requirement.",
            key=must(text("The label.")),
            operator=must(text("In, NotIn, Exists or DoesNotExist.")),
            values=atomic("What the label is compared with, by In and NotIn.", TEXT),
        ),
    ),
    matchLabels=labels("Labels and their values, all of which the namespace has."),
) | {"x-kubernetes-map-type": "atomic"}

TAINT: Final = struct(
    "What keeps pods away that do not tolerate it.",
    effect=must(text("What happens to such pods.")),
    key=must(text("What pods have to tolerate.")),
    timeAdded=time("When it was put on the node."),
    value=text("The value that goes with the key."),
)
TAINT_RULE: Final = rule(_EFFECTS_SAID, f"self.all(x, x.effect in {_EFFECTS})")

TOLERATION: Final = struct(
    "Which taints do not keep a pod away.",
    effect=text("The effect of these taints; empty means all."),
    key=text("The key of these taints; empty means all, with operator Exists."),
    operator=text("Equal compares the value, Exists takes any."),
    tolerationSeconds=int64("For how long a taint that evicts is tolerated; always, if not given."),
    value=text("What the taint's value is compared with."),
)
TOLERATION_RULES: Final = (
    rule(
        "operator must be Exists when 'key' is empty, which means 'match all values and all keys'",
        "self.all(x, !has(x.key) ? x.operator == 'Exists' : true)",
    ),
    rule(
        "effect must be 'NoExecute' when 'tolerationSeconds' is set",
        "self.all(x, has(x.tolerationSeconds) ? x.effect == 'NoExecute' : true)",
    ),
    rule(
        "supported toleration values: 'Equal'(default), 'Exists'",
        "self.all(x, !has(x.operator) || x.operator in ['Equal', 'Exists'])",
    ),
    rule(
        "a value must be empty when 'operator' is 'Exists'",
        "self.all(x, has(x.operator) && x.operator == 'Exists' ? !has(x.value) : true)",
    ),
    rule(_EFFECTS_SAID, f"self.all(x, !has(x.effect) || x.effect in {_EFFECTS})"),
)


def tolerations(said: str, /) -> Object:
    return ruled(atomic(said, TOLERATION, maxItems=8), *TOLERATION_RULES)
