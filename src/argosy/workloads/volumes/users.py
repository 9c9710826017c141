"""Which pods use a claim: by the name they mount it by, or because an ephemeral volume of theirs is made of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.api.objects import Pod
from argosy.base.types import Object
from argosy.control.assemblies import Assembly
from argosy.control.informers import Informer
from argosy.workloads.pods.caches import pod_informer

# By "namespace/name" of every claim.
CLAIM: Final = "claim"


def users_of_claims(assembly: Assembly) -> Informer[Pod]:
    """The shared informer of all pods, with the index above."""
    informer = pod_informer(assembly)
    if not informer.has_index(CLAIM):
        informer.add_index(CLAIM, _keys)
    return informer


def claim_names(pod: Pod) -> list[str]:
    """The claims of the pod's volumes."""
    return [name for volume in pod.spec.volumes if (name := claim_name(pod, volume))]


def claim_name(pod: Pod, volume: Object) -> str:
    """The claim behind a volume; empty if there is none."""
    if (claim := volume.get("persistentVolumeClaim")) is not None:
        name: str = claim["claimName"]
        return name
    return f"{pod.metadata.name}-{volume['name']}" if "ephemeral" in volume else ""


def _keys(pod: Pod) -> Iterable[str]:
    namespace = pod.metadata.namespace
    return [f"{namespace}/{name}" for name in claim_names(pod)]
