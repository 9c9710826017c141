"""Whether a ClusterQueue can admit workloads, and in Kueue's words why not: the condition Active of its status."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from argosy.api.objects.kueue.checks import AdmissionCheck, Topology
from argosy.api.objects.kueue.quotas import ClusterQueue, ResourceFlavor
from argosy.api.objects.metadata import is_true

MULTI_KUEUE: Final = "kueue.x-k8s.io/multikueue"
PROVISIONING: Final = "kueue.x-k8s.io/provisioning-request"


@dataclass(slots=True, frozen=True)
class Surroundings:
    """What a ClusterQueue refers to, by name."""

    flavors: Mapping[str, ResourceFlavor]
    checks: Mapping[str, AdmissionCheck]
    topologies: Mapping[str, Topology]


@dataclass(slots=True, frozen=True)
class Readiness:
    """The condition Active. `is_terminating`: it never will be again."""

    is_active: bool
    reason: str
    message: str
    is_terminating: bool = False


READY: Final = Readiness(is_active=True, reason="Ready", message="Can admit new workloads")
TERMINATING: Final = Readiness(
    is_active=False,
    reason="Terminating",
    message="Can't admit new workloads; clusterQueue is terminating",
    is_terminating=True,
)
NOT_FOUND: Final = Readiness(is_active=False, reason="NotFound", message="ClusterQueue not found")


def readiness(queue: ClusterQueue, around: Surroundings, *, is_frozen: bool = False) -> Readiness:
    """Judge a ClusterQueue. `is_frozen`: its cohorts form a cycle."""
    if queue.metadata.deletion_timestamp is not None:
        return TERMINATING
    problems = list(_problems(queue, around))
    if is_frozen:
        problems.append(("Unknown", "its cohorts form a cycle"))
    if not problems:
        return READY
    texts = ", ".join(text for _, text in problems)
    return Readiness(
        is_active=False, reason=problems[0][0], message=f"Can't admit new workloads: {texts}."
    )


def flavors_of(queue: ClusterQueue) -> list[str]:
    """The flavors of all resource groups, each once."""
    named = (flavor.name for group in queue.spec.resource_groups for flavor in group.flavors)
    return list(dict.fromkeys(named))


def _problems(queue: ClusterQueue, around: Surroundings) -> Iterator[tuple[str, str]]:
    """Reasons with their part of the message, the most telling reason first."""
    if queue.spec.stop_policy not in ("", "None"):
        yield "Stopped", "is stopped"
    flavors = flavors_of(queue)
    missing = [name for name in flavors if name not in around.flavors]
    if missing:
        yield "FlavorNotFound", f"references missing ResourceFlavor(s): {','.join(missing)}"
    yield from _check_problems(queue, around)
    for name in flavors:
        flavor = around.flavors.get(name)
        topology = flavor.spec.topology_name if flavor else ""
        if topology and topology not in around.topologies:
            text = f'there is no Topology "{topology}" for TAS flavor "{name}"'
            yield "TopologyNotFound", text


def _check_problems(queue: ClusterQueue, around: Surroundings) -> Iterator[tuple[str, str]]:
    rules = sorted(queue.spec.admission_checks_strategy.admission_checks, key=lambda one: one.name)
    known = {rule.name: around.checks.get(rule.name) for rule in rules}
    missing = [name for name, check in known.items() if check is None]
    if missing:
        yield "AdmissionCheckNotFound", f"references missing AdmissionCheck(s): {','.join(missing)}"
    inactive = [
        name
        for name, check in known.items()
        if check is not None and not is_true(check.status.conditions, "Active")
    ]
    if inactive:
        text = f"references inactive AdmissionCheck(s): {','.join(inactive)}"
        yield "AdmissionCheckInactive", text
    multi = [name for name, check in known.items() if _is_by(check, MULTI_KUEUE)]
    if len(multi) > 1:
        text = "Cannot use multiple MultiKueue AdmissionChecks on the same ClusterQueue, found: "
        yield "MultipleMultiKueueAdmissionChecks", text + ",".join(multi)
    per_flavor = [rule.name for rule in rules if rule.name in multi and rule.on_flavors]
    if per_flavor:
        text = f"Cannot specify MultiKueue AdmissionCheck per flavor, found: {','.join(per_flavor)}"
        yield "MultiKueueAdmissionCheckAppliedPerFlavor", text
    provisioning = [name for name, check in known.items() if _is_by(check, PROVISIONING)]
    if multi and provisioning:
        text = (
            "Cannot use both MultiKueue and ProvisioningRequest AdmissionChecks together, found: "
        )
        yield "MultiKueueWithProvisioningRequest", f"{text}{multi[0]}, {','.join(provisioning)}"


def _is_by(check: AdmissionCheck | None, controller: str) -> bool:
    return check is not None and check.spec.controller_name == controller
