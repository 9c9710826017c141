"""What becomes of the jobs that Works have brought: heard from the member as it happens.

Upstream does not tell; here every change of a job that an AppliedWork owns is noted, and the Work is looked at a moment
later, so that four hundred pods that end within a second cost one write. The last word of a job that is deleted counts
too: a job may be gone by its TTL before anybody has written how it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from argosy.api.objects.fleet.works import AppliedResource
from argosy.api.objects.metadata import OwnerReference
from argosy.client.resources import APPLIED_WORKS, JOBS, Resource
from argosy.control.assemblies import Assembly
from argosy.control.informers import Handler, Informer
from argosy.member.applying.manifests import Identity, identity
from argosy.member.applying.removing import resource_of
from argosy.member.applying.waves import FIRST_TO_RUN, wave_of
from argosy.member.availability.outcomes import (
    JOB_SETS,
    RAY_JOBS,
    Outcome,
    RunObject,
    outcome_of,
)

_NONE: Final[dict[Identity, tuple[str, Outcome]]] = {}


class Following:
    """How the jobs of each Work stand. `tell` gets the name of a Work whose jobs have news."""

    def __init__(self, member: Assembly, tell: Callable[[str], None]) -> None:
        self._tell = tell
        # By name of the Work: each job, with the uid of the AppliedWork that owns it.
        self._known: dict[str, dict[Identity, tuple[str, Outcome]]] = {}
        for resource, informer in informers(member):
            informer.add_handler(self._handler(resource))

    def outcomes(self, work: str, owner: str) -> dict[Identity, Outcome]:
        """Of the jobs that the AppliedWork with this uid owns, or owned until they ended."""
        known = self._known.get(work, _NONE)
        return {job: outcome for job, (uid, outcome) in known.items() if uid == owner}

    def forget(self, work: str) -> None:
        self._known.pop(work, None)

    def _handler(self, resource: Resource) -> Handler[RunObject]:
        def handler(old: RunObject | None, new: RunObject | None) -> None:
            last = new or old
            owner = owner_reference(last) if last is not None else None
            if last is not None and owner is not None:
                self._note(resource, last, owner, is_gone=new is None)

        return handler

    def _note(
        self, resource: Resource, last: RunObject, owner: OwnerReference, *, is_gone: bool
    ) -> None:
        jobs = self._known.setdefault(owner.name, {})
        meta = last.metadata
        job = (resource.group, resource.version, resource.kind, meta.namespace, meta.name)
        outcome = outcome_of(resource, last)
        before, after = jobs.pop(job, None), None
        if outcome is not None and (outcome.is_finished or not is_gone):
            after = jobs[job] = (owner.uid, outcome)
        if not jobs:
            del self._known[owner.name]
        if before != after:
            self._tell(owner.name)


def informers(member: Assembly) -> list[tuple[Resource, Informer[RunObject]]]:
    """What tells of jobs of every kind; only before the member's assembly runs."""
    return [
        (JOBS, member.informer(JOBS, RunObject)),
        *((each, member.informer_when_served(each, RunObject)) for each in (RAY_JOBS, JOB_SETS)),
    ]


def are_over(resources: Sequence[AppliedResource], outcomes: Mapping[Identity, Outcome]) -> bool:
    """Whether all that a Work has brought has run and ended; objects that cannot run do not count."""
    if not outcomes or not all(each.is_finished for each in outcomes.values()):
        return False
    return all(
        wave_of(resource_of(each)) < FIRST_TO_RUN or identity(each) in outcomes
        for each in resources
    )


def owner_reference(run: RunObject) -> OwnerReference | None:
    """The AppliedWork that brought a job; None if somebody else made it."""
    for each in run.metadata.owner_references:
        if each.kind == APPLIED_WORKS.kind and each.api_version == APPLIED_WORKS.api_version:
            return each
    return None
