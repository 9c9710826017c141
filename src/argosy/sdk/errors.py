"""What can go wrong between a user and a fleet, as sentences that say what to do next.

    FleetError
    ├── NotFound          there is no such job, placement or namespace
    ├── Ambiguous         several things have that name; say which kind
    ├── BadManifest       what was given is no job that can be submitted
    ├── Unplaceable       no cluster of the fleet can have it
    ├── JobFailed         the job that was waited for did not complete
    ├── Unreachable       a cluster of the fleet cannot be asked; `cluster` names it
    └── WaitTimeout       time ran out; also a `TimeoutError`

What the API server refuses (forbidden, invalid, conflict) stays what it is everywhere else in Argosy: a
`argosy.base.errors.StatusError` with Kubernetes' own words.
"""

from __future__ import annotations


class FleetError(Exception):
    """Something the fleet cannot do; the message is for people."""


class NotFound(FleetError):
    """There is no such thing."""


class Ambiguous(FleetError):
    """More than one thing is meant."""


class BadManifest(FleetError):
    """A manifest that cannot be submitted."""


class Unplaceable(FleetError):
    """No cluster can have it."""


class JobFailed(FleetError):
    """A job ended, and not well."""


class Unreachable(FleetError):
    """A cluster that cannot be asked, for want of a context in the kubeconfig or of an answer."""

    def __init__(self, cluster: str, why: str) -> None:
        super().__init__(f"cluster {cluster} cannot be asked: {why}")
        self.cluster = cluster
        self.why = why


class WaitTimeout(FleetError, TimeoutError):
    """Time ran out before it happened."""
