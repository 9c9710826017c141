"""The built-in types: facts that others build on."""

from __future__ import annotations

import pytest

from argosy.api.schema.builtin import builtin_schema, embedded_schema, marked_schema, type_name
from argosy.api.schema.structural import UNSET

POD = builtin_schema("io.k8s.api.core.v1.Pod")
CONTAINER = POD.properties["spec"].properties["containers"].items
assert CONTAINER is not None


def test_a_list_knows_its_keys_and_how_it_merges() -> None:
    ports = CONTAINER.properties["ports"]
    got = (ports.list_type, ports.map_keys, ports.merge_key, ports.patch_strategy)
    assert got == ("map", ("containerPort", "protocol"), "containerPort", ("merge",))
    assert ports.items is not None
    assert ports.items.properties["protocol"].default == "TCP"


def test_a_patch_strategy_of_a_field_does_not_reach_its_type() -> None:
    strategy = (
        builtin_schema("io.k8s.api.apps.v1.Deployment").properties["spec"].properties["strategy"]
    )
    assert strategy.patch_strategy == ("retainKeys",)
    assert builtin_schema("io.k8s.api.apps.v1.DeploymentStrategy").patch_strategy == ()


def test_a_type_is_one_object_wherever_it_is_used() -> None:
    template = builtin_schema("io.k8s.api.batch.v1.JobSpec").properties["template"]
    assert template.properties["spec"] is POD.properties["spec"]


def test_a_type_that_holds_itself_ends_in_itself() -> None:
    name = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
    props = builtin_schema(name)
    assert props.properties["not"] is props


def test_go_facts() -> None:
    assert CONTAINER.go_type == "v1.Container"
    assert {"livenessProbe", "securityContext"} < CONTAINER.pointers
    assert CONTAINER.always == {"name", "resources"}
    probe = CONTAINER.properties["livenessProbe"]
    assert probe.inlined["httpGet"] == "ProbeHandler"


def test_quantities_times_and_ports() -> None:
    limits = CONTAINER.properties["resources"].properties["limits"].additional
    assert limits is not None
    assert limits.quantity
    assert POD.properties["metadata"].properties["creationTimestamp"].format == "date-time"
    port = CONTAINER.properties["livenessProbe"].properties["httpGet"].properties["port"]
    assert port.int_or_string


def test_a_type_inside_a_custom_resource_is_as_generators_write_it() -> None:
    spec = marked_schema("core/v1 PodSpec")
    assert spec is embedded_schema("io.k8s.api.core.v1.PodSpec")
    container = spec.properties["containers"].items
    assert container is not None
    limits = container.properties["resources"].properties["limits"].additional
    assert limits is not None
    assert limits.int_or_string
    assert limits.pattern
    assert container.properties["name"].default is UNSET
    ports = container.properties["ports"].items
    assert ports is not None
    assert ports.properties["protocol"].default == "TCP"


def test_names() -> None:
    assert type_name("batch", "v1", "Job") == "io.k8s.api.batch.v1.Job"
    with pytest.raises(LookupError):
        builtin_schema("io.k8s.api.core.v1.Nonsense")
