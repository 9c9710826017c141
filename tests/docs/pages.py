"""Pages of documentation, read as what they are to a reader who types along: commands, and what they print.

A page is README.md or a file of docs/. Its fenced blocks say in their language what they are:

* `sh`: commands, each to succeed; what they print is not shown.
* `console`: commands after `$ ` (continued after `> `), each followed by what it prints.
* `python`: statements, run one block after the other in one interpreter; a `text` block right behind one is what it prints.
* `yaml`, `json`, `text`: to be read. YAML and JSON have to parse.

A page that takes a fleet for granted says how to get it, `<!-- before: COMMAND -->`: that is typed first. A block that must
not run says why in a comment right above it, `<!-- not run: REASON -->`, and a page without commands
says so once, `<!-- nothing to run: REASON -->`. Both are listed in `unplayed.yaml`, which a test holds against the
pages: nothing is skipped silently.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUN = frozenset({"sh", "console", "python"})
READ = frozenset({"yaml", "json", "text"})

_FENCE = re.compile(r"^( *)```(\S*) *$")
_COMMENT = re.compile(r"^ *<!-- (not run|nothing to run|before): (.*?) -->$")
_PROMPT, _MORE = "$ ", "> "


class Unreadable(Exception):
    """A page that nobody can play, and where."""


@dataclass(slots=True)
class Step:
    """One thing that a reader types. `shown` is what the page prints after it; None where it shows nothing."""

    line: int
    language: str
    text: str
    shown: list[str] | None = None


@dataclass(slots=True, frozen=True)
class Block:
    """A fenced block."""

    line: int
    language: str
    text: str
    # Why it is not run; empty for a block that is.
    excuse: str = ""
    # What a block of Python prints, where the page shows it.
    printed: list[str] | None = None

    @property
    def is_run(self) -> bool:
        return self.language in RUN and not self.excuse

    @property
    def steps(self) -> list[Step]:
        if self.language == "sh":
            return [
                Step(self.line + at, "sh", text) for at, text in _commands(self.text.splitlines())
            ]
        if self.language == "python":
            return [Step(self.line, "python", self.text, self.printed)]
        return list(self._dialogue())

    def _dialogue(self) -> list[Step]:
        steps: list[Step] = []
        for at, line in enumerate(self.text.splitlines(), self.line + 1):
            if line.startswith(_PROMPT):
                steps.append(Step(at, "sh", line.removeprefix(_PROMPT), []))
            elif not steps:
                raise Unreadable(f"line {at}: a console block begins with `$ COMMAND`")
            elif line.startswith(_MORE) and not steps[-1].shown:
                steps[-1].text += "\n" + line.removeprefix(_MORE)
            else:
                shown = steps[-1].shown
                assert shown is not None
                shown.append(line)
        return steps


def _commands(lines: list[str]) -> list[tuple[int, str]]:
    """Commands of a block of shell: one a line, but for lines that go on and compound ones."""
    found: list[tuple[int, str]] = []
    pending: list[str] = []
    begin = depth = 0
    here = ""
    for at, line in enumerate(lines, 1):
        if not pending:
            begin = at
        pending.append(line)
        if here:
            here = "" if line.strip() == here else here
        else:
            depth += len(re.findall(r"(?:^|;)\s*(?:for|while|until|if|case)\b", line))
            depth -= len(re.findall(r"(?:^|;)\s*(?:done|fi|esac)\b", line))
            document = re.search(r"<<-?\s*'?\"?(\w+)", line)
            here = document[1] if document else ""
        if depth > 0 or here or line.endswith("\\"):
            continue
        text = "\n".join(pending).strip()
        pending = []
        if text and not all(each.lstrip().startswith("#") for each in text.splitlines()):
            found.append((begin, text))
    if pending:
        raise Unreadable(f"a command begins in line {begin} of a block and does not end: {pending}")
    return found


@dataclass(slots=False, frozen=True)
class Page:
    """One file of documentation."""

    path: Path
    text: str = field(repr=False)

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT) if self.path.is_relative_to(ROOT) else self.path)

    @cached_property
    def blocks(self) -> list[Block]:
        found: list[Block] = []
        opened: tuple[int, str, str] | None = None
        lines: list[str] = []
        excuse = ""
        is_answer = False
        for at, line in enumerate(self.text.splitlines(), 1):
            fence = _FENCE.match(line)
            if opened is None:
                comment = _COMMENT.match(line)
                if fence:
                    opened, lines = (at, fence[1], fence[2]), []
                elif comment and comment[1] == "not run":
                    excuse = comment[2]
                elif line.strip():
                    excuse, is_answer = "", False
            elif fence and not fence[2]:
                begin, indent, language = opened
                stripped = [each.removeprefix(indent) for each in lines]
                if is_answer and language == "text":
                    found[-1] = replace(found[-1], printed=stripped)
                found.append(Block(begin, language, "\n".join(stripped), excuse))
                opened, excuse, is_answer = None, "", language == "python"
            else:
                lines.append(line)
        if opened is not None:
            raise Unreadable(f"{self.name}, line {opened[0]}: a block that does not end")
        return found

    @cached_property
    def steps(self) -> list[Step]:
        try:
            typed = [step for block in self.blocks if block.is_run for step in block.steps]
            return [*self._before, *typed] if typed else []
        except Unreadable as problem:
            raise Unreadable(f"{self.name}: {problem}") from None

    @cached_property
    def prose(self) -> str:
        """The page without its blocks."""
        kept, inside = [], False
        for line in self.text.splitlines():
            if _FENCE.match(line):
                inside = not inside
            elif not inside:
                kept.append(line)
        return "\n".join(kept)

    @property
    def _before(self) -> list[Step]:
        comments = ((at, _COMMENT.match(line)) for at, line in enumerate(self.text.splitlines(), 1))
        return [
            Step(at, "sh", found[2]) for at, found in comments if found and found[1] == "before"
        ]

    @property
    def excuse(self) -> str:
        """Why it has nothing to run, if it says so."""
        for line in self.text.splitlines():
            comment = _COMMENT.match(line)
            if comment and comment[1] == "nothing to run":
                return comment[2]
        return ""

    @property
    def is_for_a_cluster(self) -> bool:
        """Whether it is about one cluster alone, by its first command that starts something."""
        for step in self.steps:
            if found := re.search(r"\bargosy (up|serve)\b", step.text):
                return found[1] == "serve"
        return False


def load(path: Path) -> Page:
    return Page(path, path.read_text())


def all_pages() -> list[Page]:
    return [load(path) for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))]
