"""Admission: what is filled in or refused between decoding and storing, one small plugin per concern.

Plugins run in Kubernetes' order. They look at the store's latest state and never wait, so what they decide still
holds when the write is handed over.
"""

from __future__ import annotations

from argosy.apiserver.clusters import Admission


def plugins() -> list[Admission]:
    """A fresh set for one cluster: some keep state (quota usage, allocated addresses)."""
    from argosy.apiserver.admission.accounts import ServiceAccount
    from argosy.apiserver.admission.addresses import ClusterAddresses
    from argosy.apiserver.admission.defaultclasses import DefaultClass
    from argosy.apiserver.admission.limits import LimitRanger
    from argosy.apiserver.admission.namespaces import NamespaceLifecycle
    from argosy.apiserver.admission.nodes import TaintNodesByCondition
    from argosy.apiserver.admission.priorities import Priority
    from argosy.apiserver.admission.protection import StorageObjectInUseProtection
    from argosy.apiserver.admission.quotas import ResourceQuota
    from argosy.apiserver.admission.runtimeclasses import RuntimeClass
    from argosy.apiserver.admission.tolerations import DefaultTolerationSeconds

    return [
        NamespaceLifecycle(), LimitRanger(), ServiceAccount(), TaintNodesByCondition(), Priority(),
        DefaultTolerationSeconds(), StorageObjectInUseProtection(), RuntimeClass(), DefaultClass(),
        ClusterAddresses(), ResourceQuota(),
    ]  # fmt: skip
