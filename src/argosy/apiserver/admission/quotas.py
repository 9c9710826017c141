"""ResourceQuota: nothing new beyond what a namespace may use.

What is used stands in the quota's status and is written in the same step as the object that uses it, so a burst
can't slip through. Afterwards the recount (housekeeping) gives back what deleted and ended objects used. A
quota whose status nobody has filled in yet is counted on the spot.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import ClassVar

from argosy.api import podresources, quotas
from argosy.api.podresources import Amounts
from argosy.apiserver import encoding
from argosy.apiserver.access.identities import APISERVER, APISERVER_AGENT
from argosy.apiserver.admission.naming import forbidden
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.verbs import owning
from argosy.base.quantities import Quantity
from argosy.base.types import Object
from argosy.store import Record, Selection


class ResourceQuota:
    """Last of the plugins: it takes note of what all others let pass."""

    reads: ClassVar = frozenset({"resourcequotas"})
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        """Judged after everything else."""

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        if (
            new is None
            or not call.kind.namespaced
            or call.subresource
            or not cluster.store.count("resourcequotas")
        ):
            return
        if old is not None and call.kind.resource not in {"services", "persistentvolumeclaims"}:
            return
        resource = call.kind.stored_resource
        if (
            old is None
            and cluster.store.latest(call.key._replace(name=new["metadata"]["name"])) is not None
        ):
            # Already there: the write will be refused, and must not be charged.
            return
        delta = quotas.usage(resource, new)
        if old is not None:
            for name, amount in quotas.usage(resource, old).items():
                delta[name] = delta.get(name, Quantity.of(0)) - amount
        charges = [
            charge
            for record, quota in in_namespace(cluster, call.namespace)
            if (charge := _charge(cluster, call, new, delta, record, quota)) is not None
        ]
        if not call.options.dry_run:
            for record, quota in charges:
                _write(cluster, record, quota)


def in_namespace(cluster: Cluster, namespace: str) -> list[tuple[Record, Object]]:
    """The quotas of a namespace at their latest, oldest name first."""
    kind = cluster.kind("", "resourcequotas")
    found = []
    for listed in cluster.store.list("resourcequotas", Selection(namespace=namespace)).records:
        record = cluster.store.latest(listed.key)
        if record is not None:
            found.append((record, encoding.from_bytes(kind, record.raw)))
    return found


def _charge(
    cluster: Cluster, call: Call, obj: Object, delta: Amounts, record: Record, quota: Object
) -> tuple[Record, Object] | None:
    """The quota with the object counted in, None when it does not count it; raises when it does not fit."""
    name, resource = quota["metadata"]["name"], call.kind.stored_resource
    hard = podresources.amounts(quota["spec"].get("hard"))
    concerned = {key: delta[key] for key in hard if key in delta}
    if not quotas.counts(quota, resource, obj):
        return None
    if resource == "pods":
        unsaid = quotas.unsaid(hard, obj)
        if unsaid:
            raise forbidden(call, obj, f"failed quota: {name}: must specify {unsaid}")
    if not concerned:
        return None
    status = quota.setdefault("status", {})
    if (status.get("hard") or {}).keys() != hard.keys():
        status["hard"] = dict(quota["spec"]["hard"])
        status["used"] = {key: str(amount) for key, amount in count(cluster, quota).items()}
    used = podresources.amounts(status.get("used"))
    zero = Quantity.of(0)
    over = [k for k, v in concerned.items() if v.sign > 0 and used.get(k, zero) + v > hard[k]]
    if over:
        raise forbidden(
            call, obj,
            f"exceeded quota: {name}, requested: {_listed(over, concerned)}, used: {_listed(over, used)}, "
            f"limited: {_listed(over, hard)}",
        )  # fmt: skip
    status["used"] = {
        **status.get("used", {}),
        **{k: str(used.get(k, zero) + v) for k, v in concerned.items()},
    }
    return record, quota


def count(cluster: Cluster, quota: Object) -> Amounts:
    """What a quota's namespace uses now of what the quota limits."""
    hard = quota["spec"].get("hard") or {}
    zero = Quantity.of(0)
    total: Amounts = dict.fromkeys(hard, zero)
    chosen = Selection(namespace=quota["metadata"]["namespace"])
    for kind in cluster.scheme:
        if not kind.namespaced or kind.stored_as or not cluster.store.count(kind.resource):
            continue
        if not _may_count(kind.resource, hard):
            continue
        for record in cluster.store.list(kind.resource, chosen).records:
            obj = encoding.from_bytes(kind, record.raw)
            if quotas.counts(quota, kind.resource, obj):
                for name, amount in quotas.usage(kind.resource, obj).items():
                    if name in total:
                        total[name] += amount
    return total


def _may_count(resource: str, hard: Iterable[str]) -> bool:
    """Whether any name of a quota can come from a resource, to read no more than needed."""
    if resource in {"pods", "services", "persistentvolumeclaims"}:
        return True
    return any(name in {resource, f"count/{resource}"} for name in hard)


def _write(cluster: Cluster, record: Record, quota: Object) -> None:
    """Hand the quota's new status over; the object's own write follows it and is awaited."""
    kind = cluster.kind("", "resourcequotas")
    call = Call(
        APISERVER, "update", kind, "v1", record.key.namespace, record.key.name, "status",
        agent=APISERVER_AGENT,
    )  # fmt: skip
    owning.track(cluster, call, quota, encoding.from_bytes(kind, record.raw))
    quota["metadata"]["resourceVersion"] = str(cluster.store.next_revision())
    pending = cluster.store.put(
        record.key, encoding.to_bytes(quota), encoding.meta_of(kind, quota), expect=record.revision
    )
    asyncio.ensure_future(pending).add_done_callback(
        lambda done: done.cancelled() or done.exception()
    )


def _listed(names: list[str], amounts: Amounts) -> str:
    zero = Quantity.of(0)
    return ",".join(f"{name}={amounts.get(name, zero)}" for name in sorted(names))
