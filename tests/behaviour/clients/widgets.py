"""A custom kind for the contract: defaults, validation, a CEL rule, status and scale."""

from __future__ import annotations

from argosy.base.errors import AlreadyExists, NotFound
from argosy.base.types import Object
from argosy.client.protocol import Client
from argosy.client.resources import CUSTOM_RESOURCE_DEFINITIONS, Resource
from tests.behaviour.clients.waiting import eventually

WIDGETS = Resource("contract.test", "v1", "widgets", "Widget")

_SPEC: Object = {
    "type": "object",
    "default": {},
    "properties": {
        "replicas": {"type": "integer", "minimum": 0, "default": 1},
        "size": {"type": "string", "enum": ["small", "large"], "default": "small"},
        "fixed": {
            "type": "string",
            "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed is fixed"}],
        },
    },
}
_STATUS: Object = {
    "type": "object",
    "properties": {"replicas": {"type": "integer"}, "phase": {"type": "string"}},
}
DEFINITION: Object = {
    "metadata": {"name": "widgets.contract.test"},
    "spec": {
        "group": "contract.test",
        "scope": "Namespaced",
        "names": {"plural": "widgets", "singular": "widget", "kind": "Widget"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {"spec": _SPEC, "status": _STATUS},
                    }
                },
                "subresources": {
                    "status": {},
                    "scale": {
                        "specReplicasPath": ".spec.replicas",
                        "statusReplicasPath": ".status.replicas",
                    },
                },
            }
        ],
    },
}


async def establish(client: Client) -> None:
    """Make sure the kind is there and served."""
    try:
        await client.create(CUSTOM_RESOURCE_DEFINITIONS, DEFINITION)
    except AlreadyExists:
        pass

    async def served() -> None:
        await client.list(WIDGETS, limit=1)

    await eventually(served, NotFound)
