"""The README's numbers are those of the benchmarks' results, each with its command, date, commit and machine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench import recording
from bench.recording import README, RESULTS, Result, Unreadable, filled, read

NAMES = sorted(path.stem for path in RESULTS.glob("*.md"))


def test_the_readme_has_what_was_recorded() -> None:
    assert filled(README.read_text()) == README.read_text(), "run `make readme`"


def test_every_result_is_in_the_readme_or_says_how_it_was_measured() -> None:
    shown = re.findall(r"<!-- numbers: (\S+) -->", README.read_text())
    assert len(shown) == len(set(shown))
    assert set(shown) <= set(NAMES)
    for name in NAMES:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", read(name).date), name


def test_every_table_of_numbers_is_a_result() -> None:
    """Outside of the sections there are no tables but those of words."""
    rest = re.sub(
        r"<!-- numbers: .*?<!-- end of numbers -->", "", README.read_text(), flags=re.DOTALL
    )
    for line in rest.splitlines():
        if line.startswith("|"):
            assert not re.search(r"\d+(\.\d+)? (ms|s|MiB|GiB)\b|/s\b", line), line


@pytest.mark.parametrize("name", NAMES)
def test_the_command_is_a_target_of_the_makefile(name: str) -> None:
    target = read(name).command.removeprefix("make ")
    assert f"\n{target}: " in (recording.ROOT / "Makefile").read_text()


def test_a_recorded_table_is_read_as_it_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(recording, "ROOT", tmp_path)
    recording.record("x", "make bench-x", [["", "median"], ["a", "1 ms"]], "quiet")
    got = read("x")
    assert got.body.strip() == "| | median |\n| --- | --- |\n| a | 1 ms |\n\nquiet"
    assert got.command == "make bench-x"
    assert (
        Result(got.command, got.date, got.commit, got.machine, got.body).text
        == (tmp_path / "results" / "x.md").read_text().rstrip() + "\n"
    )


def test_a_section_without_a_result_is_named() -> None:
    with pytest.raises(Unreadable, match=r"bench/results/nothing.md is not there"):
        filled("<!-- numbers: nothing -->\n<!-- end of numbers -->\n")
