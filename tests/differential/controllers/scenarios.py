"""Read the theme files: what is done to a cluster, step by step, by users and by whoever plays the kubelet.

A theme is one YAML file about one controller:

    controllers: [jobs]                   # which of ours run (see `clusters.CONTROLLERS`)
    peer: [scheduler]                     # what the real one runs besides its controllers; nothing unless said
    alone: true                           # one scenario at a time, because each sees all nodes
    node: false                           # make no node; without it each scenario has one that bears its namespace's name
    rest: 1.5                             # seconds without a change after which a step is over; 2.6 unless said
    observe:                              # what is compared after each step: fields of all objects of a resource
      jobs: [status]                      #   in the scenario's namespace
      pods: [metadata.labels, status.phase]
    templates:                            # objects by a short name
      job: {apiVersion: batch/v1, kind: Job, spec: {…}}
    scenarios:
      - scenario: a sentence
        steps:
          - {create: job, name: a, set: {spec.parallelism: 2}}   # a template, with fields replaced
          - {create: job, name: b, owner: cronjobs/c}            # controlled by an object that is there
          - {patch: jobs/a, body: {spec: {suspend: true}}}       # a merge patch; `sub: status` for a subresource
          - {report: running, of: {phase: Pending}}              # pod statuses: by name (`playing.outcome`), or as such
          - {report: {phase: Failed}, of: {index: 0}}
          - {bind: pods, of: {}}                                 # to a node that no kubelet serves; `to` names another
          - {delete: pods, of: {first: 1}, grace: 0}
          - {delete: jobs/a, policy: Foreground}
          - {delete: jobs}                                       # all of them
          - {evict: pods, of: {first: 1}}                        # one after the other; what is refused is written down
          - {heartbeat: <ns>-1}                                  # renew a node's lease
          - {wait: 11}                                           # seconds, for back-offs and deadlines
          - {wait: minute}                                       # until five seconds after the next full minute

`<ns>` stands for the scenario's namespace; objects without one, such as nodes, are observed and removed when their
name begins with it. `of` chooses pods: `phase`, `index` (completion index), `first` (so many of them), `going` (being deleted or not), and
`label` (a selector), `name`. After every step the cluster comes to rest and is observed; events are always observed. `quietly: true`
goes on without waiting, so that several changes meet the controller together. A scenario with `differs: {steps: [3],
because: …}` is not compared at those steps: the real one is wrong there, and the sentence says how.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.differential.loading import put

HERE = Path(__file__).parent
THEMES = HERE / "themes"
VERBS = ("create", "patch", "report", "bind", "delete", "evict", "heartbeat", "wait")
KEYS = {*VERBS, "name", "set", "body", "sub", "of", "grace", "policy", "quietly", "to", "owner"}
CHOICES = {"phase", "index", "first", "going", "label", "name"}
REST_SECONDS = 2.6


class ScenarioError(Exception):
    """A theme file says something that cannot be done."""


@dataclass(frozen=True, slots=True)
class Step:
    """One change. `target` is what the verb's key says; `more` the step's other keys."""

    verb: str
    target: Any
    more: dict[str, Any]

    @property
    def is_quiet(self) -> bool:
        return bool(self.more.get("quietly"))

    def within(self, namespace: str) -> Step:
        """This step with the namespace's name in place of `<ns>`."""
        return Step(self.verb, _named(self.target, namespace), _named(self.more, namespace))

    def __str__(self) -> str:
        what = self.target if isinstance(self.target, str | int) else "pods"
        return f"{self.verb} {what}"


@dataclass(frozen=True, slots=True)
class Scenario:
    """A story in a namespace of its own."""

    theme: str
    name: str
    controllers: tuple[str, ...]
    observe: dict[str, list[str]]
    steps: tuple[Step, ...]
    # Observations (counted from 1) that differ, for a reason the theme gives.
    differing: frozenset[int] = frozenset()
    # What the real cluster runs besides its controllers.
    peer: tuple[str, ...] = ()
    is_alone: bool = False
    rest_seconds: float = REST_SECONDS
    has_node: bool = True

    @property
    def title(self) -> str:
        return f"{self.theme}: {self.name}"

    @property
    def seconds(self) -> float:
        """Roughly how long it takes on a real cluster."""
        waits = [step.target for step in self.steps if step.verb == "wait"]
        return len(self.steps) * self.rest_seconds + sum(60 if w == "minute" else w for w in waits)


def themes() -> list[str]:
    return sorted(path.stem for path in THEMES.glob("*.yaml"))


def load(theme: str) -> list[Scenario]:
    """The scenarios of a theme, with templates filled in."""
    content = yaml.load((THEMES / f"{theme}.yaml").read_text(), yaml.CSafeLoader)
    found = []
    for written in content["scenarios"]:
        name = written["scenario"]
        steps = tuple(_step(f"{theme}: {name}", content, each) for each in written["steps"])
        observe = written.get("observe", content["observe"])
        differs = written.get("differs", {"steps": [], "because": "."})
        if not differs["because"]:
            raise ScenarioError(f"{theme}: {name}: say why it differs")
        differing = frozenset(differs["steps"])
        controllers = tuple(content["controllers"])
        found.append(
            Scenario(
                theme, name, controllers, observe, steps, differing,
                tuple(content.get("peer", ())), content.get("alone", False),
                content.get("rest", REST_SECONDS), content.get("node", True),
            )
        )  # fmt: skip
    names = [scenario.name for scenario in found]
    if len(set(names)) < len(names):
        raise ScenarioError(f"{theme}: a scenario's name is used twice")
    return found


def _named(value: Any, namespace: str) -> Any:
    if isinstance(value, dict):
        return {_named(k, namespace): _named(v, namespace) for k, v in value.items()}
    if isinstance(value, list):
        return [_named(each, namespace) for each in value]
    return value.replace("<ns>", namespace) if isinstance(value, str) else value


def _step(where: str, content: dict[str, Any], written: dict[str, Any]) -> Step:
    if unknown := (written.keys() - KEYS) | (written.get("of", {}).keys() - CHOICES):
        raise ScenarioError(f"{where}: unknown keys {sorted(unknown)}")
    verb = next((verb for verb in VERBS if verb in written), "")
    if not verb:
        raise ScenarioError(f"{where}: a step does one of {', '.join(VERBS)}")
    more = {key: value for key, value in written.items() if key != verb}
    if verb == "create":
        more["body"] = _filled(content["templates"][written["create"]], written)
    return Step(verb, written[verb], more)


def _filled(template: dict[str, Any], written: dict[str, Any]) -> dict[str, Any]:
    body: dict[str, Any] = json.loads(json.dumps(template))
    body.setdefault("metadata", {})["name"] = written["name"]
    for path, value in (written.get("set") or {}).items():
        put(body, path, value)
    return body
