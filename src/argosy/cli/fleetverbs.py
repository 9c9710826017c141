"""The command line of who looks after a fleet: approve, drain, uncordon. What they do is what `kubectl fleet` does."""

from __future__ import annotations

import argparse
from typing import Final

from argosy.cli.flags import Commands, add_command, add_verb

CLUSTER_APPROVAL_REQUEST: Final = ("clusterapprovalrequest", "careq", "clusterapprovalrequests")
APPROVAL_REQUEST: Final = ("approvalrequest", "areq", "approvalrequests")
MEMBER: Final = ("cluster", "membercluster", "memberclusters")


def add_fleet_commands(commands: Commands) -> None:
    kinds = add_verb(commands, "approve", "Let a staged update run begin or leave a stage.")
    for names, summary, coroutine in (
        (CLUSTER_APPROVAL_REQUEST, "Approve a ClusterApprovalRequest.", "cluster_request"),
        (APPROVAL_REQUEST, "Approve an ApprovalRequest of a namespace.", "request"),
    ):
        parser = add_command(kinds, names, summary, "approving", coroutine)
        parser.add_argument("name", metavar="NAME")
        _add_timeout(parser, "how long to try")
    kinds = add_verb(commands, "drain", "Have a member cluster left by all placements.")
    summary = "Take no more placements to a member cluster, and evict those that are there."
    parser = add_command(kinds, MEMBER, summary, "draining", "drain")
    parser.add_argument("name", metavar="NAME")
    _add_timeout(parser, "how long to wait for the evictions to be decided")
    kinds = add_verb(commands, "uncordon", "Take placements to a member cluster again.")
    summary = "Take placements to a drained member cluster again."
    parser = add_command(kinds, MEMBER, summary, "draining", "uncordon")
    parser.add_argument("name", metavar="NAME")
    _add_timeout(parser, "how long to try")


def _add_timeout(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--timeout", default="5m", metavar="DURATION", help=f"{text} (default: 5m)")
