"""What Kueue's webhooks do to its own kinds, as an admission plugin: keep what is in use, refuse what is wrong.

Refusals read as kube-apiserver relays those of a webhook, because that is what users of Kueue search for. Kinds that
are not here have no webhook upstream either: their schemas and rules say it all. Job kinds have theirs elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import ClassVar, Final, NamedTuple

from argosy.apiserver.admission.quotas import ResourceQuota
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster
from argosy.base.errors import Forbidden
from argosy.base.fielderrors import FieldError
from argosy.base.quantities import ParseError
from argosy.base.types import Object
from argosy.client.resources import CLUSTER_QUEUES, COHORTS, RESOURCE_FLAVORS, WORKLOADS
from argosy.queueing.validation import (
    Gates,
    validate_cluster_queue,
    validate_cluster_queue_update,
    validate_cohort,
    validate_resource_flavor,
    validate_workload,
    validate_workload_update,
)
from argosy.queueing.workloads.phases import RESOURCE_IN_USE

# A workload is offered to all clusters at once, so none is nominated.
DEFAULT_GATES: Final = Gates(nominated_clusters_only=False)

Check = Callable[[Object, Object | None], list[FieldError]]


class _Webhook(NamedTuple):
    """One of upstream's: its name, what it checks, whether of statuses too, and whether it holds new objects."""

    name: str
    check: Check
    of_status: bool = False
    holds: bool = False


class KueueAdmission:
    """Writes of ClusterQueues, Cohorts, ResourceFlavors and Workloads."""

    reads: ClassVar = NOTHING
    singly: ClassVar = b""

    def __init__(self, gates: Gates = DEFAULT_GATES) -> None:
        self._webhooks = _webhooks(gates)

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        webhook = self._webhooks.get(call.kind.resource)
        if webhook is None or not webhook.holds or new is None or old is not None:
            return
        finalizers = new["metadata"].setdefault("finalizers", [])
        if RESOURCE_IN_USE not in finalizers:
            finalizers.append(RESOURCE_IN_USE)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        webhook = self._webhooks.get(call.kind.resource)
        if webhook is None or new is None:
            return
        if call.subresource and not (call.subresource == "status" and webhook.of_status):
            return
        try:
            problems = [str(error) for error in webhook.check(new, old)]
        except ParseError as problem:
            # A quantity that fits the schema's pattern and is none, such as one of a thousand digits.
            problems = [str(problem)]
        if problems:
            raise Forbidden(
                f'admission webhook "{webhook.name}" denied the request: {aggregate(problems)}'
            )


def aggregate(problems: list[str]) -> str:
    """Several errors as one, as Go's libraries print them: each text once."""
    unique = list(dict.fromkeys(problems))
    return unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"


def add_admission(cluster: Cluster, gates: Gates = DEFAULT_GATES) -> None:
    """Have a cluster check Kueue's kinds. Quotas are charged last, for what is let pass."""
    plugins = list(cluster.admission)
    quotas = (number for number, each in enumerate(plugins) if isinstance(each, ResourceQuota))
    plugins.insert(next(quotas, len(plugins)), KueueAdmission(gates))
    cluster.admission = tuple(plugins)


def _webhooks(gates: Gates) -> Mapping[str, _Webhook]:
    return {
        CLUSTER_QUEUES.qualified: _Webhook(
            "vclusterqueue.kb.io", partial(_check_cluster_queue, gates), holds=True
        ),
        COHORTS.qualified: _Webhook("vcohort.kb.io", lambda new, _: validate_cohort(new)),
        RESOURCE_FLAVORS.qualified: _Webhook(
            "vresourceflavor.kb.io", lambda new, _: validate_resource_flavor(new), holds=True
        ),
        WORKLOADS.qualified: _Webhook(
            "vworkload.kb.io", partial(_check_workload, gates), of_status=True
        ),
    }


def _check_cluster_queue(gates: Gates, new: Object, old: Object | None) -> list[FieldError]:
    if old is None:
        return validate_cluster_queue(new)
    return validate_cluster_queue_update(new, old, gates)


def _check_workload(gates: Gates, new: Object, old: Object | None) -> list[FieldError]:
    if old is None:
        return validate_workload(new, gates)
    return validate_workload_update(new, old, gates)
