"""`argosy serve`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Callable

from argosy.fleet.serving import Settings, serve
from argosy.store import DamagedStore, NewerStore, StoreInUse


def run(parsed: argparse.Namespace) -> int:
    logging.basicConfig(
        level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s"
    )
    settings = Settings(
        kubeconfig=parsed.kubeconfig,
        state=None if parsed.memory else parsed.state,
        port=parsed.port,
    )
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(serve(settings, lambda line: print(line, flush=True)))
    except (StoreInUse, DamagedStore, NewerStore) as error:
        print(f"argosy serve: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"argosy serve: cannot serve on 127.0.0.1:{parsed.port}: {error}", file=sys.stderr)
        return 1
    return 0


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    factory: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop
    return factory
