"""Counters, gauges and histograms in Prometheus' text format.

A metric is a dict from a tuple of label values to a number, so counting is one dict operation and nothing is
locked: one event loop owns a registry. `exposition` does the formatting work, once per scrape. Values that somebody
else already knows are read at that time: one by one from a function (`Gauge.follow`), or many in one go, whose series
come and go with what they tell of (`Registry.refresh`, `Gauge.replace`).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import inf, isfinite
from typing import Final, NamedTuple, TypeAlias, TypeVar

Labels: TypeAlias = tuple[str, ...]

DEFAULT_BUCKETS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class _Metric(ABC):
    type = "untyped"

    def __init__(self, name: str, help_text: str, labels: Sequence[str]) -> None:
        self.name = name
        self.help = help_text
        self.labels = tuple(labels)

    @abstractmethod
    def samples(self) -> Iterator[str]:
        """One line per labelled value."""

    def _line(self, name: str, values: Labels, value: float, extra: str = "") -> str:
        pairs = [f'{k}="{_escape(v)}"' for k, v in zip(self.labels, values, strict=True)]
        if extra:
            pairs.append(extra)
        shown = f"{{{','.join(pairs)}}}" if pairs else ""
        return f"{name}{shown} {_number(value)}"


class Counter(_Metric):
    """A number that only grows."""

    type = "counter"

    def __init__(self, name: str, help_text: str, labels: Sequence[str]) -> None:
        super().__init__(name, help_text, labels)
        self._values: dict[Labels, float] = {}
        self._followed: dict[Labels, Callable[[], float]] = {}

    def inc(self, labels: Labels = (), amount: float = 1) -> None:
        values = self._values
        values[labels] = values.get(labels, 0) + amount

    def follow(self, labels: Labels, read: Callable[[], float]) -> None:
        """Ask `read` for the value whenever the metrics are read."""
        self._followed[labels] = read

    def forget(self, labels: Labels) -> None:
        """Stop reporting a series whose subject is gone."""
        self._followed.pop(labels, None)
        self._values.pop(labels, None)

    def value(self, labels: Labels = ()) -> float:
        read = self._followed.get(labels)
        return self._values.get(labels, 0) if read is None else read()

    def samples(self) -> Iterator[str]:
        for labels in sorted(self._values.keys() | self._followed.keys()):
            yield self._line(self.name, labels, self.value(labels))


class Gauge(Counter):
    """A number that goes up and down."""

    type = "gauge"

    def set(self, labels: Labels, value: float) -> None:
        self._values[labels] = value

    def dec(self, labels: Labels = (), amount: float = 1) -> None:
        self.inc(labels, -amount)

    def replace(self, values: Mapping[Labels, float]) -> None:
        """These are all the series there are, apart from followed ones."""
        self._values = dict(values)


class Histogram(_Metric):
    """How often values fell under each bound."""

    type = "histogram"

    def __init__(
        self,
        name: str,
        help_text: str,
        labels: Sequence[str],
        buckets: Sequence[float] = DEFAULT_BUCKETS,
    ) -> None:
        super().__init__(name, help_text, labels)
        self._bounds = tuple(sorted(buckets))
        # Per series: one count per bound, one beyond the last, and the sum.
        self._series: dict[Labels, tuple[list[int], list[float]]] = {}

    def observe(self, labels: Labels, value: float) -> None:
        series = self._series.get(labels)
        if series is None:
            series = self._series[labels] = ([0] * (len(self._bounds) + 1), [0.0])
        series[0][bisect_left(self._bounds, value)] += 1
        series[1][0] += value

    def forget(self, labels: Labels) -> None:
        """Stop reporting a series whose subject is gone."""
        self._series.pop(labels, None)

    def count(self, labels: Labels = ()) -> int:
        series = self._series.get(labels)
        return sum(series[0]) if series else 0

    def samples(self) -> Iterator[str]:
        for labels, (counts, (total,)) in sorted(self._series.items()):
            seen = 0
            for bound, count in zip((*self._bounds, inf), counts, strict=True):
                seen += count
                yield self._line(f"{self.name}_bucket", labels, seen, f'le="{_number(bound)}"')
            yield self._line(f"{self.name}_sum", labels, total)
            yield self._line(f"{self.name}_count", labels, seen)


M = TypeVar("M", Counter, Gauge, Histogram)


class Description(NamedTuple):
    """What a metric is, whatever its values are."""

    name: str
    type: str
    labels: Labels
    help: str


class Registry:
    """The metrics of one server or process, by name."""

    def __init__(self) -> None:
        self._metrics: dict[str, _Metric] = {}
        self._refreshers: list[Callable[[], None]] = []

    def counter(self, name: str, help_text: str, labels: Sequence[str] = ()) -> Counter:
        return self._add(Counter(name, help_text, labels))

    def gauge(self, name: str, help_text: str, labels: Sequence[str] = ()) -> Gauge:
        return self._add(Gauge(name, help_text, labels))

    def histogram(
        self,
        name: str,
        help_text: str,
        labels: Sequence[str] = (),
        buckets: Sequence[float] = DEFAULT_BUCKETS,
    ) -> Histogram:
        return self._add(Histogram(name, help_text, labels, buckets))

    def refresh(self, refresher: Callable[[], None]) -> None:
        """Have gauges brought up to date by `refresher` before they are shown."""
        self._refreshers.append(refresher)

    def described(self) -> list[Description]:
        """Every metric there is, by name."""
        return [
            Description(name, metric.type, metric.labels, metric.help)
            for name, metric in sorted(self._metrics.items())
        ]

    def exposition(self) -> bytes:
        """Everything in the text format, version 0.0.4, sorted."""
        for refresher in self._refreshers:
            refresher()
        lines: list[str] = []
        for name, metric in sorted(self._metrics.items()):
            lines.append(f"# HELP {name} {_escape_help(metric.help)}")
            lines.append(f"# TYPE {name} {metric.type}")
            lines += metric.samples()
        return "".join(f"{line}\n" for line in lines).encode()

    def _add(self, metric: M) -> M:
        """The metric of that name, made at its first use: controllers share metrics and differ in labels."""
        known = self._metrics.setdefault(metric.name, metric)
        if type(known) is not type(metric) or known.labels != metric.labels:
            raise ValueError(
                f"metric {metric.name} exists as a {known.type} with labels {known.labels}, "
                f"not as a {metric.type} with labels {metric.labels}"
            )
        return known


def _number(value: float) -> str:
    if not isfinite(value):
        return {"inf": "+Inf", "-inf": "-Inf", "nan": "NaN"}[repr(float(value))]
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def _escape(value: str) -> str:
    if "\\" in value or '"' in value or "\n" in value:
        return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    return value


def _escape_help(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n")
