"""Reads the command line and hands over to the command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from argosy import __version__
from argosy.base.collecting import look_rarely
from argosy.cli.arguments import add_commands
from argosy.cli.completions import COMPLETE, add_completion
from argosy.cli.demos.arguments import add_demo
from argosy.cli.flags import Commands, add_connection, add_logging, add_queueing, normalized
from argosy.cli.fleets import add_fleet
from argosy.cli.fleetverbs import add_fleet_commands
from argosy.cli.grouping import GroupedParser, add_examples
from argosy.cli.jobverbs import add_job_commands
from argosy.cli.simulating import add_simulate
from argosy.cli.tops import add_top


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        return _main(arguments)
    except KeyboardInterrupt:
        # Before a command has its own way to be interrupted: while it is loaded, or asks.
        return 130


def _main(arguments: Sequence[str] | None) -> int:
    parser = _parser()
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == [COMPLETE]:
        from argosy.cli.completing import complete

        return complete(parser, given[1:])
    parsed = parser.parse_args(normalized(given))
    parsed.given = given
    if parsed.command is None:
        parser.print_help()
        return 2
    code: int = parsed.run(parsed)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = GroupedParser(
        prog="argosy",
        description="AI jobs over a fleet of Kubernetes clusters.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"argosy {__version__}")
    add_connection(parser, hidden=True)
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", parser_class=argparse.ArgumentParser
    )
    add_job_commands(commands)
    add_top(commands)
    add_fleet(commands)
    add_demo(commands)
    _add_serve(commands)
    _add_crds(commands)
    add_commands(commands)
    add_fleet_commands(commands)
    add_simulate(commands)
    add_completion(commands)
    add_examples(commands)
    return parser


def _add_serve(commands: Commands) -> None:
    serve = commands.add_parser(
        "serve",
        help="run one cluster in the foreground",
        description=(
            "Run one cluster in the foreground: a Kubernetes API over HTTPS, kept in a directory or in memory, "
            "with its controllers, scheduler, node pools and nodes."
        ),
    )
    serve.add_argument(
        "--state",
        type=Path,
        metavar="DIR",
        help="directory that keeps the cluster (store, keys, certificates)",
    )
    serve.add_argument(
        "--kubeconfig",
        type=Path,
        metavar="FILE",
        required=True,
        help="where to write the kubeconfig (mode 0600, context `cluster`)",
    )
    serve.add_argument(
        "--port",
        type=int,
        default=0,
        metavar="N",
        help="port on 127.0.0.1 (default: a free one, remembered in DIR)",
    )
    serve.add_argument(
        "--memory", action="store_true", help="keep everything in memory; nothing survives the end"
    )
    serve.add_argument(
        "--bare",
        action="store_true",
        help="serve the API alone: no controllers, no scheduler, no nodes",
    )
    serve.add_argument(
        "--allow-processes",
        action="store_true",
        help="let node pools with `runtime: process` run containers' commands on THIS machine, as you",
    )
    serve.add_argument(
        "--isolation",
        choices=("podman", "bubblewrap", "namespaces", "none"),
        help="how these commands are kept apart (default: the first of these that works on this machine)",
    )
    add_queueing(serve)
    add_logging(serve)
    serve.set_defaults(run=_serve)


def _add_crds(commands: Commands) -> None:
    crds = commands.add_parser(
        "crds",
        help="print the custom kinds as CustomResourceDefinitions",
        description=(
            "Print the CustomResourceDefinitions of the custom kinds as YAML. On any cluster, "
            "`argosy crds | kubectl apply -f -` installs them; an embedded one has them from the start."
        ),
    )
    crds.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="kinds to print, such as clusterqueues (default: all)",
    )
    crds.set_defaults(run=_crds)


def _crds(parsed: argparse.Namespace) -> int:
    from argosy.cli.definitions import run

    return run(parsed)


def _serve(parsed: argparse.Namespace) -> int:
    look_rarely()
    from argosy.cli.serving import run

    for name in ("context", "namespace"):
        if hasattr(parsed, name):
            print(
                f"argosy serve: --{name} is for commands that talk to a cluster: leave it out",
                file=sys.stderr,
            )
            return 2
    if parsed.state is None and not parsed.memory:
        print(
            "argosy serve: say where the cluster is kept: --state DIR, or --memory for one that is gone at the end",
            file=sys.stderr,
        )
        return 2
    if parsed.bare and parsed.allow_processes:
        print(
            "argosy serve: --bare has no nodes that could run processes: leave out --bare or --allow-processes",
            file=sys.stderr,
        )
        return 2
    if parsed.bare and parsed.queueing_config is not None:
        print(
            "argosy serve: --bare queues no jobs: leave out --bare or --queueing-config",
            file=sys.stderr,
        )
        return 2
    if parsed.isolation is not None and not parsed.allow_processes:
        print(
            f"argosy serve: --isolation {parsed.isolation} is for containers that run on this machine: "
            "add --allow-processes, or leave out --isolation",
            file=sys.stderr,
        )
        return 2
    return run(parsed)
