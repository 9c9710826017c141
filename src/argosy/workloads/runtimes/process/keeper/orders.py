"""What Argosy asks the keeper to run.

An order travels as JSON. Everything is decided by then: the keeper expands nothing and looks nothing up.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

# Raised when requests change their meaning: a keeper of another version is asked to end, not to go on.
VERSION: Final = 3

Isolation = Literal["none", "namespaces", "bubblewrap", "podman"]


class Bind(NamedTuple):
    """A file or folder of the host, shown in a container."""

    source: str
    target: str
    read_only: bool = False


@dataclass(slots=True)
class Order:
    """One run of one container. `run` is `POD_UID/CONTAINER/RESTART`; it is also the mark of its processes."""

    run: str
    argv: list[str]
    env: dict[str, str]
    cwd: str
    log: str
    # Where how it ended is written down.
    record: str
    isolation: Isolation = "none"
    # For namespaces: a folder for the container's own layer over the host's files.
    layer: str = ""
    binds: list[Bind] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    hostname: str = ""
    # For bubblewrap: the command's own program and folder; `argv` is the sandbox's.
    program: str = ""
    inner_cwd: str = ""
    # The user is changed in the sandbox, not by us.
    is_dropping: bool = False
    # For podman: what has to succeed before the command, what prints `true` when it was killed for its memory (of
    # those with a limit), and what clears away behind it.
    before: list[list[str]] = field(default_factory=list)
    verdict: list[str] = field(default_factory=list)
    after: list[list[str]] = field(default_factory=list)
    cpus: list[int] = field(default_factory=list)
    memory_bytes: int = 0
    stdin: bool = False
    # The input ends with the first client that gives some.
    stdin_once: bool = False
    tty: bool = False
    user: int | None = None
    group: int | None = None

    @staticmethod
    def read(given: dict[str, Any]) -> Order:
        order = Order(**given)
        order.binds = [Bind(*one) for one in order.binds]
        return order


@dataclass(slots=True)
class Command:
    """A command beside a container's process: `kubectl exec`, a probe, a hook. Its streams come as descriptors.

    Environment, folder, processors and user are the container's; `env` adds to it.
    """

    run: str
    argv: list[str]
    env: dict[str, str] = field(default_factory=dict)
    cwd: str = ""
    # Inside the container's namespaces (not so for `podman exec`, which goes there by itself).
    inside: bool = True
    tty: bool = False
    cpus: list[int] = field(default_factory=list)
    user: int | None = None
    group: int | None = None

    def like(self, order: Order) -> None:
        """Take over what the container has."""
        self.env = {**order.env, **self.env}
        self.cwd = self.cwd or order.inner_cwd or order.cwd
        self.cpus, self.user, self.group = order.cpus, order.user, order.group
