"""What upstream's webhook refuses of MemberClusters: taints that no toleration can name.

Upstream also keeps a cluster whose services others import, where its networking agents run; there are none here.
"""

from __future__ import annotations

from argosy.api.objects.fleet.members import MemberCluster
from argosy.base.names import is_label_value, is_qualified_name
from argosy.placement.validation.wording import aggregate, printed


def validate_member_cluster(new: MemberCluster) -> str:
    """Why a write is refused, "" if it is not."""
    problems: list[str] = []
    taints = new.spec.taints
    for index, taint in enumerate(taints):
        shown = printed(taint)
        problems += [f"invalid taint key {shown}: {text}" for text in is_qualified_name(taint.key)]
        problems += [f"invalid taint value {shown}: {text}" for text in is_label_value(taint.value)]
        if taint in taints[:index]:
            problems.append(f"taint {shown} already exists, taints must be unique")
    return aggregate(problems)
