"""Reading a whole list in pages.

A long list is read in pages of one revision. When that revision expires in the middle, the list begins again
from the start, as upstream's pager falls back to a full list: a half-old, half-new list would be a lie.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from argosy.base.errors import Expired
from argosy.client.objects import ListResult, Raw

PAGE: Final = 500


async def collect(
    page: Callable[[int, str], Awaitable[ListResult]], limit: int = PAGE
) -> ListResult:
    """All pages of `page(limit, continue)` as one result. A second expiry asks for everything at once."""
    for size in (limit, limit, 0):
        items: list[Raw] = []
        continue_ = ""
        try:
            while True:
                result = await page(size, continue_)
                items += result.items
                continue_ = result.continue_
                if not continue_:
                    return ListResult(items, result.revision)
        except Expired:
            if not continue_:
                raise
    raise AssertionError("a list without a limit has one page")
