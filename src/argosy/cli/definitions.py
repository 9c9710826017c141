"""`argosy crds`: the custom kinds that Argosy brings along, as YAML for any cluster.

On an embedded cluster they are installed at start. Elsewhere `argosy crds | kubectl apply -f -` installs them.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from typing import Final

import msgspec
import yaml

from argosy.api.crds.expanding import expanded
from argosy.base.types import Object

_DUMPER: Final = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


def run(parsed: argparse.Namespace) -> int:
    known = _known()
    try:
        chosen = [_chosen(known, name) for name in parsed.names] or known
    except LookupError as unknown:
        names = ", ".join(sorted(crd["spec"]["names"]["plural"] for crd in known))
        print(f"argosy crds: there is no {unknown.args[0]}; there are {names}", file=sys.stderr)
        return 1
    try:
        # Dashes first, so that the output of several runs can be put together.
        yaml.dump_all(
            map(_whole, chosen),
            sys.stdout,
            Dumper=_DUMPER,
            explicit_start=True,
            sort_keys=False,
            width=120,
        )
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has seen enough; what is left goes nowhere, without a complaint at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _whole(crd: Object) -> Object:
    """A definition in which nothing is shared: kubectl reads no aliases across documents, and people none at all."""
    document: Object = msgspec.json.decode(msgspec.json.encode(expanded(crd)))
    return document


def _known() -> list[Object]:
    from argosy import capacity
    from argosy.dispatch import definitions as dispatch
    from argosy.member import definitions as member
    from argosy.placement import definitions as placement
    from argosy.queueing import definitions as queueing
    from argosy.workloads import jobsets

    return [
        *queueing.definitions(),
        *capacity.definitions(),
        *jobsets.definitions(),
        *placement.definitions(),
        *member.definitions(),
        *dispatch.definitions(),
    ]


def _chosen(known: Iterable[Object], name: str) -> Object:
    """The definition of a kind by any name that kubectl takes."""
    for crd in known:
        names = crd["spec"]["names"]
        singular = names.get("singular") or names["kind"].lower()
        called = {names["plural"], singular, crd["metadata"]["name"], *names.get("shortNames", ())}
        if name.lower() in called:
            return crd
    raise LookupError(name)
