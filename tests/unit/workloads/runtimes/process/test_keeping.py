"""What the keeper tells reaches whoever waits, in whatever order it comes."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from argosy.workloads.runtimes.process import launching
from argosy.workloads.runtimes.process.keeper.orders import VERSION
from argosy.workloads.runtimes.process.keeping import Keeping, Known


def told(run: str, code: int | None) -> dict[str, Any]:
    return {
        "run": run, "pid": 7, "started": 1.0, "ended": 2.0 if code is not None else 0.0, "code": code,
        "outOfMemory": False, "cutOff": False,
    }  # fmt: skip


def test_a_run_that_ends_right_after_the_list_of_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def story() -> None:
        ours, theirs = socket.socketpair()
        monkeypatch.setattr(launching, "connect", lambda state: ours)
        runs = [told("u/a/0", None), told("u/b/0", None)]
        answer = {"id": 1, "version": VERSION, "leaving": False, "runs": runs}
        # In one piece.
        news = [answer, {"event": "ended", **told("u/a/0", 3)}]
        theirs.sendall(b"".join(json.dumps(one).encode() + b"\n" for one in news))
        keeping = Keeping(tmp_path, orphan_seconds=1.0, trouble=lambda run, why: None)
        ended, running = Known("u/a/0", 7, 1.0, 2.0, 3), Known("u/b/0", 7, 1.0)
        assert await keeping.open() == [ended, running]
        assert keeping.end_of("u/a/0").result() == ended
        assert not keeping.end_of("u/b/0").done()
        await keeping.close(grace_seconds=None)
        theirs.close()

    asyncio.run(story())
