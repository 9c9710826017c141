"""Pods as endpoints: ports by number and name, families, conditions; and the old Endpoints object."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from argosy.api.objects import (
    Condition,
    Container,
    ContainerPort,
    ObjectMeta,
    Pod,
    PodSpec,
    PodStatus,
)
from argosy.api.objects.pods import PodIP
from argosy.api.objects.services import EndpointPort, Service, ServicePort, ServiceSpec
from argosy.workloads.endpoints import endpoints
from argosy.workloads.endpoints.subsets import MOST_ADDRESSES, subsets_of

READY = Condition(type="Ready", status="True")


def pod(
    name: str = "p",
    *ips: str,
    ready: bool = True,
    containers: tuple[Container, ...] = (),
    sidecars: tuple[Container, ...] = (),
    phase: str = "Running",
    leaving: bool = False,
) -> Pod:
    when = datetime(2026, 1, 1, tzinfo=UTC) if leaving else None
    meta = ObjectMeta(name=name, namespace="ns", uid=f"uid-{name}", deletion_timestamp=when)
    given = tuple(PodIP(ip) for ip in ips)
    status = PodStatus(
        phase=phase,
        conditions=(READY,) if ready else (),
        pod_ip=ips[0] if ips else "",
        pod_ips=given,
    )
    spec = PodSpec(containers=containers, init_containers=sidecars, node_name="n1")
    return Pod(meta, spec, status)


def service(*ports: ServicePort) -> Service:
    made = ServiceSpec(ports=ports, cluster_ip="10.96.0.1", ip_families=("IPv4",))
    return Service(ObjectMeta(name="web", namespace="ns"), made)


def offers(name: str, number: int, protocol: str = "TCP") -> Container:
    return Container(ports=(ContainerPort(container_port=number, name=name, protocol=protocol),))


@dataclass(frozen=True)
class Case:
    port: ServicePort
    pod: Pod
    want: int | None


PORTS = {
    "a number is taken as it is": Case(ServicePort(target_port=99), pod(), 99),
    "a name is looked up": Case(
        ServicePort(target_port="http"), pod(containers=(offers("http", 80),)), 80
    ),
    "a name of another protocol is another port": Case(
        ServicePort(target_port="dns", protocol="UDP"), pod(containers=(offers("dns", 53),)), None
    ),
    "sidecars offer ports too": Case(
        ServicePort(target_port="http"),
        pod(
            sidecars=(
                Container(
                    restart_policy="Always",
                    ports=(ContainerPort(container_port=81, name="http"),),
                ),
            )
        ),
        81,
    ),
    "other init containers do not": Case(
        ServicePort(target_port="http"), pod(sidecars=(offers("http", 81),)), None
    ),
}


@pytest.mark.parametrize("case", PORTS.values(), ids=PORTS.keys())
def test_ports(case: Case) -> None:
    assert endpoints.find_port(case.pod, case.port) == case.want


LISTED = {
    "one that runs": (pod("p", "10.0.0.1"), True, True),
    "one without an address": (pod("p"), False, False),
    "one that has ended": (pod("p", "10.0.0.1", phase="Succeeded"), False, False),
    "one that leaves": (pod("p", "10.0.0.1", leaving=True), True, False),
}


@pytest.mark.parametrize(("given", "in_slices", "in_endpoints"), LISTED.values(), ids=LISTED.keys())
def test_listed(given: Pod, in_slices: bool, in_endpoints: bool) -> None:
    got = (
        endpoints.is_listed(given, with_leaving=True),
        endpoints.is_listed(given, with_leaving=False),
    )
    assert got == (in_slices, in_endpoints)


def test_addresses_are_those_of_the_family_in_their_usual_form() -> None:
    both = pod("p", "10.0.0.1", "FD00:0::1")
    assert endpoints.addresses(both, "IPv4") == ["10.0.0.1"]
    assert endpoints.addresses(both, "IPv6") == ["fd00::1"]


def test_ports_stand_in_the_order_of_upstreams_hashes() -> None:
    # As a real cluster wrote them for the ports http, metrics, dns.
    http = EndpointPort("http", "TCP", 8080, "kubernetes.io/h2c")
    metrics = EndpointPort("metrics", "TCP", 9090)
    dns = EndpointPort("dns", "UDP", 5353)
    assert endpoints.ordered([metrics, dns, http]) == (http, dns, metrics)


def test_ports_offered_by_the_same_pods_share_a_subset() -> None:
    web = service(
        ServicePort("http", 80, target_port="http"), ServicePort("metrics", 90, target_port=90)
    )
    pods = [
        pod("a", "10.0.0.1", containers=(offers("http", 8080),)),
        pod("b", "10.0.0.2", containers=(offers("http", 8081),)),
    ]
    got, is_truncated = subsets_of(web, pods)
    found = {
        tuple(port["port"] for port in one["ports"]): [two["ip"] for two in one["addresses"]]
        for one in got
    }
    assert found == {(8080,): ["10.0.0.1"], (8081,): ["10.0.0.2"], (90,): ["10.0.0.1", "10.0.0.2"]}
    assert not is_truncated


@pytest.mark.parametrize(
    ("ready", "unready", "want"),
    [(600, 400, (600, 400)), (600, 600, (600, 400)), (1200, 5, (1000, 0))],
    ids=["all fit", "ready ones go first", "ready ones alone are too many"],
)
def test_an_object_names_a_thousand_addresses_at_most(
    ready: int, unready: int, want: tuple[int, int]
) -> None:
    pods = [
        pod(f"p{number}", f"10.0.{number // 250}.{number % 250}", ready=number < ready)
        for number in range(ready + unready)
    ]
    got, is_truncated = subsets_of(service(ServicePort("", 80, target_port=80)), pods)
    (one,) = got
    assert (len(one["addresses"]), len(one.get("notReadyAddresses", ()))) == want
    assert is_truncated == (ready + unready > MOST_ADDRESSES)
