"""What `make conformance` prints of a directory, and how it ends, by cases made up here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.__main__ import main
from tests.conformance.cases import load
from tests.conformance.running import Exceptions, Trial, run


def _priority(name: str, want: int, **more: Any) -> dict[str, Any]:
    """A workload of priority 7, which is wanted to be something."""
    return {
        "id": f"priority/TestPriority/{name}",
        "area": "priority",
        "name": name,
        "source": {"function": "TestPriority"},
        "input": {"workload": {"spec": {"priority": 7}}},
        "expected": {"result": want},
        **more,
    }


def _flavor(name: str, field: str) -> dict[str, Any]:
    """A flavor with a node label that is not valid, as a line of the API's tables."""
    error = {"Type": "FieldValueInvalid", "Field": field}
    flavor = {"metadata": {"name": "f"}, "spec": {"nodeLabels": {"@": "v"}}}
    case = {"rf": flavor, "wantErr": [error]}
    return {"area": "validation", "test": "TestValidateResourceFlavor", "name": name, "case": case}


def _write(path: Path, *lines: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")


def test_one_line_for_each_area_then_the_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(tmp_path / "kueue" / "some.jsonl", _priority("right", 7), _priority("wrong", 8))
    _write(tmp_path / "kueue-api" / "others.jsonl", _flavor("right", "spec.nodeLabels"))
    assert main(["--fixtures", str(tmp_path)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "priority: 1 passed, 1 failed, 0 listed",
        "  priority/TestPriority/wrong",
        "      result: want 8, got 7",
        "validation: 1 passed, 0 failed, 0 listed",
        "2 passed, 1 failed",
    ]


def test_an_area_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(tmp_path / "some.jsonl", _priority("wrong", 8))
    _write(tmp_path / "others.jsonl", _flavor("right", "spec.nodeLabels"))
    assert main(["--fixtures", str(tmp_path), "--area", "validation"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 passed, 0 failed"


def test_a_directory_without_cases(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _write(tmp_path / "notes.jsonl", {"something": "else"})
    assert main(["--fixtures", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().out


def test_a_test_that_nobody_knows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    unknown = _priority("new", 7) | {"source": {"function": "TestSomethingNew"}}
    _write(tmp_path / "some.jsonl", unknown)
    assert main(["--fixtures", str(tmp_path)]) == 1
    assert "nothing here runs TestSomethingNew of area priority" in capsys.readouterr().out


def test_gates_are_those_that_differ_from_their_default(tmp_path: Path) -> None:
    gates = {"PriorityBoost": True, "PartialAdmission": True, "ReclaimablePods": False}
    variant = {"featureGates": {"PriorityBoost": False}, "expected": {"result": 9}}
    _write(tmp_path / "some.jsonl", _priority("it", 8, featureGates=gates, variants=[variant]))
    main_case, other = load([tmp_path])
    assert main_case.gates == {"PriorityBoost": True, "ReclaimablePods": False}
    assert (other.gates, other.expected) == ({"ReclaimablePods": False}, {"result": 9})


def _trial(differences: list[str]) -> Trial:
    return Trial("a/t/c", "a", "t", lambda: differences, {"Gate": True}, {"fault": "x"}, {"o": [1]})


@pytest.mark.parametrize(
    ("entry", "is_listed"),
    [
        ('[[areas]]\narea = "a"', True),
        ('[[areas]]\narea = "b"', False),
        ('[[tests]]\narea = "a"\ntest = "t"', True),
        ('[[tests]]\narea = "b"\ntest = "t"', False),
        ('[[cases]]\nid = "a/t/c"', True),
        ('[[gates]]\ngate = "Gate"\nvalue = true', True),
        ('[[gates]]\ngate = "Gate"\nvalue = false', False),
        ('[[gates]]\ngate = "Other"\nvalue = false', False),
        ('[[inputs]]\narea = "a"\ninput = "fault"', True),
        ('[[inputs]]\narea = "a"\ninput = "none"', False),
        ('[[objects]]\narea = "a"\nobjects = "o"', True),
        ('[[objects]]\narea = "b"\nobjects = "o"', False),
    ],
)
def test_what_is_listed(tmp_path: Path, entry: str, is_listed: bool) -> None:
    path = tmp_path / "exceptions.toml"
    path.write_text(f'{entry}\nreason = "because"\n')
    exceptions = Exceptions(path)
    assert run(_trial(["differs"]), exceptions).kind == ("listed" if is_listed else "failed")
    assert run(_trial([]), exceptions).kind == "passed"


def test_nothing_is_listed_without_a_reason(tmp_path: Path) -> None:
    path = tmp_path / "exceptions.toml"
    path.write_text('[[areas]]\narea = "a"\n')
    with pytest.raises(ValueError, match="has no reason"):
        Exceptions(path)
