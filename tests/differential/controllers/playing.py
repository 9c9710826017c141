"""Play a scenario on a cluster and observe it after each step.

The player is user, scheduler and kubelet in one. On a real cluster it waits until nothing has changed for a while,
because controllers gather events for a second; in virtual time the same while passes at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from argosy.base.clock import Clock, VirtualClock
from argosy.base.errors import NotFound, StatusError
from argosy.base.timestamps import format_time
from argosy.client.objects import decode
from argosy.client.protocol import Client, PatchType, Propagation
from argosy.client.resources import (
    LEASES,
    NAMESPACES,
    NODES,
    PERSISTENT_VOLUMES,
    PODS,
    PRIORITY_CLASSES,
    SERVICE_ACCOUNTS,
    STORAGE_CLASSES,
)
from tests.differential.controllers.observing import Observation, normalized, observe
from tests.differential.controllers.resources import resource, resource_of
from tests.differential.controllers.scenarios import Scenario, ScenarioError, Step

INDEX = "batch.kubernetes.io/job-completion-index"
MOST_SECONDS = 40.0
LOOK_SECONDS = 0.5
SEEN_SECONDS = 0.7
GLOBAL = (NODES, PRIORITY_CLASSES, PERSISTENT_VOLUMES, STORAGE_CLASSES)
HEARTBEATS = "kube-node-lease"

EXIT_CODES = {"succeeded": 0, "failed": 1, "failed with 42": 42, "disrupted": 137}
READY = {"running": "True", "unready": "False"}


def outcome(name: str, clock: Clock) -> dict[str, Any]:
    """The status of a pod that runs, or has just ended, in a way with a name."""
    if name in READY:
        return {"phase": "Running", "conditions": [{"type": "Ready", "status": READY[name]}]}
    code = EXIT_CODES[name]
    reason = "Error" if code else "Completed"
    ended = {"exitCode": code, "reason": reason, "finishedAt": format_time(clock.time())}
    container = {
        "name": "main", "image": "x", "imageID": "", "ready": False, "restartCount": 0,
        "state": {"terminated": ended},
    }  # fmt: skip
    status = {
        "phase": "Failed" if code else "Succeeded", "containerStatuses": [container],
    }  # fmt: skip
    if name == "disrupted":
        status["conditions"] = [{"type": "DisruptionTarget", "status": "True"}]
    return status


@dataclass(slots=True)
class Record:
    """What came of a scenario: each step, and the lines that changed with it (None: the line is gone)."""

    scenario: str
    steps: list[dict[str, Any]]


async def play(client: Client, scenario: Scenario, namespace: str, clock: Clock) -> Record:
    """Play a scenario in a namespace made for it; it ends with the first step that cannot be done."""
    await _prepare(client, namespace, with_node=scenario.has_node)
    record = Record(scenario.name, [])
    before: Observation = {}
    for step in scenario.steps:
        try:
            answers = await _do(client, step.within(namespace), namespace, clock)
        except (StatusError, ScenarioError) as error:
            record.steps.append({str(step): {"refused": normalized(str(error), namespace)}})
            break
        if step.is_quiet:
            continue
        after = await _rest(client, scenario, namespace, clock)
        if answers:
            after["answers"] = normalized(answers, namespace)
        record.steps.append({str(step): dict(_changes(before, after))})
        before = after
    return record


async def clean(client: Client, namespace: str) -> None:
    """End what a scenario left behind; nobody plays the kubelet for its pods any more."""
    with suppress(NotFound):
        await client.delete(NAMESPACES, namespace, propagation=Propagation.BACKGROUND)
    for raw in (await client.list_all(PODS, namespace=namespace)).items:
        with suppress(NotFound):
            await client.delete(PODS, raw.name, namespace=namespace, grace_seconds=0)
    for which in GLOBAL:
        for raw in (await client.list_all(which)).items:
            if raw.name.startswith(namespace):
                with suppress(NotFound):
                    await client.delete(which, raw.name)


def _changes(before: Observation, after: Observation) -> Iterator[tuple[str, Any]]:
    for line in sorted(before.keys() | after.keys()):
        if before.get(line) != after.get(line):
            yield line, after.get(line)


async def _prepare(client: Client, namespace: str, *, with_node: bool) -> None:
    await client.create(NAMESPACES, {"metadata": {"name": namespace}})
    if with_node:
        # Nobody serves it; pods may be bound to it so that they do not vanish when they are deleted.
        taints = [{"key": "h", "effect": "NoSchedule"}]
        await client.create(NODES, {"metadata": {"name": namespace}, "spec": {"taints": taints}})
    while True:
        try:
            await client.get(SERVICE_ACCOUNTS, "default", namespace=namespace)
        except NotFound:
            await asyncio.sleep(0.1)
        else:
            return


async def _rest(client: Client, scenario: Scenario, namespace: str, clock: Clock) -> Observation:
    if isinstance(clock, VirtualClock):
        await asyncio.sleep(scenario.rest_seconds)
        return await observe(client, namespace, scenario.observe)
    loop = asyncio.get_running_loop()
    began = changed = loop.time()
    last = await observe(client, namespace, scenario.observe)
    while loop.time() - changed < scenario.rest_seconds and loop.time() - began < MOST_SECONDS:
        await asyncio.sleep(LOOK_SECONDS)
        seen = await observe(client, namespace, scenario.observe)
        if seen != last:
            last, changed = seen, loop.time()
    return last


async def _do(client: Client, step: Step, namespace: str, clock: Clock) -> list[str]:
    """Do one step; returns what was said to those evictions that were asked for."""
    match step.verb:
        case "wait" if step.target == "minute":
            await asyncio.sleep(65 - clock.time() % 60)
        case "wait":
            await asyncio.sleep(step.target)
        case "heartbeat":
            await _heartbeat(client, step.target, clock)
        case "evict":
            answers = []
            for pod in await _chosen(client, step, namespace):
                answers.append(f"{pod}: {await _evict(client, namespace, pod)}")
                # The budget is counted anew before the next one is asked for.
                await asyncio.sleep(SEEN_SECONDS)
            return answers
        case "create":
            body = step.more["body"]
            if owner := step.more.get("owner"):
                body["metadata"]["ownerReferences"] = [await _owner(client, owner, namespace)]
            await client.create(resource_of(body["kind"]), body, namespace=namespace)
        case "patch":
            plural, name = step.target.split("/")
            sub, body = step.more.get("sub", ""), step.more["body"]
            await client.patch(
                resource(plural), name, body, namespace=namespace, subresource=sub,
                kind=PatchType.MERGE,
            )  # fmt: skip
        case "delete" if "/" in step.target:
            plural, name = step.target.split("/")
            policy = Propagation(step.more.get("policy", "Background"))
            await client.delete(resource(plural), name, namespace=namespace, propagation=policy)
        case "delete" if step.target != PODS.plural:
            for raw in (await client.list_all(resource(step.target), namespace=namespace)).items:
                await client.delete(
                    resource(step.target), raw.name, namespace=namespace,
                    propagation=Propagation.BACKGROUND,
                )  # fmt: skip
        case _:
            for pod in await _chosen(client, step, namespace):
                await _do_to_pod(client, step, namespace, pod, clock)
    return []


async def _owner(client: Client, owner: str, namespace: str) -> dict[str, Any]:
    plural, name = owner.split("/")
    found = decode(await client.get(resource(plural), name, namespace=namespace))
    kind = {key: found[key] for key in ("apiVersion", "kind")}
    return {**kind, "name": name, "uid": found["metadata"]["uid"], "controller": True}


async def _heartbeat(client: Client, node: str, clock: Clock) -> None:
    """Renew a node's lease; it is made with the first time."""
    spec = {"holderIdentity": node, "renewTime": format_time(clock.time())[:-1] + ".000000Z"}
    try:
        await client.patch(LEASES, node, {"spec": spec}, namespace=HEARTBEATS)
    except NotFound:
        await client.create(
            LEASES, {"metadata": {"name": node}, "spec": spec}, namespace=HEARTBEATS
        )


async def _evict(client: Client, namespace: str, pod: str) -> str:
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod}}
    try:
        await client.create(PODS, body, namespace=namespace, name=pod, subresource="eviction")
    except StatusError as error:
        causes = [cause.message for cause in error.details.causes] if error.details else []
        return f"{error.code} {error.reason} {error} {causes}"
    return "granted"


async def _do_to_pod(client: Client, step: Step, namespace: str, pod: str, clock: Clock) -> None:
    match step.verb:
        case "report":
            status = outcome(step.target, clock) if isinstance(step.target, str) else step.target
            await client.patch(
                PODS, pod, {"status": status}, namespace=namespace, subresource="status"
            )
        case "bind":
            node = step.more.get("to", namespace)
            binding = {
                "apiVersion": "v1", "kind": "Binding", "metadata": {"name": pod},
                "target": {"apiVersion": "v1", "kind": "Node", "name": node},
            }  # fmt: skip
            await client.create(PODS, binding, namespace=namespace, name=pod, subresource="binding")
        case "delete":
            grace = step.more.get("grace")
            await client.delete(PODS, pod, namespace=namespace, grace_seconds=grace)


async def _chosen(client: Client, step: Step, namespace: str) -> list[str]:
    """The pods a step is about, oldest first; a step about none is a mistake in the theme."""
    of = step.more.get("of") or {}
    found = await client.list_all(PODS, namespace=namespace, label_selector=of.get("label", ""))
    pods = sorted(
        (decode(raw) for raw in found.items),
        key=lambda pod: (pod["metadata"]["creationTimestamp"], pod["metadata"]["name"]),
    )
    names = [pod["metadata"]["name"] for pod in pods if _matches(pod, of)]
    if not names:
        raise ScenarioError(f"{step}: there is no such pod ({of})")
    return names[: of.get("first", len(names))]


def _matches(pod: dict[str, Any], of: dict[str, Any]) -> bool:
    meta, phase = pod["metadata"], pod["status"].get("phase")
    if "phase" in of and phase != of["phase"]:
        return False
    if "phase" not in of and phase in {"Succeeded", "Failed"}:
        return False
    if "name" in of and meta["name"] != of["name"]:
        return False
    if "index" in of and meta.get("annotations", {}).get(INDEX) != str(of["index"]):
        return False
    return "going" not in of or ("deletionTimestamp" in meta) == of["going"]
