"""Who a request comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

MASTERS: Final = "system:masters"
AUTHENTICATED: Final = "system:authenticated"
SERVICE_ACCOUNT_PREFIX: Final = "system:serviceaccount:"


@dataclass(slots=True, frozen=True)
class User:
    """A known caller. `groups` already holds system:authenticated where it belongs."""

    name: str
    uid: str = ""
    groups: tuple[str, ...] = (AUTHENTICATED,)
    extra: dict[str, tuple[str, ...]] = field(default_factory=dict, hash=False)

    @property
    def is_master(self) -> bool:
        return MASTERS in self.groups


# The server itself, where it writes what nobody asked for, and the name it owns fields by.
APISERVER: Final = User("system:apiserver", groups=(MASTERS,))
APISERVER_AGENT: Final = "kube-apiserver"
ADMIN: Final = User("kubernetes-admin", groups=(MASTERS, AUTHENTICATED))


def service_account(namespace: str, name: str, uid: str = "") -> User:
    """The user a service account's token stands for."""
    groups = ("system:serviceaccounts", f"system:serviceaccounts:{namespace}", AUTHENTICATED)
    return User(f"{SERVICE_ACCOUNT_PREFIX}{namespace}:{name}", uid=uid, groups=groups)
