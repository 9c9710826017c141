"""Properties of clusters, as policies name, compare and rank them.

A name under `resources.kubernetes-fleet.io/` says of which resource how much there is: `available-cpu`. Upstream knows
cpu and memory; here the rest may be any resource, `available-nvidia.com/gpu` too. What is compared is a quantity, and
what no value can fulfil is refused, because such a placement would wait forever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from argosy.api.objects.fleet.policies import PropertySelectorRequirement, PropertySorter
from argosy.base.fielderrors import quote
from argosy.base.names import is_dns1123_subdomain, is_qualified_name
from argosy.base.quantities import ParseError, Quantity, parse

_RESOURCES: Final = "resources.kubernetes-fleet.io/"
_CAPACITIES: Final = ("allocatable", "available", "total")
_OPERATORS: Final = frozenset({"Gt", "Ge", "Lt", "Le", "Eq", "Ne"})


def requirement_problems(requirements: Sequence[PropertySelectorRequirement]) -> list[str]:
    problems: list[str] = []
    by_name: dict[str, list[PropertySelectorRequirement]] = {}
    for each in requirements:
        if problem := _name_problem(each.name):
            problems.append(f"invalid property name {each.name}: {problem}")
        if problem := _value_problem(each):
            problems.append(f"invalid requirement on property {each.name}: {problem}")
        else:
            by_name.setdefault(each.name, []).append(each)
    for name, same in by_name.items():
        if problem := _contradiction(same):
            problems.append(f"inconsistent requirements on property {name}: {problem}")
    return problems


def sorter_problems(sorter: PropertySorter) -> list[str]:
    problem = _name_problem(sorter.name)
    return [problem] if problem else []


def _name_problem(name: str) -> str:
    if name.startswith(_RESOURCES):
        return _resource_name_problem(name)
    first, *rest = name.split("/")
    if not rest:
        problems = is_qualified_name(name)
        return f"property name {name} is not valid: {'; '.join(problems)}" if problems else ""
    no_domain, no_name = is_dns1123_subdomain(first), is_qualified_name(first)
    if no_domain and no_name:
        return (
            f"property name first segment {first} is not valid: it is neither a valid DNS subdomain "
            f"({'; '.join(no_domain)}) nor a valid qualified name ({'; '.join(no_name)})"
        )
    for segment in rest:
        if problems := is_qualified_name(segment):
            return f"property name segment {segment} is not valid: {'; '.join(problems)}"
    return ""


def _resource_name_problem(name: str) -> str:
    capacity, dash, resource = name.removeprefix(_RESOURCES).partition("-")
    if not dash:
        return (
            f"invalid resource property name {name}, expected format is "
            "[PREFIX]/[CAPACITY_TYPE]-[RESOURCE_NAME]"
        )
    if capacity not in _CAPACITIES:
        return (
            f"invalid capacity type in resource property name {name}, supported values are "
            f"[{' '.join(_CAPACITIES)}]"
        )
    if not is_qualified_name(resource):
        return ""
    return f"property name {name} is not valid: {'; '.join(is_qualified_name(name))}"


def _value_problem(requirement: PropertySelectorRequirement) -> str:
    operator, values = requirement.operator, requirement.values
    if operator not in _OPERATORS:
        return f"unsupported operator {operator}"
    if len(values) != 1:
        return f"operator {operator} requires exactly one value, got {len(values)}"
    try:
        parse(values[0])
    except ParseError as problem:
        return f"value {quote(values[0])} is not a valid resource.Quantity: {problem}"
    return ""


@dataclass(slots=True, frozen=True)
class _Bound:
    """The end of a range; `strict` if the value itself is not in it."""

    value: Quantity
    strict: bool


def _contradiction(requirements: Sequence[PropertySelectorRequirement]) -> str:
    """Why no value fulfils all of them; "" if one may."""
    given: dict[str, list[Quantity]] = {operator: [] for operator in _OPERATORS}
    for each in requirements:
        given[each.operator].append(parse(each.values[0]))
    equal = given["Eq"]
    for other in equal:
        if other != equal[0]:
            return f"conflicting Eq values {equal[0]} and {other}"
    if equal and equal[0] in given["Ne"]:
        return f"conflicting Eq and Ne on same value {equal[0]}"
    lower = _tightest(given["Gt"], given["Ge"], 1)
    upper = _tightest(given["Lt"], given["Le"], -1)
    if lower is not None and upper is not None and _is_empty(lower, upper):
        return f"lower bound ({lower.value}) and upper bound ({upper.value}) exclude all values"
    return _outside(equal[0], lower, upper) if equal else ""


def _tightest(
    strict: Sequence[Quantity], inclusive: Sequence[Quantity], side: int
) -> _Bound | None:
    """The bound that excludes most; `side` is 1 for lower bounds and -1 for upper ones."""
    bounds = [_Bound(value, True) for value in strict]
    bounds += [_Bound(value, False) for value in inclusive]
    return max(bounds, key=lambda bound: (side * bound.value.nanos, bound.strict), default=None)


def _is_empty(lower: _Bound, upper: _Bound) -> bool:
    if lower.value == upper.value:
        return lower.strict or upper.strict
    return upper.value < lower.value


def _outside(value: Quantity, lower: _Bound | None, upper: _Bound | None) -> str:
    if lower is not None and (value < lower.value or (value == lower.value and lower.strict)):
        return f"eq value {value} violates lower bound {lower.value}"
    if upper is not None and (upper.value < value or (value == upper.value and upper.strict)):
        return f"eq value {value} violates upper bound {upper.value}"
    return ""
