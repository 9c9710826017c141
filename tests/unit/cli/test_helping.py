"""`--help` in groups with examples, completion by walking the parser, and what is passed to kubectl."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from argosy.cli import completing, passing
from argosy.cli.completions import SCRIPTS
from argosy.cli.main import _parser, main


def verbs() -> dict[str, argparse.ArgumentParser]:
    found = completing._commands(_parser())
    assert found is not None
    return dict(found.choices)


def test_every_verb_is_listed_once_and_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = capsys.readouterr().out.splitlines()
    for name, parser in verbs().items():
        listed = [line for line in lines if line.startswith(f"  {name} ") and "--" not in line[:14]]
        assert len(listed) == 1, name
        assert "examples:" in (parser.epilog or ""), f"{name} --help has no examples"
        assert f"argosy {name}" in str(parser.epilog)
    assert max(map(len, lines)) <= 100


def words(*given: str) -> list[str]:
    place = completing.placed(_parser(), given[:-1])
    return [
        each.word
        for each in completing.answers(place, given[-1])
        if each.word.startswith(given[-1])
    ]


def test_words_are_completed_from_the_parser() -> None:
    assert {"submit", "jobs", "up"} <= set(words(""))
    assert words("su") == ["submit"]
    assert words("submit", "--pre") == ["--prefer"]
    assert words("submit", "--prefer", "") == ["cheapest", "fastest", "region="]
    assert words("jobs", "--sort-by", "") == ["created", "name", "wait", "run", "price"]
    assert words("jobs", "-o", "") == ["json", "yaml", "wide", "name"]
    assert words("jobs", "--state", "R") == ["Running"]
    assert words("list", "co") == ["cohort"]
    assert words("completion", "") == ["bash", "fish", "zsh"]


def test_names_nobody_tells_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUBECONFIG", "/nowhere")
    assert words("logs", "") == []


@pytest.mark.parametrize("shell", SCRIPTS)
def test_scripts_are_what_their_shell_reads(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "argosy __complete" in script
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    file = tmp_path / "script"
    file.write_text(script)
    subprocess.run([shell, "-n", str(file)], check=True)


def test_bash_completes() -> None:
    ask = f"""
argosy() {{ {sys.executable} -m argosy "$@"; }}
source <(argosy completion bash)
COMP_WORDS=(argosy jobs --st); COMP_CWORD=2; _argosy; echo "${{COMPREPLY[*]}}"
COMP_WORDS=(argosy can); COMP_CWORD=1; _argosy; echo "${{COMPREPLY[*]}}"
"""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        ["bash", "-c", ask], check=True, capture_output=True, text=True, env=environment
    )
    assert done.stdout.splitlines() == ["--state", "cancel"], done.stderr


def test_what_says_where_is_taken_out_of_a_command_line() -> None:
    asked = passing.read(
        ["get", "pods", "--cluster", "c2", "-n", "x", "--kubeconfig=f", "-o", "name"]
    )
    assert asked == passing.Asked(["get", "pods", "-o", "name"], "f", "", "c2", "x")
    assert passing.read(["get", "--", "--cluster"]).rest == ["get", "--", "--cluster"]


@pytest.mark.parametrize(
    ("given", "want"),
    [
        ("describe job/a", "job/a"),
        ("describe job a", "job/a"),
        ("describe rayjobs.ray.io/a", "rayjobs.ray.io/a"),
        ("describe pod/a", ""),
        ("describe jobs", ""),
        ("describe job a -l x", ""),
        ("get job/a", ""),
    ],
)
def test_one_job_is_described_on_its_clusters_too(given: str, want: str) -> None:
    assert passing.described_job(given.split()) == want


def test_without_kubectl_it_is_told_what_there_is_instead(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["get", "pods"]) == 1
    said = capsys.readouterr().err
    assert 'exec: "kubectl": executable file not found in $PATH' in said
    assert "install kubectl, or use argosy's own verbs" in said
    assert main(["get"]) == 2
