"""Every theme, played on real control planes and on Argosy: the same comes of it.

Needs the peer's binaries (`python peer/build.py`). Scenarios that need the same kind of control plane are one test.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from peer.running import is_built
from tests.differential.controllers.groups import Group, grouped, hold, plane
from tests.differential.controllers.scenarios import themes

pytestmark = [
    pytest.mark.differential,
    pytest.mark.timeout(600),
    pytest.mark.skipif(
        not is_built("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"),
        reason="no kube-controller-manager; build it with `python peer/build.py`",
    ),
]


@pytest.mark.parametrize("group", grouped(themes()), ids=lambda group: "-".join(group.peer) or "-")
def test_the_same_comes_of_all_scenarios(tmp_path: Path, group: Group) -> None:
    with plane(group, tmp_path) as running:
        _, outcome = hold(running.kubeconfig, group)
    assert not outcome.different, outcome
