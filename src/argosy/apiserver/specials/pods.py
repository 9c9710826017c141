"""Binding a pod to a node, and evicting one within what its disruption budget allows."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace

from argosy.api.rules.wording import unsupported
from argosy.apiserver import bodies, encoding, options
from argosy.apiserver.access.identities import APISERVER, APISERVER_AGENT
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.apiserver.http.messages import Request, Response
from argosy.apiserver.verbs import deleting, owning, storing
from argosy.base import errors, fielderrors
from argosy.base.errors import BadRequest, Cause, Details, InternalError, Invalid, TooManyRequests
from argosy.base.selectors import labels
from argosy.base.types import Object
from argosy.store import Record, Selection

_BINDING = "io.k8s.api.core.v1.Binding"
_BUDGETS = "poddisruptionbudgets.policy"


async def bind_virtual(cluster: Cluster, call: Call, request: Request) -> Response:
    """POST of a Binding to /bindings: the pod's name is the binding's."""
    binding = bodies.read_plain(request.body, _BINDING)
    name = (binding.get("metadata") or {}).get("name", "")
    pods = cluster.kind("", "pods")
    to_pod = Call(
        call.user, "create", pods, "v1", call.namespace, name, "binding", call.options, call.agent
    )
    return await _bind(cluster, to_pod, binding)


async def bind(cluster: Cluster, call: Call, request: Request) -> Response:
    """POST to pods/NAME/binding."""
    binding = bodies.read_plain(request.body, _BINDING)
    if (binding.get("metadata") or {}).get("name", "") != call.name:
        raise BadRequest("name in URL does not match name in Binding object")
    return await _bind(cluster, call, binding)


async def _bind(cluster: Cluster, call: Call, binding: Object) -> Response:
    await _bound(cluster, call, binding)
    return Response(201, encoding.to_json(_success()))


def _bound(cluster: Cluster, call: Call, binding: Object) -> Awaitable[Record]:
    target = binding.get("target") or {}
    node = target.get("name", "")
    problems = []
    if target.get("kind", "Node") not in {"", "Node"}:
        problems.append(unsupported("target.kind", target["kind"], ("Node", "<empty>")))
    if not node:
        problems.append(fielderrors.required("target.name", ""))
    if problems:
        raise Invalid("Binding", call.name, problems)
    current = cluster.store.latest(call.key)
    if current is None:
        raise call.not_found()
    pod = encoding.closed(encoding.opened(call.kind, current.raw))
    meta, spec = pod["metadata"], pod["spec"]
    given = binding.get("metadata") or {}
    if given.get("uid") and given["uid"] != meta["uid"]:
        raise call.conflict(
            f"Precondition failed: UID in precondition: {given['uid']}, UID in object meta: {meta['uid']}"
        )
    if meta.get("deletionTimestamp"):
        raise _unbound(call, f"pod {call.name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        raise _unbound(call, f'pod {call.name} is already assigned to node "{spec["nodeName"]}"')
    if spec.get("schedulingGates"):
        raise _unbound(call, f"pod {call.name} has non-empty .spec.schedulingGates")
    spec["nodeName"] = node
    # A place that was held for it is held no longer.
    (pod.get("status") or {}).pop("nominatedNodeName", None)
    for field in ("labels", "annotations"):
        if given.get(field):
            meta.setdefault(field, {}).update(given[field])
    _set_condition(cluster, pod, "PodScheduled")
    return storing.store(cluster, call, pod, expect=current.revision)


def _unbound(call: Call, why: str) -> errors.Conflict:
    return errors.conflict("", "pods/binding", call.name, why)


def _set_condition(cluster: Cluster, pod: Object, kind: str, **said: str) -> None:
    conditions = pod.setdefault("status", {}).setdefault("conditions", [])
    conditions[:] = [c for c in conditions if c.get("type") != kind]
    conditions.append({
        "type": kind, "status": "True", "lastProbeTime": None, "lastTransitionTime": cluster.now(), **said,
    })  # fmt: skip


async def evict(cluster: Cluster, call: Call, request: Request) -> Response:
    """POST of an Eviction: a delete that asks the disruption budgets first."""
    eviction = bodies.read_plain(request.body, "io.k8s.api.policy.v1.Eviction")
    given = (eviction.get("metadata") or {}).get("name", call.name)
    if given != call.name:
        raise BadRequest("name in URL does not match name in Eviction object")
    wished = options.with_delete_body(call.options, eviction.get("deleteOptions") or {})
    if call.options.dry_run:
        wished = replace(wished, dry_run=True)
    current = cluster.store.latest(call.key)
    if current is None:
        raise call.not_found()
    pod = encoding.from_bytes(call.kind, current.raw)
    if _needs_budget(pod):
        await _spend_budget(cluster, call, pod)
    delete = Call(
        call.user, "delete", call.kind, call.version, call.namespace, call.name, options=wished, agent=call.agent,
    )  # fmt: skip
    if not wished.dry_run:
        await _say_why(cluster, delete)
    await deleting.delete(cluster, delete)
    return Response(201, encoding.to_json(_success()))


async def _say_why(cluster: Cluster, call: Call) -> None:
    """Mark the pod with the reason of its end, which controllers look at."""
    current = cluster.store.latest(call.key)
    if current is None:
        raise call.not_found()
    pod = encoding.from_bytes(call.kind, current.raw)
    _set_condition(
        cluster,
        pod,
        "DisruptionTarget",
        reason="EvictionByEvictionAPI",
        message="Eviction API: evicting",
    )
    await storing.store(cluster, call, pod, expect=current.revision)


def _needs_budget(pod: Object) -> bool:
    """A pod that has ended, is leaving or never started disturbs nobody."""
    phase = (pod.get("status") or {}).get("phase")
    return phase not in {"Succeeded", "Failed", "Pending"} and not pod["metadata"].get(
        "deletionTimestamp"
    )


async def _spend_budget(cluster: Cluster, call: Call, pod: Object) -> None:
    budgets = _budgets(cluster, pod)
    if len(budgets) > 1:
        error = InternalError(
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        )
        error.reason = ""
        raise error
    if not budgets or call.options.dry_run:
        return
    record, budget = budgets[0]
    name, status = budget["metadata"]["name"], budget.setdefault("status", {})
    if not _is_ready(pod) and _lets_unready_go(budget):
        return
    if status.get("observedGeneration", 0) < budget["metadata"].get("generation", 0):
        raise _refused(
            f"The disruption budget {name} is still being processed by the server.", retry=10
        )
    if status.get("disruptionsAllowed", 0) <= 0:
        raise _refused(_why_not(name, status))
    kind = cluster.kind("policy", "poddisruptionbudgets")
    before = encoding.from_bytes(kind, record.raw)
    status["disruptionsAllowed"] -= 1
    status.setdefault("disruptedPods", {})[call.name] = cluster.now()
    if not status["disruptionsAllowed"]:
        _set_insufficient(cluster, status)
    spend = Call(
        APISERVER, "update", kind, "v1", call.namespace, name, "status", agent=APISERVER_AGENT
    )
    owning.track(cluster, spend, budget, before)
    await storing.store(cluster, spend, budget, expect=record.revision)


def _why_not(name: str, status: Object) -> str:
    """Why a budget lets nobody go."""
    needed, healthy = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
    conditions = status.get("conditions") or ()
    allowed: Object = next((c for c in conditions if c.get("type") == "DisruptionAllowed"), {})
    said = allowed.get("message", "") if allowed.get("status") == "False" else ""
    if said and allowed.get("reason") == "SyncFailed":
        return f"The disruption budget {name} does not allow evicting pods currently because it failed sync: {said}"
    if healthy <= needed:
        return (
            f"The disruption budget {name} needs {needed} healthy pods and has {healthy} currently"
        )
    if said:
        reason = allowed.get("reason", "")
        return f"The disruption budget {name} does not allow evicting pods currently ({reason}): {said}"
    return f"The disruption budget {name} does not allow evicting pods currently"


def _is_ready(pod: Object) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(c.get("type") == "Ready" and c.get("status") == "True" for c in conditions)


def _lets_unready_go(budget: Object) -> bool:
    """A pod that does not serve costs its budget nothing: always, or while enough others do."""
    if budget["spec"].get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    status = budget["status"]
    desired = status.get("desiredHealthy", 0)
    return bool(desired > 0 and status.get("currentHealthy", 0) >= desired)


def _set_insufficient(cluster: Cluster, status: Object) -> None:
    conditions = status.setdefault("conditions", [])
    found = next((c for c in conditions if c.get("type") == "DisruptionAllowed"), None)
    if found is None:
        found = {"type": "DisruptionAllowed"}
        conditions.append(found)
    if found.get("status") != "False":
        found["lastTransitionTime"] = cluster.now()
    found |= {
        "status": "False", "observedGeneration": status.get("observedGeneration", 0),
        "reason": "InsufficientPods", "message": "",
    }  # fmt: skip


def _budgets(cluster: Cluster, pod: Object) -> list[tuple[Record, Object]]:
    kind = cluster.kind("policy", "poddisruptionbudgets")
    found = []
    shown = cluster.store.list(_BUDGETS, Selection(namespace=pod["metadata"]["namespace"])).records
    # Another eviction may have spent of a budget a moment ago, and its write is still under way.
    latest = (cluster.store.latest(record.key) for record in shown)
    for record in (one for one in latest if one is not None):
        budget = encoding.from_bytes(kind, record.raw)
        selector = (budget.get("spec") or {}).get("selector")
        if selector is not None and labels.from_object(selector).matches(
            pod["metadata"].get("labels") or {}
        ):
            found.append((record, budget))
    return found


def _refused(why: str, retry: int = 0) -> TooManyRequests:
    error = TooManyRequests(
        "Cannot evict pod as it would violate the pod's disruption budget.",
        retry_after_seconds=retry,
    )
    error.details = Details(causes=(Cause("DisruptionBudget", why),), retryAfterSeconds=retry)
    return error


def _success() -> Object:
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201}
