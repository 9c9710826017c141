"""Flags as resource groups, taints and tolerations; tables; and how little `argosy --help` loads."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from argosy.cli.connecting import CommandError
from argosy.cli.flags import normalized
from argosy.cli.main import main
from argosy.cli.printing import document, pairs, split, table
from argosy.cli.quotaflags import resource_groups
from argosy.cli.taintflags import taints, tolerations

Given = tuple[list[str], list[str], list[str]]


def quota(name: str, nominal: str = "0", **limits: str) -> dict[str, str]:
    return {"name": name, "nominalQuota": nominal, **limits}


def group(resources: list[str], **flavors: list[dict[str, str]]) -> dict[str, Any]:
    return {
        "coveredResources": resources,
        "flavors": [{"name": name, "resources": quotas} for name, quotas in flavors.items()],
    }


GPU = "example.com/gpu"
GROUPS: dict[str, tuple[Given, list[dict[str, Any]]]] = {
    "nothing": (([], [], []), []),
    "one flavor with its quota": (
        (["alpha:cpu=1;memory=1;example-1.org/memory=5Gi"], [], []),
        [
            group(
                ["cpu", "memory", "example-1.org/memory"],
                alpha=[quota("cpu", "1"), quota("memory", "1"), quota("example-1.org/memory", "5Gi")],
            )
        ],
    ),
    "a limit without a quota is a limit on nothing": (
        ([], ["alpha:cpu=1"], []),
        [group(["cpu"], alpha=[quota("cpu", borrowingLimit="1")])],
    ),
    "all three of one flavor": (
        (["alpha:cpu=1;memory=2"], ["alpha:cpu=3;memory=4"], ["alpha:memory=6;cpu=5"]),
        [
            group(
                ["cpu", "memory"],
                alpha=[
                    quota("cpu", "1", borrowingLimit="3", lendingLimit="5"),
                    quota("memory", "2", borrowingLimit="4", lendingLimit="6"),
                ],
            )
        ],
    ),
    "two flavors of one group, resources in the group's order": (
        (["alpha:cpu=1;memory=1", "beta:memory=2;cpu=500m"], [], []),
        [
            group(
                ["cpu", "memory"],
                alpha=[quota("cpu", "1"), quota("memory", "1")],
                beta=[quota("cpu", "500m"), quota("memory", "2")],
            )
        ],
    ),
    "two groups, flavors in the order they are named": (
        ([f"alpha:cpu=1,beta:{GPU}=2,gamma:cpu=1.5"], [], []),
        [
            group(["cpu"], alpha=[quota("cpu", "1")], gamma=[quota("cpu", "1.5")]),
            group([GPU], beta=[quota(GPU, "2")]),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", GROUPS.values(), ids=GROUPS)
def test_resource_groups(case: tuple[Given, list[dict[str, Any]]]) -> None:
    given, want = case
    assert resource_groups(*given) == want


BAD_GROUPS: dict[str, tuple[Given, str]] = {
    "no quantity": ((["alpha:cpu=;memory=1"], [], []), "invalid resources specification"),
    "a comma where a semicolon belongs": (
        (["alpha:cpu=0,memory=1"], [], []),
        "invalid resources specification",
    ),
    "a flavor alone": ((["alpha"], [], []), "invalid resources specification"),
    "an equals sign where a colon belongs": (
        (["alpha=cpu=0;memory=1"], [], []),
        "invalid resources specification",
    ),
    "no number": ((["alpha:cpu=a"], [], []), "invalid resource quota"),
    "a flavor twice with other resources": (
        (["alpha:cpu=1", f"alpha:{GPU}=2"], [], []),
        "invalid flavor",
    ),
    "limits of other resources": ((["alpha:cpu=1"], [f"alpha:{GPU}=2"], []), "invalid flavor"),
    "a resource of two groups": (
        (["alpha:cpu=1;memory=1", "beta:cpu=1"], [], []),
        "invalid resource group",
    ),
    "a resource of two groups, the larger last": (
        (["beta:cpu=1", "alpha:cpu=1;memory=1"], [], []),
        "invalid resource group",
    ),
}


@pytest.mark.parametrize("case", BAD_GROUPS.values(), ids=BAD_GROUPS)
def test_resource_groups_that_are_refused(case: tuple[Given, str]) -> None:
    given, want = case
    with pytest.raises(CommandError) as refused:
        resource_groups(*given)
    assert str(refused.value) == want


def test_long_nonsense_is_refused_at_once() -> None:
    with pytest.raises(CommandError):
        resource_groups(["alpha:" + "a" * 5000 + "!"], [], [])


def test_taints_and_tolerations() -> None:
    assert taints(["a=b:NoSchedule,a:NoExecute"]) == [
        {"key": "a", "value": "b", "effect": "NoSchedule"},
        {"key": "a", "effect": "NoExecute"},
    ]
    assert tolerations(["a=b", "a:NoExecute", ":NoSchedule"]) == [
        {"key": "a", "operator": "Equal", "value": "b"},
        {"key": "a", "operator": "Exists", "effect": "NoExecute"},
        {"operator": "Exists", "effect": "NoSchedule"},
    ]


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("a:b:c", "invalid taint spec: a:b:c"),
        ("a=b=c:NoSchedule", "invalid taint spec: a=b=c:NoSchedule"),
        (
            "a:Never",
            "invalid taint effect: Never, unsupported taint effect",
        ),
    ],
)
def test_taints_that_are_refused(text: str, want: str) -> None:
    with pytest.raises(CommandError) as refused:
        taints([text])
    assert str(refused.value) == want


def test_keys_and_values_are_checked() -> None:
    with pytest.raises(CommandError, match=r"invalid taint spec: -a:NoSchedule, name part must"):
        taints(["-a:NoSchedule"])
    with pytest.raises(
        CommandError, match=r"invalid toleration spec: a=-:NoSchedule, a valid label"
    ):
        tolerations(["a=-:NoSchedule"])


def test_columns_are_three_blanks_apart_and_six_wide_at_least() -> None:
    rows = [("A", "LONG HEAD", "LAST"), ("xyz", "", "z"), ("longer", "b", "")]
    assert table(rows) == (
        "A        LONG HEAD   LAST\n"
        "xyz                  z\n"
        "longer   b           \n"
    )  # fmt: skip
    assert table([("A", "B"), ("1", "2")]) == "A     B\n1     2\n"


def test_documents_read_as_kubectls() -> None:
    obj = {"b": ["true", "x"], "a": {"n": "8", "e": "", "c": "a: b"}}
    assert document(obj, "yaml") == 'a:\n  c: \'a: b\'\n  e: ""\n  n: "8"\nb:\n- "true"\n- x\n'
    assert document({"b": 1, "a": "ä"}, "json") == '{\n    "a": "ä",\n    "b": 1\n}\n'


def test_flags_that_hold_several() -> None:
    assert split(["a,b", "c"]) == ["a", "b", "c"]
    assert pairs("--x", ["a=b,c=", "d=e=f"]) == {"a": "b", "c": "", "d": "e=f"}


def test_switches_may_have_a_value_as_in_go() -> None:
    given = ["--yes=true", "--all=false", "--all-namespaces=1", "--cohort=true", "--yes=maybe"]
    assert normalized(given) == ["--yes", "--all-namespaces", "--cohort=true", "--yes=maybe"]


def test_help_loads_nothing_that_takes_time() -> None:
    script = (
        "import sys\n"
        "from argosy.cli.main import main\n"
        "try: main(['list', 'cq', '--help'])\n"
        "except SystemExit: pass\n"
        "slow = {'asyncio', 'aiohttp', 'msgspec', 'yaml', 'numpy', 'ssl', 'cryptography'} & set(sys.modules)\n"
        "assert not slow, slow\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert "--active BOOL" in done.stdout


def test_a_verb_alone_tells_its_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 2
    assert "clusterqueue (cq" in capsys.readouterr().out
