"""One server for all fuzzing of a worker: what is refused must leave no trace, so nothing needs to be fresh."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fuzz.chains import Chain


@pytest.fixture(scope="session")
def chain() -> Iterator[Chain]:
    chain = Chain()
    yield chain
    chain.close()
