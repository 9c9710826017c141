"""Deployments, ReplicaSets, StatefulSets, DaemonSets, and the ControllerRevisions of the latter two."""

from typing import Final

from argosy.api.kinds import Rules
from argosy.api.rules.apps.daemonsets import DAEMON_SET
from argosy.api.rules.apps.deployments import DEPLOYMENT
from argosy.api.rules.apps.replicasets import REPLICA_SET
from argosy.api.rules.apps.revisions import CONTROLLER_REVISION
from argosy.api.rules.apps.statefulsets import STATEFUL_SET

RULES: Final[dict[str, Rules]] = {
    "ControllerRevision": CONTROLLER_REVISION,
    "DaemonSet": DAEMON_SET,
    "Deployment": DEPLOYMENT,
    "ReplicaSet": REPLICA_SET,
    "StatefulSet": STATEFUL_SET,
}
