"""Logs for people and for machines."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from argosy.base import logs


@contextmanager
def alone() -> Iterator[None]:
    """Without the handlers that pytest puts up for each test."""
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    root.handlers = []
    try:
        yield
    finally:
        root.handlers, root.level = handlers, level


@alone()
def test_a_line_of_json_has_fields_and_exceptions() -> None:
    stream = io.StringIO()
    logs.configure("json", stream=stream, fields={"process": "members-1"})
    logger = logging.getLogger("argosy.test")
    logger.info("%s has joined", "cluster-1", extra={"cluster": "cluster-1", "message_id": 3})
    try:
        raise ValueError("no\nsuch thing")
    except ValueError:
        logger.exception("it failed")
    logger.debug("not told")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert first.pop("time").endswith("Z")
    assert first == {
        "level": "info",
        "logger": "argosy.test",
        "message": "cluster-1 has joined",
        "process": "members-1",
        "cluster": "cluster-1",
        "message_id": 3,
    }
    assert (second["level"], second["message"]) == ("error", "it failed")
    assert second["exception"].startswith("Traceback")
    assert second["exception"].endswith("ValueError: no\nsuch thing")


@alone()
def test_a_line_of_text_is_for_people() -> None:
    stream = io.StringIO()
    logs.configure("text", stream=stream)
    logging.getLogger("argosy.test").warning("not joined yet: %s", "cluster-2")
    assert stream.getvalue().endswith(" WARNING argosy.test: not joined yet: cluster-2\n")


@alone()
def test_the_last_configuration_counts() -> None:
    first, second = io.StringIO(), io.StringIO()
    logs.configure("text", stream=first)
    logs.configure("json", stream=second)
    logging.getLogger("argosy.test").info("hello")
    assert (first.getvalue(), json.loads(second.getvalue())["message"]) == ("", "hello")


def test_where_somebody_else_handles_logs_it_stays_with_them() -> None:
    stream = io.StringIO()
    logs.configure("text", stream=stream)
    logging.getLogger("argosy.test").warning("for pytest")
    assert stream.getvalue() == ""


def test_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match='"xml" is no form of logs; there are text and json'):
        logs.configure("xml")
