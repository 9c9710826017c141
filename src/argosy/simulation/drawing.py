"""Drawing from distributions. Pure but for the source it is handed; the same source gives the same draws.

constant     value
uniform      least, most
exponential  mean
lognormal    median and the 90th percentile: what people know of their jobs
choice       values, with weights
"""

from __future__ import annotations

import math
import random
from typing import Final

from argosy.simulation.plans import Distribution

# The 90th percentile of the normal distribution.
_NINETIETH: Final = 1.2815515655446004
KINDS: Final = ("constant", "uniform", "exponential", "lognormal", "choice")


def draw(of: Distribution, source: random.Random) -> float:
    """One value, within the bounds of its distribution."""
    match of.kind:
        case "uniform":
            value = source.uniform(of.least, of.most)
        case "exponential":
            value = source.expovariate(1 / of.values[0]) if of.values[0] else 0.0
        case "lognormal":
            median, ninetieth = of.values
            sigma = math.log(ninetieth / median) / _NINETIETH
            value = source.lognormvariate(math.log(median), sigma)
        case "choice":
            (value,) = source.choices(of.values, of.weights or None)
        case _:
            value = of.values[0]
    return min(max(value, of.least), of.most)


def mean(of: Distribution) -> float:
    """What draws are on average, bounds aside; for estimates."""
    match of.kind:
        case "uniform":
            return (of.least + of.most) / 2
        case "lognormal":
            median, ninetieth = of.values
            sigma = math.log(ninetieth / median) / _NINETIETH
            return float(min(median * math.exp(sigma * sigma / 2), of.most))
        case "choice":
            weights = of.weights or (1.0,) * len(of.values)
            return sum(v * w for v, w in zip(of.values, weights, strict=True)) / sum(weights)
        case _:
            return of.values[0]
