"""Jobs that make no sense are refused in Kubernetes' words, and nothing of them is left.

The texts were taken from a real kube-apiserver v1.35.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.compat.working import Working

pytestmark = pytest.mark.kubectl
pytest_plugins = ("tests.compat.working",)

POD = "template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}"
NEGATIVE = "must be greater than or equal to 0"

# Spec of a Job -> the lines kubectl prints.
REFUSED: dict[str, tuple[str, list[str]]] = {
    "pods that would always restart": (
        "template: {spec: {containers: [{name: c, image: x}]}}",
        ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ),
    "no containers": (
        "template: {spec: {restartPolicy: Never, containers: []}}",
        ["spec.template.spec.containers: Required value"],
    ),
    "fewer than no pods at once": (
        f"parallelism: -1, {POD}",
        [f"spec.parallelism: Invalid value: -1: {NEGATIVE}"],
    ),
    "fewer than no completions": (
        f"completions: -1, {POD}",
        [f"spec.completions: Invalid value: -1: {NEGATIVE}"],
    ),
    "several negative numbers": (
        f"ttlSecondsAfterFinished: -1, activeDeadlineSeconds: -3, backoffLimit: -2, {POD}",
        [
            f"spec.activeDeadlineSeconds: Invalid value: -3: {NEGATIVE}",
            f"spec.backoffLimit: Invalid value: -2: {NEGATIVE}",
            f"spec.ttlSecondsAfterFinished: Invalid value: -1: {NEGATIVE}",
        ],
    ),
    "a way to complete that nobody knows": (
        f"completions: 3, completionMode: Sometimes, {POD}",
        ['spec.completionMode: Unsupported value: "Sometimes": supported values: "NonIndexed", "Indexed"'],
    ),
    "a selector that does not match its pods": (
        f"manualSelector: true, selector: {{matchLabels: {{a: b}}}}, {POD}",
        ["spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`"],
    ),
    "a limit per index without indexes": (
        f"backoffLimitPerIndex: 1, {POD}",
        ["spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode"],
    ),
    "a failure policy of unknown action": (
        f"podFailurePolicy: {{rules: [{{action: Explode, onExitCodes: {{operator: In, values: [0]}}}}]}}, {POD}",
        [
            'spec.podFailurePolicy.rules[0].action: Unsupported value: "Explode": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
            "spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator",
        ],
    ),
    "a failure policy for pods that restart in place": (
        ("podFailurePolicy: {rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]}, "
        "template: {spec: {restartPolicy: OnFailure, containers: [{name: c, image: x}]}}"),
        ['spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified'],
    ),
    "requests above limits": (
        "template: {spec: {restartPolicy: Never, containers: [{name: c, image: x, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]}}",
        ['spec.template.spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
    ),
}  # fmt: skip


@pytest.mark.parametrize("spec_and_want", REFUSED.values(), ids=REFUSED)
def test_a_job_of_nonsense_is_refused(
    working: Working, spec_and_want: tuple[str, list[str]]
) -> None:
    spec, problems = spec_and_want
    text = f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: odd}}\nspec: {{{spec}}}\n"
    said = working.fails("create", "-f", "-", stdin=text)
    listed = f" {problems[0]}" if len(problems) == 1 else " \n* " + "\n* ".join(problems)
    assert said == f'The Job "odd" is invalid:{listed}\n'
    assert working("get", "jobs,pods").stdout == ""


def test_what_a_running_job_may_not_change(working: Working) -> None:
    working("create", "-f", "-", stdin=working.job("fixed", "true", suspend=True, completions=2))
    said = working.fails("patch", "job", "fixed", "-p", '{"spec": {"completions": 5}}')
    want = 'The Job "fixed" is invalid: spec.completions: Invalid value: 5: field is immutable\n'
    assert said == want
    words = '{"spec": {"template": {"spec": {"restartPolicy": "OnFailure"}}}}'
    said = working.fails("patch", "job", "fixed", "-p", words)
    assert said.startswith('The Job "fixed" is invalid: spec.template: Invalid value: ')
    assert said.endswith(": field is immutable\n")
    assert working("get", "job", "fixed").rows[1][1:3] == ["Suspended", "0/2"]
