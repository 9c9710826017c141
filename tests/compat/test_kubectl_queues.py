"""Kueue's kinds by kubectl: short names, columns, both versions, explanations, refusals, and the definitions themselves."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.processes import command

if TYPE_CHECKING:
    from tests.compat.working import Working

pytestmark = pytest.mark.kubectl
pytest_plugins = ("tests.compat.working",)

OLD = "kueue.x-k8s.io/v1beta1"
NEW = "kueue.x-k8s.io/v1beta2"
DEPRECATED = "Warning: This version is deprecated. Use v1beta2 instead."


def quota(**limits: Any) -> list[dict[str, Any]]:
    resource = {"name": "cpu", "nominalQuota": 9, **limits}
    return [{"coveredResources": ["cpu"], "flavors": [{"name": "f", "resources": [resource]}]}]


def queue(name: str, version: str = NEW, **spec: Any) -> dict[str, Any]:
    body = {"namespaceSelector": {}, "resourceGroups": quota(), **spec}
    return {
        "apiVersion": version,
        "kind": "ClusterQueue",
        "metadata": {"name": name},
        "spec": body,
    }


def test_kinds_go_by_their_short_names(working: Working) -> None:
    rows = working("api-resources", "--api-group=kueue.x-k8s.io", "--no-headers").rows
    got = {row[-1]: (row[1].split(","), row[-3], row[-2]) for row in rows if len(row) == 5}

    assert got == {
        "AdmissionCheck": (["ac"], NEW, "false"),
        "ClusterQueue": (["cq"], NEW, "false"),
        "Cohort": (["co"], NEW, "false"),
        "LocalQueue": (["queue", "queues", "lq"], NEW, "true"),
        "MultiKueueCluster": (["mkc"], NEW, "false"),
        "MultiKueueConfig": (["mkconf"], NEW, "false"),
        "ProvisioningRequestConfig": (["prc"], NEW, "false"),
        "ResourceFlavor": (["flavor", "flavors", "rf"], NEW, "false"),
        "Topology": (["topo"], NEW, "false"),
        "Workload": (["kwl", "kueueworkload", "kueueworkloads"], NEW, "true"),
        "WorkloadPriorityClass": (["wpc"], NEW, "false"),
    }


def test_a_queue_has_the_columns_of_kueue_in_both_versions(working: Working) -> None:
    name = working.namespace
    working("create", "-f", "-", stdin=queue(name, cohortName="org"))
    old = working("get", f"clusterqueues.v1beta1.kueue.x-k8s.io/{name}", "-o", "wide")
    new = working("get", "cq", name, "-o", "wide")

    assert old.stderr.strip() == DEPRECATED
    for shown in (old, new):
        head = " ".join(shown.rows[0])
        assert head == "NAME COHORT STRATEGY PENDING WORKLOADS ADMITTED WORKLOADS"
        assert shown.rows[1][:3] == [name, "org", "BestEffortFIFO"]
    assert " ".join(working("get", "cq", name).rows[0]) == "NAME COHORT PENDING WORKLOADS"


def test_a_local_queue_and_a_workload_have_the_columns_of_kueue(working: Working) -> None:
    local = {
        "apiVersion": OLD,
        "kind": "LocalQueue",
        "metadata": {"name": "team"},
        "spec": {"clusterQueue": working.namespace},
    }
    pod = {"containers": [{"name": "c", "image": "i"}]}
    workload = {
        "apiVersion": OLD,
        "kind": "Workload",
        "metadata": {"name": "w"},
        "spec": {"queueName": "team", "podSets": [{"count": 1, "template": {"spec": pod}}]},
    }
    working("apply", "-f", "-", stdin=[local, workload])

    rows = working("get", "queues").rows
    assert " ".join(rows[0]) == "NAME CLUSTERQUEUE PENDING WORKLOADS ADMITTED WORKLOADS"
    assert rows[1][:2] == ["team", working.namespace]
    rows = working("get", "kwl").rows
    assert " ".join(rows[0]) == "NAME QUEUE RESERVED IN ADMITTED FINISHED AGE"
    assert rows[1][:2] == ["w", "team"]


def test_a_manifest_of_the_old_version_is_applied_once(working: Working) -> None:
    name = working.namespace
    manifest = queue(name, OLD, cohort="org")
    first = working("apply", "-f", "-", stdin=manifest)
    again = working("apply", "-f", "-", stdin=manifest)

    assert first.stdout == f"clusterqueue.kueue.x-k8s.io/{name} created\n"
    assert first.stderr.strip() == DEPRECATED
    assert again.stdout == f"clusterqueue.kueue.x-k8s.io/{name} unchanged\n"
    stored = working("get", "cq", name, "-o", "json").json
    assert (stored["apiVersion"], stored["spec"]["cohortName"]) == (NEW, "org")
    assert working("diff", "-f", "-", stdin=manifest).stdout == ""


def test_a_manifest_of_the_old_version_is_applied_by_the_server_once(working: Working) -> None:
    name = working.namespace
    manifest = queue(name, OLD, cohort="org")
    flags = ("apply", "--server-side", "--field-manager=me", "-f", "-")

    def seen() -> tuple[int, list[Any]]:
        """What an apply changes; the status, and who wrote it, is the controllers' business."""
        meta = working("get", "cq", name, "-o", "json", "--show-managed-fields").json["metadata"]
        mine = [entry for entry in meta["managedFields"] if entry["manager"] == "me"]
        return meta["generation"], mine

    working(*flags, stdin=manifest)
    before = seen()
    working(*flags, stdin=manifest)

    assert seen() == before
    assert [entry["apiVersion"] for entry in before[1]] == [OLD]
    rival = queue(name, cohortName="other")
    told = working.fails("apply", "--server-side", "--field-manager=you", "-f", "-", stdin=rival)
    assert 'conflict with "me": .spec.cohort' in told


def test_the_talks_cohort_is_understood(working: Working) -> None:
    name = working.namespace
    talk = {
        "apiVersion": OLD,
        "kind": "Cohort",
        "metadata": {"name": name},
        "spec": {"parent": "org"},
    }
    said = working("apply", "-f", "-", stdin=talk)

    assert "Warning: spec.parent: this field is called spec.parentName" in said.stderr
    got = working("get", "co", name, "-o", "jsonpath={.spec.parentName}").stdout
    assert got == "org"


def test_refusals_are_kueues(working: Working) -> None:
    name = working.namespace
    lends = queue(name, cohortName="c", resourceGroups=quota(lendingLimit=10))
    assert working.fails("create", "-f", "-", stdin=lends) == (
        'Error from server (Forbidden): error when creating "STDIN": admission webhook "vclusterqueue.kb.io" denied '
        "the request: spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: Invalid value: "
        '"10": must be less than or equal to the nominalQuota\n'
    )
    borrows = queue(name, resourceGroups=quota(borrowingLimit=1))
    assert working.fails("create", "-f", "-", stdin=borrows) == (
        f'The ClusterQueue "{name}" is invalid: spec: Invalid value: borrowingLimit must be nil when cohort is empty\n'
    )


def test_fields_are_explained(working: Working) -> None:
    text = working("explain", "clusterqueue.spec.flavorFungibility").stdout
    assert "whenCanBorrow" in text
    assert "enum: MayStopSearch, TryNextFlavor" in text
    old = working("explain", "clusterqueue.spec", "--api-version", OLD).stdout
    assert "cohort\t<string>" in old
    pod = working("explain", "workload.spec.podSets.template.spec.containers").stdout
    assert "image\t<string>" in pod


def test_a_watch_of_the_old_version_speaks_it(working: Working) -> None:
    name = working.namespace
    working("create", "-f", "-", stdin=queue(name, cohortName="org"))
    path = "{.apiVersion} {.spec.cohort}{'\\n'}"
    watch = working.kubectl.start(
        "get", f"clusterqueues.v1beta1.kueue.x-k8s.io/{name}", "--watch", "-o", f"jsonpath={path}"
    )
    try:
        assert watch.stdout is not None
        assert watch.stdout.readline() == f"{OLD} org\n"
        working("patch", "cq", name, "--type=merge", "-p", '{"spec":{"cohortName":"new"}}')
        for line in watch.stdout:
            if line == f"{OLD} new\n":
                break
            # Its status may change meanwhile.
            assert line == f"{OLD} org\n"
        else:
            pytest.fail("the watch ended before it showed the change")
    finally:
        watch.kill()
        watch.communicate()


def test_the_definitions_that_argosy_prints_can_be_applied(
    working: Working,
) -> None:
    printed = subprocess.run(
        command("crds", "clusterqueues", "workloads"), capture_output=True, text=True, check=True
    ).stdout
    applied = working("apply", "--server-side", "--force-conflicts", "-f", "-", stdin=printed)

    assert applied.lines == [
        "customresourcedefinition.apiextensions.k8s.io/clusterqueues.kueue.x-k8s.io serverside-applied",
        "customresourcedefinition.apiextensions.k8s.io/workloads.kueue.x-k8s.io serverside-applied",
    ]
    working("create", "-f", "-", stdin=queue(working.namespace, OLD, cohort="org"))
    got = working("get", "cq", working.namespace, "-o", "jsonpath={.spec.cohortName}").stdout
    assert got == "org"
