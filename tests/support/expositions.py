"""Prometheus' text format, version 0.0.4, read strictly: what `promtool check metrics` would refuse fails here.

Every family has one HELP and one TYPE line before its samples, which stand together; names, labels and values are well
formed; no series is there twice; counters end in _total unless upstream's name is another; a histogram has buckets that
grow up to +Inf, a sum, and a count that is the last bucket.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict

NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*\Z")
SAMPLE = re.compile(r"(?P<name>[^\s{]+)(?:\{(?P<labels>.*)\})? (?P<value>\S+)\Z")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|\Z)')
SUFFIXES = ("_bucket", "_sum", "_count")
# Names that upstream chose before the rule.
ODD_COUNTERS = {"join_result_counter", "leave_result_counter"}


def checked(text: str) -> dict[str, float]:
    """Samples by series as they are written, after checking all of it."""
    assert text.endswith("\n"), "the last line has to end"
    types: dict[str, str] = {}
    helped: set[str] = set()
    found: dict[str, float] = {}
    buckets: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    family = ""
    for line in text.splitlines():
        if line.startswith("# HELP "):
            name = line.split(" ", 3)[2]
            assert name not in helped, f"{name} is helped twice"
            helped.add(name)
            family = name
            continue
        if line.startswith("# TYPE "):
            _, _, name, type_ = line.split(" ")
            assert NAME.match(name), name
            assert name == family, f"the type of {name} stands under {family}"
            assert type_ in {"counter", "gauge", "histogram"}, line
            assert type_ != "counter" or name.endswith("_total") or name in ODD_COUNTERS, line
            types[name] = type_
            continue
        read = SAMPLE.match(line)
        assert read is not None, line
        name, value = read["name"], _value(read["value"])
        labels = _labels(read["labels"] or "")
        base = name
        if types.get(name) is None:
            suffix = next((each for each in SUFFIXES if name.endswith(each)), "")
            base = name.removesuffix(suffix)
            assert types.get(base) == "histogram", f"{name} has no type"
        assert base == family, f"{name} stands under {family}"
        series = line.rpartition(" ")[0]
        assert series not in found, f"{series} is told twice"
        found[series] = value
        if types[base] == "counter":
            assert value >= 0, line
        if name.endswith("_bucket") and types[base] == "histogram":
            bound = _value(labels.pop("le"))
            rest = ",".join(f'{key}="{each}"' for key, each in labels.items())
            buckets[base, rest].append((bound, value))
    for (name, rest), counts in buckets.items():
        assert counts == sorted(counts), f"{name}{{{rest}}}: buckets have to grow"
        assert counts[-1][0] == math.inf, f"{name}{{{rest}}} has no last bucket"
        shown = f"{{{rest}}}" if rest else ""
        assert found[f"{name}_count{shown}"] == counts[-1][1], f"{name}{shown}"
        assert f"{name}_sum{shown}" in found, f"{name}{shown}"
    assert helped == set(types), helped ^ set(types)
    return found


def _labels(text: str) -> dict[str, str]:
    found = {}
    place = 0
    while place < len(text):
        read = LABEL.match(text, place)
        assert read is not None, f"labels {text!r} at {place}"
        assert read[1] not in found, f"label {read[1]} is given twice"
        found[read[1]] = read[2]
        place = read.end()
    return found


def _value(text: str) -> float:
    assert text in {"+Inf", "-Inf", "NaN"} or re.match(r"-?[0-9.]+(e[+-]?[0-9]+)?\Z", text), text
    return float(text)
