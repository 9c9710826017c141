"""The page on queueing says what the code does, and its examples work."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest
import yaml

from argosy.client.resources import (
    CLUSTER_QUEUES,
    JOBS,
    LOCAL_QUEUES,
    NAMESPACES,
    RESOURCE_FLAVORS,
    WORKLOADS,
)
from argosy.queueing.configuration import decode
from argosy.queueing.workloads import reasons
from tests.behaviour.queueing.wired import Port, queueing, says

ROOT: Final = Path(__file__).parents[3]
EXAMPLES: Final = ROOT / "examples" / "queueing"
PAGE: Final = (ROOT / "docs" / "queueing.md").read_text()
METRICS: Final = (ROOT / "docs" / "observability.md").read_text()
CONFIGURATION: Final = decode((EXAMPLES / "configuration.yaml").read_bytes())
KINDS: Final = {
    each.kind: each for each in (NAMESPACES, RESOURCE_FLAVORS, CLUSTER_QUEUES, LOCAL_QUEUES, JOBS)
}


async def apply(port: Port, file: str, namespace: str = "ns") -> None:
    for document in yaml.safe_load_all((EXAMPLES / file).read_text()):
        place = document["metadata"].get("namespace", namespace)
        await port.create(KINDS[document["kind"]], document, place)


def test_the_example_does_what_the_page_says() -> None:
    async def story(port: Port) -> None:
        await apply(port, "queues.yaml")
        await port.pass_time(2)
        for team in ("team-a", "team-b"):
            await apply(port, "job.yaml", team)
            await port.pass_time(10)
        teams = {
            each["metadata"]["namespace"]: says(each)["QuotaReserved"]
            for each in await port.list(WORKLOADS)
        }
        assert teams["team-a"].startswith("True QuotaReserved")
        short = "insufficient unused quota for cpu in flavor default, 8 more needed"
        assert short in PAGE
        assert teams["team-b"] == (
            f"False WaitingForQuota: couldn't assign flavors to pod set main: {short}"
        )
        borrowed = (await port.found(CLUSTER_QUEUES, "team-a"))["status"]["flavorsUsage"][0]
        assert borrowed["resources"][0]["borrowed"] == "4"
        # Sixty seconds and a moment later it is the other team's turn.
        await port.pass_time(70)
        assert await port.admitted() == {
            each["metadata"]["name"]
            for each in await port.list(JOBS)
            if each["metadata"]["namespace"] == "team-b"
        }

    queueing(story, configuration=CONFIGURATION)


def test_the_configuration_of_the_page_is_the_file_it_names() -> None:
    shown = re.search(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert shown is not None
    file = EXAMPLES / "configuration.yaml"
    assert yaml.safe_load(shown[1]) == yaml.safe_load(file.read_text())


def test_every_metric_is_named_and_every_name_is_a_metric() -> None:
    async def story(port: Port) -> None:
        families = {
            name.removeprefix("kueue_")
            for name in await port.families()
            if name.startswith("kueue_")
        }
        table = METRICS.partition("| | Families |")[2].partition("\n\n")[0]
        named = set(re.findall(r"`([a-z_]+)`", table))
        twins = {f"local_queue_{name}" for name in named}
        afs = {"local_queue_admission_fair_sharing_usage"}
        assert families - named - twins == set()
        assert named - families - afs == set()

    queueing(story, configuration=CONFIGURATION)


def test_every_reason_to_wait_is_explained() -> None:
    table = PAGE.partition("| Reason | Means |")[2].partition("\n\n")[0]
    explained = set(
        re.findall(r"`([A-Za-z]+)`", "".join(re.findall(r"^\|[^|]*\|", table, re.MULTILINE)))
    )
    assert explained == {
        reasons.WAITING_FOR_QUOTA, reasons.EXCEEDS_MAX_QUOTA, reasons.NO_MATCHING_FLAVOR,
        reasons.WAITING_FOR_PREEMPTED_WORKLOADS, reasons.WAITING_FOR_PODS_READY,
        reasons.MISCONFIGURED, reasons.SUSPENDED, reasons.ADMISSION_GATED,
        reasons.PENDING_EVALUATION, reasons.DEACTIVATED, reasons.ON_HOLD,
    }  # fmt: skip


@pytest.mark.parametrize("page", ["docs/queueing.md", "COMPATIBILITY.md", "README.md"])
def test_links_lead_somewhere(page: str) -> None:
    file = ROOT / page
    for target in re.findall(r"\]\(([^):]+)\)", file.read_text()):
        assert (file.parent / target).exists(), target
