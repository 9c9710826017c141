"""The roles and bindings every Kubernetes cluster starts with, read from data.

The data holds facts only (names, rules, subjects); what all of them share (labels, annotations, API groups) is put on
here. Roles that aggregate others (admin, edit, view) come without rules: the aggregation fills them.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from argosy.base.types import Object

_GROUP: Final = "rbac.authorization.k8s.io"


@cache
def _data() -> bytes:
    return files("argosy.apiserver.access").joinpath("data/roles.json").read_bytes()


def role_objects() -> list[tuple[str, Object]]:
    """(plural, object); the objects are the caller's own."""
    entries: list[tuple[str, Object]] = [
        (plural, obj) for plural, obj in msgspec.json.decode(_data())
    ]
    for _, obj in entries:
        meta = obj["metadata"]
        meta["labels"] = {"kubernetes.io/bootstrapping": "rbac-defaults", **meta.get("labels", {})}
        meta["annotations"] = {"rbac.authorization.kubernetes.io/autoupdate": "true"}
        if "roleRef" in obj:
            obj["roleRef"]["apiGroup"] = _GROUP
            for subject in obj.get("subjects", ()):
                if subject["kind"] in {"User", "Group"}:
                    subject["apiGroup"] = _GROUP
    return entries
