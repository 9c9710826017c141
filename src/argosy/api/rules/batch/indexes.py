"""Sets of completion indexes as jobs write them: `1,3-5,7`, increasing, without gaps inside an interval."""

from __future__ import annotations

from argosy.api.rules.integers import AtoiError, atoi
from argosy.base.fielderrors import quote


class IndexesError(ValueError):
    """The text is no set of indexes; says why in Kubernetes' words."""


def count_indexes(text: str, completions: int) -> int:
    """How many indexes a set holds; `IndexesError` where it is none below `completions`."""
    if not text:
        return 0
    total, last = 0, None
    for part in text.split(","):
        low, high = _parse_interval(part, completions)
        if last is not None and last >= low:
            raise IndexesError(f"non-increasing order, previous: {last}, current: {low}")
        total += high - low + 1
        last = high
    return total


def first_overlap(completed: str, failed: str, completions: int) -> int | None:
    """The first index that is in both sets; parts that cannot be read are skipped. Linear in both."""
    if not completed or not failed:
        return None
    left, right = _readable(completed, completions), _readable(failed, completions)
    at = other = 0
    while at < len(left) and other < len(right):
        (low, high), (start, end) = left[at], right[other]
        if low <= end and start <= high:
            return max(low, start)
        if low <= start:
            at += 1
        else:
            other += 1
    return None


def _readable(text: str, completions: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for part in text.split(","):
        try:
            found.append(_parse_interval(part, completions))
        except IndexesError:
            continue
    return found


def _parse_interval(part: str, completions: int) -> tuple[int, int]:
    limits = part.split("-")
    if len(limits) > 2:
        raise IndexesError(
            f"the fragment {quote(part)} violates the requirement that an index interval can have at "
            "most two parts separated by '-'"
        )
    low = _parse_index(limits[0], completions)
    if len(limits) == 1:
        return low, low
    high = _parse_index(limits[1], completions)
    if low >= high:
        raise IndexesError(f"non-increasing order, previous: {low}, current: {high}")
    return low, high


def _parse_index(text: str, completions: int) -> int:
    try:
        index = atoi(text)
    except AtoiError as error:
        text = f"cannot convert string to integer for index: {quote(text)}"
        raise IndexesError(text) from error
    if index >= completions:
        raise IndexesError(f"too large index: {quote(text)}")
    return index
