"""Turns upstream's protobuf field numbers into the project's own table, `src/argosy/api/data/protobuf.json`.

Run: python tools/import_protobuf.py ../shared/contract/schemas

The table maps a built-in type to its fields: number -> [JSON name, type], with "list" or "map" before the type where
it repeats. JSON names are looked up in the built-in schemas, because the protobuf names differ in case (`aPIGroup`). A
field that JSON inlines (a Volume's source) has the name "".
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

OUT = Path(__file__).parent.parent / "src/argosy/api/data/protobuf.json"
SERVED = (
    "api.core.v1.", "api.apps.v1.", "api.batch.v1.", "api.coordination.v1.", "api.events.v1.", "api.scheduling.v1.",
    "api.policy.v1.", "api.rbac.v1.", "api.storage.v1.", "api.node.v1.", "api.networking.v1.", "api.discovery.v1.",
    "api.autoscaling.v1.", "api.autoscaling.v2.", "api.authentication.v1.", "api.authorization.v1.",
)  # fmt: skip


def main(directory: str) -> None:
    fields = json.loads(Path(directory, "kubernetes-protobuf.json").read_text())
    schemas = json.loads(Path(directory, "kubernetes-builtin.json").read_text())["schemas"]
    anywhere = {name.lower(): name for s in schemas.values() for name in s.get("properties", {})}
    table = {}
    for name in sorted(fields):
        ours = name.replace("k8s.io.", "io.k8s.", 1)
        if not any(part in ours for part in (*SERVED, ".apimachinery.", ".apiextensions.")):
            continue
        known = {p.lower(): p for p in schemas.get(ours, {}).get("properties", {})}
        table[ours] = {
            number: [_name(field, known, anywhere, ours in schemas), *(_type(t) for t in types)]
            for number, (field, *types) in fields[name].items()
        }
    lines = [
        f"{json.dumps(name)}:{json.dumps(entry, separators=(',', ':'))}"
        for name, entry in table.items()
    ]
    OUT.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _name(field: str, known: dict[str, str], anywhere: dict[str, str], exact: bool) -> str:
    if exact:
        return known.get(field.lower(), "")
    return anywhere.get(field.lower(), field)


def _type(name: str) -> str:
    return name.replace("k8s.io.", "io.k8s.", 1)


if __name__ == "__main__":
    main(sys.argv[1])
