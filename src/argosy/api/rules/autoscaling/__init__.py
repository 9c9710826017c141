"""Rules of autoscaling: HorizontalPodAutoscalers in the stored version, v2. `metrics` checks what they scale by."""

from __future__ import annotations

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.autoscaling.autoscalers import HORIZONTAL_POD_AUTOSCALER

RULES: Final[dict[str, Rules]] = {"HorizontalPodAutoscaler": HORIZONTAL_POD_AUTOSCALER}
