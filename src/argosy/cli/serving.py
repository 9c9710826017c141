"""`argosy serve`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from argosy.base import logs
from argosy.base.collecting import settle
from argosy.base.errors import StatusError
from argosy.cli import failing
from argosy.fleet.loops import loop_factory
from argosy.fleet.serving import Settings, serve
from argosy.queueing.configuration import Configuration, ConfigurationError, decode
from argosy.store import StoreError
from argosy.workloads.runtimes.process import Unfit


def run(parsed: argparse.Namespace) -> int:
    logs.configure(parsed.log_format)
    queueing = queueing_of(parsed.queueing_config, "serve")
    if queueing is None:
        return 2
    settings = Settings(
        kubeconfig=parsed.kubeconfig,
        state=None if parsed.memory else parsed.state,
        port=parsed.port,
        is_bare=parsed.bare,
        allows_processes=parsed.allow_processes,
        isolation=parsed.isolation,
        queueing=queueing,
    )
    try:
        with asyncio.Runner(loop_factory=loop_factory()) as runner:
            runner.run(serve(settings, announce))
    except (StoreError, StatusError, BaseExceptionGroup) as error:
        if (message := failing.problem(error)) is None:
            raise
        print(f"argosy serve: {message}", file=sys.stderr)
        return 1
    except Unfit as error:
        print(
            f"argosy serve: --isolation {parsed.isolation}: {error}; mend that, choose another, or leave it out to "
            "have the strongest that works",
            file=sys.stderr,
        )
        return 1
    except OSError as error:
        message = f"cannot serve on 127.0.0.1:{parsed.port}: {error}"
        if error.errno in failing.NO_ROOM:
            message = failing.problem(error) or message
        print(f"argosy serve: {message}", file=sys.stderr)
        return 1
    return 0


def queueing_of(path: Path | None, verb: str) -> Configuration | None:
    """How jobs are queued; None if the file does not say that, which is told."""
    if path is None:
        return Configuration()
    try:
        return decode(path.read_bytes(), name=str(path))
    except OSError as error:
        problems: tuple[str, ...] = (error.strerror or str(error),)
    except ConfigurationError as error:
        problems = error.problems
    print(f"argosy {verb}: nothing was started: --queueing-config {path}:", file=sys.stderr)
    for problem in problems:
        print(f"  {problem}", file=sys.stderr)
    return None


def announce(line: str) -> None:
    """Say so; the start is over."""
    settle()
    print(line, flush=True)
