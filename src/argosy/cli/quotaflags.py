"""`--nominal-quota`, `--borrowing-limit`, `--lending-limit` as resource groups, by kueuectl's rules and words.

A value is `FLAVOR:RESOURCE=QUANTITY;RESOURCE=QUANTITY`, several parted by commas or given one flag each. What the three
flags say of a flavor is put together, and must name the same resources. Flavors with the same resources form a group,
in the order they were first named; a resource in two groups is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from argosy.base.quantities import ParseError, parse
from argosy.base.types import Object
from argosy.cli.connecting import CommandError
from argosy.cli.printing import split

_QUOTA: Final = r"\w[\w.-]*(/\w[\w.-]*)?=[\w.+-]+"
_FORM: Final = re.compile(rf"[a-z0-9][a-z0-9\-.]{{0,252}}:{_QUOTA}(;{_QUOTA})*;?", re.ASCII)
_FIELDS: Final = ("nominalQuota", "borrowingLimit", "lendingLimit")

# Quantities by field, by resource.
_Flavor = dict[str, dict[str, str]]


def resource_groups(
    nominal: Iterable[str], borrowing: Iterable[str], lending: Iterable[str]
) -> list[Object]:
    flavors: dict[str, _Flavor] = {}
    for field, given in zip(_FIELDS, (nominal, borrowing, lending), strict=True):
        for text in split(given):
            name, resources = _read(text, field)
            _merge(flavors, name, resources)
    return _grouped(flavors)


def _read(text: str, field: str) -> tuple[str, _Flavor]:
    if _FORM.fullmatch(text) is None:
        raise CommandError("invalid resources specification")
    name, _, rest = text.partition(":")
    found: _Flavor = {}
    for part in filter(None, rest.split(";")):
        resource, _, quantity = part.partition("=")
        try:
            parse(quantity)
        except ParseError:
            raise CommandError("invalid resource quota") from None
        found[resource] = {field: quantity}
    return name, found


def _merge(flavors: dict[str, _Flavor], name: str, resources: _Flavor) -> None:
    known = flavors.setdefault(name, resources)
    if known is resources:
        return
    if known.keys() != resources.keys():
        raise CommandError("invalid flavor")
    for resource, quantities in resources.items():
        # What was said first stays.
        known[resource] = quantities | known[resource]


def _grouped(flavors: dict[str, _Flavor]) -> list[Object]:
    groups: dict[frozenset[str], Object] = {}
    covered: set[str] = set()
    for name, resources in flavors.items():
        key = frozenset(resources)
        if key not in groups:
            if covered & key:
                raise CommandError("invalid resource group")
            covered |= key
            groups[key] = {"coveredResources": list(resources), "flavors": []}
        order = groups[key]["coveredResources"]
        quotas = [{"name": one, "nominalQuota": "0", **resources[one]} for one in order]
        groups[key]["flavors"].append({"name": name, "resources": quotas})
    return list(groups.values())
