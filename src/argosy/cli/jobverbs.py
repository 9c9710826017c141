"""The command line of who runs jobs: submit, jobs, logs, cancel, events; each over the whole fleet.

They stand on the SDK (`argosy.sdk`), which is loaded when one of them runs.
"""

from __future__ import annotations

import argparse
from typing import Final

from argosy.cli.flags import Commands, add_all_namespaces, add_connection, add_parser

JOB: Final = "a job's name, or KIND/NAME where several kinds have it (rayjob/train)"


def add_job_commands(commands: Commands) -> None:
    _add_submit(commands)
    _add_jobs(commands)
    _add_logs(commands)
    _add_cancel(commands)
    _add_events(commands)


def add_fleet_command(
    commands: Commands, name: str, summary: str, module: str, coroutine: str
) -> argparse.ArgumentParser:
    """A command that talks to a whole fleet; `coroutine` of `module` does it, with an AsyncFleet."""
    parser = add_parser(commands, (name,), summary)
    add_connection(parser)
    parser.set_defaults(run=_run, module=f"argosy.cli.{module}", coroutine=coroutine)
    return parser


def _add_submit(commands: Commands) -> None:
    parser = add_fleet_command(
        commands,
        "submit",
        "Submit jobs to the fleet; each goes to the cluster that suits it best, and waits there in its queue.",
        "submitting",
        "submit",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="manifests of jobs, YAML or JSON; - is standard input. Each job of a file is submitted for itself",
    )
    parser.add_argument(
        "-f",
        "--filename",
        action="append",
        default=[],
        metavar="FILE",
        help="the same, as kubectl has it",
    )
    parser.add_argument(
        "-q", "--queue", default="", metavar="NAME", help="the LocalQueue to wait in"
    )
    parser.add_argument(
        "--clusters", type=_count, default=1, metavar="N", help="on how many to run it (default: 1)"
    )
    parser.add_argument(
        "--prefer",
        default="",
        metavar="WHAT",
        help="cheapest, fastest (the shortest queue) or region=NAME (default: the most room)",
    )
    parser.add_argument(
        "--name", default="", metavar="NAME", help="another name than the manifest's"
    )
    parser.add_argument(
        "--keep",
        default="10m",
        metavar="DURATION",
        help="how long job and placement stay on the hub after the end; forever never removes them (default: 10m)",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="only tell where each would go; the hub checks the objects and keeps none",
    )
    parser.add_argument(
        "--follow", action="store_true", help="tell state changes and log lines until the end"
    )
    parser.add_argument(
        "--timeout",
        default="",
        metavar="DURATION",
        help="with --follow, how long at most (exit code 124; the job goes on)",
    )
    _add_form(parser, "json, yaml or name")


def _add_jobs(commands: Commands) -> None:
    parser = add_fleet_command(
        commands,
        "jobs",
        "List the jobs of the fleet, wherever they run; finished ones too, as long as the history has them.",
        "jobs",
        "jobs",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these")
    add_all_namespaces(parser)
    parser.add_argument(
        "--state",
        action="append",
        default=[],
        metavar="STATE",
        help="Unplaced, Placing, Queued, Running, Complete, Failed, Cancelled or Suspended; several by commas",
    )
    parser.add_argument("--active", action="store_true", help="only those that have not ended")
    parser.add_argument("-q", "--queue", default="", metavar="NAME", help="of this LocalQueue")
    parser.add_argument("--cluster", default="", metavar="NAME", help="on this cluster")
    parser.add_argument(
        "-l", "--selector", default="", metavar="LABELS", help="by labels; the history has none"
    )
    parser.add_argument(
        "--sort-by",
        default="created",
        choices=("created", "name", "wait", "run", "price"),
        help="(default: created, the oldest first; wait, run and price: the most first)",
    )
    parser.add_argument(
        "-w", "--watch", action="store_true", help="go on with a line for each that changes"
    )
    parser.add_argument("--no-headers", action="store_true", help="no line of column names")
    _add_form(parser, "json, yaml, wide or name")


def _add_logs(commands: Commands) -> None:
    parser = add_fleet_command(
        commands,
        "logs",
        "Print the logs of a job's pods, from whichever clusters it runs on.",
        "logs",
        "logs",
    )
    parser.add_argument("name", metavar="JOB", help=JOB)
    parser.add_argument(
        "-f", "--follow", action="store_true", help="from its start to its end; wait for its start"
    )
    parser.add_argument(
        "--tail", type=_lines, metavar="N", help="the last N lines of each pod (default: all)"
    )
    parser.add_argument(
        "-c", "--container", default="", metavar="NAME", help="(default: the pod's first)"
    )
    parser.add_argument("--timestamps", action="store_true", help="each line with its time")
    parser.add_argument(
        "-p", "--previous", action="store_true", help="of the run before the last restart"
    )
    parser.add_argument(
        "--since", default="", metavar="DURATION", help="only what is younger, such as 5s, 2m or 3h"
    )
    parser.add_argument(
        "--prefix",
        action=argparse.BooleanOptionalAction,
        help="each line with its cluster and pod (default: where a job has several pods)",
    )


def _add_cancel(commands: Commands) -> None:
    parser = add_fleet_command(
        commands,
        "cancel",
        "End jobs wherever they are: the job and its placement are deleted from the hub.",
        "cancelling",
        "cancel",
    )
    parser.add_argument("names", nargs="+", metavar="JOB", help=JOB)
    parser.add_argument(
        "--wait", action="store_true", help="until nothing of it is left on any cluster"
    )
    parser.add_argument(
        "--timeout",
        default="1m",
        metavar="DURATION",
        help="how long to wait for each (default: 1m; exit code 124)",
    )
    _add_form(parser, "name")


def _add_events(commands: Commands) -> None:
    parser = add_fleet_command(
        commands,
        "events",
        "List the events of the hub and all members, by time.",
        "events",
        "events",
    )
    add_all_namespaces(parser)
    parser.add_argument(
        "-f", "-w", "--follow", "--watch", action="store_true", help="and those to come"
    )
    parser.add_argument(
        "--types", action="append", default=[], metavar="TYPE", help="Normal, Warning"
    )
    parser.add_argument(
        "--for",
        dest="about",
        default="",
        metavar="KIND/NAME",
        help="about this object; of a job (job/train) also about its placement, Workload and pods",
    )
    parser.add_argument("--cluster", default="", metavar="NAME", help="of this one, or of hub")
    parser.add_argument("--no-headers", action="store_true", help="no line of column names")
    _add_form(parser, "json, yaml or wide")


def _add_form(parser: argparse.ArgumentParser, forms: str) -> None:
    parser.add_argument("-o", "--output", default="", metavar="FORM", help=forms)


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of clusters: say 1 or more")
    return int(text)


def _lines(text: str) -> int | None:
    """-1 is all of them, as for kubectl."""
    if text == "-1":
        return None
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no number of lines: say 0 or more")
    return int(text)


def _run(parsed: argparse.Namespace) -> int:
    from argosy.cli.sailing import run

    return run(parsed)
