"""The command line of fleets: `up` runs one here, `hub` and `member` run its controllers on clusters that are there."""

from __future__ import annotations

import argparse
from pathlib import Path

from argosy.cli.flags import Commands, add_parser


def add_fleet(commands: Commands) -> None:
    _add_up(commands)
    _add_hub(commands)
    _add_member(commands)


def _add_up(commands: Commands) -> None:
    up = add_parser(
        commands,
        ("up",),
        "Run a whole fleet in the foreground: a hub and its members, each with nodes, on this machine.",
    )
    up.add_argument(
        "--members", type=_count, default=3, metavar="N", help="how many members (default: 3)"
    )
    up.add_argument(
        "--state", type=Path, metavar="DIR", help="directory that keeps the fleet's clusters"
    )
    up.add_argument(
        "--memory", action="store_true", help="keep everything in memory; nothing survives the end"
    )
    up.add_argument(
        "--kubeconfig",
        type=Path,
        metavar="FILE",
        required=True,
        help="where to write the kubeconfig (mode 0600; contexts hub, cluster-1, ...)",
    )
    add_placing(up)
    up.set_defaults(run=_up)


def _add_hub(commands: Commands) -> None:
    hub = add_parser(
        commands,
        ("hub",),
        "Run the hub's controllers in the foreground, on any Kubernetes API server.",
    )
    hub.add_argument("--kubeconfig", type=Path, metavar="FILE", help="how to reach the hub")
    hub.add_argument("--context", default="", metavar="NAME", help="its context there")
    add_placing(hub)
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
    from argosy.cli.running import up

    return up(parsed)


def _hub(parsed: argparse.Namespace) -> int:
    from argosy.cli.running import hub

    return hub(parsed)


def _member(parsed: argparse.Namespace) -> int:
    from argosy.cli.running import member

    return member(parsed)
