"""`argosy serve`."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import sys
from collections.abc import Callable
from pathlib import Path

from argosy.fleet.serving import Settings, serve
from argosy.queueing.configuration import Configuration, ConfigurationError, decode
from argosy.store import DamagedStore, NewerStore, StoreInUse
from argosy.workloads.runtimes.process import Unfit


def run(parsed: argparse.Namespace) -> int:
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    queueing = _queueing(parsed.queueing_config)
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
    except (StoreInUse, DamagedStore, NewerStore) as error:
        print(f"argosy serve: {error}", file=sys.stderr)
        return 1
    except Unfit as error:
        print(
            f"argosy serve: --isolation {parsed.isolation}: {error}; mend that, choose another, or leave it out to "
            "have the strongest that works",
            file=sys.stderr,
        )
        return 1
    except OSError as error:
        print(f"argosy serve: cannot serve on 127.0.0.1:{parsed.port}: {error}", file=sys.stderr)
        return 1
    return 0


def _queueing(path: Path | None) -> Configuration | None:
    """How jobs are queued; None if the file does not say that, which is told."""
    if path is None:
        return Configuration()
    try:
        return decode(path.read_bytes(), name=str(path))
    except OSError as error:
        problems: tuple[str, ...] = (error.strerror or str(error),)
    except ConfigurationError as error:
        problems = error.problems
    print(f"argosy serve: nothing was started: --queueing-config {path}:", file=sys.stderr)
    for problem in problems:
        print(f"  {problem}", file=sys.stderr)
    return None


def announce(line: str) -> None:
    """Say so, and from now on look for cyclic garbage more rarely: what was loaded stays, and what a busy cluster makes
    has no cycles. With Python's own thresholds a tenth of the time goes into looking.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    print(line, flush=True)


def loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
