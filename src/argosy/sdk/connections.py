"""The ways to a fleet's clusters: one to the hub, and to each member when somebody first needs it.

From a kubeconfig the hub is the context `hub`, or the current one where there is none of that name; a member's context
has the name of its MemberCluster. A member without a context, or that does not answer, is a problem to be told, and
none for the others: whoever asks several of them collects `Unreachable` in `problems` and goes on.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias, TypeVar

from argosy.base.clock import Clock, RealClock
from argosy.base.errors import InternalError, ServiceUnavailable, StatusError, Timeout, Unauthorized
from argosy.client import kubeconfig
from argosy.client.kubeconfig import ConfigError
from argosy.client.protocol import Client
from argosy.client.remote import RemoteClient
from argosy.client.transport import Limits
from argosy.fleet.states import kubeconfig_of_default_fleet
from argosy.sdk.errors import Unreachable
from argosy.sdk.tasks import together

T = TypeVar("T")

# How clients of members come to be: by name, and None or LookupError for one that nobody can reach.
Members: TypeAlias = Mapping[str, Client] | Callable[[str], Client]

HUB: Final = "hub"
# A person waits: a cluster that is not there is told after a second, not after half a minute.
_LIMITS: Final = Limits(requests=16, tries=3)
# One that takes the connection and says nothing: the others have long answered.
_PATIENCE_SECONDS: Final = 6.0
_SSL: Final = re.compile(r" ssl:(<[^>]*>|\w+)")
_SILENCE: Final = (ServiceUnavailable, Timeout, InternalError, Unauthorized, OSError, TimeoutError)


class Connections:
    """Clients of one fleet. `namespace` is where things are looked for that name none."""

    def __init__(
        self,
        hub: Client,
        members: Members,
        *,
        clock: Clock | None = None,
        namespace: str = "default",
        closes: bool = False,
    ) -> None:
        self.hub = hub
        self.clock = clock or RealClock()
        self.namespace = namespace
        is_given = isinstance(members, Mapping)
        self._open = members.__getitem__ if isinstance(members, Mapping) else members
        self._members: dict[str, Client] = {}
        self._closes = closes
        # Clients that came to be here go with it.
        self._closes_members = closes or not is_given
        self._problems: dict[str, Unreachable] = {}

    @property
    def problems(self) -> tuple[Unreachable, ...]:
        """The members that could not be asked when last they were to be, by name."""
        return tuple(self._problems[name] for name in sorted(self._problems))

    def member(self, name: str) -> Client:
        """The way to a member; Unreachable if there is none."""
        found = self._members.get(name)
        if found is None:
            try:
                found = self._members[name] = self._open(name)
            except (LookupError, ConfigError) as error:
                why = str(error) if isinstance(error, ConfigError) else "no context has its name"
                raise self._problem(name, why) from error
        return found

    async def ask(self, name: str, question: Callable[[Client], Awaitable[T]]) -> T:
        """What a member answers; Unreachable if it does not. What it refuses is the server's own error."""
        client = self.member(name)
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                answer = await question(client)
        except _SILENCE as error:
            said = plain(error.message) if isinstance(error, StatusError) else str(error)
            raise self._problem(name, said or "it does not answer") from error
        self._problems.pop(name, None)
        return answer

    async def ask_each(
        self, names: Iterable[str], question: Callable[[str, Client], Awaitable[T]]
    ) -> dict[str, T]:
        """What members answer, all asked at once; those that do not, or refuse, are among the `problems`."""
        answers: dict[str, T] = {}

        async def one(name: str) -> None:
            try:
                answers[name] = await self.ask(name, partial(question, name))
            except Unreachable:
                return
            except StatusError as error:
                self._problem(name, error.message)

        async with together() as tasks:
            for name in names:
                tasks.create_task(one(name))
        return {name: answers[name] for name in sorted(answers)}

    def _problem(self, name: str, why: str) -> Unreachable:
        problem = self._problems[name] = Unreachable(name, why)
        return problem

    async def drop(self, name: str) -> None:
        """Give a member's connections back; who asks next goes there anew, wherever it is by then."""
        found = self._members.pop(name, None)
        if found is not None and self._closes_members:
            await found.close()

    async def close(self) -> None:
        """Give connections back, if that is for the fleet to do."""
        going = [*self._members.values()] if self._closes_members else []
        if self._closes:
            going.append(self.hub)
        await asyncio.gather(*(each.close() for each in going))


class Way(NamedTuple):
    """What a kubeconfig says of a fleet."""

    hub: Client
    members: Callable[[str], Client]
    namespace: str


def by_kubeconfig(path: str | Path | None = None, *, hub: str = "", namespace: str = "") -> Way:
    """ConfigError where there is no way. Nothing is asked yet."""
    path = found_kubeconfig(path)
    connection = kubeconfig.load(path, context=hub or _hub_context(path))
    namespace = namespace or connection.namespace
    client = RemoteClient(replace(connection, namespace=namespace), limits=_LIMITS)
    return Way(client, member_opener(path, namespace), namespace)


def member_opener(path: str | Path | None, namespace: str) -> Callable[[str], Client]:
    """Clients of members, by their names, which their contexts have."""

    def opened(name: str) -> Client:
        found = kubeconfig.load(path, context=name)
        return RemoteClient(replace(found, namespace=namespace), limits=_LIMITS)

    return opened


def plain(message: str) -> str:
    """A message without what only programmers read in it."""
    return _SSL.sub("", message)


def found_kubeconfig(path: str | Path | None) -> str | Path | None:
    """The file that was named, else that of the fleet on this machine; None leaves it to kubectl's own order:
    $KUBECONFIG, then ~/.kube/config.
    """
    if path is not None or os.environ.get("KUBECONFIG"):
        return path
    return kubeconfig_of_default_fleet()


def _hub_context(path: str | Path | None) -> str:
    """`hub` where there is a context of that name, else the current one."""
    try:
        kubeconfig.load(path, context=HUB)
    except ConfigError:
        return ""
    return HUB
