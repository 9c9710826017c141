"""The command line of fleets: `up` runs one here, `down`, `status` and `reset` look after it, `hub` and `member` run
its controllers on clusters that are there.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from argosy.base.collecting import look_rarely
from argosy.cli.flags import Commands, add_logging, add_parser, add_queueing

_STATE = "the fleet's directory (default: $ARGOSY_STATE, else argosy/fleet in your data directory)"


def add_fleet(commands: Commands) -> None:
    _add_up(commands)
    _add_down(commands)
    _add_status(commands)
    _add_reset(commands)
    _add_hub(commands)
    _add_member(commands)


def _add_up(commands: Commands) -> None:
    up = add_parser(
        commands,
        ("up",),
        "Run a whole fleet: a hub and its members, each with nodes, on this machine.",
    )
    which = up.add_mutually_exclusive_group()
    which.add_argument(
        "--members",
        type=_count,
        metavar="N",
        help="how many members (default: those of the last start, else 3)",
    )
    which.add_argument(
        "--fleet",
        type=Path,
        metavar="FILE",
        help="a fleet file: members with regions, labels, taints, node pools and prices (see docs/fleet-file.md); what "
        "it says holds again at every start that names it",
    )
    up.add_argument("--state", type=Path, metavar="DIR", help=_STATE)
    up.add_argument(
        "--memory", action="store_true", help="keep everything in memory; nothing survives the end"
    )
    up.add_argument(
        "--kubeconfig",
        type=Path,
        metavar="FILE",
        help="where to write the kubeconfig (mode 0600; contexts hub, cluster-1, ...; default: kubeconfig in the "
        "fleet's directory, where every argosy command finds it)",
    )
    up.add_argument(
        "--merge-kubeconfig",
        action="store_true",
        help="put the contexts into ~/.kube/config too, beside what is there; `argosy reset` removes them",
    )
    up.add_argument(
        "--detach",
        action="store_true",
        help="run in the background (log: argosy.log in the fleet's directory); returns when the fleet is ready",
    )
    up.add_argument(
        "--no-screen",
        action="store_true",
        help="print lines instead of the live screen that a terminal shows",
    )
    up.add_argument(
        "--processes",
        type=_processes,
        default=1,
        metavar="N",
        help="how many processes share the work: the hub has one, members are spread over the others (default: 1 for "
        "all)",
    )
    up.add_argument(
        "--port",
        type=_port,
        default=0,
        metavar="N",
        help="the hub's port on 127.0.0.1 (default: a free one, remembered)",
    )
    add_queueing(up)
    add_placing(up)
    add_logging(up)
    # What --detach starts.
    up.add_argument("--background", action="store_true", help=argparse.SUPPRESS)
    up.set_defaults(run=_up)


def _add_down(commands: Commands) -> None:
    down = add_parser(
        commands,
        ("down",),
        "End the fleet that `argosy up` runs; its state stays. Nothing running is no error.",
    )
    down.add_argument("--state", type=Path, metavar="DIR", help=_STATE)
    down.add_argument(
        "--timeout",
        type=_seconds,
        default=30.0,
        metavar="DURATION",
        help="how long to wait for its end (default: 30s; exit code 124 when that is over)",
    )
    down.add_argument(
        "--force", action="store_true", help="kill what has not ended by then; nothing is lost"
    )
    down.set_defaults(run=_down)


def _add_status(commands: Commands) -> None:
    status = add_parser(
        commands,
        ("status",),
        "Show the fleet that `argosy up` runs: its processes and its clusters. "
        "Exit code 0: all is up; 1: something is not; 3: it does not run.",
    )
    status.add_argument("--state", type=Path, metavar="DIR", help=_STATE)
    status.add_argument(
        "-o", "--output", default="", metavar="FORM", help="wide, json or yaml (default: tables)"
    )
    status.set_defaults(run=_status)


def _add_reset(commands: Commands) -> None:
    reset = add_parser(
        commands,
        ("reset",),
        "Delete the fleet that does not run: its clusters and all that is in them.",
    )
    reset.add_argument("--state", type=Path, metavar="DIR", help=_STATE)
    reset.add_argument("-y", "--yes", action="store_true", help="do not ask")
    reset.set_defaults(run=_reset)


def _add_hub(commands: Commands) -> None:
    hub = add_parser(
        commands,
        ("hub",),
        "Run the hub's controllers in the foreground, on any Kubernetes API server.",
    )
    hub.add_argument("--kubeconfig", type=Path, metavar="FILE", help="how to reach the hub")
    hub.add_argument("--context", default="", metavar="NAME", help="its context there")
    add_placing(hub)
    add_logging(hub)
    hub.set_defaults(run=_hub)


def _add_member(commands: Commands) -> None:
    member = add_parser(
        commands,
        ("member",),
        "Run a member's agent in the foreground, between any two Kubernetes API servers.",
    )
    member.add_argument("name", metavar="NAME", help="the name of its MemberCluster on the hub")
    member.add_argument(
        "--hub-kubeconfig",
        type=Path,
        required=True,
        metavar="FILE",
        help="how to reach the hub, as the identity that the MemberCluster names",
    )
    member.add_argument("--hub-context", default="", metavar="NAME", help="the hub's context there")
    member.add_argument("--kubeconfig", type=Path, metavar="FILE", help="how to reach the member")
    member.add_argument("--context", default="", metavar="NAME", help="its context there")
    member.add_argument(
        "--hold-jobs",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="keep jobs that were placed here, by a finalizer, until the hub knows how they ended (default: on; "
        "without it, a job that ends and goes while no agent looks is run again)",
    )
    add_logging(member)
    member.set_defaults(run=_member)


def add_placing(parser: argparse.ArgumentParser) -> None:
    """How placements are dealt with; the flags with long names are the hub agent's of KubeFleet."""
    for flag, default, text in (
        (
            "--resource-changes-collection-duration",
            15.0,
            "how long changes of selected objects are gathered",
        ),
        (
            "--resource-snapshot-creation-minimum-interval",
            30.0,
            "how far apart snapshots of selected objects are made",
        ),
    ):
        parser.add_argument(
            flag,
            type=_seconds,
            default=default,
            metavar="DURATION",
            help=f"{text} (default: {default:g}s)",
        )
    parser.add_argument(
        "--wording",
        choices=("release", "head"),
        default="release",
        help="whose messages placements tell: KubeFleet's releases (default), or its newest commits",
    )


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 200:
        raise argparse.ArgumentTypeError(f"{number} is no number of members between 1 and 200")
    return number


def _processes(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is no number of processes: say 1 or more")
    return number


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{number} is no port between 1 and 65535")
    return number


def _seconds(text: str) -> float:
    from argosy.base.durations import parse_duration

    try:
        seconds = parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no duration such as 15s: {error}") from None
    if seconds < 0:
        raise argparse.ArgumentTypeError(f"{text} is in the past: say 0s or more")
    return seconds


def _up(parsed: argparse.Namespace) -> int:
    if parsed.memory and parsed.detach:
        print(
            "argosy up: --detach is for a fleet with a state directory, where `argosy down` finds it: leave out "
            "--memory or --detach",
            file=sys.stderr,
        )
        return 2
    if parsed.detach:
        from argosy.cli.detaching import detach

        return detach(parsed)
    look_rarely()
    from argosy.cli.running import up

    return up(parsed)


def _down(parsed: argparse.Namespace) -> int:
    from argosy.cli.ending import down

    return down(parsed)


def _status(parsed: argparse.Namespace) -> int:
    from argosy.cli.statuses import status

    return status(parsed)


def _reset(parsed: argparse.Namespace) -> int:
    from argosy.cli.ending import reset

    return reset(parsed)


def _hub(parsed: argparse.Namespace) -> int:
    look_rarely()
    from argosy.cli.running import hub

    return hub(parsed)


def _member(parsed: argparse.Namespace) -> int:
    look_rarely()
    from argosy.cli.running import member

    return member(parsed)
