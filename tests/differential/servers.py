"""Start the two servers that are compared, each fresh, and end both with the block.

The peer runs the controllers whose work Argosy's server does itself (namespaces, garbage, service
accounts, aggregated roles, quota), and no others: nobody here runs pods or jobs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from peer.running import ControlPlane, control_plane
from peer.serving import argosy as serve_argosy
from tests.differential.exchanging import Replayer

CONTROLLERS = (
    "namespace-controller,garbage-collector-controller,serviceaccount-controller,"
    "clusterrole-aggregation-controller,resourcequota-controller"
)

ORACLE_SECONDS = 60.0
ARGOSY_SECONDS = 10.0


@contextmanager
def kube_apiserver(directory: Path) -> Iterator[Replayer]:
    """A fresh kube-apiserver."""
    with (
        control_plane(directory, controllers=CONTROLLERS) as plane,
        _replayer(plane, ORACLE_SECONDS, is_oracle=True) as replayer,
    ):
        yield replayer


@contextmanager
def argosy(directory: Path) -> Iterator[Replayer]:
    """A fresh Argosy cluster."""
    with (
        serve_argosy(directory, "--bare") as plane,
        _replayer(plane, ARGOSY_SECONDS, is_oracle=False) as replayer,
    ):
        yield replayer


@contextmanager
def _replayer(plane: ControlPlane, seconds: float, *, is_oracle: bool) -> Iterator[Replayer]:
    token = plane.tokens["admin"]
    replayer = Replayer(plane.url, plane.tls(), token, seconds, is_oracle)
    try:
        yield replayer
    finally:
        replayer.close()
