"""Pods and everything that holds a pod template.

`defaulting` fills in, `spec` validates a pod spec (with `containers`, `volumes`, `probes`, ... below it), `creation`
and `updates` a pod, `templates` a template, `warnings` both; `strategy` is what the server does around them.
"""

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.pods.creation import validate_pod
from argosy.api.rules.pods.defaulting import default_pod, default_pod_spec, default_pod_template
from argosy.api.rules.pods.podtemplates import POD_TEMPLATE
from argosy.api.rules.pods.spec import validate_pod_spec
from argosy.api.rules.pods.strategy import POD
from argosy.api.rules.pods.templates import validate_pod_template
from argosy.api.rules.pods.updates import validate_pod_update
from argosy.api.rules.pods.warnings import template_warnings

RULES: Final[dict[str, Rules]] = {"Pod": POD, "PodTemplate": POD_TEMPLATE}

__all__ = [
    "RULES",
    "default_pod",
    "default_pod_spec",
    "default_pod_template",
    "template_warnings",
    "validate_pod",
    "validate_pod_spec",
    "validate_pod_template",
    "validate_pod_update",
]
