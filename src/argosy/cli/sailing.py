"""How commands about a whole fleet run: connected to its hub, their failures told in a line, their exit codes.

    0    done; of a job that was followed: it completed
    1    it could not be done
    2    the arguments are wrong
    3    there is no fleet, or its hub does not answer
    4    the job that was followed failed
    5    it was cancelled
    124  time ran out; the job goes on
    130  interrupted; the job goes on

A member that cannot be asked is told on standard error, and what the others say is printed all the same.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import sys
from collections.abc import Awaitable, Callable
from typing import Final

from argosy.base.durations import parse_duration
from argosy.base.errors import ServiceUnavailable, StatusError, Unauthorized
from argosy.cli.connecting import CommandError, drop_output, failed, kubeconfig_of
from argosy.client.kubeconfig import ConfigError
from argosy.sdk.connections import by_kubeconfig, plain
from argosy.sdk.errors import FleetError, WaitTimeout
from argosy.sdk.fleets import AsyncFleet

NO_FLEET: Final = 3
JOB_FAILED: Final = 4
JOB_CANCELLED: Final = 5
TIMED_OUT: Final = 124
INTERRUPTED: Final = 130
_UP: Final = "`argosy up` starts the fleet of this machine, --kubeconfig FILE names another"


def run(parsed: argparse.Namespace) -> int:
    """Do what the arguments name, and tell what went wrong."""
    command = getattr(importlib.import_module(parsed.module), parsed.coroutine)
    try:
        return asyncio.run(_connected(parsed, command))
    except WaitTimeout as error:
        return failed(str(error), TIMED_OUT)
    except FleetError as error:
        return failed(str(error))
    except ConfigError as error:
        return failed(f"no fleet to talk to: {error}; {_UP}", NO_FLEET)
    except ServiceUnavailable as error:
        return failed(f"the hub does not answer: {plain(error.message)}; {_UP}", NO_FLEET)
    except Unauthorized as error:
        return failed(f"the hub does not know you: {error.message}; {_UP}", NO_FLEET)
    except StatusError as error:
        return failed(error.message)
    except BrokenPipeError:
        return drop_output()
    except KeyboardInterrupt:
        return INTERRUPTED


async def _connected(
    parsed: argparse.Namespace,
    command: Callable[[AsyncFleet, argparse.Namespace], Awaitable[int]],
) -> int:
    way = by_kubeconfig(
        kubeconfig_of(parsed),
        hub=getattr(parsed, "context", ""),
        namespace=getattr(parsed, "namespace", ""),
    )
    async with AsyncFleet(way.hub, way.members, namespace=way.namespace, closes=True) as fleet:
        code = await command(fleet, parsed)
        tell_problems(fleet)
    sys.stdout.flush()
    return code


def tell_problems(fleet: AsyncFleet) -> None:
    for each in fleet.problems:
        warn(str(each))


def warn(message: str) -> None:
    """On standard error, after what was printed so far."""
    sys.stdout.flush()
    print(f"Warning: {message}", file=sys.stderr)


def seconds_of(flag: str, text: str) -> float | None:
    """How long a flag says; None if it says nothing."""
    if not text:
        return None
    try:
        seconds = parse_duration(text)
    except ValueError as error:
        raise CommandError(
            f'{flag} "{text}" is no duration such as 90s, 5m or 1h: {error}'
        ) from None
    if seconds <= 0:
        raise CommandError(f'{flag} "{text}": give a duration above zero, such as 90s, 5m or 1h')
    return seconds
