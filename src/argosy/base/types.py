"""Names for JSON values.

Generic server work (patching, pruning, defaulting, applying) runs on plain dicts, because unknown fields must survive
it. `Object` is such a dict: one Kubernetes object as it came from the wire. Controllers use typed structs instead
(see `argosy.api`).
"""

from __future__ import annotations

from typing import Any, TypeAlias

# A JSON value. `Any` and not a recursive union: narrowing at each step of a patch costs more clarity than it gives.
Json: TypeAlias = Any

# A JSON object, most often a whole Kubernetes object.
Object: TypeAlias = dict[str, Any]
