"""Kueue's cases of lives, where they are at hand, one test per case; those that do not apply are listed."""

from __future__ import annotations

from typing import Final

import pytest

from tests.conformance.lifecycle import DEFAULT, Line, listed, load, run
from tests.conformance.running import Exceptions

_EXCEPTIONS: Final = Exceptions()


@pytest.mark.skipif(
    not DEFAULT.is_dir(), reason="Kueue's cases (shared/fixtures/kueue-api) are not here"
)
@pytest.mark.parametrize(
    "line", list(load(DEFAULT)), ids=lambda line: f"{line['test']}: {line['name']}"
)
def test_life(line: Line) -> None:
    reason = listed(line, _EXCEPTIONS)
    if reason:
        pytest.skip(reason)
    assert run(line) == []
