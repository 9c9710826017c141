"""Deployments, ReplicaSets, StatefulSets, DaemonSets and the ControllerRevisions of the latter two."""

from typing import Final

from argosy.api.kinds import Rules

RULES: Final[dict[str, Rules]] = {}
