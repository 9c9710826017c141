"""Lists read in pages, and what happens when a page's revision is gone."""

from __future__ import annotations

import asyncio

import pytest

from argosy.base.errors import Expired
from argosy.client.objects import ListResult, Raw
from argosy.client.paging import collect
from argosy.client.resources import PODS

ITEMS = [Raw(PODS, b"{}", name=str(i)) for i in range(5)]


class Pages:
    def __init__(self, expire_at: int = -1, times: int = 1) -> None:
        self.calls: list[tuple[int, str]] = []
        self._expire_at = expire_at
        self._times = times

    async def __call__(self, limit: int, continue_: str) -> ListResult:
        self.calls.append((limit, continue_))
        start = int(continue_ or 0)
        if limit and start == self._expire_at and self._times:
            self._times -= 1
            raise Expired("too old")
        end = start + limit if limit else 5
        return ListResult(ITEMS[start:end], "9", str(end) if end < 5 else "")


CASES = {
    "all pages": (Pages(), [(2, ""), (2, "2"), (2, "4")]),
    "an expiry starts again": (
        Pages(2),
        [(2, ""), (2, "2"), (2, ""), (2, "2"), (2, "4")],
    ),
    "a second expiry asks for everything": (
        Pages(4, 2),
        [(2, ""), (2, "2"), (2, "4"), (2, ""), (2, "2"), (2, "4"), (0, "")],
    ),
}


@pytest.mark.parametrize(("pages", "calls"), CASES.values(), ids=CASES.keys())
def test_collecting(pages: Pages, calls: list[tuple[int, str]]) -> None:
    got = asyncio.run(collect(pages, 2))
    assert ([item.name for item in got.items], got.revision) == (list("01234"), "9")
    assert pages.calls == calls


def test_an_expiry_of_the_first_page_is_the_callers() -> None:
    with pytest.raises(Expired):
        asyncio.run(collect(Pages(0), 2))
