"""Which manifests of a Work go first: namespaces before what lives in them, roles before what binds them.

Within a wave the order does not matter. The list is Helm's order of installation, in groups, as upstream has it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from argosy.client.resources import Resource
from argosy.member.applying.manifests import Manifest

LAST: Final = 999
# Objects of earlier waves run nothing, whatever becomes of them.
FIRST_TO_RUN: Final = 4

_WAVES: Final = (
    ("namespaces", "priorityclasses"),
    (
        "networkpolicies", "resourcequotas", "limitranges", "podsecuritypolicies", "poddisruptionbudgets",
        "serviceaccounts", "secrets", "configmaps", "storageclasses", "persistentvolumes", "persistentvolumeclaims",
        "customresourcedefinitions", "ingressclasses",
    ),
    ("clusterroles", "roles"),
    ("clusterrolebindings", "rolebindings"),
    (
        "services", "daemonsets", "pods", "replicationcontrollers", "replicasets", "deployments",
        "horizontalpodautoscalers", "statefulsets", "jobs", "cronjobs", "ingresses",
    ),
    ("apiservices", "validatingwebhookconfigurations", "mutatingwebhookconfigurations"),
)  # fmt: skip
_NUMBERS: Final = {plural: number for number, wave in enumerate(_WAVES) for plural in wave}
# A plural says nothing in a group that is not Kubernetes' own: anybody may call a resource `services`.
_GROUPS: Final = frozenset(
    {
        "",
        "networking.k8s.io",
        "scheduling.k8s.io",
        "policy",
        "storage.k8s.io",
        "apiextensions.k8s.io",
        "rbac.authorization.k8s.io",
        "apps",
        "autoscaling",
        "apiregistration.k8s.io",
        "admissionregistration.k8s.io",
        "batch",
    }
)


def wave_of(resource: Resource) -> int:
    return _NUMBERS.get(resource.plural, LAST) if resource.group in _GROUPS else LAST


def waves(manifests: Iterable[Manifest]) -> list[list[Manifest]]:
    """The manifests that can be applied, by wave, each wave in the order of the Work."""
    found: dict[int, list[Manifest]] = {}
    for manifest in manifests:
        if manifest.resource is not None and not manifest.failure:
            found.setdefault(wave_of(manifest.resource), []).append(manifest)
    return [found[number] for number in sorted(found)]
