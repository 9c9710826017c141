"""The command line of `argosy demo`. Nothing heavy is loaded before it runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from argosy.cli.flags import Commands, add_parser

STORIES: Final = ("guide", "fairness", "burst")
PACES: Final = ("fast", "read", "step")
_MOST_JOBS: Final = 2000


def add_demo(commands: Commands) -> None:
    demo = add_parser(
        commands,
        ("demo",),
        "Show what Argosy does, on a fleet that is there for the demo alone. "
        "guide: from an empty fleet to finished jobs, step by step (the default); fairness: tenants that share one "
        "cluster; burst: jobs submitted one after the other, all over the fleet. Ctrl-C ends it at any moment.",
    )
    demo.add_argument(
        "story", nargs="?", choices=STORIES, default=STORIES[0], help="which one (default: guide)"
    )
    demo.add_argument(
        "--state",
        type=Path,
        metavar="DIR",
        help="a new or an empty directory for the demo (default: a temporary one; with --keep, argosy/demo in your "
        "data directory)",
    )
    demo.add_argument(
        "--pace",
        choices=PACES,
        help="fast: one step after the other; read: with a pause to read; step: a key for each "
        "(default: read on a terminal, else fast)",
    )
    demo.add_argument(
        "--keep", action="store_true", help="leave the fleet running when the demo is over"
    )
    burst = demo.add_argument_group("burst")
    burst.add_argument(
        "--jobs", type=_jobs, default=200, metavar="N", help="how many jobs (default: 200)"
    )
    burst.add_argument(
        "--rate", type=_rate, default=5.0, metavar="N", help="how many a second (default: 5)"
    )
    burst.add_argument(
        "--template",
        action="store_true",
        help="one placement template for all jobs, instead of a ResourcePlacement for each",
    )
    demo.set_defaults(run=_run)


def _jobs(text: str) -> int:
    number = int(text)
    if not 1 <= number <= _MOST_JOBS:
        raise argparse.ArgumentTypeError(f"{number} is no number of jobs from 1 to {_MOST_JOBS}")
    return number


def _rate(text: str) -> float:
    number = float(text)
    if not 0 < number <= 1000:
        raise argparse.ArgumentTypeError(f"{text} is no number of jobs a second up to 1000")
    return number


def _run(parsed: argparse.Namespace) -> int:
    from argosy.cli.demos.running import run

    return run(parsed)
