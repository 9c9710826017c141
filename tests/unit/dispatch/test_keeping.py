"""Who of a job and its placements goes, and when."""

from __future__ import annotations

from datetime import timedelta

import pytest

from argosy.api.objects.fleet.placements import Placement, PlacementSpec, ResourceSelectorTerm
from argosy.api.objects.history import KEEP
from argosy.api.objects.metadata import ObjectMeta, OwnerReference
from argosy.dispatch.keeping import BadKeep, Leaving, Placed, keep_of, leaving
from tests.unit.dispatch.builders import at, hub_job


def placement(keep: str = "", *, owned: bool = False, named: bool = True) -> Placement:
    owners = (OwnerReference("batch/v1", "Job", "j", "u"),) if owned else ()
    meta = ObjectMeta("p", namespace="app", owner_references=owners, annotations=_kept(keep))
    term = ResourceSelectorTerm("batch", "v1", "Job", "j" if named else "")
    return Placement(meta, PlacementSpec((term,)))


def _kept(keep: str) -> dict[str, str]:
    return {KEEP: keep} if keep else {}


OWN, OTHERS, PLAIN = placement("100s"), placement("100s", owned=True), placement()
STREAM = placement(named=False)
HOUR = timedelta(hours=1)
# The job's word, its placements, the hub's word, the time, and who goes. The job ended at 1000.
CASES = {
    "nobody says anything": ("", (Placed(PLAIN, at(1000), True),), None, 9999, Leaving()),
    "not yet": ("1m", (), None, 1050, Leaving(due=at(1060))),
    "now": ("1m", (), None, 1060, Leaving(job=True)),
    "a placement of the job goes with it": (
        "1m",
        (Placed(OTHERS, at(1000), True),),
        None,
        9999,
        Leaving(job=True),
    ),
    "the placement alone": (
        "",
        (Placed(OWN, at(1000), True),),
        None,
        1100,
        Leaving((OWN,)),
    ),
    "with its last job": ("1m", (Placed(OWN, at(1000), True),), None, 1060, Leaving((OWN,), True)),
    "not with one of several": (
        "1m",
        (Placed(OWN, at(1010)),),
        None,
        1060,
        Leaving((), True, at(1110)),
    ),
    "not while a job of it runs": ("", (Placed(OWN, None),), None, 9999, Leaving()),
    "what cannot be read stays": (
        "soon",
        (Placed(placement("-5s"), at(1000), True),),
        HOUR,
        9999,
        Leaving(),
    ),
    "the hub's word": ("", (Placed(PLAIN, at(1000), True),), HOUR, 4600, Leaving((PLAIN,), True)),
    "a stream has more to come": ("", (Placed(STREAM, at(1000)),), HOUR, 4600, Leaving((), True)),
    "its own word counts more": ("2h", (), HOUR, 4600, Leaving(due=at(8200))),
}


@pytest.mark.parametrize(("keep", "placed", "default", "now", "want"), CASES.values(), ids=CASES)
def test_leaving(
    keep: str, placed: tuple[Placed, ...], default: timedelta | None, now: float, want: Leaving
) -> None:
    meta = hub_job(annotations=_kept(keep)).metadata
    assert leaving(meta, at(1000), placed, default, at(now)) == want


def test_a_job_that_somebody_manages_goes_by_its_own_word_only() -> None:
    owner = (OwnerReference("batch/v1", "CronJob", "c", "o", controller=True),)
    meta = hub_job(owner_references=owner).metadata
    assert leaving(meta, at(0), (), HOUR, at(9999)) == Leaving()


@pytest.mark.parametrize("text", ["", "10", "-1m", "1 day", "∞"])
def test_a_bad_annotation_names_itself_and_says_what_to_write(text: str) -> None:
    with pytest.raises(BadKeep, match=f'{KEEP}: invalid value "{text}": .*such as "10m"'):
        keep_of({KEEP: text})
