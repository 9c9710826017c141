"""Typed views read what servers send and ignore the rest."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from argosy.api.objects import (
    Condition,
    Event,
    Job,
    Lease,
    Node,
    ObjectMeta,
    OwnerReference,
    Pod,
    Secret,
    Taint,
    decoder,
    find_condition,
    is_true,
)


def test_a_pod_is_read_with_its_oddly_spelled_fields() -> None:
    raw = b"""{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"n",
    "creationTimestamp":"2026-01-02T03:04:05Z","ownerReferences":[{"apiVersion":"batch/v1",
    "kind":"Job","name":"j","uid":"u","controller":true}],"managedFields":[{}]},
    "spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}},"tty":true}],
    "nodeName":"n1"},"status":{"phase":"Succeeded","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.1"}],
    "containerStatuses":[{"name":"c","state":{"terminated":{"exitCode":3}},"restartCount":2}]}}"""
    pod = decoder(Pod)(raw)
    got = (
        pod.metadata.key,
        pod.metadata.creation_timestamp,
        pod.metadata.controller,
        pod.spec.containers[0].resources.requests,
        pod.spec.restart_policy,
        pod.status.pod_ip,
        pod.status.pod_ips[0].ip,
        pod.is_terminal,
    )
    owner = OwnerReference(api_version="batch/v1", kind="Job", name="j", uid="u", controller=True)
    assert got == (
        ("n", "p"),
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        owner,
        {"cpu": "1"},
        "Always",
        "10.0.0.1",
        "10.0.0.1",
        True,
    )
    ended = pod.status.container_statuses[0].state.terminated
    assert ended is not None
    assert ended.exit_code == 3


def test_a_job_is_finished_by_its_conditions() -> None:
    job = decoder(Job)
    done = job(b'{"status":{"conditions":[{"type":"Failed","status":"True"}]}}')
    running = job(
        b'{"spec":{"parallelism":2},"status":{"conditions":[{"type":"Complete","status":"False"}]}}'
    )
    assert (done.is_finished, running.is_finished, running.spec.parallelism) == (True, False, 2)


def test_nodes_and_leases() -> None:
    node = decoder(Node)(
        b'{"spec":{"taints":[{"key":"k","effect":"NoSchedule"}],"providerID":"p"}}'
    )
    lease = decoder(Lease)(
        b'{"spec":{"holderIdentity":"me","renewTime":"2026-01-02T03:04:05.678901Z"}}'
    )
    assert (node.spec.taints, node.spec.provider_id) == (
        (Taint(key="k", effect="NoSchedule"),),
        "p",
    )
    assert lease.spec.renew_time == datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def test_secrets_hold_bytes_and_events_may_have_no_times() -> None:
    secret = decoder(Secret)(b'{"data":{"k":"aGk="},"type":"Opaque"}')
    event = decoder(Event)(
        b'{"firstTimestamp":null,"eventTime":null,"involvedObject":{"kind":"Pod"}}'
    )
    assert (secret.data, event.first_timestamp, event.involved_object.kind) == (
        {"k": b"hi"},
        None,
        "Pod",
    )


def test_views_write_only_what_is_set_in_the_words_of_the_api() -> None:
    meta = ObjectMeta(name="n", deletion_grace_period_seconds=30)
    assert msgspec.to_builtins(meta) == {"name": "n", "deletionGracePeriodSeconds": 30}


def test_views_cannot_be_changed() -> None:
    meta = ObjectMeta(name="n")
    with pytest.raises(AttributeError):
        meta.name = "other"  # type: ignore[misc]


def test_conditions_are_found_by_type() -> None:
    ready = Condition(type="Ready", status="True")
    conditions = (Condition(type="Other", status="False"), ready)
    got = (
        find_condition(conditions, "Ready"),
        is_true(conditions, "Ready"),
        is_true(conditions, "Other"),
        is_true((), "Ready"),
    )
    assert got == (ready, True, False, False)
