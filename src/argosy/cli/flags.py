"""Parts of command lines that several commands share: verbs with kinds below them, and flags that mean the same.

A command is named by module and coroutine, and loaded when it runs: `argosy --help` imports argparse and nothing else.
Where the cluster is (`--kubeconfig`, `--context`, `-n`) can be said after the program, the verb or the kind, as with
kubectl; so these flags have no default, and a later one wins.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final, TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # noqa: SLF001  (it has no other name)

CLUSTER_QUEUE: Final = ("clusterqueue", "cq", "clusterqueues")
LOCAL_QUEUE: Final = ("localqueue", "lq", "localqueues")
WORKLOAD: Final = ("workload", "wl", "workloads", "kwl", "kueueworkload", "kueueworkloads")
RESOURCE_FLAVOR: Final = ("resourceflavor", "rf", "resourceflavors")
COHORT: Final = ("cohort", "co", "cohorts")

# Flags that Go's flag library lets one write as `--flag=true`.
_SWITCHES: Final = (
    "--all", "--all-namespaces", "--ignore-unknown-cq", "--keep-already-running", "--show-managed-fields", "--yes",
)  # fmt: skip


def normalized(arguments: Sequence[str]) -> list[str]:
    """The arguments with switches as argparse wants them: there or not there."""
    kept = []
    # What it would do is found out on the hub either way.
    is_submit = next((each for each in arguments if not each.startswith("-")), "") == "submit"
    for argument in arguments:
        name, separator, value = argument.partition("=")
        is_switched = separator and name in _SWITCHES and value.lower() in {"true", "t", "1"}
        if is_switched or (is_submit and argument in {"--dry-run=client", "--dry-run=server"}):
            kept.append(name)
        elif not (separator and name in _SWITCHES and value.lower() in {"false", "f", "0"}):
            kept.append(argument)
    return kept


def add_verb(commands: Commands, name: str, summary: str) -> Commands:
    """A verb that is nothing without a kind."""
    parser = add_parser(commands, (name,), summary)
    add_connection(parser, hidden=True)
    parser.set_defaults(run=lambda _: _help(parser))
    return parser.add_subparsers(dest="kind", metavar="KIND")


def add_command(
    commands: Commands, names: tuple[str, ...], summary: str, module: str, coroutine: str
) -> argparse.ArgumentParser:
    """A command that talks to a cluster; `coroutine` of `module` does it."""
    parser = add_parser(commands, names, summary)
    add_connection(parser)
    parser.set_defaults(run=_connect, module=f"argosy.cli.{module}", coroutine=coroutine)
    return parser


def add_passed(kinds: Commands, names: tuple[str, ...], verb: str) -> None:
    """A kind that kubectl handles; its flags are kubectl's, so none is looked at here."""
    parser = kinds.add_parser(
        names[0],
        aliases=names[1:],
        help=f"as kubectl {verb} {names[0]} does",
        add_help=False,
        prefix_chars="\0",
    )
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    parser.set_defaults(run=_pass_on)


def add_passed_verb(commands: Commands, verb: str) -> None:
    """A verb that kubectl has; only `--cluster NAME`, which names a member, is not for it."""
    parser = commands.add_parser(
        verb,
        help=f"as kubectl {verb}: on the hub, or on a member with --cluster NAME",
        usage=f"argosy {verb} [--cluster NAME] [...as kubectl {verb}]",
        description=f"As kubectl {verb} does, on the fleet's hub; with --cluster NAME on that member.",
        add_help=False,
        prefix_chars="\0",
    )
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    parser.set_defaults(run=lambda parsed: _help_or_pass(parser, parsed))


def add_parser(commands: Commands, names: tuple[str, ...], summary: str) -> argparse.ArgumentParser:
    """`summary` is a sentence; the list of commands shows it without its full stop."""
    return commands.add_parser(
        names[0],
        aliases=names[1:],
        help=summary[0].lower() + summary[1:].rstrip("."),
        description=summary,
        allow_abbrev=False,
    )


def add_connection(parser: argparse.ArgumentParser, *, hidden: bool = False) -> None:
    """The flags that say where the cluster is."""
    group = parser.add_argument_group("cluster")
    for names, metavar, text in (
        (
            ("--kubeconfig",),
            "FILE",
            "kubeconfig (default: $KUBECONFIG, else that of the fleet of `argosy up`, else ~/.kube/config)",
        ),
        (("--context",), "NAME", "context of the kubeconfig (default: its current one)"),
        (("-n", "--namespace"), "NAME", "namespace (default: the context's)"),
    ):
        group.add_argument(
            *names,
            metavar=metavar,
            default=argparse.SUPPRESS,
            help=argparse.SUPPRESS if hidden else text,
        )


def add_output(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="", metavar="FORM", help="json, yaml or name")
    parser.add_argument(
        "--show-managed-fields", action="store_true", help="keep managedFields in json and yaml"
    )


def add_document(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("-o", "--output", default="", metavar="FORM", help="json or yaml")


def add_all_namespaces(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-A", "--all-namespaces", action="store_true", help="in all namespaces, whatever -n says"
    )


def add_dry_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dry-run",
        default="none",
        metavar="STRATEGY",
        help="none; client: only print what would be sent; server: have it checked and not kept",
    )


def add_logging(parser: argparse.ArgumentParser) -> None:
    """Of everything that runs until it is stopped."""
    parser.add_argument(
        "--log-format",
        choices=("text", "json"),
        default="text",
        help="how it logs on standard error: lines for people (default), or a JSON object each",
    )


def add_queueing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--queueing-config",
        type=Path,
        metavar="FILE",
        help="how jobs are queued: a Configuration of config.kueue.x-k8s.io, as Kueue itself reads it",
    )


def _help(parser: argparse.ArgumentParser) -> int:
    parser.print_help()
    return 2


def _connect(parsed: argparse.Namespace) -> int:
    from argosy.cli.connecting import run

    return run(parsed)


def _help_or_pass(parser: argparse.ArgumentParser, parsed: argparse.Namespace) -> int:
    if not parsed.rest or parsed.rest[0] in {"-h", "--help"}:
        parser.print_help()
        return 0 if parsed.rest else 2
    return _pass_on(parsed)


def _pass_on(parsed: argparse.Namespace) -> int:
    from argosy.cli.passing import run

    return run(parsed.given)
