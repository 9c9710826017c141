"""Lifecycle hooks of containers: a command inside, a request, or a pause."""

from __future__ import annotations

from collections.abc import Mapping

from argosy.api.objects import Container
from argosy.workloads.runtimes.process.executing import capture
from argosy.workloads.runtimes.process.hosts import Host
from argosy.workloads.runtimes.process.probing import http_get


async def run_hook(
    host: Host,
    container: Container,
    run: str,
    hook: Mapping[str, object],
    address: str,
    seconds: float,
) -> str | None:
    """Run a hook within so many seconds; what went wrong, or None."""
    match hook:
        case {"exec": {"command": list(command)}}:
            done = await capture(host, run, command, seconds)
            return None if done.code == 0 else done.output or f"exit code {done.code}"
        case {"httpGet": dict(given)}:
            outcome = await http_get(given, container, address, seconds)
            return None if outcome.succeeded else outcome.text
        case {"sleep": {"seconds": int(pause)}}:
            await host.clock.sleep(min(pause, seconds))
    return None
