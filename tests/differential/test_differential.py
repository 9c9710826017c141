"""Every theme, replayed on a real kube-apiserver and on Argosy: no difference but the permitted.

Needs the peer's binaries (`python peer/build.py`); `make test-differential` builds them and prints
the differences readably. Each theme is one test, on servers that all themes share.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from peer.running import is_built
from tests.differential.comparing import permissions
from tests.differential.exchanging import Replayer
from tests.differential.loading import themes
from tests.differential.replaying import replay
from tests.differential.servers import argosy, kube_apiserver

pytestmark = [
    pytest.mark.differential,
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        not is_built("etcd", "kube-apiserver", "kube-controller-manager"),
        reason="no kube-apiserver; build it with `python peer/build.py`",
    ),
]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Replayer, Replayer]]:
    directory = tmp_path_factory.mktemp("differential")
    with kube_apiserver(directory / "peer") as peer, argosy(directory / "argosy") as ours:
        yield peer, ours


@pytest.mark.parametrize("theme", themes())
def test_answers_are_equal(servers: tuple[Replayer, Replayer], theme: str) -> None:
    verdicts = list(replay(theme, *servers, permissions()))
    assert [(each.case.title, each.texts) for each in verdicts if not each.passed] == []
