"""Typed pods and nodes from plain dicts, for tables."""

from __future__ import annotations

import msgspec

from argosy.api.objects import Node, Pod
from argosy.base.types import Object


def pod(spec: Object | None = None, **metadata: object) -> Pod:
    return msgspec.convert({"metadata": metadata, "spec": spec or {}}, Pod)


def node(name: str = "n1", spec: Object | None = None, **status: object) -> Node:
    labels = status.pop("labels", {})
    return msgspec.convert(
        {"metadata": {"name": name, "labels": labels}, "spec": spec or {}, "status": status}, Node
    )


def asks(**requests: str) -> Object:
    """A container with these requests; underscores stand for dashes."""
    return {"resources": {"requests": {k.replace("_", "-"): v for k, v in requests.items()}}}
