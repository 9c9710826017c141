"""Kueue's API cases (../shared/fixtures/kueue-api): what a write is told, and what a version becomes in the other.

A line of these files is `{area, test, name, case}`, where `test` names upstream's table and `case` has its fields.
A runner takes such a line and gives back its differences, none when the case passes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from argosy.queueing.conversion import CONVERTERS
from tests.conformance.comparing import differences, is_empty

_CONVERSION: Final = re.compile(
    r"Test(?P<kind>\w+?)(?P<way>ConvertTo|ConvertFrom|Conversion_RoundTrip(_Reverse)?)$"
)
_UP: Final = ("v1beta1", "v1beta2")
_DOWN: Final = ("v1beta2", "v1beta1")


def load(directory: Path, area: str) -> Iterator[dict[str, Any]]:
    """The cases of one area, `validation` or `conversion`."""
    with (directory / f"{area}.jsonl").open() as lines:
        for line in lines:
            yield json.loads(line)


def run_conversion(case: dict[str, Any]) -> list[str]:
    """Upstream's ConvertTo goes from v1beta1 to v1beta2, ConvertFrom back; a round trip ends where it began."""
    found = _CONVERSION.match(case["test"])
    if found is None or found["kind"] not in CONVERTERS:
        return [f"nothing here runs {case['test']}"]
    convert, fields = CONVERTERS[found["kind"]], case["case"]
    match found["way"]:
        case "ConvertTo":
            want, got = fields["expected"], convert[_UP](fields["input"])
        case "ConvertFrom":
            want, got = fields["expected"], convert[_DOWN](fields["input"])
        case "Conversion_RoundTrip":
            want = fields["v1beta1Obj"]
            got = convert[_DOWN](convert[_UP](want))
        case _:
            want = fields["v1beta2Obj"]
            got = convert[_UP](convert[_DOWN](want))
    return differences(said(want), said(got))


def said(value: Any) -> Any:
    """A value without what says nothing: upstream's structs print zeros where objects have no field."""
    match value:
        case dict():
            fields = {name: said(field) for name, field in value.items() if name != "apiVersion"}
            return {name: field for name, field in fields.items() if not is_empty(field)}
        case list():
            return [said(item) for item in value]
        case _:
            return value
