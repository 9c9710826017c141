"""The functions a rule may call: what Kubernetes v1.35 enables for x-kubernetes-validations, and nothing else.

cel.bind and the math extension are not among them, so a rule that uses them is refused here as it is there. Neither
are the authorizer's functions, which exist for admission policies only in effect: no variable gives a rule one.
"""

from __future__ import annotations

from functools import cache

from argosy.api.cel.declarations import Overload, table
from argosy.api.cel.functions import (
    clocks,
    formats,
    lists,
    networks,
    optionals,
    quantities,
    standard,
    strings,
)


@cache
def functions() -> dict[str, tuple[Overload, ...]]:
    """Every function by name."""
    libraries = (standard, clocks, strings, lists, optionals, networks, quantities, formats)
    return table(library.LIBRARY for library in libraries)
