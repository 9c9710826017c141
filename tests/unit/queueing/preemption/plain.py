"""Preemption by plain loops: every question asks a tree that is built anew, nothing is remembered or cut short.

What the engines must agree with. Usage that is only tried (the preemptor's) is a workload like any other here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from argosy.queueing.cache.snapshots import Snapshot
from argosy.queueing.preemption.fair import FairSharing
from argosy.queueing.preemption.policies import NEVER, satisfies
from argosy.queueing.preemption.strategies import less_than_initial_share
from argosy.queueing.quotas.amounts import FlavorResource, Usage
from argosy.queueing.quotas.nodes import Node
from argosy.queueing.quotas.shares import share_of
from argosy.queueing.workloads.infos import Info
from tests.unit.queueing.preemption.scenes import NOW, Load, Scene, holding, incoming

Victims = list[tuple[str, str]]


class Plain:
    """One search in a scene for a workload whose requests are all contested."""

    def __init__(self, scene: Scene, asking: Load) -> None:
        self.scene, self.asking = scene, asking
        self.info = incoming(asking)
        self.usage: Usage = {
            FlavorResource("default", name): value for name, value in asking.requests.items()
        }
        self.policies = scene.queues[asking.queue]

    def built(self, out: Iterable[str], *, with_asking: bool = False) -> Snapshot:
        snapshot = self.scene.without(out).snapshot()
        if with_asking:
            snapshot.add(holding(self.asking))
        return snapshot

    def fits(self, out: Iterable[str], *, may_borrow: bool) -> bool:
        node = self.built(out).queues[self.asking.queue].node
        return all(
            value <= node.available(fr) and (may_borrow or not node.is_borrowing(fr, value))
            for fr, value in self.usage.items()
        )

    def filled_back(self, victims: Victims, *, may_borrow: bool) -> Victims:
        kept = list(victims)
        for one in reversed(victims[:-1]):
            rest = [key for key, _ in kept if key != one[0]]
            if self.fits(rest, may_borrow=may_borrow):
                kept.remove(one)
        return kept

    def order(self, info: Info) -> tuple[bool, bool, int, float, str]:
        reserved = info.obj.condition("QuotaReserved")
        assert reserved is not None
        assert reserved.last_transition_time is not None
        newer = NOW - reserved.last_transition_time.timestamp()
        is_own = info.cluster_queue == self.asking.queue
        return not info.obj.is_evicted, is_own, info.priority, newer, info.uid

    def may_go(self, snapshot: Snapshot, queue: str) -> list[Info]:
        is_own = queue == self.asking.queue
        policy = self.policies.within if is_own else self.policies.reclaim
        return [
            info
            for info in snapshot.queues[queue].workloads.values()
            if satisfies(policy, self.info, info) and set(self.usage) & set(info.usage)
        ]

    def is_within_nominal(self, node: Node) -> bool:
        return not any(node.is_borrowing(fr) for fr in self.usage)


# Classical.


def classical(scene: Scene, asking: Load) -> Victims:
    plain = Plain(scene, asking)
    groups, tops = _grouped(plain)
    policy = plain.policies.borrow
    is_forbidden = policy is None or policy.policy == NEVER
    own = plain.built(()).queues[asking.queue].node
    is_full = any(
        own.usage[own.position(fr)] >= own.nominal[own.position(fr)] for fr in plain.usage
    )
    if not (groups["hierarchy"] or groups["priority"]) or (is_forbidden and is_full):
        attempts = [True]
    elif is_forbidden and not groups["hierarchy"]:
        attempts = [False, True]
    else:
        attempts = [True, False]
    for may_borrow in attempts:
        victims = _attempt(plain, groups, tops, may_borrow=may_borrow)
        if victims:
            return victims
    return []


def _grouped(plain: Plain) -> tuple[dict[str, list[Info]], dict[str, str]]:
    """The candidates by group, and the ancestor each ClusterQueue shares with the preemptor's."""
    snapshot = plain.built(())
    own = snapshot.queues[plain.asking.queue].node
    groups: dict[str, list[Info]] = {"hierarchy": [], "priority": [], "own": []}
    tops: dict[str, str] = {}
    groups["own"] = plain.may_go(snapshot, own.name)
    ancestors = [node for node in own.path() if node is not own]
    has_advantage, rest = own.fits_in_quota(plain.usage)
    for top in ancestors if plain.policies.reclaim != NEVER else ():
        for leaf in top.leaves():
            between = [node for node in leaf.path() if top in list(node.path()) and node is not top]
            if leaf is own or leaf.name in tops or any(map(plain.is_within_nominal, between)):
                continue
            if any(node in ancestors for node in between):
                continue
            tops[leaf.name] = top.name
            groups["hierarchy" if has_advantage else "priority"] += plain.may_go(
                snapshot, leaf.name
            )
        fits, rest = top.fits_in_quota(rest)
        has_advantage = has_advantage or fits
    for infos in groups.values():
        infos.sort(key=plain.order)
    return groups, tops


def _attempt(
    plain: Plain, groups: dict[str, list[Info]], tops: dict[str, str], *, may_borrow: bool
) -> Victims:
    in_order = [
        (group, info)
        for is_evicted in (True, False)
        for group, infos in groups.items()
        for info in infos
        if info.obj.is_evicted == is_evicted
    ]
    victims: Victims = []
    for group, info in in_order:
        reason = _reason(plain, group, info, may_borrow=may_borrow)
        if not reason or (group != "own" and _is_sheltered(plain, info, tops, victims)):
            continue
        victims.append((info.key, reason))
        if plain.fits([key for key, _ in victims], may_borrow=may_borrow):
            return plain.filled_back(victims, may_borrow=may_borrow)
    return []


def _reason(plain: Plain, group: str, info: Info, *, may_borrow: bool) -> str:
    if group == "own":
        return "InClusterQueue"
    if group == "hierarchy":
        return "InCohortReclamation"
    policy = plain.policies.borrow
    if policy is not None and policy.policy != NEVER and info.priority < plain.info.priority:
        threshold = policy.max_priority_threshold
        if threshold is None or info.priority <= threshold:
            return "InCohortReclaimWhileBorrowing"
    return "" if may_borrow else "InCohortReclamation"


def _is_sheltered(plain: Plain, info: Info, tops: dict[str, str], victims: Victims) -> bool:
    node = plain.built(key for key, _ in victims).queues[info.cluster_queue].node
    for one in node.path():
        if one.is_cohort and one.name == tops[info.cluster_queue]:
            return False
        if plain.is_within_nominal(one):
            return True
    return False


# Fair sharing.


def fair(scene: Scene, asking: Load, sharing: FairSharing) -> Victims:
    plain = Plain(scene, asking)
    snapshot = plain.built(())
    own = snapshot.queues[asking.queue].node
    waiting = {}
    for leaf in own.root.leaves():
        is_left_alone = plain.policies.reclaim == NEVER or plain.is_within_nominal(leaf)
        if leaf is own or not is_left_alone:
            infos = sorted(plain.may_go(snapshot, leaf.name), key=plain.order)
            waiting[leaf.name] = infos
    victims: Victims = []
    retry: dict[str, list[Info]] = {}
    with_asking = plain.built((), with_asking=True).queues[asking.queue].node
    reclaims = sharing.reclaims_nominal and plain.is_within_nominal(with_asking)

    def fits_without(key: str, reason: str) -> bool:
        victims.append((key, reason))
        return plain.fits([one for one, _ in victims], may_borrow=True)

    def first(queue: str) -> bool:
        if queue == asking.queue:
            return fits_without(waiting[queue].pop(0).key, "InClusterQueue")
        if reclaims:
            return fits_without(waiting[queue].pop(0).key, "InCohortReclamation")
        while waiting[queue]:
            info = waiting[queue].pop(0)
            gone = [one for one, _ in victims]
            ours, before = _rivals(plain, gone, queue)
            _, after = _rivals(plain, [*gone, info.key], queue)
            if sharing.strategies[0](share_of(ours), share_of(before), share_of(after)):
                return fits_without(info.key, "InCohortFairSharing")
            retry.setdefault(queue, []).append(info)
        return False

    def second(queue: str) -> bool:
        info = retry[queue][0]
        retry[queue] = []
        ours, before = _rivals(plain, [one for one, _ in victims], queue)
        if less_than_initial_share(share_of(ours), share_of(before), share_of(before)):
            return fits_without(info.key, "InCohortFairSharing")
        return False

    fits = _run(plain, waiting, victims, first)
    if not fits and len(sharing.strategies) > 1:
        fits = _run(plain, retry, victims, second)
    return plain.filled_back(victims, may_borrow=True) if fits else []


def _run(
    plain: Plain,
    waiting: dict[str, list[Info]],
    victims: Victims,
    take: Callable[[str], bool],
) -> bool:
    while True:
        snapshot = plain.built((key for key, _ in victims), with_asking=True)
        queue = _next(plain, snapshot.queues[plain.asking.queue].node, waiting)
        if queue is None:
            return False
        if take(queue):
            return True


def _next(plain: Plain, own: Node, waiting: dict[str, list[Info]]) -> str | None:
    """Look at the whole tree again: cohorts nobody can be taken from count for nothing."""

    def counts(node: Node) -> bool:
        if not node.is_cohort:
            is_open = node is own or share_of(node).is_borrowing
            return is_open and bool(waiting.get(node.name))
        is_open = node in list(own.path()) or share_of(node).is_borrowing
        return is_open and any(map(counts, node.children))

    def best(node: Node) -> Node:
        if not node.is_cohort:
            return node
        children = [child for child in node.children if counts(child)]
        largest = max(share_of(child).order for child in children)
        tied = [child for child in children if share_of(child).order == largest]
        cohorts = [child for child in tied if child.is_cohort]
        if cohorts:
            return best(min(cohorts, key=lambda child: child.name))
        return min(tied, key=lambda child: plain.order(waiting[child.name][0]))

    return best(own.root).name if counts(own.root) else None


def _rivals(plain: Plain, out: Iterable[str], queue: str) -> tuple[Node, Node]:
    snapshot = plain.built(out, with_asking=True)
    ours = list(snapshot.queues[plain.asking.queue].node.path())
    theirs = list(snapshot.queues[queue].node.path())
    while len(ours) > 1 and len(theirs) > 1 and ours[-2] is theirs[-2]:
        ours.pop()
        theirs.pop()
    return ours[-2], theirs[-2]
