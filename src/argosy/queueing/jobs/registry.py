"""All kinds of jobs there are adapters for."""

from __future__ import annotations

from typing import Final

from argosy.queueing.jobs.integrations.batchjobs import BatchJobs
from argosy.queueing.jobs.kinds import JobKind

KINDS: Final[tuple[JobKind, ...]] = (BatchJobs(),)


def enabled(frameworks: tuple[str, ...]) -> list[JobKind]:
    """The kinds a configuration lists; all of them where it lists none."""
    return [kind for kind in KINDS if not frameworks or kind.framework in frameworks]
