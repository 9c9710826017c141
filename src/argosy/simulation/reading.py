"""From a scenario file to a Scenario: every field asked for once, every mistake told at once.

Files that a scenario names (objects, traces) lie beside it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import yaml

from argosy.api.objects.fleet.reschedules import parse_reschedule
from argosy.base.types import Object
from argosy.control.assemblies import UPKEEP, Upkeep
from argosy.fleet.shapes import MemberShape
from argosy.member.applying.backoffs import PACE, Pace
from argosy.simulation.documents import Field, ScenarioError, open_document, parse_span
from argosy.simulation.drawing import KINDS
from argosy.simulation.manifests import made
from argosy.simulation.plans import (
    START,
    Arrivals,
    Burst,
    Change,
    Distribution,
    Outage,
    Scenario,
    Stream,
    Traced,
)
from argosy.simulation.repeating import copy, numbers, repeated
from argosy.simulation.shaping import read_fleet

SHIPPED: Final = Path(__file__).parent / "scenarios"
_JOB_KINDS: Final = ("Job", "JobSet")
_COLUMNS: Final = ("at", "duration", "pods", "cpu", "memory", "gpus", "name")
_GPU: Final = "nvidia.com/gpu"


def find(name: str) -> Path:
    """The file of a scenario: a path, or the name of one that is shipped; ScenarioError."""
    path = Path(name)
    if path.suffix in {".yaml", ".yml"} or path.exists():
        return path
    shipped = SHIPPED / f"{name}.yaml"
    if shipped.exists():
        return shipped
    known = ", ".join(sorted(each.stem for each in SHIPPED.glob("*.yaml")))
    raise ScenarioError(f"{name}: there is no such file, and no scenario of that name: {known}")


def read(path: Path) -> Scenario:
    """The scenario; ScenarioError has all of its mistakes."""
    field = open_document(path)
    name = field.at("name").text(path.stem)
    horizon = field.at("horizon").span(least=1.0)
    members = read_fleet(field.at("fleet"), path)
    streams = tuple(_streams(field.at("jobs"), members, path))
    found = Scenario(
        name=name,
        path=path,
        horizon=horizon,
        members=members,
        streams=streams,
        description=field.at("description").text(""),
        seed=field.at("seed").whole(1),
        start=_start(field.at("start")),
        unit=field.at("unit").text("cpu"),
        settle=field.at("settle").span(60.0),
        keep=field.at("keep").span(600.0),
        objects=tuple(_objects(field.at("objects"), path)),
        outages=tuple(_outage(each.mapping(), members) for each in field.at("outages").items()),
        changes=tuple(_change(each.mapping(), path) for each in field.at("changes").items()),
        queueing=_mapping(field.at("queueing")),
        upkeep=_upkeep(field.at("settings").mapping()),
        pace=_pace(field.at("settings").at("lookInterval")),
    )
    field.done()
    field.mistakes.check()
    return found


def _start(field: Field) -> datetime:
    if not field.is_there:
        return START
    try:
        found = datetime.fromisoformat(field.text())
    except ValueError as error:
        field.wrong(f"is no time such as 2026-01-05T00:00:00Z: {error}")
        return START
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _mapping(field: Field) -> Object | None:
    value = field.mapping().value() if field.is_there else None
    return value if isinstance(value, dict) else None


def _pace(field: Field) -> Pace:
    """How often agents look at what they have applied, unasked: at first after so long, then ever more slowly."""
    if not field.is_there:
        return PACE
    seconds = field.span(least=1.0)
    return Pace(
        fixed_seconds=seconds,
        slow_first_seconds=seconds,
        slow_factor=2.0,
        slow_most_seconds=max(seconds, PACE.most_seconds),
        fast_factor=2.0,
    )


def _upkeep(field: Field) -> Upkeep:
    field.at("lookInterval")
    found = Upkeep(
        node_lease_seconds=field.at("nodeLease").span(UPKEEP.node_lease_seconds, least=4.0),
        scan_seconds=field.at("scanInterval").span(UPKEEP.scan_seconds, least=1.0),
        writes_events=field.at("events").flag(default=UPKEEP.writes_events),
    )
    field.done()
    return found


# Objects.


def _objects(field: Field, path: Path) -> Iterator[Object]:
    for each in field.items():
        if each.is_mapping and each.at("file").is_there:
            yield from _filed(each, path)
        else:
            yield from _checked(each, each.value())


def _filed(field: Field, path: Path) -> Iterator[Object]:
    named, counted = field.at("file"), numbers(field)
    field.done()
    beside = path.parent / named.text()
    try:
        documents = list(yaml.safe_load_all(beside.read_text()))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        named.wrong(f"{beside} cannot be read: {error}")
        return
    for number in counted:
        for document in documents:
            if document is not None:
                yield from _checked(named, document if number is None else copy(document, number))


def _checked(field: Field, value: object) -> Iterator[Object]:
    if not isinstance(value, dict):
        field.wrong("an object is a mapping with apiVersion, kind and metadata")
        return
    missing = [key for key in ("apiVersion", "kind", "metadata") if not value.get(key)]
    if missing:
        field.wrong(f"an object needs {', '.join(missing)}; {{file: NAME}} reads a file")
    elif not (value["metadata"] or {}).get("name"):
        field.wrong("metadata.name is required")
    else:
        yield value


# Jobs.


def _streams(field: Field, members: tuple[MemberShape, ...], path: Path) -> Iterator[Stream]:
    seen: set[str] = set()
    for entry in field.items():
        for each in repeated(entry.mapping()):
            stream = _stream(each, members, path)
            if stream.name in seen:
                each.at("name").wrong(f'"{stream.name}" is the name of another stream')
            seen.add(stream.name)
            yield stream
    if not seen:
        field.wrong("name at least one stream of jobs")


def _stream(field: Field, members: tuple[MemberShape, ...], path: Path) -> Stream:
    name = field.at("name").text()
    # `repeated` has read them.
    field.at("count"), field.at("first")
    namespace = field.at("namespace").text("default")
    trace = tuple(_trace(field.at("trace"), path))
    arrivals = field.at("arrivals")
    if not field.at("trace").is_there and not arrivals.is_there:
        field.wrong("say when its jobs come: arrivals, or a trace")
    found = Stream(
        name=name,
        team=field.at("team").text(namespace),
        kind=field.at("kind").text("Job", allowed=_JOB_KINDS),
        classed=field.at("class").text(name),
        namespace=namespace,
        queue=field.at("queue").text(""),
        priority=field.at("priorityClass").text(""),
        arrivals=_arrivals(arrivals.mapping()),
        trace=trace,
        seconds=_distribution(field.at("duration"), is_time=True, default=60.0),
        pods=_distribution(field.at("pods"), is_time=False, default=1.0),
        resources={key: each.quantity() for key, each in field.at("resources").entries()},
        node_selector=field.at("nodeSelector").mapping().labels(),
        tolerations=tuple(each.value() for each in field.at("tolerations").items()),
        failure_rate=field.at("failures").mapping().at("rate").number(0.0, most=1.0),
        retries=field.at("failures").at("retries").whole(6),
        prefer=_preference(field.at("prefer")),
        cluster_labels=field.at("clusterLabels").mapping().labels(),
        reschedule=_reschedule(field.at("reschedule")),
        manifest=_text(field.at("manifest"), path),
        spread=field.at("spread").whole(1, least=1, most=len(members) or 1),
        cluster=_member(field.at("cluster"), members),
    )
    field.at("failures").done()
    field.done()
    _check_manifest(field, found)
    return found


def _text(field: Field, path: Path) -> str:
    """What is in a file beside the scenario."""
    if not field.is_there:
        return ""
    beside = path.parent / field.text()
    try:
        return beside.read_text()
    except (OSError, UnicodeDecodeError) as error:
        field.wrong(f"{beside} cannot be read: {error}")
        return ""


def _member(field: Field, members: tuple[MemberShape, ...]) -> str:
    return field.text("", allowed=[each.name for each in members]) if field.is_there else ""


def _check_manifest(field: Field, stream: Stream) -> None:
    """Whether jobs can be made of it, and are what the stream says they are."""
    if stream.spread > 1 and not stream.manifest:
        field.at("spread").wrong("needs a manifest with an override of the job's size; see aks-70k")
    if stream.cluster and (stream.manifest or stream.spread > 1):
        field.at("cluster").wrong(
            "a job that is created on a cluster has no placement: leave out manifest and spread"
        )
    if not stream.manifest:
        return
    try:
        first = made(
            stream.manifest, "some-name", 8, 60.0, tuple(f"c{n}" for n in range(stream.spread))
        )[0]
        told = (first["kind"], first["metadata"]["name"], first["metadata"].get("namespace"))
    except (yaml.YAMLError, LookupError, TypeError, AttributeError) as error:
        field.at("manifest").wrong(f"no objects can be made of it: {type(error).__name__}: {error}")
        return
    if told != (stream.kind, "some-name", stream.namespace):
        field.at("manifest").wrong(
            f"its first object must be the {stream.kind} {{name}} in namespace {stream.namespace}, not a {told[0]} "
            f"{told[1]} in {told[2] or 'no namespace'}"
        )


def _preference(field: Field) -> str:
    found = field.text("")
    if found and found not in {"cheapest", "fastest"} and not found.startswith("region="):
        field.wrong(f'"{found}" is none of cheapest, fastest, region=NAME')
    return found


def _reschedule(field: Field) -> str:
    """`10m` becomes what the annotation says."""
    if not field.is_there:
        return ""
    text = f"after={field.text()}"
    try:
        parse_reschedule(text)
    except ValueError as error:
        field.wrong(str(error))
    return text


def _arrivals(field: Field) -> Arrivals:
    diurnal = field.at("diurnal").mapping()
    found = Arrivals(
        per_hour=_rate(field.at("rate")),
        peak_hour=diurnal.at("peakHour").number(14.0, most=24.0),
        swing=diurnal.at("swing").number(0.0, most=1.0),
        weekend=diurnal.at("weekend").number(1.0, most=10.0),
        bursts=tuple(_burst(each.mapping()) for each in field.at("bursts").items()),
        at=tuple(each.span(0.0) for each in field.at("at").items()),
        since=field.at("from").span(0.0),
        until=field.at("until").span(float("inf")),
    )
    diurnal.done()
    field.done()
    if field.is_there and not (found.per_hour or found.bursts or found.at):
        field.wrong("nobody comes: give rate, bursts or at")
    return found


def _rate(field: Field) -> float:
    """`12/h`, `300/d` or `2/m` as a number an hour."""
    text = field.text("")
    if not text:
        return 0.0
    number, _, unit = text.partition("/")
    per = {"s": 3600.0, "m": 60.0, "h": 1.0, "d": 1 / 24, "w": 1 / 168}.get(unit)
    try:
        value = float(number)
    except ValueError:
        value = -1.0
    if per is None or value < 0:
        field.wrong(f'"{text}" is no rate such as 12/h: a number by s, m, h, d or w')
        return 0.0
    return value * per


def _burst(field: Field) -> Burst:
    found = Burst(
        every=field.at("every").span(least=0.001),
        size=field.at("size").whole(least=1),
        spread=field.at("spread").span(0.0),
        first=field.at("first").span(0.0),
    )
    field.done()
    return found


def _distribution(field: Field, *, is_time: bool, default: float) -> Distribution:
    if not field.is_there:
        return Distribution("constant", (default,))
    if not field.is_mapping:
        value = field.span() if is_time else field.number(least=1)
        return Distribution("constant", (value,))
    kind = field.at("type").text("choice" if field.at("values").is_there else None, allowed=KINDS)

    def one(name: str, default: float | None = None) -> float:
        inner = field.at(name)
        return inner.span(default) if is_time else inner.number(default)

    values: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()
    match kind:
        case "constant":
            values = (one("value"),)
        case "exponential":
            values = (one("mean"),)
        case "lognormal":
            values = (one("median"), one("p90"))
            if not 0 < values[0] < values[1]:
                field.wrong("a lognormal distribution needs 0 < median < p90")
                values = (1.0, 2.0)
        case "choice":
            items = field.at("values").items()
            values = tuple(each.span() if is_time else each.number() for each in items) or (1.0,)
            weights = tuple(each.number() for each in field.at("weights").items())
            if weights and (len(weights) != len(values) or not sum(weights)):
                field.at("weights").wrong(f"{len(values)} values need as many weights, not all 0")
                weights = ()
        case _:
            values = (one("min", 0.0), one("max"))
    least = one("min", 0.0)
    most = one("max", float("inf"))
    if least > most:
        field.wrong("min exceeds max")
    field.done()
    return Distribution(kind, values, weights, least, most)


def _trace(field: Field, path: Path) -> Iterator[Traced]:
    """Lines of a CSV file: at, duration, pods, cpu, memory, gpus, name; at is required, the rest is the stream's."""
    if not field.is_there:
        return
    beside = path.parent / field.text()
    try:
        lines = beside.read_text().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        field.wrong(f"{beside} cannot be read: {error}")
        return
    rows = csv.DictReader(lines)
    unknown = set(rows.fieldnames or ()) - set(_COLUMNS)
    if unknown or "at" not in (rows.fieldnames or ()):
        field.wrong(
            f"{beside}:1: columns are {', '.join(_COLUMNS)}, and at is required: found "
            + ", ".join(rows.fieldnames or ["none"])
        )
        return
    for row in rows:
        try:
            yield _traced(row)
        except ValueError as error:
            field.wrong(f"{beside}:{rows.line_num}: {error}")


def _traced(row: dict[str, str]) -> Traced:
    resources = {
        name: row[column]
        for column, name in (("cpu", "cpu"), ("memory", "memory"), ("gpus", _GPU))
        if row.get(column)
    }
    return Traced(
        at=parse_span(row["at"]),
        seconds=parse_span(row["duration"]) if row.get("duration") else None,
        pods=int(row["pods"]) if row.get("pods") else None,
        resources=resources,
        name=row.get("name") or "",
    )


# What happens.


def _outage(field: Field, members: tuple[MemberShape, ...]) -> Outage:
    clusters, regions = field.at("clusters").texts(), field.at("regions").texts()
    for name in clusters if members else ():
        if name not in {each.name for each in members}:
            field.at("clusters").wrong(f'there is no member "{name}"')
    for region in regions if members else ():
        if region not in {each.region for each in members}:
            field.at("regions").wrong(f'no member is in region "{region}"')
    if not clusters and not regions:
        field.wrong("say who goes dark: clusters or regions")
    since, until = field.at("from").span(), field.at("until").span()
    if until <= since:
        field.at("until").wrong("must be later than from")
    field.done()
    chosen = [each.name for each in members if each.name in clusters or each.region in regions]
    return Outage(tuple(chosen), since, until, ", ".join((*regions, *clusters)))


def _change(field: Field, path: Path) -> Change:
    objects = tuple(_objects(field.at("objects"), path))
    what = ", ".join(f"{each['kind']} {each['metadata']['name']}" for each in objects)
    found = Change(field.at("at").span(), objects, field.at("what").text(what))
    if not field.at("objects").items():
        field.at("objects").wrong("name what is applied then")
    field.done()
    return found
