"""What is taken as a job, and what is refused with which words."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from argosy.sdk.errors import BadManifest
from argosy.sdk.manifests import read_manifest, read_manifests

JOB: dict[str, Any] = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}}
TEXT = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n"


def test_a_dict_is_copied_and_gets_its_namespace() -> None:
    got = read_manifest(JOB, default="research")
    assert got["metadata"] == {"name": "a", "namespace": "research"}
    assert JOB["metadata"] == {"name": "a"}


def test_texts_paths_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(TEXT)
    want = read_manifest(JOB)
    assert read_manifest(TEXT) == read_manifest(file) == read_manifest(str(file)) == want
    monkeypatch.setattr("sys.stdin", io.StringIO(TEXT))
    assert read_manifest("-") == want


def test_several_documents_and_lists_are_several_jobs() -> None:
    text = f"{TEXT}---\n{TEXT.replace('name: a', 'name: b')}---\n"
    assert [each["metadata"]["name"] for each in read_manifests(text)] == ["a", "b"]
    listed = {"apiVersion": "v1", "kind": "List", "items": [JOB, JOB]}
    assert len(read_manifests(listed)) == 2
    with pytest.raises(BadManifest, match=r"manifest has 2 objects: one job at a time"):
        read_manifest(text)


REFUSED: dict[str, tuple[str, str]] = {
    "no file": ("nowhere.yaml", r"nowhere.yaml cannot be read: .*No such file"),
    "no YAML": ("a: [\nb", r"manifest is no YAML: "),
    "nothing": ("---\n---\n", r"manifest is empty: there is no job in it"),
    "a scalar": ("- 1\n- 2\n", r"manifest is no object: it must be a mapping"),
    "no kind": ("metadata:\n  name: a\n", r"apiVersion and kind are required"),
    "no name": ("apiVersion: batch/v1\nkind: Job\n", r"metadata.name or metadata.generateName is required"),
    "metadata of another kind": ("apiVersion: batch/v1\nkind: Job\nmetadata: x\n", r"metadata: Invalid value: 'x'"),
    "no end": (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n",
        r"a Deployment is no job, it has no end: create it on the hub and place it",
    ),
    "no job": ("apiVersion: v1\nkind: ConfigMap\n", r"ConfigMap of v1 is no kind of job. What can be submitted: "),
    "the second is wrong": (f"{TEXT}---\nkind: Pod\n", r"manifest: object 2: apiVersion and kind are required"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(case: tuple[str, str]) -> None:
    text, want = case
    with pytest.raises(BadManifest, match=want):
        read_manifests(text)


def test_two_namespaces_are_refused_in_kubectls_words() -> None:
    with pytest.raises(
        BadManifest, match=r'the provided object "x" does not match the namespace "y"'
    ):
        read_manifest({**JOB, "metadata": {"name": "a", "namespace": "x"}}, namespace="y")
