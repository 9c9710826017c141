"""Which events are written, counted, combined or dropped: client-go's numbers."""

from __future__ import annotations

from collections.abc import Sequence

from argosy.base.clock import VirtualClock
from argosy.base.loops import VirtualLoop, run_virtual
from argosy.control.correlating import Correlator, Known, Occurrence, Reference

POD = Reference(kind="Pod", name="web", namespace="default", uid="1", apiVersion="v1")


def judge_all(events: Sequence[tuple[float, Occurrence]]) -> list[tuple[str, int] | None]:
    """(message, count to write) for each event, as if every write succeeded."""

    async def main() -> list[tuple[str, int] | None]:
        clock = VirtualClock()
        correlator = Correlator(clock)
        out: list[tuple[str, int] | None] = []
        for when, event in events:
            await clock.sleep(when - clock.monotonic())
            verdict = correlator.judge(event)
            if verdict is None:
                out.append(None)
                continue
            times = verdict.known.times + 1 if verdict.known else 1
            correlator.learn(verdict.key, Known("event", times))
            out.append((verdict.message, times))
        return out

    return run_virtual(main())


def event(message: str, *, about: Reference = POD, reason: str = "Failed") -> Occurrence:
    return Occurrence(about, "Warning", reason, message)


def test_the_same_event_is_counted() -> None:
    assert judge_all([(i, event("x")) for i in range(3)]) == [("x", 1), ("x", 2), ("x", 3)]


def test_another_object_or_reason_is_another_event() -> None:
    other = Reference(kind="Pod", name="db", namespace="default", uid="2", apiVersion="v1")
    events = [event("x"), event("x", about=other), event("x", reason="Pulled")]
    assert judge_all([(0, e) for e in events]) == [("x", 1)] * 3


def test_ten_similar_events_become_one() -> None:
    got = judge_all([(i, event(f"m{i}")) for i in range(12)])
    want = [(f"m{i}", 1) for i in range(9)] + [
        (f"(combined from similar events): m{i}", i - 8) for i in range(9, 12)
    ]
    assert got == want


def test_similar_events_far_apart_stay_apart() -> None:
    got = judge_all([(i * 601, event(f"m{i}")) for i in range(12)])
    assert got == [(f"m{i}", 1) for i in range(12)]


def test_an_object_may_cause_25_events_and_one_more_every_five_minutes() -> None:
    got = judge_all([(0, event("x"))] * 27 + [(300, event("x")), (301, event("x"))])
    written = [verdict is not None for verdict in got]
    assert written == [True] * 25 + [False] * 2 + [True, False]


def test_dropped_repetitions_are_counted_too() -> None:
    got = judge_all([(0, event("x"))] * 27 + [(300, event("x"))])
    assert got[-1] == ("x", 28)


def test_memory_is_bounded() -> None:
    loop = VirtualLoop()
    correlator = Correlator(VirtualClock(loop))
    for number in range(5000):
        correlator.learn(number, Known("event", 1))
    assert (correlator._known.get(0), correlator._known.get(4999)) == (None, Known("event", 1))
    loop.close()
