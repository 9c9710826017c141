"""ProvisioningRequests: capacity asked for before its pods exist, answered by the autoscaler's own decisions.

Mirrors cluster-autoscaler's two classes. `check-capacity` asks whether the cluster has room now, `best-effort-atomic-
scale-up` has machines added, all or none. An answer is the condition Provisioned; what was promised is booked for ten
minutes, less whatever pods that consume it have taken, and the autoscaler packs bookings before anything else. A
request that cannot be met is tried again, a minute later and ever more slowly, until it expires (ValidUntilSeconds,
else seven days), or fails at once when it says noRetry. Differs in one point: a booking whose room has gone, because
a node was lost, is said with the condition CapacityRevoked, which upstream defines and never sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from argosy.api.nodefit import PodClass, PodClasses
from argosy.api.objects import Condition, Pod, decoder, find_condition, is_true
from argosy.api.objects.provisioning import PodTemplate, ProvisioningRequest
from argosy.base.errors import NotFound
from argosy.base.timestamps import format_time
from argosy.base.types import Object
from argosy.capacity import conditions
from argosy.capacity.demands import request_of
from argosy.capacity.neighbors import Wish, per_node, wishes
from argosy.capacity.resources import MANAGER, PROVISIONING_REQUESTS
from argosy.capacity.snapshots import Demand, Plan, Request
from argosy.capacity.surveying import Survey
from argosy.capacity.templates import defaulted
from argosy.client.objects import Key
from argosy.client.resources import POD_TEMPLATES
from argosy.control.assemblies import Assembly
from argosy.control.reconcilers import DONE, Result

CHECK_CAPACITY: Final = "check-capacity.autoscaling.x-k8s.io"
ATOMIC: Final = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"
BOOKED_SECONDS: Final = 600.0
_WEEK_SECONDS: Final = 7 * 24 * 3600.0
# As long as cluster-autoscaler takes from one look to the next.
_TEMPLATE_SECONDS: Final = 10.0
_FIRST_RETRY_SECONDS: Final = 60.0
_LAST_RETRY_SECONDS: Final = 600.0
_WORKERS: Final = 4


@dataclass(slots=True)
class _Known:
    """A request in our hands."""

    may_grow: bool
    demands: tuple[Demand, ...]
    # By demand: what is asked of pods near them, and the labels of its pods.
    social: dict[str, tuple[tuple[Wish, ...], dict[str, str]]]
    is_open: bool = False
    is_booked: bool = False
    tries: int = 0
    # When Provisioned was last written: what the API says from before that is no news.
    answered_at: float = float("-inf")
    # What the autoscaler answered and the API does not say yet.
    answers: list[conditions.Said] = field(default_factory=list)


class Requests:
    """All ProvisioningRequests of a cluster."""

    def __init__(
        self,
        assembly: Assembly,
        classes: PodClasses,
        survey: Survey,
        changed: Callable[[], None],
    ) -> None:
        self._client = assembly.client
        self._clock = assembly.clock
        self._classes = classes
        self._survey = survey
        self._changed = changed
        self._known: dict[str, _Known] = {}
        # By request: the pods that have taken their part, and their classes.
        self._takers: dict[str, dict[Key, PodClass]] = {}
        self._requests = assembly.informer(PROVISIONING_REQUESTS, ProvisioningRequest)
        self._queue = assembly.controller("provisioning-request", self._look, workers=_WORKERS)
        self._requests.add_handler(self._request_changed)

    # For the autoscaler.

    def open(self) -> tuple[Request, ...]:
        """Those that wait for an answer, in order of their names."""
        return tuple(
            Request(key, tuple(self._bounded(key, one)), one.may_grow)
            for key, one in sorted(self._known.items())
            if one.is_open
        )

    def _bounded(self, key: str, one: _Known) -> Iterable[Demand]:
        """The demands of a request with what their rules about other pods come to now."""
        namespace = key.partition("/")[0]
        for demand in one.demands:
            wished, labels = one.social[demand.key]
            bounds = self._survey.bounds(demand.pods, namespace, labels, wished)
            yield replace(demand, bounds=bounds)

    def booked(self) -> tuple[Demand, ...]:
        """What was promised and nobody has taken yet."""
        return tuple(
            demand
            for key, one in sorted(self._known.items())
            if one.is_booked
            for demand in _untaken(one.demands, self._takers.get(key, {}))
        )

    def covers(self, request: str) -> bool:
        """Whether pods that consume this request have to wait for it instead of making the cluster grow."""
        namespace, _, name = request.partition("/")
        found = self._requests.get(namespace, name) if name else None
        return (
            found is not None
            and found.spec.provisioning_class_name in {CHECK_CAPACITY, ATOMIC}
            and not is_over(found)
        )

    def answer(self, plan: Plan, short: set[str]) -> None:
        """Take the autoscaler's answers; `short` are the pools whose provider had too few machines."""
        for key, is_found in plan.found.items():
            one = self._known[key]
            is_found = is_found and not (plan.grown_for[key] & short)
            one.is_open = False
            one.is_booked = is_found
            one.tries += 1
            if is_found:
                one.answers.append(conditions.GROWN if plan.grown_for[key] else conditions.FOUND)
            else:
                one.answers.append(conditions.LATER)
            self._queue.add(key)
        for key in {key.partition("#")[0] for key in plan.revoked}:
            one = self._known[key]
            one.is_booked = False
            one.answers.append(conditions.REVOKED)
            self._queue.add(key)

    def pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        """Remember which pods have taken what was booked for them, also those that have gone since."""
        pod = new or old
        assert pod is not None
        request = request_of(pod.metadata)
        if not request or not pod.spec.node_name:
            return
        key = Key(*pod.metadata.key)
        if new is None:
            if request not in self._known:
                self._forget_taker(request, key)
        elif key not in (takers := self._takers.setdefault(request, {})):
            takers[key] = self._classes.of(new)
            self._queue.add(request)

    def _forget_taker(self, request: str, key: Key) -> None:
        takers = self._takers.get(request, {})
        takers.pop(key, None)
        if not takers:
            self._takers.pop(request, None)

    # One request.

    def _request_changed(
        self, old: ProvisioningRequest | None, new: ProvisioningRequest | None
    ) -> None:
        request = new or old
        assert request is not None
        key = "/".join(request.metadata.key)
        if new is None:
            self._takers.pop(key, None)
            if self._known.pop(key, None) is not None:
                self._changed()
        elif new.spec.provisioning_class_name in {CHECK_CAPACITY, ATOMIC}:
            self._queue.add(key)

    async def _look(self, key: str) -> Result:
        namespace, _, name = key.partition("/")
        request = self._requests.get(namespace, name)
        if request is None:
            return DONE
        told, now = request.status.conditions, self._clock.time()
        if is_over(request):
            return await self._retire(key, request, now)
        one = self._known.get(key)
        if one is None:
            one, missing = await self._resolve(key, request)
            if missing:
                return await self._miss(request, missing, now)
            self._known[key] = one
            # Restarted while it was booked.
            one.is_booked = is_true(told, "Provisioned")
        if one.answers:
            await self._write_answers(request, one)
            return Result(requeue_after=1.0)
        if not is_true(told, "Accepted"):
            await self._write(request, conditions.ACCEPTED)
        provisioned = find_condition(told, "Provisioned")
        if (_at(provisioned) if provisioned is not None else 0.0) < one.answered_at // 1:
            return Result(requeue_after=1.0)
        if provisioned is not None and provisioned.status == "True":
            return await self._keep(key, request, one, provisioned, now)
        return await self._pursue(request, one, provisioned, now)

    async def _keep(
        self, key: str, request: ProvisioningRequest, one: _Known, told: Condition, now: float
    ) -> Result:
        """Hold a booking until its time is over or its pods have come."""
        wanted = sum(demand.count for demand in one.demands)
        if len(self._takers.get(key, {})) >= wanted:
            await self._write(request, conditions.CONSUMED)
            return DONE
        left = _at(told) + BOOKED_SECONDS - now
        if left > 0:
            return Result(requeue_after=left)
        await self._write(request, conditions.TIME_OVER)
        return DONE

    async def _pursue(
        self, request: ProvisioningRequest, one: _Known, told: Condition | None, now: float
    ) -> Result:
        """Have the autoscaler look for capacity, again and again, until the request expires."""
        left = _created(request) + _valid_seconds(request) - now
        if left <= 0:
            await self._write(request, conditions.EXPIRED)
            return DONE
        pause = 0.0
        if told is not None:
            doublings = min(max(0, one.tries - 1), 8)
            pause = min(_LAST_RETRY_SECONDS, _FIRST_RETRY_SECONDS * 2.0**doublings)
            pause += _at(told) - now
        if pause > 0:
            return Result(requeue_after=min(pause, left))
        if not one.is_open:
            one.is_open = True
            self._changed()
        return DONE

    async def _write_answers(self, request: ProvisioningRequest, one: _Known) -> None:
        answers = list(one.answers)
        is_final = request.spec.parameters.get("noRetry") == "true" and not one.may_grow
        for answer in answers:
            await self._write(
                request, conditions.NEVER if answer is conditions.LATER and is_final else answer
            )
            one.answers.remove(answer)
            if answer.type == "Provisioned":
                one.answered_at = self._clock.time()

    async def _retire(self, key: str, request: ProvisioningRequest, now: float) -> Result:
        """A request that is over counts no more; a week later it goes."""
        if self._known.pop(key, None) is not None:
            self._changed()
        ended = max(
            _at(one)
            for one in request.status.conditions
            if one.type in {"Failed", "BookingExpired"}
        )
        left = ended + _WEEK_SECONDS - now
        if left > 0:
            return Result(requeue_after=left)
        meta = request.metadata
        try:
            await self._client.delete(
                PROVISIONING_REQUESTS, meta.name, namespace=meta.namespace, uid=meta.uid
            )
        except NotFound:
            return DONE
        return DONE

    async def _miss(self, request: ProvisioningRequest, missing: list[str], now: float) -> Result:
        """Fail a request whose templates are not there; first wait, because they may be applied just after it."""
        left = _created(request) + _TEMPLATE_SECONDS - now
        if left > 0:
            return Result(requeue_after=min(left, 1.0))
        await self._write(request, conditions.no_templates(len(request.spec.pod_sets), missing))
        return DONE

    async def _resolve(self, key: str, request: ProvisioningRequest) -> tuple[_Known, list[str]]:
        """The pods it asks for, and the templates that are missing."""
        namespace, missing = request.metadata.namespace, []
        one = _Known(request.spec.provisioning_class_name == ATOMIC, (), {})
        for number, wanted in enumerate(request.spec.pod_sets):
            try:
                raw = await self._client.get(
                    POD_TEMPLATES, wanted.pod_template_ref.name, namespace=namespace
                )
            except NotFound:
                missing.append(wanted.pod_template_ref.name)
                continue
            template = decoder(PodTemplate)(bytes(raw.body)).template
            pods = self._classes.of_spec(defaulted(template.spec))
            labels = template.metadata.labels
            asked = wishes(pods, namespace, labels)
            most = per_node(asked, namespace, labels)
            demand = Demand(pods, wanted.count, f"{key}#{number}", most)
            one.demands = (*one.demands, demand)
            one.social[demand.key] = asked, labels
        return one, missing

    async def _write(self, request: ProvisioningRequest, condition: conditions.Said) -> None:
        type_, status, reason, message = condition
        meta = request.metadata
        new: Object = {
            "type": type_,
            "status": status,
            "reason": reason,
            "message": message,
            "observedGeneration": meta.generation,
            "lastTransitionTime": format_time(self._clock.time()),
        }
        # Server-side apply of one condition leaves the others alone, whoever wrote them.
        body = {"status": {"conditions": [new]}}
        try:
            await self._client.apply(
                PROVISIONING_REQUESTS,
                meta.name,
                body,
                namespace=meta.namespace,
                subresource="status",
                field_manager=f"{MANAGER}-{type_.lower()}",
                force=True,
            )
        except NotFound:
            # Deleted meanwhile, and so is what we know of it.
            return


def is_over(request: ProvisioningRequest) -> bool:
    """Whether nothing more becomes of it."""
    told = request.status.conditions
    return is_true(told, "Failed") or is_true(told, "BookingExpired")


def _untaken(demands: tuple[Demand, ...], takers: dict[Key, PodClass]) -> list[Demand]:
    """What is left of demands when these pods have come: each takes from its own kind, or else from the first."""
    left = {demand.key: demand.count for demand in demands}
    for pods in takers.values():
        own = next((d.key for d in demands if d.pods is pods and left[d.key]), None)
        key = own or next((d.key for d in demands if left[d.key]), None)
        if key is not None:
            left[key] -= 1
    return [Demand(d.pods, left[d.key], d.key, d.per_node) for d in demands if left[d.key]]


def _valid_seconds(request: ProvisioningRequest) -> float:
    text = request.spec.parameters.get("ValidUntilSeconds", "")
    return float(text) if text.isdecimal() else _WEEK_SECONDS


def _created(request: ProvisioningRequest) -> float:
    created = request.metadata.creation_timestamp
    return created.timestamp() if created is not None else 0.0


def _at(condition: Condition) -> float:
    moved = condition.last_transition_time
    return moved.timestamp() if moved is not None else 0.0
