"""LimitRanger: containers get the defaults of their namespace's LimitRanges, and stay within their bounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from argosy.api import podresources
from argosy.api.podresources import Amounts
from argosy.apiserver import encoding
from argosy.apiserver.admission.naming import forbidden
from argosy.apiserver.calls import Call
from argosy.apiserver.clusters import Cluster
from argosy.base.quantities import Quantity
from argosy.base.types import Object
from argosy.store import Selection

ANNOTATION: Final = "kubernetes.io/limit-ranger"


class LimitRanger:
    """Namespaces without a LimitRange pay one look at an index."""

    reads: ClassVar = frozenset({"limitranges"})
    singly: ClassVar = b""

    def admit(self, cluster: Cluster, call: Call, new: Object | None, old: Object | None) -> None:
        if call.kind.resource != "pods" or call.subresource or new is None or old is not None:
            return
        for limit in _limits(cluster, call.namespace, "Container"):
            _default(new, limit)

    def validate(
        self, cluster: Cluster, call: Call, new: Object | None, old: Object | None
    ) -> None:
        if new is None or old is not None or call.subresource:
            return
        problems: list[str] = []
        if call.kind.resource == "pods":
            for limit in _limits(cluster, call.namespace, "Container"):
                for container in (
                    *(new["spec"].get("initContainers") or ()),
                    *(new["spec"].get("containers") or ()),
                ):
                    resources = container.get("resources") or {}
                    asked = podresources.amounts(resources.get("requests"))
                    capped = podresources.amounts(resources.get("limits"))
                    problems += _problems(limit, "Container", asked, capped)
            for limit in _limits(cluster, call.namespace, "Pod"):
                spec = new["spec"]
                problems += _problems(
                    limit, "Pod", podresources.requests(spec), podresources.limits(spec)
                )
        elif call.kind.resource == "persistentvolumeclaims":
            asked = podresources.amounts((new["spec"].get("resources") or {}).get("requests"))
            for limit in _limits(cluster, call.namespace, "PersistentVolumeClaim"):
                problems += _problems(limit, "PersistentVolumeClaim", asked, asked, ratio=False)
        if problems:
            raise forbidden(
                call, new, problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]"
            )


def _limits(cluster: Cluster, namespace: str, kind: str) -> Iterator[Object]:
    if not cluster.store.count("limitranges"):
        return
    owner = cluster.kind("", "limitranges")
    for record in cluster.store.list("limitranges", Selection(namespace=namespace)).records:
        for limit in encoding.from_bytes(owner, record.raw)["spec"].get("limits") or ():
            if limit["type"] == kind:
                yield limit


def _default(pod: Object, limit: Object) -> None:
    """Fill in what a container does not say; the pod's annotation tells what was set."""
    said: list[str] = []
    groups = (
        ("init container", pod.setdefault("spec", {}).get("initContainers") or ()),
        ("container", pod["spec"].get("containers") or ()),
    )
    for word, containers in groups:
        for container in containers:
            for which, source in (("requests", "defaultRequest"), ("limits", "default")):
                given = container.setdefault("resources", {}).get(which) or {}
                missing = sorted(set(limit.get(source) or ()) - set(given))
                if missing:
                    container["resources"][which] = {
                        **given,
                        **{name: limit[source][name] for name in missing},
                    }
                    said.append(
                        f"{', '.join(missing)} {which[:-1]} for {word} {container.get('name', '')}"
                    )
    if said:
        annotations = pod["metadata"].setdefault("annotations", {})
        annotations[ANNOTATION] = "LimitRanger plugin set: " + "; ".join(said)


def _problems(
    limit: Object, kind: str, asked: Amounts, capped: Amounts, *, ratio: bool = True
) -> list[str]:
    found: list[str] = []
    for name, bound in sorted(podresources.amounts(limit.get("min")).items()):
        if name not in asked:
            found.append(f"minimum {name} usage per {kind} is {bound}.  No request is specified")
        elif asked[name] < bound:
            found.append(
                f"minimum {name} usage per {kind} is {bound}, but request is {asked[name]}"
            )
    for name, bound in sorted(podresources.amounts(limit.get("max")).items()):
        if name not in capped:
            found.append(f"maximum {name} usage per {kind} is {bound}.  No limit is specified")
        elif capped[name] > bound:
            found.append(f"maximum {name} usage per {kind} is {bound}, but limit is {capped[name]}")
    if ratio:
        for name, bound in sorted(podresources.amounts(limit.get("maxLimitRequestRatio")).items()):
            found += _ratio_problem(name, bound, kind, asked.get(name), capped.get(name))
    return found


def _ratio_problem(
    name: str, bound: Quantity, kind: str, asked: Quantity | None, capped: Quantity | None
) -> list[str]:
    what = f"{name} max limit to request ratio per {kind} is {bound}"
    if asked is None or not asked.sign:
        return [f"{what}, but no request is specified or request is 0"]
    if capped is None or not capped.sign:
        return [f"{what}, but no limit is specified or limit is 0"]
    given = capped.milli() / asked.milli()
    if given > bound.milli() / 1000:
        return [f"{what}, but provided ratio is {given:f}"]
    return []
