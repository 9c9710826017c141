"""Verbs that kubectl has: it does them, with the same arguments, in place of this process.

Where nothing says which cluster is meant, it is the hub of the fleet that every other command would talk to; `--cluster
NAME` means that member. `describe` of a job that is placed goes on with how the job stands and with its description on
each cluster it is on, since there is where its pods and events are.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from typing import Final, NamedTuple

_PATH_FLAGS: Final = ("--kubeconfig", "--context", "--cluster", "--namespace", "-n")


class Asked(NamedTuple):
    """Arguments without what says which cluster is meant, and that."""

    rest: list[str]
    kubeconfig: str = ""
    context: str = ""
    cluster: str = ""
    namespace: str = ""


def run(arguments: Sequence[str]) -> int:
    """Become kubectl; returns only where there is none, or more to tell."""
    program = shutil.which("kubectl")
    if program is None:
        missing = 'exec: "kubectl": executable file not found in $PATH'
        where = os.environ.get("PATH", "")
        print(
            f'Error: pass-through command are not available: {missing}, PATH="{where}"; install kubectl, or use '
            "argosy's own verbs: jobs, logs, why, events, list, queue tree, placement tree",
            file=sys.stderr,
        )
        return 1
    asked = read(arguments)
    if asked.cluster and asked.context:
        print(
            f"Error: --cluster {asked.cluster} and --context {asked.context} both say where: leave out one",
            file=sys.stderr,
        )
        return 2
    way = _way(asked)
    command = [program, *asked.rest, *way]
    sys.stdout.flush()
    if asked.cluster or asked.context or not (job := described_job(asked.rest)):
        os.execv(program, command)  # noqa: S606  (the user's own kubectl)
    done = subprocess.run(command, check=False)
    if done.returncode:
        return done.returncode
    return _on_members(program, asked, job)


def read(arguments: Sequence[str]) -> Asked:
    """Take the flags that say where out of a command line; what follows `--` is not looked at. Pure."""
    found: dict[str, str] = {}
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        name, separator, value = word.partition("=")
        if word == "--":
            rest += [word, *words]
        elif name in _PATH_FLAGS:
            said = value if separator else next(words, "")
            found["--namespace" if name == "-n" else name] = said
        else:
            rest.append(word)
    return Asked(
        rest,
        found.get("--kubeconfig", ""),
        found.get("--context", ""),
        found.get("--cluster", ""),
        found.get("--namespace", ""),
    )


def _way(asked: Asked) -> list[str]:
    from argosy.client import kubeconfig
    from argosy.client.kubeconfig import ConfigError
    from argosy.sdk.connections import HUB, found_kubeconfig

    path = found_kubeconfig(asked.kubeconfig or None)
    context = asked.cluster or asked.context
    if not context:
        try:
            kubeconfig.load(path, context=HUB)
            context = HUB
        except ConfigError:
            # Then it is what kubectl takes for the current one.
            context = ""
    return [
        *(["--kubeconfig", str(path)] if path is not None else []),
        *(["--context", context] if context else []),
        *(["--namespace", asked.namespace] if asked.namespace else []),
    ]


def described_job(words: Sequence[str]) -> str:
    """KIND/NAME if it is one job that is to be described, else nothing. Pure."""
    from argosy.sdk import kinds

    if any(word.startswith("-") for word in words) or not words or words[0] != "describe":
        return ""
    if len(words) == 3 and "/" not in words[1]:
        words = [words[0], f"{words[1]}/{words[2]}"]
    kind, separator, name = words[1].partition("/") if len(words) == 2 else ("", "", "")
    return f"{kind}/{name}" if separator and name and kinds.matching(kind) and kind else ""


def _on_members(program: str, asked: Asked, name: str) -> int:
    import asyncio

    from argosy.base.errors import StatusError
    from argosy.cli.following import told_state
    from argosy.client.kubeconfig import ConfigError
    from argosy.sdk.errors import FleetError
    from argosy.sdk.fleets import AsyncFleet
    from argosy.sdk.jobs import FleetJob

    async def found() -> FleetJob:
        async with AsyncFleet.connect(asked.kubeconfig or None, namespace=asked.namespace) as fleet:
            return await fleet.job(name)

    try:
        job = asyncio.run(found())
    except (FleetError, ConfigError, StatusError):
        # No hub of a fleet, or no job by now: kubectl has said all there is.
        return 0
    placed = f", placed by {job.placement}" if job.placement else ""
    print(f"Fleet:            {told_state(job)}{placed}", flush=True)
    for cluster in job.clusters:
        print(f"\nOn cluster {cluster}:", flush=True)
        way = _way(asked._replace(cluster=cluster, namespace=job.namespace))
        subprocess.run([program, *asked.rest, *way], check=False)
    return 0
