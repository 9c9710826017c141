"""Role bindings. Roles have no printer of their own: the server shows name and creation time."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from argosy.api.columns.formatting import age, name_of
from argosy.api.columns.printers import AGE, NAME, Printer, Printers
from argosy.api.kinds import Column
from argosy.base.types import Json, Object


def _binding(obj: Object, now: datetime) -> list[Json]:
    role = obj.get("roleRef") or {}
    subjects: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in obj.get("subjects") or ():
        kind, name = subject.get("kind"), subject.get("name", "")
        if kind in subjects:
            account = f"{subject.get('namespace', '')}/{name}"
            subjects[kind].append(account if kind == "ServiceAccount" else name)
    return [
        name_of(obj),
        f"{role.get('kind', '')}/{role.get('name', '')}",
        age(obj, now),
        *(", ".join(names) for names in subjects.values()),
    ]


_BINDING: Final = Printer(
    (
        NAME,
        Column("Role", description="Role that is given."),
        AGE,
        Column("Users", priority=1, description="Users who get it."),
        Column("Groups", priority=1, description="Groups who get it."),
        Column("ServiceAccounts", priority=1, description="Service accounts that get it."),
    ),
    _binding,
)

PRINTERS: Final[Printers] = {
    ("rbac.authorization.k8s.io", "RoleBinding"): _BINDING,
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): _BINDING,
}
