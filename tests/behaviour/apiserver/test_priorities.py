"""The default PriorityClass of pods, as classes come, change and go."""

from __future__ import annotations

from argosy.apiserver.access.identities import ADMIN
from argosy.apiserver.access.tokens import Signer, load_key
from argosy.apiserver.bootstrapping import bootstrap
from argosy.apiserver.servers import build
from argosy.base.clock import VirtualClock
from argosy.base.ids import SeededIds
from argosy.base.loops import run_virtual
from argosy.client.local import LocalClient
from argosy.client.objects import decode
from argosy.client.resources import PODS, PRIORITY_CLASSES
from argosy.store import MemoryStore


def test_the_default_follows_the_classes() -> None:
    async def story() -> list[int]:
        clock = VirtualClock()
        signer = Signer(load_key(None), clock)
        server = build(MemoryStore(), clock=clock, ids=SeededIds(1), signer=signer, tokens={})
        await bootstrap(server.cluster)
        client = LocalClient(server, ADMIN)

        async def priority(name: str) -> int:
            spec = {"containers": [{"name": "a", "image": "b"}]}
            pod = {"metadata": {"name": name, "namespace": "default"}, "spec": spec}
            return int(decode(await client.create(PODS, pod))["spec"]["priority"])

        got = [await priority("before")]
        default = {"metadata": {"name": "high"}, "value": 7, "globalDefault": True}
        await client.create(PRIORITY_CLASSES, default)
        got.append(await priority("with"))
        await client.patch(PRIORITY_CLASSES, "high", {"globalDefault": False})
        got.append(await priority("without"))
        await client.patch(PRIORITY_CLASSES, "high", {"globalDefault": True})
        got.append(await priority("again"))
        await client.delete(PRIORITY_CLASSES, "high")
        got.append(await priority("after"))
        return got

    assert run_virtual(story()) == [0, 7, 0, 7, 0]
