"""Names that have just become free: a pod of a StatefulSet is not followed by its namesake at once.

`kubectl delete pod db-0` waits for the pod to be gone: it reads the pod, and if that is still the old one it lists and
watches the name until it is deleted. Should the old pod go and the new one come between the read and the list, kubectl
takes the new one for the old one and waits for ever. A kubelet needs seconds to let go of a pod, so kubectl is watching
by then; here a pod may be gone within milliseconds. A moment during which the name is seen to be free closes the gap.
Pods that the set itself ends, as in a rolling update, are followed at once.
"""

from __future__ import annotations

from typing import Final

from argosy.api.objects import Pod
from argosy.base.clock import Clock

# Longer than two requests of one kubectl are apart, also on a machine that is busy.
_PAUSE_SECONDS: Final = 1.0
_KIND: Final = "StatefulSet"


class Successions:
    """When pods of StatefulSets went, as long as it matters."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # By namespace and name, the earliest first.
        self._gone: dict[tuple[str, str], float] = {}
        # Pods that go because their set says so, by uid.
        self._ended: set[str] = set()

    def __len__(self) -> int:
        return len(self._gone) + len(self._ended)

    def ends(self, uid: str) -> None:
        """The set ends the pod itself: nobody else waits for that."""
        self._ended.add(uid)

    def spares(self, uid: str) -> None:
        """It could not."""
        self._ended.discard(uid)

    def pod_changed(self, old: Pod | None, new: Pod | None) -> None:
        if new is not None or old is None:
            return
        owner = old.metadata.controller
        if owner is None or owner.kind != _KIND:
            return
        if old.metadata.uid in self._ended:
            self._ended.remove(old.metadata.uid)
            return
        now = self._clock.monotonic()
        for key in [key for key, gone in self._gone.items() if gone + _PAUSE_SECONDS <= now]:
            del self._gone[key]
        self._gone.pop(old.metadata.key, None)
        self._gone[old.metadata.key] = now

    def seconds_left(self, namespace: str, name: str) -> float:
        """How long the name has to stay free; 0 if it may be taken."""
        gone = self._gone.get((namespace, name))
        if gone is None:
            return 0.0
        return max(0.0, gone + _PAUSE_SECONDS - self._clock.monotonic())
