"""What a fleet's event loop says of callbacks that fail."""

from __future__ import annotations

import asyncio
import logging

import pytest

from argosy.fleet.loops import loop_factory


@pytest.mark.parametrize(
    ("error", "is_told"),
    [
        pytest.param(
            RuntimeError(
                "unable to perform operation on <TCPTransport closed=True>; the handler is closed"
            ),
            False,
            id="somebody hung up while TLS had a last word",
        ),
        pytest.param(RuntimeError("another one"), True, id="any other error"),
    ],
)
def test_only_defects_are_told(
    error: Exception, is_told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.call_exception_handler({"message": "Fatal error on SSL protocol", "exception": error})

    with caplog.at_level(logging.ERROR), asyncio.Runner(loop_factory=loop_factory()) as runner:
        runner.run(main())
    assert ("Fatal error on SSL protocol" in caplog.text) == is_told
