"""What a page shows against what was printed.

Line by line, with blanks as wide as one likes, blank lines left out, and words that differ from run to run (ages, times,
uids, ports, processes, the random ends of names) standing for their kind. `...` or `…` alone on a line stands for any
lines, at the end of a line for its rest, between words for words. Everything else has to be there, in order, and nothing
more: a page does not show what is not printed, and hides nothing it does not say it hides.
"""

from __future__ import annotations

import re
from functools import cache

_CUTS = ("...", "…")
_DURATION = r"(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+(?:\.\d+)?m?s)?"
# Most particular first.
_VOLATILE = (
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "UID"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?"), "TIME"),
    (re.compile(r"127\.0\.0\.1:\d+"), "ADDRESS"),
    (re.compile(r"\b(?:process|pid) \d+"), "process N"),
    (re.compile(r"(?<![\w.])(?=\d)" + _DURATION + r"(?:\d+[dhms])(?![\w])"), "AGE"),
    (re.compile(r"\b\d+(?:\.\d+)? (?=m?s\b|seconds?\b)"), "N "),
    # Hashes of Workloads, of bindings, of ReplicaSets with their pods; ends of generated names.
    (re.compile(r"\b((?:job|jobset|pod|rayjob)-[a-z0-9-]+)-[0-9a-f]{5}(?![\w-])"), r"\1-HASH"),
    (re.compile(r"-[0-9a-f]{8}\b"), "-ID"),
    (re.compile(r"-[a-z0-9]{8,10}-[bcdfghjklmnpqrstvwxz2456789]{5}\b"), "-ID-END"),
    (re.compile(r"-(?=[a-z]*\d)[bcdfghjklmnpqrstvwxz2456789]{5}\b"), "-END"),
    (re.compile(r"-[bcdfghjklmnpqrstvwxz]{5}\b"), "-END"),
)


def plain(line: str, own: tuple[tuple[str, str], ...] = ()) -> str:
    """A line without what differs from run to run; `own` are paths of this run and what the page calls them."""
    for given, shown in own:
        line = line.replace(given, shown)
    for pattern, word in _VOLATILE:
        line = pattern.sub(word, line)
    return " ".join(line.split())


def differs(shown: list[str], printed: str, own: tuple[tuple[str, str], ...] = ()) -> str:
    """Where what was printed is not what is shown; empty if it is."""
    want = [each for line in shown if (each := plain(line))]
    got = [each for line in printed.splitlines() if (each := plain(line, own))]
    if _fits(tuple(want), tuple(got)):
        return ""
    return _first_difference(want, got)


def _fits(want: tuple[str, ...], got: tuple[str, ...]) -> bool:
    @cache
    def fits(at: int, there: int) -> bool:
        if at == len(want):
            return there == len(got)
        if want[at] in _CUTS:
            return any(fits(at + 1, then) for then in range(there, len(got) + 1))
        return there < len(got) and _same(want[at], got[there]) and fits(at + 1, there + 1)

    return fits(0, 0)


def _same(want: str, got: str) -> bool:
    if not any(cut in want for cut in _CUTS):
        return want == got
    parts = [re.escape(part.strip()) for part in re.split(r"\.\.\.|…", want)]
    return re.fullmatch(r".*?".join(parts), got) is not None


def _first_difference(want: list[str], got: list[str]) -> str:
    """The first line of the page that has no match behind those before it, for whoever has to mend it."""
    there = 0
    for line in want:
        if line in _CUTS:
            continue
        found = next((at for at in range(there, len(got)) if _same(line, got[at])), None)
        if found is None:
            return f"the page shows {line!r}, which was not printed there"
        there = found + 1
    return "more was printed than the page shows; `...` stands for what is left out"
