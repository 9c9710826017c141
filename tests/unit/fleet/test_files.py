"""Fleet files: what they say, and all their mistakes at once, each with its line and its field."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from argosy.cli.main import main
from argosy.fleet.files import FileError, read
from argosy.fleet.files.lines import Lines
from argosy.fleet.shapes import MemberShape, PoolShape

EXAMPLES = Path(__file__).parents[3] / "examples" / "fleet"
HEAD = "apiVersion: argosy.dev/v1alpha1\nkind: Fleet\n"
POOL = "nodePools: [{name: p, nodes: 1, machine: {cpu: 1, memory: 1Gi}}]"
ITEM = "  - {name: p, machine: {cpu: 1, memory: 1Gi}}"


def mistakes(text: str) -> list[str]:
    with pytest.raises(FileError) as caught:
        read(text.encode(), name="f")
    return list(caught.value.problems)


def test_a_member_says_what_its_defaults_do_not() -> None:
    text = f"""{HEAD}
defaults:
  region: eu
  labels: {{tier: prod, team: a}}
  pricePerHour: 0.5
  nodePools:
  - {{name: general, nodes: 3, machine: {{cpu: 2, memory: 8Gi}}}}
members:
- name: plain
- name: special
  region: us
  zone: us-1
  labels: {{team: b}}
  heartbeatPeriodSeconds: 60
  pricePerHour: 0.7
  taints: [{{key: gpu, effect: NoSchedule}}]
  nodePools:
  - {{name: gpu, machine: {{cpu: 8, memory: 1Gi, gpus: 1}}, pricePerHour: 9, region: eu}}
"""
    machine = {"cpu": 2, "memory": "8Gi"}
    general = {"region": "eu", "pricePerHour": 0.5, "machine": machine, "minimum": 3, "maximum": 3}
    gpu = {
        "region": "eu",
        "zone": "us-1",
        "pricePerHour": 9,
        "machine": {"cpu": 8, "memory": "1Gi", "gpus": 1},
    }
    assert read(text.encode()) == (
        MemberShape(
            "plain",
            region="eu",
            labels={"tier": "prod", "team": "a"},
            pools=(PoolShape("general", general),),
        ),
        MemberShape(
            "special",
            region="us",
            zone="us-1",
            heartbeat_seconds=60,
            labels={"tier": "prod", "team": "b"},
            taints=({"key": "gpu", "effect": "NoSchedule"},),
            pools=(PoolShape("gpu", gpu),),
        ),
    )


def test_what_a_member_says_counts_for_the_pools_of_the_defaults() -> None:
    text = f"""{HEAD}
defaults:
  nodePools: [{{name: p, machine: {{cpu: 1, memory: 1Gi}}, pricePerHour: 1, region: a}}]
members: [{{name: m, pricePerHour: 2}}]
"""
    (shape,) = read(text.encode())
    assert (shape.pools[0].spec["pricePerHour"], shape.pools[0].spec["region"]) == (2, "a")


def test_members_that_are_alike_are_numbered() -> None:
    text = f"{HEAD}defaults: {{{POOL}}}\nmembers:\n- {{name: 'a-{{n:02}}', count: 3, first: 9}}\n- name: b"
    assert [shape.name for shape in read(text.encode())] == ["a-09", "a-10", "a-11", "b"]


def test_eighty_clusters_are_read_at_once() -> None:
    body = (EXAMPLES / "eighty.yaml").read_bytes()
    read(body)
    begun = time.perf_counter()
    shapes = read(body)
    assert time.perf_counter() - begun < 0.25
    assert len(shapes) == 80
    assert sum(pool.spec["minimum"] for shape in shapes for pool in shape.pools) == 70_000
    assert len({shape.region for shape in shapes}) == 6
    assert len(body.splitlines()) <= 20


def test_the_examples_are_fleets() -> None:
    for path in EXAMPLES.glob("*.yaml"):
        assert read(path.read_bytes(), name=str(path))


def test_all_mistakes_are_told_with_their_lines() -> None:
    text = """apiVersion: argosy.dev/v1alpha1
kind: Fleet
defaults:
  heartbeatPeriodSeconds: 0
members:
- name: eu-{n}
  count: 3
  regoin: eu-west
  nodePools:
  - name: general
    machine: {cpu: lots, memory: 8Gi}
    nodes: 3
    maximum: 4
  - name: gpu
    machine: {cpu: 2, memory: 8Gi, gpuType: H100}
    minimum: 5
    maximum: 3
    runtime: process
- name: eu-2
  taints: [{key: gpu, effect: NoExecute}, {key: a b, effect: NoSchedule}]
  nodePools: []
- name: hub
  labels: {team: 1}
  labels: {team: two}
- name: x
  pricePerHour: -1
  nodePools: many
  queueing:
    apiVersion: config.kueue.x-k8s.io/v1beta2
    kind: Configuration
    waitForPodsReadyy: {}
"""
    want = [
        "f:4: defaults.heartbeatPeriodSeconds: Invalid value: 0: should be greater than or equal to 1",
        "f:8: members[0].regoin: unknown field; did you mean region?",
        'f:11: members[0].nodePools[0].machine.cpu: Invalid value: "lots": cpu must be a quantity above zero',
        "f:13: members[0].nodePools[0].maximum: Forbidden: nodes says both minimum and maximum: leave out one",
        "f:15: members[0].nodePools[1].machine: Invalid value: gpuType needs gpus of at least 1",
        "f:16: members[0].nodePools[1].minimum: Invalid value: 5: minimum must not exceed maximum",
        'f:18: members[0].nodePools[1].runtime: Unsupported value: "process": supported values: "simulated"',
        'f:19: members[1].name: Invalid value: "eu-2": members[0].name has that name already',
        'f:20: members[1].taints[0].effect: Unsupported value: "NoExecute": supported values: "NoSchedule"',
        'f:20: members[1].taints[1].key: Invalid value: "a b": name part must consist of',
        "f:21: members[1].nodePools: Invalid value: 0: should have at least 1 items",
        "f:22: members[2].nodePools: Required value: a member needs machines",
        'f:22: members[2].name: Invalid value: "hub": the fleet itself uses this name',
        'f:24: key "labels" already set in map',
        "f:26: members[3].pricePerHour: Invalid value: -1: should be greater than or equal to 0",
        'f:27: members[3].nodePools: Invalid value: "string": must be of type array: "string"',
        'f:31: members[3].queueing: unknown field "waitForPodsReadyy"',
    ]
    got = mistakes(text)
    for line, start in zip(got, want, strict=True):
        assert line.startswith(start)


CASES = {
    "it is empty": ("", "f:1: a fleet file is an object with apiVersion, kind and members"),
    "it is a list": ("- a", "f:1: a fleet file is an object"),
    "it is something else": ("apiVersion: v1\nkind: Pod", "f:1: apiVersion 'v1', kind 'Pod': expected"),
    "it is no YAML": (f"{HEAD}members: [", "f:"),
    "nobody is in it": (f"{HEAD}members: []", "f:3: members: Invalid value: 0: should have at least 1"),
    "members are missing": (HEAD, "f:1: members: Required value"),
    "a name is missing": (f"{HEAD}members:\n- {POOL}", "f:4: members[0].name: Required value"),
    "a pattern without a count": (
        f"{HEAD}members:\n- name: a-{{n}}\n  {POOL}",
        "f:4: members[0].count: Required value: how many members a-{n} stands for",
    ),
    "a count without a pattern": (
        f"{HEAD}members:\n- name: a\n  count: 2\n  {POOL}",
        'f:4: members[0].name: Invalid value: "a": must contain {n}',
    ),
    "too many": (
        f"{HEAD}defaults: {{{POOL}}}\nmembers: [{{name: 'a-{{n}}', count: 200}}, {{name: b}}]",
        "f:4: members: Invalid value: 201: a fleet has at most 200 members",
    ),
    "a name that is too long": (
        f"{HEAD}members:\n- name: {'a' * 51}\n  {POOL}",
        f'f:4: members[0].name: Invalid value: "{"a" * 51}": must be no more than 50 characters',
    ),
    "a pool twice": (
        f"{HEAD}members:\n- name: a\n  nodePools:\n{ITEM}\n{ITEM}",
        "f:7: members[0].nodePools[1]: Duplicate value",
    ),
    "a second document": (
        f"{HEAD}members:\n- name: a\n  {POOL}\n---\nkind: Fleet",
        "f:7: a second document begins here",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_mistake(case: str) -> None:
    text, want = CASES[case]
    (got, *_) = mistakes(text)
    assert got.startswith(want)


def test_lines_of_keys_with_dots_merges_and_fields_that_are_not_there() -> None:
    lines = Lines(
        b"base: &base\n  a: 1\nx:\n  <<: *base\n  labels:\n    example.com/team: y\nl:\n- 1\n-\n  b: 2\n"
    )
    want = {
        "x.a": 2,
        "x.labels.example.com/team": 6,
        "x.nothing.at.all": 3,
        "l[1].b": 10,
        "l[7]": 7,
    }
    assert {path: lines.of(path) for path in want} == want


@given(some.text(max_size=80))
def test_no_text_at_all_breaks_the_reader(text: str) -> None:
    """It is a fleet or a list of mistakes."""
    for body in (
        text.encode("utf-8", "surrogatepass"),
        f"{HEAD}members: {text}".encode("utf-8", "surrogatepass"),
    ):
        try:
            found: tuple[object, ...] = read(body)
        except FileError as error:
            found = error.problems
        assert found


def test_a_file_with_mistakes_starts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "fleet.yaml"
    file.write_text(f"{HEAD}members: [{{name: Hub}}]")
    assert main(["up", "--state", str(tmp_path / "s"), "--fleet", str(file)]) == 2
    said = capsys.readouterr().err.splitlines()
    assert said[0] == f"argosy up: nothing was started: --fleet {file}:"
    assert all(line.startswith(f"  {file}:3: members[0].") for line in said[1:])
    assert len(said) == 3
    assert main(["up", "--state", str(tmp_path / "s"), "--fleet", str(tmp_path / "none")]) == 2
    assert "No such file or directory" in capsys.readouterr().err
    assert not (tmp_path / "s").exists()


def test_the_file_of_the_guide_is_a_fleet() -> None:
    guide = (Path(__file__).parents[3] / "docs" / "fleet-file.md").read_text()
    (block,) = (part.split("```")[0] for part in guide.split("```yaml\n")[1:])
    names = [shape.name for shape in read(block.encode())]
    assert (names[0], names[9:]) == ("eu-01", ["eu-10", "gpu"])
