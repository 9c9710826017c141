"""What upstream's webhooks do to JobSets, as an admission plugin: fill in new ones, refuse wrong ones.

Refusals read as kube-apiserver relays those of a webhook, because that is what users of JobSet search for.
"""

from __future__ import annotations

from typing import ClassVar, Final

from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import NOTHING, Cluster
from argosy.base.errors import Forbidden
from argosy.base.types import Object
from argosy.workloads.jobsets.defaulting import default_jobset
from argosy.workloads.jobsets.names import JOB_SETS
from argosy.workloads.jobsets.validating import validate_create, validate_update

_WEBHOOK: Final = "vjobset.kb.io"
_RESOURCE: Final = JOB_SETS.qualified


class JobSetAdmission:
    """Defaults and checks on creation and update; the status is left alone.

    Upstream fills in on creation only. `kubectl apply` replaces lists of custom resources whole, so there the same
    manifest applied again loses what was filled in and is refused as a change; here it changes nothing.
    """

    reads: ClassVar = NOTHING
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if _concerns(call) and new is not None:
            default_jobset(new)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        if not _concerns(call) or new is None:
            return
        if old is None:
            refuse(_WEBHOOK, "\n".join(validate_create(new)))
            return
        problems = validate_update(new, old)
        refuse(_WEBHOOK, problems[0] if len(problems) == 1 else _aggregate(problems))


def refuse(webhook: str, problem: str) -> None:
    """Raise Forbidden with the words of a webhook, if there is a problem."""
    if problem:
        raise Forbidden(f'admission webhook "{webhook}" denied the request: {problem}')


def _concerns(call: Call) -> bool:
    return call.kind.resource == _RESOURCE and not call.subresource


def _aggregate(problems: list[str]) -> str:
    return f"[{', '.join(problems)}]" if problems else ""
