"""Laws of lines: what is taken comes in order, each workload once, whatever was put and removed in between."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from argosy.queueing.queues.heaps import Heap, rank_of
from argosy.queueing.queues.lines import Line
from tests.unit.queueing.queues.builders import info

NAMES = st.sampled_from([f"w{number}" for number in range(8)])
STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("put"),
            NAMES,
            st.integers(-2, 2),
            st.sampled_from([0.0, 1.0, 2.0]),
            st.sampled_from(["a", "b", "c"]),
            st.booleans(),
        ),
        st.tuples(st.just("discard"), NAMES),
        st.tuples(st.just("pop")),
        st.tuples(st.just("use"), st.sampled_from(["ns/a", "ns/b"]), st.floats(0, 9)),
    ),
    max_size=120,
)


def play(line: Heap | Line, steps: list[tuple], usage: dict[str, float], *, fair: bool) -> None:
    """Hold a line against a dict that is sorted whenever something is taken."""
    model: dict[str, tuple] = {}

    def first() -> str | None:
        order = {
            key: (usage.get(one.local_queue, 0.0) if fair else 0.0, rank_of(one, is_sticky=sticky))
            for key, (one, sticky) in model.items()
        }
        return min(order, key=order.__getitem__, default=None)

    for step in steps:
        match step:
            case ("put", name, priority, at, queue, sticky):
                one = info(name, queue, priority=priority, at=at)
                line.put(one, is_sticky=sticky)
                model[one.key] = (one, sticky)
            case ("discard", name):
                want = model.pop(f"ns/{name}", (None,))[0]
                assert line.discard(f"ns/{name}") is want
            case ("use", queue, amount):
                usage[queue] = amount
            case _:
                key = first()
                got = line.pop()
                assert got is (model.pop(key)[0] if key else None)
        waiting = line if isinstance(line, Heap) else line.infos(asleep=False)
        assert {one.key for one in waiting} == set(model)
    while (key := first()) is not None:
        assert line.pop() is model.pop(key)[0]
    assert line.pop() is None


@given(STEPS)
def test_a_heap_hands_out_in_order_of_rank(steps: list[tuple]) -> None:
    play(Heap(), steps, {}, fair=False)


@given(STEPS)
def test_a_line_hands_out_in_order_of_usage_then_rank_even_as_usage_changes(
    steps: list[tuple],
) -> None:
    usage: dict[str, float] = {}
    play(Line(lambda queue: usage.get(queue, 0.0)), steps, usage, fair=True)


@given(STEPS)
def test_a_line_without_usage_hands_out_in_order_of_rank(steps: list[tuple]) -> None:
    play(Line(), steps, {}, fair=False)


def test_a_heap_does_not_grow_by_updates() -> None:
    heap = Heap()
    for number in range(10_000):
        heap.put(info("w", priority=number % 7))
    assert len(heap) == 1
    assert len(heap._entries) < 100


def test_ties_are_broken_by_uid_then_key() -> None:
    heap = Heap()
    for name in ("b", "a"):
        heap.put(info(name))
    assert [heap.pop().key, heap.pop().key] == ["ns/a", "ns/b"]
