"""Types that several kinds are made of: names, conditions, selectors, taints, tolerations, shares."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.metadata import LABEL, SUBDOMAIN, conditions, label_selector
from argosy.api.definitions.vocabulary import (
    AMOUNT,
    atomic,
    choice,
    int64,
    mapped,
    must,
    quantity,
    rule,
    ruled,
    struct,
    text,
    time,
)
from argosy.base.types import Json, Object
from argosy.queueing.definitions.versions import beta2

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

CONDITIONS: Final = conditions(maxItems=beta2(16))
SELECTOR: Final = label_selector(
    "Which namespaces may use it, by their labels. Without it no namespace may; an empty one selects all."
)

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
