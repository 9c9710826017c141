"""A brute-force reading of the contract's chapter on scheduling, to hold the scheduler against.

It plays cycles on plain dictionaries, writing after each one as upstream does and coming back while it is told to, with no
thought for cost. Nothing of the code under test is used.
"""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal

from argosy.base.types import Json, Object

SUFFIX = {"": 1.0, "m": 0.001, "Gi": 2.0**30}
OPERATORS = {
    "Eq": lambda a, b: a == b,
    "Ne": lambda a, b: a != b,
    "Gt": lambda a, b: a > b,
    "Ge": lambda a, b: a >= b,
    "Lt": lambda a, b: a < b,
    "Le": lambda a, b: a <= b,
}


class World:
    """A placement `web` with its policy, bindings and the fleet, all as dictionaries."""

    def __init__(
        self, policy: Object, wanted: int, clusters: list[Object], bindings: list[Object]
    ) -> None:
        self.policy = policy
        self.wanted = wanted
        self.clusters = sorted(clusters, key=lambda each: each["name"])
        self.bindings = {each["name"]: dict(each) for each in bindings}
        # (decisions, enough, found) as told in the end; None if nothing is.
        self.told: tuple[list[Object], bool, int] | None = None

    def run(self) -> None:
        while self.cycle():
            pass

    def cycle(self) -> bool:
        """One cycle; whether upstream would come back at once."""
        leaving = {each["name"] for each in self.clusters if each["health"] == "leaving"}
        there = {each["name"] for each in self.clusters} - leaving
        for each in self.listed():
            if each["deleting"]:
                each["released"] = True
            elif each["state"] != "Unscheduled" and each["cluster"] not in there:
                self.unschedule(each)
        kind = self.policy["placementType"]
        if kind == "PickFixed":
            self.fixed()
            return False
        if kind == "PickAll":
            self.all()
            return False
        return self.n()

    # The three ways.

    def all(self) -> None:
        scheduled, bound = self.live("Scheduled"), self.live("Bound")
        passed, filtered = self.filter()
        made, renewed = self.take([(each, 0, 0) for each in passed])
        self.tell(made + renewed + scheduled + bound, [], filtered, enough=True)

    def fixed(self) -> None:
        if not self.policy["clusterNames"]:
            return
        clusters = {each["name"]: each for each in self.clusters}
        good: list[Object] = []
        bad: list[Object] = []
        absent: list[Object] = []
        for name in self.policy["clusterNames"]:
            if name not in clusters:
                absent.append(self.no(name, f'Specified cluster "{name}" is not found'))
            elif why := self.health(clusters[name]):
                reason = f'Cluster "{name}" is not eligible for resource placement yet: {why}'
                bad.append(self.no(name, reason))
            else:
                reason = f'Successfully scheduled resources for placement in "{name}": picked by scheduling policy'
                good.append({"cluster": name, "selected": True, "score": None, "reason": reason})
        held = {each["cluster"] for each in self.live("Scheduled") + self.live("Bound")}
        self.refer({each["cluster"]: each for each in good if each["cluster"] not in held})
        self.told = ([*good, *bad, *absent], not bad and not absent, len(good))

    def n(self) -> bool:
        scheduled, bound = self.live("Scheduled"), self.live("Bound")
        obsolete = self.obsolete()
        present = len(scheduled) + len(bound)
        if present >= self.wanted:
            for each in obsolete:
                self.unschedule(each)
            surplus = present - self.wanted
            victims = sorted(scheduled, key=worth) + sorted(bound, key=worth)
            for each in victims[:surplus]:
                self.unschedule(each)
            rest = self.live("Scheduled") + self.live("Bound")
            self.tell(rest, [], [], enough=True)
            return False
        passed, filtered = self.filter()
        kept = {each["cluster"] for each in obsolete}
        ranked = [
            (self.spread_score(each), self.affinity(each), int(each["name"] in kept), each["name"])
            for each in passed
        ]
        ranked.sort(reverse=True)
        missing = self.wanted - present
        limit = min(missing, 1 if self.policy["topologySpreadConstraints"] else missing)
        chosen = ranked[:limit]
        by_name = {each["name"]: each for each in passed}
        made, renewed = self.take([(by_name[name], a, s) for s, a, _, name in chosen])
        if missing > limit and len(chosen) == limit:
            return True
        everyone = made + renewed + scheduled + bound
        low = [
            {
                "cluster": name,
                "selected": False,
                "score": (a, s),
                "reason": f'Cluster "{name}" does not score high enough (affinity score: {a}, topology spread score: {s})',
            }
            for s, a, _, name in ranked[limit:]
        ]
        self.tell(everyone, low, filtered, enough=len(everyone) >= self.wanted)
        return False

    # Plugins.

    def filter(self) -> tuple[list[Object], list[Object]]:
        passed, filtered = [], []
        held = {each["cluster"] for each in self.live("Scheduled") + self.live("Bound")}
        for each in self.clusters:
            why = self.required(each) or self.health(each) or self.taint(each)
            if not why and each["name"] in held:
                continue
            why = why or self.violation(each)
            if why:
                filtered.append(self.no(each["name"], f"ClusterUnschedulable, {why}"))
            else:
                passed.append(each)
        return passed, filtered

    def required(self, cluster: Object) -> str:
        terms = self.policy["required"]
        if not terms or any(self.matches(term, cluster) for term in terms):
            return ""
        return "cluster does not match with any of the required cluster affinity terms"

    def matches(self, term: Object, cluster: Object) -> bool:
        for key, value in (term.get("labels") or {}).items():
            if cluster["labels"].get(key) != value:
                return False
        if "property" in term:
            name, operator, wanted = term["property"]
            has = self.value(cluster, name)
            return has is not None and OPERATORS[operator](has, number(wanted))
        return True

    def value(self, cluster: Object, name: str) -> float | None:
        text = cluster["available"].get(name)
        return None if text is None else number(text)

    def health(self, cluster: Object) -> str:
        off = "cluster is not connected to the fleet: "
        return {
            "well": "",
            "leaving": "cluster has left the fleet",
            "silent": off + "no recent heartbeat signals (last received 7.00 minutes ago)",
            "unjoined": off + "member agent not joined yet",
        }[str(cluster["health"])]

    def taint(self, cluster: Object) -> str:
        for key in cluster["taints"]:
            if key not in self.policy["tolerated"]:
                return f"taint &{{Key:{key} Value: Effect:NoSchedule}} cannot be tolerated"
        return ""

    def affinity(self, cluster: Object) -> int:
        total = 0
        for weight, term in self.policy["preferred"]:
            if not self.matches({"labels": term.get("labels")}, cluster):
                continue
            if "sorter" not in term:
                total += weight
                continue
            name, order = term["sorter"]
            everyone = [v for each in self.clusters if (v := self.value(each, name)) is not None]
            has = self.value(cluster, name)
            if has is None or min(everyone) == max(everyone):
                continue
            share = (has - min(everyone)) / (max(everyone) - min(everyone))
            exact = (share if order == "Descending" else 1 - share) * weight
            total += int(Decimal(exact).quantize(Decimal(1), ROUND_HALF_UP))
        return total

    def verdict(self, constraint: Object, cluster: Object) -> tuple[bool, int] | None:
        """Whether one more there breaks the constraint, and the change of the skew."""
        key = constraint["topologyKey"]
        if key not in cluster["labels"]:
            return None
        held = {each["cluster"] for each in self.live("Scheduled") + self.live("Bound")}
        counts: dict[str, int] = {}
        for each in self.clusters:
            if key in each["labels"]:
                domain = each["labels"][key]
                counts[domain] = counts.get(domain, 0) + (1 if each["name"] in held else 0)
        mine = counts[cluster["labels"][key]]
        smallest, largest = min(counts.values()), max(counts.values())
        if smallest == largest:
            change = 1
        elif mine == smallest and list(counts.values()).count(smallest) == 1:
            change = -1
        elif mine == largest:
            change = 1
        else:
            change = 0
        return largest - smallest + change > constraint["maxSkew"], change

    def violation(self, cluster: Object) -> str:
        for each in self.policy["topologySpreadConstraints"]:
            found = self.verdict(each, cluster)
            if each["whenUnsatisfiable"] == "DoNotSchedule" and found and found[0]:
                return f'violated doNotSchedule topology spread constraint "{each["topologyKey"]}" (max skew {each["maxSkew"]})'
        return ""

    def spread_score(self, cluster: Object) -> int:
        score = 0
        for each in self.policy["topologySpreadConstraints"]:
            found = self.verdict(each, cluster)
            if found is not None:
                score -= 1000 if found[0] else found[1]
        return score

    # Bindings.

    def listed(self) -> list[Object]:
        return [self.bindings[name] for name in sorted(self.bindings)]

    def live(self, state: str) -> list[Object]:
        return [
            each
            for each in self.listed()
            if each["state"] == state and each["policy"] == "web-0" and not each["deleting"]
        ]

    def obsolete(self) -> list[Object]:
        return [
            each
            for each in self.listed()
            if each["state"] != "Unscheduled" and each["policy"] != "web-0" and not each["deleting"]
        ]

    def unschedule(self, each: Object) -> None:
        each["previous"] = each["state"]
        each["state"] = "Unscheduled"

    def take(self, chosen: list[tuple[Object, int, int]]) -> tuple[list[Object], list[Object]]:
        decisions = {}
        for cluster, affinity, spread in chosen:
            name = cluster["name"]
            reason = (
                f'Successfully scheduled resources for placement in "{name}" (affinity score: {affinity},'
                f" topology spread score: {spread}): picked by scheduling policy"
            )
            decisions[name] = {
                "cluster": name,
                "selected": True,
                "score": (affinity, spread),
                "reason": reason,
            }
        return self.refer(decisions)

    def refer(self, decisions: dict[str, Object]) -> tuple[list[Object], list[Object]]:
        """Bindings made, and bindings taken up."""
        renewed = []
        given_up = [
            each
            for each in self.listed()
            if each["state"] == "Unscheduled" and not each["deleting"]
        ]
        for each in self.obsolete():
            if each["cluster"] in decisions:
                each["decision"] = decisions.pop(each["cluster"])
                each["policy"] = "web-0"
                renewed.append(each)
            else:
                self.unschedule(each)
        for each in given_up:
            if each["cluster"] in decisions:
                each["decision"] = decisions.pop(each["cluster"])
                each["policy"] = "web-0"
                each["state"] = each["previous"]
                renewed.append(each)
        made: list[Object] = []
        for name, decision in decisions.items():
            made.append(
                {
                    "name": f"web-{name}-11111111",
                    "cluster": name,
                    "state": "Scheduled",
                    "policy": "web-0",
                    "deleting": False,
                    "decision": decision,
                }
            )
            self.bindings[f"web-{name}-11111111"] = made[-1]
        return made, renewed

    # Telling.

    def no(self, name: str, reason: str) -> Object:
        return {"cluster": name, "selected": False, "score": None, "reason": reason}

    def tell(
        self, held: list[Object], low: list[Object], filtered: list[Object], *, enough: bool
    ) -> None:
        decisions = [each["decision"] for each in held]
        seen = {each["cluster"] for each in decisions}
        others = [each for each in [*low, *filtered] if each["cluster"] not in seen]
        self.told = ([*decisions, *others[:20]], enough, len(held))


def worth(each: Object) -> tuple[Json, ...]:
    score = each["decision"]["score"]
    return (0, 0, 0, each["cluster"]) if score is None else (1, score[1], score[0], each["cluster"])


def number(text: str) -> float:
    found = re.fullmatch(r"(\d+)(.*)", text)
    assert found is not None
    return int(found[1]) * SUFFIX[found[2]]
