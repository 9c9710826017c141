"""A command's way to its cluster: kubeconfig, client, namespace, and what the cluster serves of Kueue.

Commands are coroutines that get a `Session` and the parsed arguments, and return an exit code: 0 done, 1 it could not
be done (said on standard error, `Error: ...`, as kueuectl does), 2 the arguments are wrong. What a
session can do is the SDK's (`argosy.sdk.sessions`).
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
from pathlib import Path
from typing import Final

from argosy.base.errors import StatusError
from argosy.client import kubeconfig
from argosy.client.kubeconfig import ConfigError
from argosy.client.remote import RemoteClient
from argosy.client.transport import Limits
from argosy.sdk import sessions
from argosy.sdk.connections import found_kubeconfig
from argosy.sdk.errors import FleetError
from argosy.sdk.sessions import CURRENT, FIELD_MANAGER, KUEUE, converted, replace_version, view

__all__ = [
    "CURRENT",
    "FIELD_MANAGER",
    "KUEUE",
    "CommandError",
    "Session",
    "converted",
    "drop_output",
    "failed",
    "kubeconfig_of",
    "replace_version",
    "run",
    "view",
]

# A person waits: a cluster that is not there is told after a second, not after half a minute.
_LIMITS: Final = Limits(requests=16, tries=3)


class CommandError(FleetError):
    """The command cannot be done; the message is for the user."""


@dataclass(slots=True)
class Session(sessions.Session):
    """One command's talk with one cluster, over HTTPS."""

    client: RemoteClient


def run(parsed: argparse.Namespace) -> int:
    """Do what the arguments name, and tell what went wrong."""
    command = getattr(importlib.import_module(parsed.module), parsed.coroutine)
    try:
        return asyncio.run(_session(parsed, command))
    except (FleetError, ConfigError) as error:
        return failed(str(error))
    except StatusError as error:
        return failed(error.message)
    except BrokenPipeError:
        return drop_output()
    except KeyboardInterrupt:
        return 130


async def _session(
    parsed: argparse.Namespace,
    command: Callable[[Session, argparse.Namespace], Awaitable[int]],
) -> int:
    connection = kubeconfig.load(kubeconfig_of(parsed), context=getattr(parsed, "context", ""))
    namespace = getattr(parsed, "namespace", "") or connection.namespace
    connection = replace(connection, namespace=namespace)
    async with RemoteClient(connection, limits=_LIMITS) as client:
        code = await command(Session(client, namespace, datetime.now(UTC)), parsed)
    sys.stdout.flush()
    return code


def kubeconfig_of(parsed: argparse.Namespace) -> str | Path | None:
    """The file that was named, or where the SDK looks."""
    return found_kubeconfig(getattr(parsed, "kubeconfig", None))


def failed(message: str, code: int = 1) -> int:
    sys.stdout.flush()
    print(f"Error: {message}", file=sys.stderr)
    return code


def drop_output() -> int:
    """The reader (head, less) has seen enough. What is left in the buffer goes nowhere, without a word at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
