"""Real clients against a real server: every test here has a cluster and a namespace of its own."""

from __future__ import annotations

from tests.support.clusters import (
    address,
    api,
    kubeconfig,
    kubectl,
    kubectl_home,
    namespace,
    private_cluster,
)

__all__ = [
    "address",
    "api",
    "kubeconfig",
    "kubectl",
    "kubectl_home",
    "namespace",
    "private_cluster",
]
