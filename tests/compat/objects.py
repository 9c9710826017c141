"""Small objects that the tests here write."""

from __future__ import annotations

from typing import Any

Raw = dict[str, Any]


def config_map(name: str, data: dict[str, str] | None = None, **labels: str) -> Raw:
    metadata: Raw = {"name": name}
    if labels:
        metadata["labels"] = labels
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"key": "value"} if data is None else data,
    }


def pod(name: str, *images: str, **labels: str) -> Raw:
    """A pod with a container per image (`c0`, `c1`, ...)."""
    containers = [
        {"name": f"c{number}", "image": image} for number, image in enumerate(images or ("app:v1",))
    ]
    metadata: Raw = {"name": name}
    if labels:
        metadata["labels"] = labels
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": containers},
    }


def deployment(name: str, replicas: int = 2, image: str = "app:v1") -> Raw:
    labels = {"app": name}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "labels": labels},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "main", "image": image}]},
            },
        },
    }


def job(name: str, *command: str) -> Raw:
    container = {"name": "main", "image": "app:v1", "command": list(command or ("true",))}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
    }


def definition(group: str, kind: str, schema: Raw, **more: Any) -> Raw:
    """A namespaced CRD with one version, v1; `more` goes into the version."""
    plural = f"{kind.lower()}s"
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"kind": kind, "plural": plural, "singular": kind.lower()},
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                    **more,
                }
            ],
        },
    }
