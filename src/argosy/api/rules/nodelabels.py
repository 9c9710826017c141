"""Well-known node labels that have newer names, and the warnings that say so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from argosy.api.rules.names import is_label_value
from argosy.base.types import Object

DEPRECATED_NODE_LABELS: Final[Mapping[str, str]] = {
    "beta.kubernetes.io/arch": 'deprecated since v1.14; use "kubernetes.io/arch" instead',
    "beta.kubernetes.io/os": 'deprecated since v1.14; use "kubernetes.io/os" instead',
    "failure-domain.beta.kubernetes.io/region": (
        'deprecated since v1.17; use "topology.kubernetes.io/region" instead'
    ),
    "failure-domain.beta.kubernetes.io/zone": (
        'deprecated since v1.17; use "topology.kubernetes.io/zone" instead'
    ),
    "beta.kubernetes.io/instance-type": (
        'deprecated since v1.17; use "node.kubernetes.io/instance-type" instead'
    ),
    "app.kubernetes.io/created-by": "deprecated since v1.9",
    "scheduler.alpha.kubernetes.io/preferAvoidPods": (
        "deprecated since v1.22; use Taints and Tolerations instead"
    ),
    "node-role.kubernetes.io/master": 'use "node-role.kubernetes.io/control-plane" instead',
}


def warn_node_selector_term(term: Object, path: str, *, check_values: bool) -> list[str]:
    warnings: list[str] = []
    for index, expression in enumerate(term.get("matchExpressions") or ()):
        at = f"{path}.matchExpressions[{index}]"
        key = expression.get("key", "")
        if text := DEPRECATED_NODE_LABELS.get(key):
            warnings.append(f"{at}.key: {key} is {text}")
        if check_values:
            for position, value in enumerate(expression.get("values") or ()):
                warnings += [
                    f"{at}.values[{position}]: {value} is invalid, {text}"
                    for text in is_label_value(value)
                ]
    return warnings
