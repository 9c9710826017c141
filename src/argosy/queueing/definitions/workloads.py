"""The CRD of Workload: what waits, what it was given, and how it went."""

from __future__ import annotations

from typing import Final

from argosy.api.definitions.kinds import AGE, STATUS, column
from argosy.api.definitions.vocabulary import choice, flag, int32, keyed, must, rule, ruled, struct
from argosy.client.resources import WORKLOADS
from argosy.queueing.definitions.podsets import POD_SETS
from argosy.queueing.definitions.statuses import WORKLOAD_STATUS
from argosy.queueing.definitions.values import PREEMPTION_GATE, name
from argosy.queueing.definitions.versions import beta1, beta2, differs, kueue


def _holds(obj: str, condition: str) -> str:
    """In CEL: a condition of an object is True."""
    return (
        f"has({obj}.status) && has({obj}.status.conditions) && {obj}.status.conditions.exists(c, "
        f"c.type == '{condition}' && c.status == 'True')"
    )


_WAS_RESERVED: Final = _holds("oldSelf", "QuotaReserved")


def _throughout(condition: str) -> str:
    """In CEL: a condition was True and still is."""
    return f"(({_holds('oldSelf', condition)}) && ({_holds('self', condition)}))"


def _both_have(field: str) -> str:
    return f"has(oldSelf.spec.{field}) && has(self.spec.{field})"


def _same(field: str) -> str:
    return f"oldSelf.spec.{field} == self.spec.{field}"


_CLASS_RULES: Final = (
    beta1(
        rule(
            "priorityClassSource is immutable while workload quota reserved",
            f"({_WAS_RESERVED} && {_both_have('priorityClassSource')}) ? ({_same('priorityClassSource')}) : true",
        )
    ),
    beta1(
        rule(
            "priorityClassName is immutable while workload quota reserved and priorityClassSource is not equal to "
            "kueue.x-k8s.io/workloadpriorityclass",
            f"({_WAS_RESERVED} && {_both_have('priorityClassSource')} && "
            "(self.spec.priorityClassSource != 'kueue.x-k8s.io/workloadpriorityclass') && "
            f"{_both_have('priorityClassName')}) ? ({_same('priorityClassName')}) : true",
        )
    ),
    beta2(
        rule(
            "priorityClassRef is immutable while workload quota reserved",
            f"({_WAS_RESERVED}) ? (!has(oldSelf.spec.priorityClassRef) && !has(self.spec.priorityClassRef)) || "
            f"({_both_have('priorityClassRef')}) : true",
        )
    ),
    *(
        beta2(
            rule(
                f"priorityClassRef.{part} is immutable while workload quota reserved",
                f"({_WAS_RESERVED} && {_both_have('priorityClassRef')}) ? {_same(f'priorityClassRef.{part}')} : true",
            )
        )
        for part in ("group", "kind")
    ),
    beta2(
        rule(
            "priorityClassRef.name is immutable for scheduling.k8s.io/priorityclass while workload quota reserved",
            f"({_WAS_RESERVED} && {_both_have('priorityClassRef')} && "
            "self.spec.priorityClassRef.group == 'scheduling.k8s.io' && "
            f"self.spec.priorityClassRef.kind == 'PriorityClass') ? {_same('priorityClassRef.name')} : true",
        )
    ),
)
_RULES: Final = (
    rule(
        "podSetAssignments must have the same number of podSets as the spec",
        f"{_holds('self', 'QuotaReserved')} && has(self.status.admission) ? "
        "size(self.spec.podSets) == size(self.status.admission.podSetAssignments) : true",
    ),
    *_CLASS_RULES,
    rule(
        "queueName is immutable while workload quota reserved",
        f"{_throughout('QuotaReserved')} ? ((has(oldSelf.spec.queueName) == has(self.spec.queueName)) && "
        f"(!has(oldSelf.spec.queueName) || {_same('queueName')})) : true",
    ),
    rule(
        "maximumExecutionTimeSeconds is immutable while workload quota reserved",
        f"{_throughout('Admitted')}?((has(oldSelf.spec.maximumExecutionTimeSeconds)?"
        "oldSelf.spec.maximumExecutionTimeSeconds:0) ==  "
        "(has(self.spec.maximumExecutionTimeSeconds)?self.spec.maximumExecutionTimeSeconds:0)):true",
    ),
)

_CLASS: Final = ruled(
    struct(
        "The class that the priority comes from.",
        group=must(choice("Its API group.", "kueue.x-k8s.io", "scheduling.k8s.io")),
        kind=must(choice("Its kind.", "WorkloadPriorityClass", "PriorityClass")),
        name=must(name("Its name.", minLength=1)),
    ),
    rule(
        "only the PriorityClass kind is allowed for the scheduling.k8s.io group",
        "(self.group == 'scheduling.k8s.io') ? self.kind == 'PriorityClass' : true",
    ),
    rule(
        "only the WorkloadPriorityClass kind is allowed for the kueue.x-k8s.io group",
        "(self.group == 'kueue.x-k8s.io') ? self.kind == 'WorkloadPriorityClass' : true",
    ),
)

_SPEC: Final = ruled(
    struct(
        "What is wanted.",
        podSets=POD_SETS,
        queueName=name("The LocalQueue where it waits."),
        priorityClassName=beta1(name("The class that the priority comes from.")),
        priorityClassSource=beta1(
            choice(
                "What kind of class it is.",
                "kueue.x-k8s.io/workloadpriorityclass",
                "scheduling.k8s.io/priorityclass",
                "",
                default="",
            )
        ),
        priorityClassRef=beta2(_CLASS),
        priority=int32("The higher, the earlier."),
        active=flag(
            "Whether it may be let in; one that becomes inactive is sent out.", default=True
        ),
        maximumExecutionTimeSeconds=int32(
            "How long it may run, all times it was let in together; then it becomes inactive.",
            minimum=1,
        ),
        preemptionGates=beta2(
            keyed(
                "Gates that have to be open before others are sent out for it.",
                struct("One gate.", name=must(PREEMPTION_GATE)),
                "name",
                maxItems=8,
            )
        ),
    ),
    differs(
        rule(
            "priority should not be nil when priorityClassName is set",
            "has(self.priorityClassName) ? has(self.priority) : true",
        ),
        rule(
            "priority should not be nil when priorityClassRef is set",
            "!has(self.priorityClassRef) || has(self.priority)",
        ),
    ),
)


def _condition(kind: str) -> str:
    return f".status.conditions[?(@.type=='{kind}')].status"


WORKLOAD: Final = kueue(
    WORKLOADS,
    short_names=("kwl", "kueueworkload", "kueueworkloads"),
    said="A job as queues see it: pods that start together, and quota for them.",
    fields={"spec": _SPEC, "status": WORKLOAD_STATUS},
    rules=_RULES,
    columns=(
        column("Queue", ".spec.queueName", "The LocalQueue where it waits."),
        column("Reserved in", ".status.admission.clusterQueue", "Whose quota it was given."),
        column("Admitted", _condition("Admitted"), "Whether it was let in."),
        column("Finished", _condition("Finished"), "Whether it is done."),
        AGE,
    ),
    subresources=STATUS,
    selectable=beta2((".status.admission.clusterQueue",)),
)
