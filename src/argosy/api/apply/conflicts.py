"""The 409 that names who owns the fields an apply wants to change.

One conflict reads `Apply failed with 1 conflict: conflict with "kubectl" using apps/v1: .spec.replicas`; several are
grouped by manager, one field per line. Every conflict is also a cause, which is what kubectl prints.
"""

from __future__ import annotations

from collections.abc import Mapping

from argosy.api.apply.entries import Identity
from argosy.api.apply.fieldsets import FieldSet, difference, paths, union
from argosy.base.errors import Cause, Conflict, Details


class Conflicts(Conflict):
    """Fields of others that an apply without force would change."""

    def __init__(self, owners: Mapping[Identity, FieldSet]) -> None:
        self.owners = dict(sorted(owners.items(), key=lambda pair: pair[0].key))
        found = [(who, path) for who, fields in self.owners.items() for path in paths(fields)]
        causes = tuple(
            Cause("FieldManagerConflict", f"conflict with {who}", path) for who, path in found
        )
        super().__init__(_message(found), details=Details(causes=causes))

    @property
    def fields(self) -> FieldSet:
        out: FieldSet = {}
        for fields in self.owners.values():
            out = union(out, fields)
        return out

    def less(self, fields: FieldSet) -> Conflicts | None:
        """The conflicts that are not about `fields`."""
        rest = {who: difference(mine, fields) for who, mine in self.owners.items()}
        rest = {who: mine for who, mine in rest.items() if mine}
        return Conflicts(rest) if rest else None


def _message(found: list[tuple[Identity, str]]) -> str:
    if len(found) == 1:
        who, path = found[0]
        return f"Apply failed with 1 conflict: conflict with {who}: {path}"
    lines: list[str] = []
    last: Identity | None = None
    for who, path in found:
        if who != last:
            lines.append(f"conflicts with {who}:")
            last = who
        lines.append(f"- {path}")
    return f"Apply failed with {len(found)} conflicts: " + "\n".join(lines)
