"""What a run comes to, in numbers. Pure: a closed ledger in, plain data out.

Waits are from being submitted to the first running pod; jobs that still wait at the end count with the time they have
waited so far, so that a run cannot look better by leaving jobs behind. Fairness is Jain's index over the teams' shares,
each the use of a team over what it asked for: 1 is everybody served alike, 1/n is one team served alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from argosy.base.types import Object
from argosy.simulation.ledgers import COMPLETE, FAILED, RUNNING, WAITING, Ledger, Record
from argosy.simulation.plans import Scenario

_PERCENTILES: Final = (50, 90, 99)
_HOUR: Final = 3600.0


def summarize(scenario: Scenario, ledger: Ledger, *, seed: int, until: float) -> Object:
    """The content of summary.json."""
    jobs = list(ledger.jobs.values())
    used, capacity = _total(ledger, "used"), _total(ledger, "capacity")
    wasted = sum(each.wasted for each in jobs)
    return {
        "scenario": scenario.name,
        "description": scenario.description,
        "seed": seed,
        "start": scenario.start.isoformat(),
        "simulatedSeconds": until,
        "unit": scenario.unit,
        "jobs": outcomes(jobs),
        "waitSeconds": waits(jobs, until),
        "utilization": _ratio(used, capacity),
        "fairness": fairness(jobs, until),
        "preemptions": sum(each.preemptions for each in jobs),
        "evictions": sum(each.evictions for each in jobs),
        "moves": sum(each.moves for each in jobs),
        "podFailures": sum(each.pod_failures for each in jobs),
        "unitHours": {
            "capacity": _hours(capacity),
            "used": _hours(used),
            "wasted": _hours(wasted),
            "wastedShare": _ratio(wasted, used),
        },
        "money": {
            "machines": round(_total(ledger, "price") / _HOUR, 2),
            "jobs": round(sum(each.cost for each in jobs), 2),
        },
        "integrity": {
            "lost": ledger.counts["lost"],
            "ranTwice": ledger.counts["overlapped"],
            "endedTwice": ledger.counts["ended-again"],
        },
        "teams": _groups(jobs, until, lambda each: each.team),
        "classes": _groups(jobs, until, lambda each: each.classed),
        "clusters": _clusters(scenario, ledger, jobs),
        "events": dict(sorted(ledger.counts.items())),
    }


def outcomes(jobs: Iterable[Record]) -> Object:
    found = list(jobs)
    counted = {
        name: sum(each.outcome == name for each in found)
        for name in (COMPLETE, FAILED, RUNNING, WAITING)
    }
    return {"submitted": len(found), **counted}


def waits(jobs: Iterable[Record], until: float) -> Object:
    found = sorted(each.wait(until) for each in jobs)
    told = {f"p{share}": round(percentile(found, share), 1) for share in _PERCENTILES}
    mean = sum(found) / len(found) if found else 0.0
    return {**told, "mean": round(mean, 1), "max": round(found[-1], 1) if found else 0.0}


def percentile(ordered: Sequence[float], share: float) -> float:
    """By the nearest rank: a wait that somebody had."""
    if not ordered:
        return 0.0
    rank = max(0, -(-len(ordered) * share // 100) - 1)
    return ordered[int(rank)]


def jain(shares: Sequence[float]) -> float:
    """1 where all are alike, 1/n where one has everything; 1 for nobody."""
    squares = sum(each * each for each in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0


def fairness(jobs: Iterable[Record], until: float) -> float:
    """Jain's index over teams, of what each was given over what it asked for until now."""
    given: dict[str, float] = {}
    asked: dict[str, float] = {}
    for each in jobs:
        # What can have been done of it since it was submitted.
        wanted = each.units * each.pods * min(each.seconds, until - each.submitted)
        given[each.team] = given.get(each.team, 0.0) + min(each.used - each.wasted, wanted)
        asked[each.team] = asked.get(each.team, 0.0) + wanted
    shares = [given[team] / asked[team] for team in sorted(asked) if asked[team] > 0]
    return round(jain(shares), 4)


def _groups(jobs: Iterable[Record], until: float, of: Callable[[Record], str]) -> Object:
    grouped: dict[str, list[Record]] = {}
    for each in jobs:
        grouped.setdefault(of(each), []).append(each)
    return {name: _group(found, until) for name, found in sorted(grouped.items())}


def _group(jobs: Sequence[Record], until: float) -> Object:
    return {
        **outcomes(jobs),
        "waitSeconds": waits(jobs, until),
        "usedUnitHours": _hours(sum(each.used for each in jobs)),
        "wastedUnitHours": _hours(sum(each.wasted for each in jobs)),
        "preemptions": sum(each.preemptions for each in jobs),
        "cost": round(sum(each.cost for each in jobs), 2),
    }


def _clusters(scenario: Scenario, ledger: Ledger, jobs: Iterable[Record]) -> Object:
    ended: dict[str, int] = {}
    for each in jobs:
        ended[each.cluster] = ended.get(each.cluster, 0) + (each.ended is not None)
    meters = {
        what: ledger.of(what) for what in ("nodes", "cores", "capacity", "used", "price", "dark")
    }

    def total(what: str, name: str) -> float:
        meter = meters[what].get(name)
        return meter.total if meter is not None else 0.0

    def last(what: str, name: str) -> float:
        meter = meters[what].get(name)
        return meter.amount if meter is not None else 0.0

    return {
        each.name: {
            "region": each.region,
            "nodes": int(last("nodes", each.name)),
            "cores": last("cores", each.name),
            "capacity": last("capacity", each.name),
            "utilization": _ratio(total("used", each.name), total("capacity", each.name)),
            "jobs": ended.get(each.name, 0),
            "machinesCost": round(total("price", each.name) / _HOUR, 2),
            "darkSeconds": round(total("dark", each.name), 1),
        }
        for each in scenario.members
    }


def lines(summary: Object) -> list[str]:
    """The summary as people read it."""
    jobs, hours, money = summary["jobs"], summary["unitHours"], summary["money"]
    told = [
        f"{summary['scenario']}: {span(summary['simulatedSeconds'])} of fleet life, seed {summary['seed']}"
    ]
    told.append(
        f"  jobs         {jobs['submitted']:,} submitted: {jobs['complete']:,} complete, {jobs['failed']:,} failed, "
        f"{jobs['running']:,} running, {jobs['waiting']:,} waiting"
    )
    told.append(
        f"  use          {summary['utilization']:.1%} of {hours['capacity']:,.0f} {summary['unit']}-hours; "
        f"{hours['wastedShare']:.1%} of the work was for nothing"
    )
    told.append(f"  fairness     {summary['fairness']:.3f} (Jain's index over teams)")
    told.append(
        f"  disturbance  {summary['preemptions']:,} preemptions, {summary['moves']:,} moves to another cluster, "
        f"{summary['podFailures']:,} pods failed"
    )
    told.append(
        f"  money        {money['machines']:,.2f} for machines, of which jobs held {money['jobs']:,.2f}"
    )
    if broken := sum(summary["integrity"].values()):
        told.append(
            f"  BROKEN       {broken:,} jobs were lost or ran twice: see integrity in summary.json"
        )
    told.append("")
    for title, key in (("TEAM", "teams"), ("CLASS", "classes")):
        told += _table(title, summary[key])
    return told


def _table(title: str, groups: Object) -> list[str]:
    width = max([len(title), *map(len, groups)]) + 2
    head = f"  {title:<{width}}{'JOBS':>8}{'WAIT P50':>10}{'P90':>10}{'P99':>10}{'PREEMPTED':>11}{'COST':>12}"
    rows = [head]
    for name, each in groups.items():
        wait = each["waitSeconds"]
        rows.append(
            f"  {name:<{width}}{each['submitted']:>8,}{span(wait['p50']):>10}{span(wait['p90']):>10}"
            f"{span(wait['p99']):>10}{each['preemptions']:>11,}{each['cost']:>12,.2f}"
        )
    return [*rows, ""]


def span(seconds: float) -> str:
    """`45s`, `12m`, `3h10m`, `6d4h`: two parts at most."""
    whole = round(seconds)
    if whole < 60:
        return f"{seconds:.0f}s" if seconds >= 10 or seconds == whole else f"{seconds:.1f}s"
    minutes, rest = divmod(whole, 60)
    if minutes < 10 and rest:
        return f"{minutes}m{rest}s"
    if minutes < 60:
        return f"{minutes}m"
    hours, minutes = divmod(minutes, 60)
    if hours < 24:
        return f"{hours}h{minutes}m" if minutes else f"{hours}h"
    days, hours = divmod(hours, 24)
    return f"{days}d{hours}h" if hours else f"{days}d"


def _total(ledger: Ledger, what: str) -> float:
    return sum(each.total for each in ledger.of(what).values())


def _ratio(part: float, whole: float) -> float:
    return round(part / whole, 4) if whole else 0.0


def _hours(seconds: float) -> float:
    return round(seconds / _HOUR, 2)
