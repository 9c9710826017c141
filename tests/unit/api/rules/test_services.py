"""Services: who needs what from the server, and what stays over a change of type."""

from __future__ import annotations

import pytest

from argosy.api.rules.services import (
    RULES,
    needs_cluster_ip,
    needs_health_check_port,
    needs_node_ports,
)
from argosy.base.types import Object


def service(**spec: object) -> Object:
    return {
        "metadata": {"name": "a"},
        "spec": {"type": "ClusterIP", "ports": [{"port": 80}], **spec},
    }


NEEDS: dict[str, tuple[Object, tuple[bool, bool, bool]]] = {
    "a plain service": (service(), (True, False, False)),
    "one with an address": (service(clusterIP="10.96.0.1"), (False, False, False)),
    "a headless one": (service(clusterIP="None"), (False, False, False)),
    "an alias": (service(type="ExternalName"), (False, False, False)),
    "one on every node": (service(type="NodePort"), (True, True, False)),
    "one whose ports are set": (
        service(type="NodePort", ports=[{"port": 80, "nodePort": 30000}]),
        (True, False, False),
    ),
    "a local balancer": (
        service(type="LoadBalancer", externalTrafficPolicy="Local"),
        (True, True, True),
    ),
    "a balancer that wants no ports": (
        service(type="LoadBalancer", allocateLoadBalancerNodePorts=False),
        (True, False, False),
    ),
}


@pytest.mark.parametrize(("obj", "want"), NEEDS.values(), ids=NEEDS.keys())
def test_needs(obj: Object, want: tuple[bool, bool, bool]) -> None:
    got = (needs_cluster_ip(obj), needs_node_ports(obj), needs_health_check_port(obj))
    assert got == want


STORED = service(
    type="LoadBalancer",
    clusterIP="10.96.0.9",
    clusterIPs=["10.96.0.9"],
    ipFamilies=["IPv4"],
    ipFamilyPolicy="SingleStack",
    externalTrafficPolicy="Local",
    healthCheckNodePort=30009,
    allocateLoadBalancerNodePorts=True,
    ports=[{"port": 80, "nodePort": 30001, "protocol": "TCP", "targetPort": 80}],
) | {"status": {"loadBalancer": {"ingress": [{"ip": "1.2.3.4", "ipMode": "VIP"}]}}}


def updated(**spec: object) -> Object:
    rules = RULES["Service"]
    assert rules.default is not None
    assert rules.prepare_update is not None
    new: Object = {"metadata": {"name": "a"}, "spec": spec}
    rules.default(new)
    rules.prepare_update(new, STORED)
    return new


def test_what_the_server_gave_stays_when_the_writer_leaves_it_out() -> None:
    got = updated(type="LoadBalancer", externalTrafficPolicy="Local", ports=[{"port": 80}])
    assert got["spec"] == STORED["spec"] | {
        "internalTrafficPolicy": "Cluster",
        "sessionAffinity": "None",
    }
    assert got["status"] == STORED["status"]


def test_a_change_of_type_takes_the_old_types_fields_along() -> None:
    got = updated(**STORED["spec"] | {"type": "ClusterIP"})
    assert got["spec"] == {
        "type": "ClusterIP",
        "clusterIP": "10.96.0.9",
        "clusterIPs": ["10.96.0.9"],
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "internalTrafficPolicy": "Cluster",
        "sessionAffinity": "None",
        "ports": [{"port": 80, "protocol": "TCP", "targetPort": 80}],
    }
    assert got["status"] == {"loadBalancer": {}}


def test_a_client_that_knows_one_address_changes_both_fields() -> None:
    got = updated(**STORED["spec"] | {"clusterIP": "10.96.0.10"})
    assert got["spec"]["clusterIPs"] == ["10.96.0.10"]
