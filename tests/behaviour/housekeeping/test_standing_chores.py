"""Events that end, accounts that come back, roles that aggregate, quotas that are never exceeded."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.behaviour.housekeeping.houses import MAPS, House, keeping

EVENTS = "/api/v1/namespaces/ns/events"
NS = "/api/v1/namespaces/ns"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"


def event(name: str) -> dict[str, Any]:
    about = {"kind": "Pod", "name": "p", "namespace": "ns"}
    return {"metadata": {"name": name}, "involvedObject": about, "reason": "R", "type": "Normal"}


def test_an_event_lives_an_hour_after_it_was_last_written() -> None:
    async def story(house: House) -> None:
        await house.create(EVENTS, event("old"))
        await house.create(EVENTS, event("again"))
        await asyncio.sleep(3000)
        await house.ask("PATCH", f"{EVENTS}/again", {"count": 2})
        await asyncio.sleep(550)
        assert await house.names(EVENTS) == ["again", "old"]
        await asyncio.sleep(100)
        assert await house.names(EVENTS) == ["again"]
        await asyncio.sleep(3600)
        assert await house.names(EVENTS) == []

    keeping(story)


def test_an_event_about_the_past_lives_as_long_as_any_other() -> None:
    async def story(house: House) -> None:
        await house.create(EVENTS, {**event("past"), "lastTimestamp": "2020-01-01T00:00:00Z"})
        await asyncio.sleep(3500)
        assert await house.names(EVENTS) == ["past"]

    keeping(story)


def test_every_namespace_has_its_account_and_the_certificate_and_gets_them_back() -> None:
    async def story(house: House) -> None:
        for path in (f"{NS}/serviceaccounts/default", f"{MAPS}/kube-root-ca.crt"):
            before = await house.get(path)
            await house.delete(path)
            await house.settle()
            after = await house.get(path)
            assert before["metadata"]["uid"] != after["metadata"]["uid"]
        trusted = await house.get(f"{MAPS}/kube-root-ca.crt")
        assert trusted["data"] == {"ca.crt": "CERTIFICATE"}

    keeping(story)


def test_a_namespace_the_cluster_needs_comes_back() -> None:
    async def story(house: House) -> None:
        path = "/api/v1/namespaces/kube-node-lease"
        before = await house.get(path)
        await house.delete(path)
        await house.settle()
        after = await house.get(path)
        assert before["metadata"]["uid"] != after["metadata"]["uid"]
        assert after["status"] == {"phase": "Active"}

    keeping(story)


def test_a_flood_of_events_is_cut_at_its_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("argosy.workloads.housekeeping.events.MOST", 5)

    async def story(house: House) -> None:
        for number in range(8):
            await house.create(EVENTS, event(f"e{number}"))
        await asyncio.sleep(31)
        assert await house.names(EVENTS) == ["e3", "e4", "e5", "e6", "e7"]

    keeping(story)


def test_a_role_has_the_rules_of_all_it_aggregates() -> None:
    def role(name: str, verb: str, **labels: str) -> dict[str, Any]:
        rule = {"apiGroups": [""], "resources": ["pods"], "verbs": [verb]}
        return {"metadata": {"name": name, "labels": labels}, "rules": [rule]}

    async def story(house: House) -> None:
        chosen = [{"matchLabels": {"into": "sum"}}]
        await house.create(
            ROLES,
            {"metadata": {"name": "sum"}, "aggregationRule": {"clusterRoleSelectors": chosen}},
        )
        await house.create(ROLES, role("one", "get", into="sum"))
        await house.create(ROLES, role("two", "list", into="sum"))
        await house.create(ROLES, role("three", "delete"))
        await house.settle()
        verbs = [rule["verbs"] for rule in (await house.get(f"{ROLES}/sum"))["rules"]]
        assert verbs == [["get"], ["list"]]
        await house.delete(f"{ROLES}/one")
        await house.settle()
        verbs = [rule["verbs"] for rule in (await house.get(f"{ROLES}/sum"))["rules"]]
        assert verbs == [["list"]]

    keeping(story)


def test_a_quota_is_charged_by_a_burst_and_given_back_by_a_recount() -> None:
    quotas = f"{NS}/resourcequotas"

    async def story(house: House) -> None:
        hard = {"count/secrets": "10"}
        await house.create(quotas, {"metadata": {"name": "q"}, "spec": {"hard": hard}})
        await house.settle()
        burst = [
            house.ask("POST", f"{NS}/secrets", {"metadata": {"name": f"s-{number}"}})
            for number in range(50)
        ]
        codes = [code for code, _ in await asyncio.gather(*burst)]
        assert (codes.count(201), codes.count(403)) == (10, 40)
        used = (await house.get(f"{quotas}/q"))["status"]["used"]
        assert used == {"count/secrets": "10"}
        _, refused = await house.ask("POST", f"{NS}/secrets", {"metadata": {"name": "more"}})
        assert refused["message"] == (
            'secrets "more" is forbidden: exceeded quota: q, requested: count/secrets=1, '
            "used: count/secrets=10, limited: count/secrets=10"
        )
        for number in range(4):
            await house.delete(f"{NS}/secrets/s-{number}")
        await house.settle()
        used = (await house.get(f"{quotas}/q"))["status"]["used"]
        assert used == {"count/secrets": "6"}

    keeping(story)


def test_a_refused_or_dry_write_charges_nothing() -> None:
    quotas = f"{NS}/resourcequotas"

    async def story(house: House) -> None:
        hard = {"count/secrets": "2"}
        await house.create(quotas, {"metadata": {"name": "q"}, "spec": {"hard": hard}})
        await house.settle()
        await house.ask("POST", f"{NS}/secrets", {"metadata": {"name": "a"}}, dryRun="All")
        await house.ask("POST", f"{NS}/secrets", {"metadata": {"name": "BAD"}})
        await house.create(f"{NS}/secrets", {"metadata": {"name": "a"}})
        await house.ask("POST", f"{NS}/secrets", {"metadata": {"name": "a"}})
        used = (await house.get(f"{quotas}/q"))["status"]["used"]
        assert used == {"count/secrets": "1"}

    keeping(story)
