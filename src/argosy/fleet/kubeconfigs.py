"""The kubeconfig that clients of our clusters use: one context per cluster, CA and token inside, readable by its
owner only.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from argosy.apiserver.access.tokens import write_private


@dataclass(slots=True, frozen=True)
class Context:
    """One cluster as a client reaches it."""

    name: str
    server: str
    ca: bytes
    token: str


def write(path: Path, contexts: Sequence[Context]) -> None:
    """The first context is the current one."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": contexts[0].name,
        "clusters": [
            {
                "name": c.name,
                "cluster": {
                    "server": c.server,
                    "certificate-authority-data": base64.b64encode(c.ca).decode(),
                },
            }
            for c in contexts
        ],
        "users": [{"name": f"{c.name}-admin", "user": {"token": c.token}} for c in contexts],
        "contexts": [
            {"name": c.name, "context": {"cluster": c.name, "user": f"{c.name}-admin"}}
            for c in contexts
        ],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    write_private(path, yaml.safe_dump(config, sort_keys=False).encode())
