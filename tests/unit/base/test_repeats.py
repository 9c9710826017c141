"""A trouble that everybody meets is logged once."""

from __future__ import annotations

import logging

from argosy.base.errors import Conflict, ServiceUnavailable
from argosy.base.repeats import Repeats


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def logged() -> tuple[logging.Logger, Kept, list[float]]:
    kept, now = Kept(), [0.0]
    kept.addFilter(Repeats(lambda: now[0]))
    logger = logging.getLogger(f"tests.repeats.{id(kept)}")
    logger.propagate = False
    logger.addHandler(kept)
    return logger, kept, now


def test_a_cluster_that_takes_nothing_is_told_once_whoever_meets_it() -> None:
    logger, kept, now = logged()
    full = ServiceUnavailable("the disk is full")
    for second in range(600):
        now[0] = float(second)
        logger.warning("%s: %s", "jobs", full)
        logger.warning("%s: %s: %s", "pods", "a", ServiceUnavailable("the disk is full"))
    assert kept.lines == ["jobs: the disk is full"]
    logger.warning("jobs: %s", ServiceUnavailable("the line is down"))
    assert kept.lines[1:] == ["jobs: the line is down"]
    # Hours later it is news.
    now[0] = 10_000.0
    logger.warning("%s: %s", "jobs", full)
    assert kept.lines[2:] == ["jobs: the disk is full"]


def test_who_told_of_it_first_need_not_be_a_client() -> None:
    logger, kept, _ = logged()
    logger.error("%s", OSError("the disk is full"))
    logger.warning("jobs: %s", ServiceUnavailable("the disk is full"))
    # Whoever tells of it itself is never left out: it knows that this is another time.
    logger.error("%s", OSError("the disk is full"))
    assert kept.lines == ["the disk is full"] * 2


def test_other_lines_are_not_touched() -> None:
    logger, kept, _ = logged()
    for _ in range(2):
        logger.warning("plain")
        logger.warning("%(key)s", {"key": "mapped"})
        logger.warning("%s", Conflict("changed"))
        try:
            raise ValueError("a defect")
        except ValueError:
            logger.exception("failed")
    assert kept.lines == ["plain", "mapped", "changed", "failed"] * 2
