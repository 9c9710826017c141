"""What a cluster is served with."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from argosy.cli.main import main
from argosy.fleet import serving
from argosy.fleet.serving import Interrupts, Settings


def test_containers_are_told_whole_paths_of_a_state_given_by_a_relative_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []

    async def serve(
        settings: Settings, directory: Path, ready: Callable[[str], None], stop: Interrupts
    ) -> None:
        seen.append(directory)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(serving, "_serve", serve)
    asyncio.run(serving.serve(Settings(Path("kubeconfig"), state=Path("state")), print))
    assert seen == [tmp_path / "state"]


def test_the_first_interrupt_stops_and_the_second_hurries() -> None:
    async def story() -> None:
        interrupts, hurried = Interrupts(), []
        interrupts.hurry = lambda: hurried.append("now")
        interrupts()
        assert (interrupts.wanted.is_set(), hurried) == (True, [])
        interrupts()
        assert hurried == ["now"]

    asyncio.run(story())


def test_an_isolation_without_processes_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["serve", "--memory", "--kubeconfig", str(tmp_path / "k"), "--isolation", "none"]
    assert main(arguments) == 2
    assert "add --allow-processes, or leave out --isolation" in capsys.readouterr().err


def test_an_isolation_that_does_not_work_ends_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    arguments = ["serve", "--memory", "--kubeconfig", str(tmp_path / "k"), "--allow-processes"]
    assert main([*arguments, "--isolation", "podman"]) == 1
    told = capsys.readouterr()
    assert "ready" not in told.out
    assert told.err.splitlines()[-1] == (
        "argosy serve: --isolation podman: containers can not be isolated by podman on this machine: podman is not "
        "installed; mend that, choose another, or leave it out to have the strongest that works"
    )


HEADER = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"
REFUSED = {
    "no file": (None, ["No such file or directory"]),
    "not YAML": ("a: [", ["yaml: line 1: did not find expected node content"]),
    "fields nobody knows": (
        f"{HEADER}foo: 1\nwaitForPodsReady: {{enable: true}}\n",
        ['unknown field "foo"', 'unknown field "waitForPodsReady.enable"'],
    ),
    "broken rules": (
        (
            f"{HEADER}waitForPodsReady: {{timeout: -1s, recoveryTimeout: 1s}}\n"
            "admissionFairSharing: {usageSamplingInterval: 0s}\n"
        ),
        [
            'waitForPodsReady.timeout: Invalid value: "-1s": must be greater than or equal to 0',
            'admissionFairSharing.usageSamplingInterval: Invalid value: "0s": must be greater than 0',
        ],
    ),
    "a selector of LocalQueues that is none": (
        f"{HEADER}metrics: {{localQueueMetrics: {{localQueueSelector: [a]}}}}\n",
        [
            (
                'metrics.localQueueMetrics.localQueueSelector: Invalid value: ["a"]: must be an object with matchLabels or '
                "matchExpressions"
            )
        ],
    ),
}


@pytest.mark.parametrize(("text", "want"), REFUSED.values(), ids=REFUSED.keys())
def test_a_queueing_configuration_with_mistakes_starts_nothing_and_names_each(
    text: str | None, want: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, state = tmp_path / "queueing.yaml", tmp_path / "state"
    if text is not None:
        file.write_text(text)
    arguments = ["serve", "--state", str(state), "--kubeconfig", str(tmp_path / "k")]
    assert main([*arguments, "--queueing-config", str(file)]) == 2
    told = capsys.readouterr()
    first = f"argosy serve: nothing was started: --queueing-config {file}:"
    assert (told.out, told.err.splitlines()) == ("", [first, *(f"  {line}" for line in want)])
    assert not state.exists()


def test_a_queueing_configuration_is_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Settings] = []

    async def serve(settings: Settings, ready: Callable[[str], None]) -> None:
        seen.append(settings)

    monkeypatch.setattr("argosy.cli.serving.serve", serve)
    file = tmp_path / "queueing.yaml"
    file.write_text(f"{HEADER}fairSharing: {{preemptionStrategies: [LessThanInitialShare]}}\n")
    arguments = ["serve", "--memory", "--kubeconfig", str(tmp_path / "k")]
    assert main([*arguments, "--queueing-config", str(file)]) == 0
    assert main(arguments) == 0
    sharing = [settings.queueing.fair_sharing for settings in seen]
    assert sharing[0] is not None
    assert (sharing[0].preemption_strategies, sharing[1]) == (("LessThanInitialShare",), None)


def test_a_bare_cluster_has_no_queueing_to_configure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["serve", "--memory", "--bare", "--kubeconfig", str(tmp_path / "k")]
    assert main([*arguments, "--queueing-config", str(tmp_path / "q.yaml")]) == 2
    assert "leave out --bare or --queueing-config" in capsys.readouterr().err
