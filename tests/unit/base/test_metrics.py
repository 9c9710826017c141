"""Metrics count, and print in Prometheus' text format."""

from __future__ import annotations

import pytest

from argosy.base.metrics import Registry


def test_exposition() -> None:
    registry = Registry()
    requests = registry.counter("requests_total", "All\nrequests.", ("verb", "code"))
    requests.inc(("GET", "200"))
    requests.inc(("GET", "200"), 2)
    requests.inc(('a"b\\c\n', "500"))
    depth = registry.gauge("depth", "Items.")
    depth.set((), 2.5)
    seconds = registry.histogram("seconds", "Time.", ("verb",), (0.1, 1))
    for value in (0.05, 0.1, 0.5, 7):
        seconds.observe(("GET",), value)
    want = r"""# HELP depth Items.
# TYPE depth gauge
depth 2.5
# HELP requests_total All\nrequests.
# TYPE requests_total counter
requests_total{verb="GET",code="200"} 3
requests_total{verb="a\"b\\c\n",code="500"} 1
# HELP seconds Time.
# TYPE seconds histogram
seconds_bucket{verb="GET",le="0.1"} 2
seconds_bucket{verb="GET",le="1"} 3
seconds_bucket{verb="GET",le="+Inf"} 4
seconds_sum{verb="GET"} 7.65
seconds_count{verb="GET"} 4
"""
    assert registry.exposition().decode() == want


def test_gauges_can_follow_and_forget() -> None:
    gauge = Registry().gauge("size", "Size.", ("name",))
    gauge.follow(("a",), lambda: 7)
    gauge.inc(("b",), 3)
    gauge.dec(("b",))
    assert list(gauge.samples()) == ['size{name="a"} 7', 'size{name="b"} 2']
    gauge.forget(("a",))
    gauge.set(("b",), float("nan"))
    assert list(gauge.samples()) == ['size{name="b"} NaN']


def test_gauges_can_be_brought_up_to_date_when_they_are_read() -> None:
    registry = Registry()
    gauge = registry.gauge("size", "Size.", ("name",))
    known = {"a": 1, "b": 2}
    registry.refresh(lambda: gauge.replace({(name,): value for name, value in known.items()}))

    def shown() -> list[str]:
        return [line for line in registry.exposition().decode().splitlines() if line[0] != "#"]

    assert shown() == ['size{name="a"} 1', 'size{name="b"} 2']
    del known["a"]
    known["b"] = 3
    assert shown() == ['size{name="b"} 3']


def test_a_name_is_one_metric() -> None:
    registry = Registry()
    counter = registry.counter("x", "X.", ("a",))
    assert registry.counter("x", "X.", ("a",)) is counter
    with pytest.raises(ValueError, match="metric x exists as a counter"):
        registry.gauge("x", "X.", ("a",))


def test_reading_values() -> None:
    registry = Registry()
    histogram = registry.histogram("h", "H.")
    histogram.observe((), 1)
    assert (histogram.count(), histogram.count(("none",)), registry.counter("c", "C.").value()) == (
        1,
        0,
        0,
    )
