"""Look at a namespace and write down what can be compared: no uids, no times, no random names, no order of chance.

An observation is a dict of lines. Objects with a name given by a user have a line each; those with a generated name
are put together by what they look like, and counted. Events are put together by what they say about whom. What must
differ between two clusters is replaced: uids by `<uid>`, times by `<time>`, generated suffixes by `*`, the minutes in
the names of a CronJob's Jobs by `<minute>`.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from argosy.client.objects import decode
from argosy.client.protocol import Client
from argosy.client.resources import EVENTS
from tests.differential.controllers.resources import resource
from tests.differential.loading import pick
from tests.differential.normalizing import SUFFIX, TIME, UID

GENERATED = re.compile(rf"(?<![a-z0-9.])((?:[a-z0-9]+-)+){SUFFIX}(?![a-z0-9-])")

MINUTE = re.compile(r"(?<=-)\d{8}(?![0-9a-f])")
ELSEWHERE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?=[+-])")
CLOCK = re.compile(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000")
# Two writers met; it depends on the load of the machine whether they do.
CHANCE = (
    "the object has been modified; please apply your changes to the latest version and try again"
)
# Said again with every look at an unchanged object, every few seconds or whenever anything else changes.
REPEATED = (" persistentvolume-controller: ", " FailedScheduling ", " NoPods ")
# Said when a look, every 15 seconds, falls into the time in which a pod waits.
LATE = "WaitForPodScheduled"

Observation = dict[str, Any]


async def observe(client: Client, namespace: str, fields: dict[str, list[str]]) -> Observation:
    """What the namespace holds now."""
    seen: Observation = {}
    has_global = False
    for plural, paths in fields.items():
        which = resource(plural)
        found = await client.list_all(which, namespace=namespace if which.namespaced else None)
        objects = [decode(raw) for raw in found.items]
        if not which.namespaced:
            has_global = True
            objects = [obj for obj in objects if obj["metadata"]["name"].startswith(namespace)]
        seen |= _objects(plural, objects, paths, namespace)
    events = (await client.list_all(EVENTS, namespace=namespace)).items
    told = [decode(raw) for raw in events]
    if has_global:
        # Events about objects without a namespace are kept in this one.
        others = (await client.list_all(EVENTS, namespace="default")).items
        about = (decode(raw) for raw in others)
        told += [e for e in about if e["involvedObject"]["name"].startswith(namespace)]
    return seen | _events(told, namespace)


def _objects(
    plural: str, objects: Iterable[dict[str, Any]], paths: list[str], namespace: str
) -> Observation:
    seen: Observation = {}
    alike: Counter[str] = Counter()
    for obj in objects:
        meta = obj["metadata"]
        shown = {path: value for path in paths if (value := pick(obj, path)) not in (None, {}, [])}
        if "deletionTimestamp" in meta:
            shown["deleted"] = True
        normal = normalized(shown, namespace)
        name = normalized(meta["name"], namespace)
        if "generateName" in meta or GENERATED.fullmatch(meta["name"]) or "<minute>" in name:
            alike[f"{plural}/{name} {json.dumps(normal, sort_keys=True)}"] += 1
        else:
            seen[f"{plural}/{name}"] = normal
    return seen | dict(alike)


def _events(events: Iterable[dict[str, Any]], namespace: str) -> Observation:
    counts: Counter[str] = Counter()
    for event in events:
        about = event["involvedObject"]
        if CHANCE in event["message"] or event["reason"] == LATE:
            continue
        source = event.get("source", {}).get("component") or event.get("reportingComponent", "")
        text = (
            f"event {about['kind']}/{about['name']} {event['type']} {event['reason']} {source}: "
            f"{event['message']}"
        )
        counts[normalized(text, namespace)] += event.get("count", 1)
    return {text: _seen(text, count) for text, count in counts.items()}


def _seen(text: str, count: int) -> int | str:
    """How often a warning is repeated depends on when one looks."""
    if any(reason in text for reason in REPEATED):
        return "again and again"
    return count if " Warning " not in text or count == 1 else "again and again"


def normalized(value: Any, namespace: str) -> Any:
    """The comparable form of a JSON value."""
    if isinstance(value, dict):
        if isinstance(endpoints := value.get("endpoints"), list):
            # A slice has them in no order.
            value = {
                **value,
                "endpoints": sorted(endpoints, key=lambda each: str(each["addresses"])),
            }
        return {
            key: "<version>" if key == "resourceVersion" else normalized(item, namespace)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [normalized(item, namespace) for item in value]
    if isinstance(value, str):
        text = GENERATED.sub(r"\1*", value.replace(namespace, "<ns>"))
        text = ELSEWHERE.sub("<time>", TIME.sub("<time>", UID.sub("<uid>", text)))
        return MINUTE.sub("<minute>", CLOCK.sub("<time>", text))
    return value
