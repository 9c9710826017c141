"""`argosy --help`: the verbs in groups, each with a line, and how to go on; and examples below the help of every verb.

A verb that stands in no group is listed last, so none is lost.
"""

from __future__ import annotations

import argparse
import textwrap
from typing import Final

from argosy.cli.examples import EXAMPLES

_GROUPS: Final = (
    ("Run jobs", ("submit", "jobs", "logs", "cancel", "why", "events", "top")),
    (
        "Run a fleet",
        ("up", "down", "status", "reset", "demo", "hub", "member", "serve", "crds", "simulate"),
    ),
    ("Queues", ("list", "create", "stop", "resume", "delete", "queue")),
    ("Placements and members", ("placement", "approve", "drain", "uncordon")),
    ("As kubectl does, on the hub or a member", ("get", "describe", "edit", "patch")),
)
_OTHERS: Final = "Other commands"
_WIDTH: Final = 100
_COLUMN: Final = 14
_NEXT: Final = """\
  argosy COMMAND --help tells more, with examples. A first walk:

    argosy up --detach                  a hub and three clusters, in the background
    argosy submit job.yaml --follow     run a job where it fits best
    argosy why job/NAME                 why it waits, and what would help
"""


class GroupedParser(argparse.ArgumentParser):
    """The program itself. Its commands are ordinary parsers (`parser_class` of the subparsers)."""

    def format_help(self) -> str:
        commands = next(
            each
            for each in self._actions
            if isinstance(each, argparse._SubParsersAction)  # noqa: SLF001  (it has no other name)
        )
        helps = {each.dest: each.help or "" for each in commands._get_subactions()}  # noqa: SLF001
        named = {name for _, names in _GROUPS for name in names}
        rest = tuple(name for name in helps if name not in named)
        lines = [f"usage: {self.prog} COMMAND [...]", "", str(self.description), ""]
        for title, names in (*_GROUPS, (_OTHERS, rest)):
            there = [name for name in names if name in helps]
            if there:
                lines += [f"{title}:", *(_line(name, helps[name]) for name in there), ""]
        lines += [
            "Everywhere: -h, --help; --kubeconfig FILE, --context NAME, -n NAMESPACE; --version",
            "",
        ]
        return "\n".join(lines) + "\n" + _NEXT


def _line(name: str, text: str) -> str:
    first = text.partition("; ")[0].partition(". ")[0].partition(": ")
    said = first[0] if len(first[0]) > 24 else "".join(first)
    return textwrap.fill(
        f"  {name.ljust(_COLUMN - 2)}{said}", _WIDTH, subsequent_indent=" " * _COLUMN
    )


def add_examples(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Below the help of every verb that has none of its own."""
    for name, parser in commands.choices.items():
        examples = EXAMPLES.get(name)
        if examples and not parser.epilog:
            lines = "".join(f"  {line}\n" for line in examples)
            parser.epilog = f"examples:\n{lines}"
            parser.formatter_class = argparse.RawDescriptionHelpFormatter
            if parser.description:
                parser.description = textwrap.fill(parser.description, _WIDTH)
