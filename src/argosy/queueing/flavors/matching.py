"""Does a flavor suit a pod set: taints, nodeSelector and required node affinity.

A flavor stands for nodes with its labels and taints. Of what a pod asks only the keys that this flavor labels count,
since nothing is known of the others: a term that has none of them left asks for nothing, and because terms are
alternatives the whole affinity then holds. Fields of nodes are not looked at. The flavor's own tolerations are added
to the pod when it starts, so they count here too.

A cycle asks this for every head and flavor, and most pods look alike: verdicts are kept per flavor and shape of pod,
and a pod that asks for nothing costs one comparison. Affinity that cannot be parsed matches nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import UTC
from typing import Final

import msgspec

from argosy.api.nodefit.affinities import RequiredAffinity
from argosy.api.nodefit.taints import untolerated
from argosy.api.objects.kueue.quotas import ResourceFlavor
from argosy.api.objects.kueue.workloads import PodSet
from argosy.api.objects.nodes import Taint
from argosy.api.objects.pods import Toleration
from argosy.base.types import Object

_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
# Verdicts kept per flavor; more shapes than this are rare, and forgetting all of them only costs time.
_KEPT: Final = 1024


class Matcher:
    """One flavor, compiled."""

    __slots__ = ("_open", "_verdicts", "flavor", "is_tas")

    def __init__(self, flavor: ResourceFlavor) -> None:
        self.flavor: Final = flavor
        self.is_tas: Final = bool(flavor.spec.topology_name)
        self._verdicts: dict[bytes, str] = {}
        self._open = self._judged({})

    def mismatch(self, pod_set: PodSet) -> str:
        """Why the flavor does not suit the pod set; empty if it does."""
        spec: Object = pod_set.template.get("spec") or {}
        selector, affinity = spec.get("nodeSelector"), spec.get("affinity")
        tolerations = spec.get("tolerations")
        if not (selector or affinity or tolerations):
            return self._open
        shape = msgspec.json.encode((selector, affinity, tolerations))
        verdict = self._verdicts.get(shape)
        if verdict is None:
            if len(self._verdicts) >= _KEPT:
                self._verdicts.clear()
            verdict = self._verdicts[shape] = self._judged(spec)
        return verdict

    def _judged(self, spec: Object) -> str:
        flavor, name = self.flavor.spec, self.flavor.metadata.name
        own = msgspec.convert(spec.get("tolerations") or (), tuple[Toleration, ...])
        taint = untolerated(own + flavor.tolerations, flavor.node_taints)
        if taint is not None:
            return f"untolerated taint {_shown(taint)} in flavor {name}"
        if not _restricted(spec, flavor.node_labels.keys()).matches(flavor.node_labels, ""):
            return f"flavor {name} doesn't match node affinity"
        return ""


def _restricted(spec: Object, keys: Collection[str]) -> RequiredAffinity:
    """What the pod asks of labels with these keys."""
    selector: Mapping[str, str] = spec.get("nodeSelector") or {}
    known = {key: value for key, value in selector.items() if key in keys}
    affinity: Object = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    terms = [
        [one for one in term.get("matchExpressions") or () if one.get("key") in keys]
        for term in (affinity.get(_REQUIRED) or {}).get("nodeSelectorTerms") or ()
    ]
    if not terms or not all(terms):
        return RequiredAffinity(known, None)
    kept = [{"matchExpressions": expressions} for expressions in terms]
    return RequiredAffinity(known, {_REQUIRED: {"nodeSelectorTerms": kept}})


def _shown(taint: Taint) -> str:
    """A taint as Go prints the struct."""
    added = taint.time_added
    time = "<nil>" if added is None else f"{added.astimezone(UTC):%Y-%m-%d %H:%M:%S} +0000 UTC"
    return f"{{{taint.key} {taint.value} {taint.effect} {time}}}"


class Matchers:
    """The flavors of a cluster, each compiled once for as long as its object stays the same."""

    __slots__ = ("_matchers",)

    def __init__(self) -> None:
        self._matchers: dict[str, Matcher] = {}

    def of(self, name: str, flavor: ResourceFlavor) -> Matcher:
        found = self._matchers.get(name)
        if found is None or found.flavor is not flavor:
            found = self._matchers[name] = Matcher(flavor)
        return found
