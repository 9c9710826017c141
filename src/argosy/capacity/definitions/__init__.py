"""The custom kinds of this package as CustomResourceDefinitions, to be applied before anything here runs."""

from __future__ import annotations

from argosy.base.types import Object
from argosy.capacity.definitions.nodepools import node_pool_definition
from argosy.capacity.definitions.provisioning import provisioning_request_definition


def definitions() -> list[Object]:
    """NodePool and ProvisioningRequest."""
    return [node_pool_definition(), provisioning_request_definition()]
