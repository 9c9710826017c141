"""Whatever is lost or killed on the way: each uid once at most, and nothing is settled that was not written."""

from __future__ import annotations

from datetime import datetime, timedelta

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from argosy.api.objects.history import JobHistory, JobRecord
from argosy.api.objects.metadata import ObjectMeta
from argosy.dispatch.ledgers import Ledger
from argosy.dispatch.pages import Append, Begin, Limits
from tests.unit.dispatch.builders import at, record

LIMITS = Limits(page_size=3, most=7, age=timedelta(hours=1))


class Remembering(RuleBasedStateMachine):
    """A hub's pages, a ledger that sees them late, and a process that dies."""

    def __init__(self) -> None:
        super().__init__()
        self.hub: dict[str, JobHistory] = {}
        self.seen: dict[str, JobHistory] = {}
        self.revision = 0
        self.now = 0
        self.jobs: list[JobRecord] = []
        self.ever: dict[str, int] = {}
        self.ledger = Ledger(LIMITS)

    # The world.

    @rule(count=st.integers(1, 5))
    def jobs_end(self, count: int) -> None:
        for _ in range(count):
            self.now += 1
            ended = record(f"u{len(self.jobs)}", self.now)
            self.jobs.append(ended)
            self.ledger.note("app", ended)

    @rule(index=st.integers(0, 200))
    def a_job_is_looked_at_again(self, index: int) -> None:
        if self.jobs:
            self.ledger.note("app", self.jobs[index % len(self.jobs)])

    @rule(seconds=st.sampled_from([1, 60, 4000]))
    def time_passes(self, seconds: int) -> None:
        self.now += seconds

    @rule()
    def the_watch_catches_up(self) -> None:
        for name in self.hub.keys() | self.seen.keys():
            self._see(name)

    @rule()
    def the_process_dies(self) -> None:
        self.ledger, self.seen = Ledger(LIMITS), {}
        self.the_watch_catches_up()
        # Jobs whose objects are still there are looked at again: here, all of them.
        for each in self.jobs:
            self.ledger.note("app", each)

    @rule(done=st.integers(0, 4), told=st.booleans(), dies=st.booleans())
    def what_waits_is_written(self, done: int, told: bool, dies: bool) -> None:
        """Up to so many steps get through; of the last, the answer may be lost."""
        steps = self.ledger.steps("app", at(self.now))
        for number, step in enumerate(steps.written):
            if number >= done:
                break
            name = step.name if isinstance(step, Begin) else step.page.metadata.name
            if not self._write(step):
                self._see(name)
                break
            if told or number + 1 < done:
                self._see(name)
            else:
                break
        else:
            for page in steps.dropped[:done]:
                self.hub.pop(page.metadata.name, None)
        if dies:
            self.the_process_dies()

    def _write(self, step: Append | Begin) -> bool:
        self.revision += 1
        if isinstance(step, Begin):
            if step.name in self.hub:
                return False
            name, records = step.name, step.records
        else:
            name = step.page.metadata.name
            there = self.hub.get(name)
            if (
                there is None
                or there.metadata.resource_version != step.page.metadata.resource_version
            ):
                return False
            records = (*there.records, *step.records)
        for each in step.records:
            self.ever[each.uid] = self.ever.get(each.uid, 0) + 1
        meta = ObjectMeta(name, namespace="app", resource_version=str(self.revision))
        self.hub[name] = JobHistory(meta, step.summary, records)
        return True

    def _see(self, name: str) -> None:
        old, new = self.seen.get(name), self.hub.get(name)
        if new is not None:
            self.seen[name] = new
        else:
            self.seen.pop(name, None)
        if old != new:
            self.ledger.put(old, new)

    # The laws.

    @invariant()
    def nobody_is_written_twice(self) -> None:
        assert {uid: count for uid, count in self.ever.items() if count > 1} == {}

    @invariant()
    def nothing_is_settled_that_was_not_written(self) -> None:
        for each in self.jobs:
            if self.ledger.settled("app", each) is not None:
                assert each.uid in self.ever

    @invariant()
    def there_is_a_bound(self) -> None:
        for page in self.hub.values():
            assert len(page.records) <= LIMITS.page_size
            assert page.summary.jobs == len(page.records)

    @invariant()
    def what_is_dropped_was_announced(self) -> None:
        kept = {each.uid for page in self.hub.values() for each in page.records}
        for each in self.jobs:
            if each.uid in self.ever and each.uid not in kept:
                assert each.ended is not None
                assert each.ended <= self._forgotten()

    def _forgotten(self) -> datetime:
        times = [page.summary.forgotten_until for page in self.hub.values()]
        return max((each for each in times if each is not None), default=at(-1))

    def teardown(self) -> None:
        """In quiet times everything is remembered, or was."""
        for _ in range(10):
            self.the_watch_catches_up()
            self.what_waits_is_written(100, True, False)
        self.the_watch_catches_up()
        for each in self.jobs:
            assert self.ledger.settled("app", each) is not None


TestRemembering = Remembering.TestCase
