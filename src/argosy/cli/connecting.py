"""A command's way to its cluster: kubeconfig, client, namespace, and what the cluster serves of Kueue.

Commands are coroutines that get a `Session` and the parsed arguments, and return an exit code: 0 done, 1 it could not
be done (said on standard error, `Error: ...`, as kueuectl does), 2 the arguments are wrong. Objects are read as
v1beta2, whatever the cluster serves, and sent in the newest version it serves: Kueue before 0.15 has v1beta1 alone.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final, TypeVar

import msgspec

from argosy.api.objects.metadata import View, decoder
from argosy.base.errors import NotFound, StatusError
from argosy.base.types import Object
from argosy.client import kubeconfig
from argosy.client.kubeconfig import ConfigError
from argosy.client.objects import ListResult, Raw, decode
from argosy.client.remote import RemoteClient
from argosy.client.resources import Resource
from argosy.client.transport import Limits

V = TypeVar("V", bound=View)

KUEUE: Final = "kueue.x-k8s.io"
CURRENT: Final = "v1beta2"
FIELD_MANAGER: Final = "argosy"
# A person waits: a cluster that is not there is told after a second, not after half a minute.
_LIMITS: Final = Limits(requests=16, tries=3)


class CommandError(Exception):
    """The command cannot be done; the message is for the user."""


@dataclass(slots=True)
class Session:
    """One command's talk with one cluster."""

    client: RemoteClient
    namespace: str
    now: datetime
    _version: str = ""

    async def kueue(self, resource: Resource) -> Resource:
        """One of Kueue's resources in the version to talk in."""
        if not self._version:
            self._version = await self._served_version()
        return replace_version(resource, self._version)

    async def _served_version(self) -> str:
        try:
            group = msgspec.json.decode(await self.client.fetch(f"/apis/{KUEUE}"))
        except NotFound:
            raise CommandError(
                f'the server has no group "{KUEUE}": Kueue\'s kinds are not installed there'
            ) from None
        versions = [str(one["version"]) for one in group["versions"]]
        return CURRENT if CURRENT in versions else versions[0]

    async def list(
        self,
        resource: Resource,
        *,
        namespace: str | None = None,
        label_selector: str = "",
        field_selector: str = "",
    ) -> ListResult:
        """All of one of Kueue's resources; no namespace is all of them."""
        return await self.client.list_all(
            await self.kueue(resource),
            namespace=namespace,
            label_selector=label_selector,
            field_selector=field_selector,
        )

    async def get(self, resource: Resource, name: str) -> Raw:
        return await self.client.get(await self.kueue(resource), name, namespace=self.namespace)

    async def create(self, resource: Resource, obj: Object, *, dry_run: bool) -> Raw:
        """Send a v1beta2 object, in the version that the cluster has."""
        served = await self.kueue(resource)
        body = converted(obj, resource.kind, CURRENT, served.version)
        return await self.client.create(
            served, body, namespace=self.namespace, field_manager=FIELD_MANAGER, dry_run=dry_run
        )


def replace_version(resource: Resource, version: str) -> Resource:
    return Resource(resource.group, version, resource.plural, resource.kind, resource.namespaced)


def view(kind: type[V], raw: Raw) -> V:
    """One of Kueue's objects as v1beta2 reads it."""
    found: V
    if raw.resource.version == CURRENT:
        found = decoder(kind)(bytes(raw.body))
    else:
        obj = converted(decode(raw), raw.resource.kind, raw.resource.version, CURRENT)
        found = msgspec.convert(obj, kind)
    return found


def converted(obj: Object, kind: str, from_: str, to: str) -> Object:
    if from_ == to:
        return obj
    from argosy.queueing.conversion import CONVERTERS

    change = CONVERTERS.get(kind, {}).get((from_, to))
    return {**obj, "apiVersion": f"{KUEUE}/{to}"} if change is None else change(obj)


def run(parsed: argparse.Namespace) -> int:
    """Do what the arguments name, and tell what went wrong."""
    command = getattr(importlib.import_module(parsed.module), parsed.coroutine)
    try:
        return asyncio.run(_session(parsed, command))
    except (CommandError, ConfigError) as error:
        return _failed(str(error))
    except StatusError as error:
        return _failed(error.message)
    except BrokenPipeError:
        # The reader (head, less) has seen enough. What is left in the buffer goes nowhere, without a word at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        return 130


async def _session(
    parsed: argparse.Namespace,
    command: Callable[[Session, argparse.Namespace], Awaitable[int]],
) -> int:
    connection = kubeconfig.load(
        getattr(parsed, "kubeconfig", None), context=getattr(parsed, "context", "")
    )
    namespace = getattr(parsed, "namespace", "") or connection.namespace
    connection = replace(connection, namespace=namespace)
    async with RemoteClient(connection, limits=_LIMITS) as client:
        code = await command(Session(client, namespace, datetime.now(UTC)), parsed)
    sys.stdout.flush()
    return code


def _failed(message: str) -> int:
    print(f"Error: {message}", file=sys.stderr)
    return 1
