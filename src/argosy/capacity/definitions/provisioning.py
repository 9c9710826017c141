"""The CRD of ProvisioningRequest, as cluster-autoscaler defines it: v1 and v1beta1, of the same shape."""

from __future__ import annotations

from typing import Final

from argosy.base.types import Object
from argosy.capacity.definitions.schemas import conditions, text, whole
from argosy.capacity.resources import PROVISIONING_REQUESTS

_NAME: Final = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$"
_IMMUTABLE: Final = [{"rule": "self == oldSelf", "message": "Value is immutable"}]


def provisioning_request_definition() -> Object:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": PROVISIONING_REQUESTS.qualified},
        "spec": {
            "group": PROVISIONING_REQUESTS.group,
            "scope": "Namespaced",
            "names": {
                "kind": PROVISIONING_REQUESTS.kind,
                "listKind": "ProvisioningRequestList",
                "plural": PROVISIONING_REQUESTS.plural,
                "singular": "provisioningrequest",
                "shortNames": ["provreq", "provreqs"],
            },
            "versions": [
                _version("v1", is_stored=True),
                {
                    **_version("v1beta1", is_stored=False),
                    "deprecated": True,
                    "deprecationWarning": "autoscaling.k8s.io/v1beta1 API is deprecated",
                },
            ],
        },
    }


def _version(name: str, *, is_stored: bool) -> Object:
    return {
        "name": name,
        "served": True,
        "storage": is_stored,
        "schema": {"openAPIV3Schema": _schema()},
        "subresources": {"status": {}},
        "additionalPrinterColumns": [
            {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
        ],
    }


def _schema() -> Object:
    return {
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": {
                "type": "object",
                "required": ["podSets", "provisioningClassName"],
                "properties": {
                    "provisioningClassName": {
                        **text("How the capacity is to be found: checked or added.", pattern=_NAME),
                        "x-kubernetes-validations": _IMMUTABLE,
                    },
                    "parameters": {
                        "type": "object",
                        "maxProperties": 100,
                        "additionalProperties": text("A value.", longest=255),
                        "x-kubernetes-validations": _IMMUTABLE,
                    },
                    "podSets": {
                        "type": "array",
                        "minItems": 1,
                        "maxItems": 32,
                        "items": _pod_set(),
                        "x-kubernetes-validations": _IMMUTABLE,
                    },
                },
            },
            "status": {
                "type": "object",
                "properties": {
                    "conditions": conditions(),
                    "provisioningClassDetails": {
                        "type": "object",
                        "maxProperties": 64,
                        "additionalProperties": text("A detail.", longest=32768),
                    },
                },
            },
        },
    }


def _pod_set() -> Object:
    return {
        "type": "object",
        "required": ["count", "podTemplateRef"],
        "properties": {
            "count": whole("How many such pods.", 1),
            "podTemplateRef": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": text("The PodTemplate, in the same namespace.", pattern=_NAME)
                },
            },
        },
    }
