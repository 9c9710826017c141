"""A play in which nothing arrives at once: decisions are under way, news are late, answers may come after them.

The engine hears of the API in the order things happened there, as a watch tells them; decisions reach the API in any
order, and their answers the engine. Chance says what moves next. `die` loses the engine with all that is on the wire:
decisions that have not arrived never will, those that have are in the API whether or not anybody was told.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from random import Random

from argosy.api.objects.kueue.workloads import Workload
from argosy.queueing.cycles.engines import Engine
from argosy.queueing.cycles.writes import Write
from argosy.queueing.preemption.fair import FairSharing
from tests.support.plays import News, Play, Settings
from tests.support.queues import key_of


class Wired(Play):
    """A play whose engine is far from the API. `random` is chance."""

    def __init__(self, *settings: Settings, random: Random, fair: FairSharing | None) -> None:
        self.random = random
        # Decisions on their way, news to be heard, answers to be heard.
        self.sent: list[Write] = []
        self.news: deque[News] = deque()
        self.answers: list[Callable[[], None]] = []
        # The workloads as the watch has told them so far.
        self.known: dict[str, Workload] = {}
        super().__init__(*settings, fair=fair)

    def send(self, write: Write) -> None:
        self.sent.append(write)

    def tell(self, news: News) -> None:
        self.news.append(news)

    def store(self, workload: Workload) -> Workload:
        stored = super().store(workload)
        put = self.news.pop()

        def hear(engine: Engine, now: float) -> None:
            self.known[key_of(stored)] = stored
            put(engine, now)

        self.news.append(hear)
        return stored

    def arrive(self, write: Write) -> None:
        key, seen = key_of(write.draft.workload), write.draft.workload.metadata.resource_version
        actual = self.workloads.get(key)
        if actual is None or actual.metadata.resource_version != seen:
            self.answers.append(lambda: self.engine.failed(write, self.known.get(key), self.now))
            return
        self.told.append((write.kind, key))
        revision = int(self.store(write.draft.workload).metadata.resource_version)
        self.answers.append(lambda: self.engine.written(write, revision, self.now))
        self.watch()

    def step(self) -> bool:
        """Something moves on the wire, or else the play goes on."""
        moves: list[Callable[[], None]] = []
        if self.sent:
            moves.append(self._arrive_some)
        if self.news:
            moves.append(self._hear)
        if self.answers:
            moves.append(self._answer_some)
        # Now and then the engine and the jobs do not wait for the wire.
        if moves and self.random.randint(0, 2):
            self.random.choice(moves)()
            return True
        if self._work() or self._decide():
            return True
        if moves:
            self.random.choice(moves)()
            return True
        return super().step()

    def die(self) -> None:
        """The process is gone; another one begins with what the API says."""
        self.sent.clear()
        self.answers.clear()
        self.news.clear()
        self.known = self.workloads.copy()
        self.restart(self.random.shuffle)

    def _arrive_some(self) -> None:
        self.arrive(self.sent.pop(self.random.randrange(len(self.sent))))

    def _answer_some(self) -> None:
        self.answers.pop(self.random.randrange(len(self.answers)))()

    def _hear(self) -> None:
        self.news.popleft()(self.engine, self.now)
