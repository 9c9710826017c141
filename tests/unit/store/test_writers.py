"""The shared writer threads."""

from __future__ import annotations

import threading

from argosy.store.writers import Writers


def test_a_job_runs_until_it_is_done_and_takes_turns_with_others() -> None:
    writers = Writers(threads=1)
    order: list[str] = []
    go, done = threading.Event(), threading.Event()

    def job(name: str) -> bool:
        go.wait()
        order.append(name)
        if len(order) == 6:
            done.set()
        return order.count(name) < 3

    writers.submit(lambda: job("a"))
    writers.submit(lambda: job("b"))
    go.set()
    assert done.wait(10)
    assert order == ["a", "b", "a", "b", "a", "b"]


def test_threads_come_as_they_are_needed_up_to_the_limit_and_go_when_idle() -> None:
    writers = Writers(threads=2, idle_seconds=0.01)
    started, go = threading.Semaphore(0), threading.Event()
    running: list[threading.Thread] = []

    def job() -> bool:
        running.append(threading.current_thread())
        started.release()
        go.wait()
        return False

    for _ in range(3):
        writers.submit(job)
    assert started.acquire(timeout=10)
    assert started.acquire(timeout=10)
    assert len(set(running)) == 2
    go.set()
    assert started.acquire(timeout=10)
    for thread in set(running):
        thread.join(10)
        assert not thread.is_alive()
    writers.submit(job)
    assert started.acquire(timeout=10)
