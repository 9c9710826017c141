"""A cluster is lost, and what becomes of its jobs: they move once, the old copy ends first, and nothing runs twice."""

from __future__ import annotations

from argosy.api.objects.fleet import names
from argosy.base.types import Object
from argosy.client.resources import MEMBER_CLUSTERS
from tests.behaviour.placement.losing import Fleet, losing

MINUTE = 60.0


async def lose(fleet: Fleet, job: str = "train") -> str:
    """Cut off whoever has the job; its name."""
    (holder,) = fleet.holders(job)
    fleet.members[holder].to_hub.cut()
    return holder


async def given_up(fleet: Fleet, cluster: str) -> Object:
    """The metadata of the job's binding on a cluster."""
    found: Object = (await fleet.bindings())[cluster]["metadata"]
    return found


def test_a_job_moves_once_and_the_old_copy_ends_first() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place()
        lost = await lose(fleet)
        cut = fleet.now()
        await fleet.pass_time(10 * MINUTE)
        (new,) = fleet.holders()
        assert new != lost
        (ended,) = fleet.when(lost, is_live=False)
        (began,) = fleet.when(new, is_live=True)
        # Three quarters of the minute since the last beat here, the whole of it there.
        assert 30 < ended - cut <= 45
        assert 50 < began - cut < 65
        assert began - ended > 14
        # The status speaks of the new cluster, which has all it needs.
        assert [cluster for cluster, _ in await fleet.status()] == [new]
        assert (await fleet.status())[0][1]["Available"] == "True"
        bindings = await fleet.bindings()
        assert "deletionTimestamp" in bindings[lost]["metadata"]
        (told,) = await fleet.told("PlacementRescheduled")
        assert told.startswith(f'Cluster "{lost}" has been silent for 1m0s')
        # It returns: the old Work ends, and nothing moves back.
        fleet.members[lost].to_hub.mend()
        await fleet.pass_time(5 * MINUTE)
        assert fleet.holders() == [new]
        assert await fleet.work(lost) is None
        assert list(await fleet.bindings()) == [new]
        assert len(fleet.turns) == 3

    losing(story)


def test_a_cluster_that_returns_in_time_keeps_its_job() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place()
        lost = await lose(fleet)
        await fleet.pass_time(30)
        fleet.members[lost].to_hub.mend()
        await fleet.pass_time(5 * MINUTE)
        assert [(each.member, each.is_live) for each in fleet.turns] == [(lost, True)]

    losing(story)


def test_a_cluster_that_returns_before_its_job_is_given_away_starts_it_again() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place(after="after=10m")
        lost = await lose(fleet)
        cut = fleet.now()
        await fleet.pass_time(9 * MINUTE)
        assert fleet.holders() == []
        fleet.members[lost].to_hub.mend()
        await fleet.pass_time(10 * MINUTE)
        assert fleet.holders() == [lost]
        assert {each.member for each in fleet.turns} == {lost}
        (ended,) = fleet.when(lost, is_live=False)
        assert 5.9 * MINUTE < ended - cut <= 7.5 * MINUTE

    losing(story)


def test_without_the_annotation_nothing_moves_and_nothing_ends() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place(after="")
        lost = await lose(fleet)
        await fleet.pass_time(60 * MINUTE)
        assert fleet.holders() == [lost]
        work = await fleet.work(lost)
        assert work is not None
        assert not any(key.startswith("argosy.dev") for key in work["metadata"]["annotations"])

    losing(story)


def test_what_no_other_cluster_can_have_stays_and_begins_again() -> None:
    async def story(fleet: Fleet) -> None:
        policy = {"placementType": "PickN", "numberOfClusters": 3}
        await fleet.place(policy=policy, after="after=2m")
        # Three copies that are meant to be.
        fleet.twice.clear()
        fleet.members["m1"].to_hub.cut()
        await fleet.pass_time(30 * MINUTE)
        bindings = await fleet.bindings()
        assert sorted(bindings) == ["m1", "m2", "m3"]
        assert not any("deletionTimestamp" in each["metadata"] for each in bindings.values())
        assert fleet.holders() == ["m2", "m3"]
        assert len(await fleet.told("PlacementNotRescheduled")) == 1
        fleet.members["m1"].to_hub.mend()
        await fleet.pass_time(MINUTE)
        assert fleet.holders() == ["m1", "m2", "m3"]
        fleet.twice.clear()

    losing(story)


def test_other_ways_to_pick_are_left_alone() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place("everywhere", policy={"placementType": "PickAll"})
        fixed = {"placementType": "PickFixed", "clusterNames": ["m1"]}
        await fleet.place("fixed", policy=fixed)
        fleet.members["m1"].to_hub.cut()
        await fleet.pass_time(30 * MINUTE)
        assert fleet.holders("everywhere") == ["m1", "m2", "m3"]
        assert fleet.holders("fixed") == ["m1"]
        assert sorted(await fleet.told("RescheduleIgnored")) == [
            f"{names.RESCHEDULE} is ignored: the placement type is {kind}, and only PickN placements are rescheduled"
            for kind in ("PickAll", "PickFixed")
        ]
        fleet.twice.clear()

    losing(story)


def test_an_annotation_that_cannot_be_read_is_told_and_ignored() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place(after="10m")
        lost = await lose(fleet)
        await fleet.pass_time(30 * MINUTE)
        assert fleet.holders() == [lost]
        (told,) = await fleet.told("RescheduleIgnored")
        assert '"10m"' in told
        assert "after=DURATION" in told

    losing(story)


def test_two_losses_in_a_row() -> None:
    async def story(fleet: Fleet) -> None:
        strategy = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
        await fleet.place(strategy=strategy)
        first = await lose(fleet)
        await fleet.pass_time(5 * MINUTE)
        second = await lose(fleet)
        await fleet.pass_time(5 * MINUTE)
        (third,) = fleet.holders()
        assert len({first, second, third}) == 3
        # Nobody is left: it stays where it is, fenced, until its cluster returns.
        await lose(fleet)
        await fleet.pass_time(5 * MINUTE)
        assert fleet.holders() == []
        for member in fleet.members.values():
            member.to_hub.mend()
        await fleet.pass_time(5 * MINUTE)
        assert fleet.holders() == [third]
        assert list(await fleet.bindings()) == [third]

    losing(story)


def test_a_hub_that_starts_anew_counts_anew() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place(after="after=4m")
        lost = await lose(fleet)
        cut = fleet.now()
        await fleet.pass_time(3 * MINUTE)
        await fleet.restart()
        await fleet.pass_time(10 * MINUTE)
        (new,) = fleet.holders()
        (began,) = fleet.when(new, is_live=True)
        assert new != lost
        assert 7 * MINUTE <= began - cut < 7.2 * MINUTE

    losing(story)


def test_a_hub_that_dies_while_it_gives_up_ends_what_it_began() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place()
        lost = await lose(fleet)
        fleet.line.lag = 0.01
        while names.RESCHEDULED not in (await given_up(fleet, lost)).get("annotations", {}):
            await fleet.pass_time(0.005)
        await fleet.kill()
        assert "deletionTimestamp" not in await given_up(fleet, lost)
        await fleet.start()
        await fleet.pass_time(5 * MINUTE)
        (new,) = fleet.holders()
        assert new != lost
        fleet.members[lost].to_hub.mend()
        await fleet.pass_time(MINUTE)
        assert list(await fleet.bindings()) == [new]

    losing(story)


def test_a_hub_that_hears_of_nobody_asks_before_it_gives_up_anything() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place()
        fleet.line.is_deaf = True
        fleet.line.client.cut()
        await fleet.pass_time(10 * MINUTE)
        assert len(fleet.turns) == 1
        fleet.line.is_deaf = False
        await fleet.pass_time(10 * MINUTE)
        assert len(fleet.turns) == 1

    losing(story)


def test_what_has_finished_is_not_run_again() -> None:
    """One told the hub before its cluster was lost; the other finished afterwards, and tells when it returns."""

    async def story(fleet: Fleet) -> None:
        await fleet.place("early", after="after=4m")
        await fleet.place("late", after="after=4m")
        (lost,) = fleet.holders("early")
        assert fleet.holders("late") == [lost]
        await fleet.finish(lost, "early")
        await fleet.pass_time(10)
        fleet.members[lost].to_hub.cut()
        await fleet.finish(lost, "late")
        await fleet.pass_time(3.1 * MINUTE)
        assert fleet.holders("early") == fleet.holders("late") == [lost]
        fleet.members[lost].to_hub.mend()
        await fleet.pass_time(2 * MINUTE)
        fleet.members[lost].to_hub.cut()
        await fleet.pass_time(10 * MINUTE)
        assert fleet.holders("early") == fleet.holders("late") == [lost]
        assert len(fleet.turns) == 2

    losing(story)


def test_who_leaves_the_fleet_keeps_what_it_has() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place()
        (holder,) = fleet.holders()
        await fleet.hub.client.delete(MEMBER_CLUSTERS, holder)
        await fleet.pass_time(10 * MINUTE)
        # Upstream's way: what a cluster had when it left stays there, and the placement goes elsewhere.
        assert holder in fleet.holders()
        assert len(fleet.holders()) == 2
        fleet.twice.clear()

    losing(story)


def test_an_agent_that_starts_anew_while_it_is_cut_off_ends_the_job_in_time() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place(after="after=4m")
        lost = await lose(fleet)
        cut = fleet.now()
        await fleet.pass_time(2 * MINUTE)
        await fleet.members[lost].restart(5)
        await fleet.pass_time(10 * MINUTE)
        (ended,) = fleet.when(lost, is_live=False)
        # As if it had never been away: it counts from when the hub last answered.
        assert 2.2 * MINUTE < ended - cut <= 3 * MINUTE
        (new,) = fleet.holders()
        assert new != lost
        fleet.members[lost].to_hub.mend()
        await fleet.pass_time(MINUTE)
        assert fleet.holders() == [new]
        assert await fleet.work(lost) is None

    losing(story)


def test_an_agent_that_starts_after_its_time_ends_the_job_at_once() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place(after="after=2m")
        lost = await lose(fleet)
        await fleet.pass_time(80)
        await fleet.members[lost].kill()
        await fleet.pass_time(15)
        assert fleet.holders() == [lost]
        fleet.members[lost].start()
        await fleet.pass_time(1)
        assert fleet.holders() == []
        await fleet.pass_time(5 * MINUTE)
        assert fleet.holders() != [lost]

    losing(story)


def test_an_agent_that_starts_anew_with_the_hub_in_reach_leaves_the_job_alone() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place()
        (holder,) = fleet.holders()
        for _ in range(3):
            await fleet.members[holder].restart(20)
            await fleet.pass_time(2 * MINUTE)
        assert len(fleet.turns) == 1

    losing(story)


def test_terms_that_the_agent_has_not_seen_do_not_count() -> None:
    """The annotation comes when the cluster is gone: nobody there will end the job, so it is not given away."""

    async def story(fleet: Fleet) -> None:
        await fleet.place(after="")
        lost = await lose(fleet)
        await fleet.annotate("after=1m")
        await fleet.pass_time(30 * MINUTE)
        assert fleet.holders() == [lost]
        fleet.members[lost].to_hub.mend()
        await fleet.pass_time(MINUTE)
        work = await fleet.work(lost)
        assert work is not None
        assert work["metadata"]["annotations"][names.RESCHEDULE_ACCEPTED] == "after=1m"
        fleet.members[lost].to_hub.cut()
        await fleet.pass_time(3 * MINUTE)
        assert fleet.holders() != [lost]

    losing(story)


def test_shorter_terms_count_when_the_agent_knows_them() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place(after="after=20m")
        lost = await lose(fleet)
        await fleet.annotate("after=1m")
        await fleet.pass_time(14 * MINUTE)
        assert fleet.holders() == [lost]
        await fleet.pass_time(10 * MINUTE)
        (new,) = fleet.holders()
        assert new != lost
        (ended,), (began,) = fleet.when(lost, is_live=False), fleet.when(new, is_live=True)
        assert began - ended > 4 * MINUTE

    losing(story)


def test_an_annotation_that_goes_takes_the_fence_along() -> None:
    async def story(fleet: Fleet) -> None:
        await fleet.place()
        await fleet.annotate(None)
        await fleet.pass_time(30)
        (holder,) = fleet.holders()
        work = await fleet.work(holder)
        assert work is not None
        assert not any(key.startswith("argosy.dev") for key in work["metadata"]["annotations"])
        await lose(fleet)
        await fleet.pass_time(30 * MINUTE)
        assert fleet.holders() == [holder]
        assert len(fleet.turns) == 1

    losing(story)
