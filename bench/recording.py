"""Results of benchmarks, kept: a file each in bench/results, and the README's numbers, which are those files'.

A benchmark with `--record` writes what it measured to `bench/results/NAME.md`: a first line that says with which
command, when, at which commit and on which machine, and below it a table. `make readme` puts the files into README.md,
each between its markers; a test holds the two against each other. So no number in the README is typed by hand, and each
has its command, date and commit beside it.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = Path(__file__).with_name("results")
README = ROOT / "README.md"

_HEAD = re.compile(r"<!-- (.+?) · (.+?) · commit (\S+) · (.+?) -->\n+")
_SECTION = re.compile(
    r"(<!-- numbers: (\S+) -->\n)(.*?)(<!-- end of numbers -->)", re.DOTALL | re.MULTILINE
)


@dataclass(slots=True, frozen=True)
class Result:
    """What was measured once: `body` is Markdown."""

    command: str
    date: str
    commit: str
    machine: str
    body: str

    @property
    def text(self) -> str:
        head = f"<!-- {self.command} · {self.date} · commit {self.commit} · {self.machine} -->"
        return f"{head}\n\n{self.body.strip()}\n"

    @property
    def section(self) -> str:
        """As the README has it."""
        told = f"`{self.command}`, {self.date}, commit {self.commit}, {self.machine}"
        return f"{self.body.strip()}\n\n<sub>{told}</sub>\n"


class Unreadable(Exception):
    """A file that is no result, or a section that has none."""


def read(name: str) -> Result:
    path = RESULTS / f"{name}.md"
    if not path.exists():
        raise Unreadable(f"{path.relative_to(ROOT)} is not there: record it with its benchmark")
    text = path.read_text()
    head = _HEAD.match(text)
    if head is None:
        raise Unreadable(f"{path.relative_to(ROOT)} does not say how it was measured")
    command, date, commit, machine = head.groups()
    return Result(command, date, commit, machine, text[head.end() :])


def add_recording(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--record", action="store_true", help="keep what was measured in bench/results"
    )


def record(name: str, command: str, lines: list[list[str]], *notes: str) -> None:
    """Keep a table, its head first, and what is to be said below it."""
    body = "\n\n".join([markdown(lines), *notes])
    result = Result(command, f"{datetime.now(UTC):%Y-%m-%d}", _commit(), _machine(), body)
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.md"
    path.write_text(result.text)
    print(f"recorded in {path.relative_to(ROOT)}; `make readme` puts it into the README")


def markdown(lines: list[list[str]]) -> str:
    """A table, its head first."""
    return "\n".join([_row(lines[0]), _row(["---"] * len(lines[0])), *map(_row, lines[1:])])


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |".replace("|  |", "| |")


def _commit() -> str:
    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=ROOT, check=False, capture_output=True, text=True
        )
        return done.stdout.strip()

    changed = "+" if git("status", "--porcelain", "--untracked-files=no", "src") else ""
    return f"{git('rev-parse', '--short', 'HEAD') or 'unknown'}{changed}"


def _machine() -> str:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{cores} cores, {memory:.0f} GiB, Python {platform.python_version()}"


def filled(text: str) -> str:
    """The README with every section as its result has it."""
    return _SECTION.sub(
        lambda found: f"{found[1]}{read(found[2]).section}{found[4]}",
        text,
    )


def main() -> int:
    """Bring the README up to date."""
    text = README.read_text()
    README.write_text(filled(text))
    names = [found[2] for found in _SECTION.finditer(text)]
    print(f"README.md has the numbers of {', '.join(names)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
