"""Replay themes on two servers and collect what differs.

Each theme starts with a clean slate of variables and of names for uids, and has its own namespace,
so themes do not depend on each other; the cases inside one do, on purpose, in order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.differential.comparing import Difference, Permission, differences
from tests.differential.exchanging import Replayer
from tests.differential.loading import Case, Json, load, pick
from tests.differential.normalizing import Normalizer


@dataclass(slots=True, frozen=True)
class Verdict:
    """What one case showed; it passed when nothing but permitted differences is left."""

    case: Case
    want: dict[str, Json]
    failures: list[Difference]
    permitted: list[Permission] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        return not self.failures

    @property
    def texts(self) -> list[str]:
        """A text for each failure; the first begins with what was asked."""
        texts = [str(each) for each in self.failures]
        if texts:
            asked = [f"{self.case.method.upper()} {self.case.path}", (self.case.body or "")[:600]]
            texts[0] = "\n    ".join([*filter(None, asked), texts[0]])
        return texts

    @property
    def summary(self) -> str:
        """One line: the peer's code, the case, and the message if it was a Status."""
        message = pick(self.want, "body.message") or ""
        warnings = pick(self.want, "headers.Warning") or ""
        return f"{self.want['code']} {self.case.title}  {message} {warnings}".rstrip()


def replay(
    theme: str, peer: Replayer, argosy: Replayer, permissions: list[Permission]
) -> Iterator[Verdict]:
    """Send every case of a theme to both servers and judge each pair of answers."""
    peer.variables, argosy.variables = {}, {}
    want_of, got_of = Normalizer(peer.variables), Normalizer(argosy.variables)
    for case in load(theme):
        want = want_of.normalize(peer.send(case), case.among)
        got = got_of.normalize(argosy.send(case), case.among)
        yield judge(case, want, got, permissions)


def judge(
    case: Case, want: dict[str, Json], got: dict[str, Json], permissions: list[Permission]
) -> Verdict:
    """Compare two normalized answers and take out the differences that are permitted."""
    failures: list[Difference] = []
    used: list[Permission] = []
    for difference in differences(want, got):
        cover = next((p for p in permissions if p.covers(case.title, difference)), None)
        if cover is None:
            failures.append(difference)
        elif cover not in used:
            used.append(cover)
    return Verdict(case, want, failures, used)
