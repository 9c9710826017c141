"""The kinds of a hub."""

from __future__ import annotations

from argosy.api.objects.metadata import Condition, ObjectMeta
from argosy.client.resources import CONFIG_MAPS, JOBS, NAMESPACES, PODS, Resource
from argosy.control.arrivals import (
    Definition,
    DefinitionNames,
    DefinitionSpec,
    DefinitionStatus,
    DefinitionVersion,
)
from argosy.placement.selecting.catalogs import Catalog

BOAT = ("example.com", "Boat")


def boats(*versions: str, scope: str = "Namespaced", established: str = "True") -> Definition:
    """A version with a minus before it is not served."""
    return Definition(
        ObjectMeta(name="boats.example.com"),
        DefinitionSpec(
            "example.com",
            scope,
            DefinitionNames("boats", "Boat"),
            tuple(
                DefinitionVersion(each.lstrip("-"), not each.startswith("-")) for each in versions
            ),
        ),
        DefinitionStatus((Condition("Established", established),)),
    )


def resource(version: str, *, namespaced: bool = True) -> Resource:
    return Resource("example.com", version, "boats", "Boat", namespaced)


def test_built_in_kinds_are_there_and_virtual_ones_are_not() -> None:
    catalog = Catalog()
    assert catalog.find("", "v1", "ConfigMap") == CONFIG_MAPS
    assert catalog.find("batch", "v1", "Job") == JOBS
    assert catalog.find("", "v1", "Namespace") == NAMESPACES
    assert catalog.find("batch", "v1beta1", "Job") is None
    assert catalog.find("", "v1", "Binding") is None
    assert catalog.find("authorization.k8s.io", "v1", "SubjectAccessReview") is None


def test_a_kind_with_two_versions_is_found_in_both_and_listed_in_the_first() -> None:
    catalog = Catalog()
    assert catalog.find("autoscaling", "v1", "HorizontalPodAutoscaler") is not None
    versions = [
        each.version for each in catalog.namespaced() if each.kind == "HorizontalPodAutoscaler"
    ]
    assert versions == ["v2"]


def test_a_definition_brings_every_version_it_serves() -> None:
    catalog = Catalog()
    assert catalog.put(boats("v1beta1", "v1", "-v2")) == {BOAT}
    assert catalog.find("example.com", "v1beta1", "Boat") == resource("v1beta1")
    assert catalog.find("example.com", "v1", "Boat") == resource("v1")
    assert catalog.find("example.com", "v2", "Boat") is None
    assert resource("v1") in catalog.namespaced()
    assert resource("v1beta1") not in catalog.namespaced()
    assert PODS in catalog.namespaced()


def test_a_definition_that_changes_nothing_is_no_news() -> None:
    catalog = Catalog()
    catalog.put(boats("v1"))
    assert catalog.put(boats("v1", "-v1alpha1")) == frozenset()
    assert catalog.put(boats("v1", "v1alpha1")) == {BOAT}


def test_a_definition_that_is_not_established_brings_nothing() -> None:
    catalog = Catalog()
    assert catalog.put(boats("v1", established="False")) == frozenset()
    assert catalog.find("example.com", "v1", "Boat") is None


def test_a_definition_that_goes_takes_its_kind_along() -> None:
    catalog = Catalog()
    catalog.put(boats("v1", scope="Cluster"))
    assert catalog.serves(resource("v1", namespaced=False))
    assert catalog.drop("boats.example.com") == {BOAT}
    assert not catalog.serves(resource("v1", namespaced=False))
    assert catalog.drop("boats.example.com") == frozenset()
