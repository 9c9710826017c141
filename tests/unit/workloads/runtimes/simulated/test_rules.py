"""The rules of a pool are read, with clear words for what cannot be; distributions give what they promise."""

from __future__ import annotations

from statistics import fmean, pstdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from argosy.base.types import Object
from argosy.workloads.runtimes.simulated.rules import (
    DEFAULTS,
    Distribution,
    RuleError,
    Simulation,
    UsageFactors,
    read_simulation,
    share,
)

READ: dict[str, tuple[Object, Simulation]] = {
    "nothing": ({}, DEFAULTS),
    "a constant without its type": (
        {"duration": {"value": "1m30s"}},
        Simulation(duration=Distribution("constant", value=90)),
    ),
    "every distribution": (
        {
            "duration": {"type": "lognormal", "mean": "60s", "stddev": "20s"},
            "initDuration": {"type": "normal", "mean": "2s", "stddev": "1s"},
            "startup": {"type": "uniform", "min": "1s", "max": "3s"},
            "readiness": {"type": "exponential", "mean": "500ms"},
            "termination": {"type": "constant", "value": "5s"},
        },
        Simulation(
            duration=Distribution("lognormal", mean=60, stddev=20),
            init_duration=Distribution("normal", mean=2, stddev=1),
            startup=Distribution("uniform", min=1, max=3),
            readiness=Distribution("exponential", mean=0.5),
            termination=Distribution("constant", value=5),
        ),
    ),
    "rates, usage and the interval of logs": (
        {
            "failureRate": 0.25,
            "oomRate": 0.1,
            "hangRate": 0,
            "failureExitCode": 3,
            "usage": {"cpu": 1.5},
            "logInterval": "1s",
        },
        Simulation(
            failure_rate=0.25,
            oom_rate=0.1,
            failure_exit_code=3,
            usage=UsageFactors(cpu=1.5),
            log_interval=1,
        ),
    ),
}

REFUSED: dict[str, tuple[Object, str]] = {
    "an unknown field": (
        {"speed": 2},
        (
            "spec.simulation.speed: unknown field; known are duration, failureExitCode, failureRate, hangRate, "
            "initDuration, logInterval, oomRate, readiness, startup, termination, usage"
        ),
    ),
    "a time that is no distribution": (
        {"duration": "60s"},
        "spec.simulation.duration: must be an object such as {type: constant, value: 60s}",
    ),
    "an unknown distribution": (
        {"duration": {"type": "zipf"}},
        (
            'spec.simulation.duration.type: unknown distribution "zipf"; known are constant, uniform, normal, '
            "lognormal, exponential"
        ),
    ),
    "a missing parameter": (
        {"startup": {"type": "normal", "mean": "1s"}},
        "spec.simulation.startup.stddev: a normal distribution needs it",
    ),
    "an unknown parameter": (
        {"startup": {"value": "1s", "median": "1s"}},
        "spec.simulation.startup.median: unknown field of a distribution",
    ),
    "bounds the wrong way round": (
        {"startup": {"type": "uniform", "min": "5s", "max": "1s"}},
        "spec.simulation.startup.min: must not be more than max (1s)",
    ),
    "a duration without its unit": (
        {"duration": {"value": "60"}},
        (
            'spec.simulation.duration.value: time: missing unit in duration "60"; '
            "write a duration such as 90s or 1h30m"
        ),
    ),
    "a negative duration": (
        {"duration": {"value": "-1s"}},
        'spec.simulation.duration.value: must not be negative, but is "-1s"',
    ),
    "a rate above one": (
        {"failureRate": 2},
        "spec.simulation: Expected `float` <= 1.0 - at `$.failureRate`",
    ),
}


@pytest.mark.parametrize(("given_", "want"), READ.values(), ids=READ.keys())
def test_rules_are_read(given_: Object, want: Simulation) -> None:
    assert read_simulation(given_) == want


@pytest.mark.parametrize(("given_", "want"), REFUSED.values(), ids=REFUSED.keys())
def test_rules_that_cannot_be_read_say_why(given_: Object, want: str) -> None:
    with pytest.raises(RuleError) as raised:
        read_simulation(given_)
    assert str(raised.value) == want


MOMENTS: dict[str, tuple[Distribution, float, float]] = {
    "constant": (Distribution("constant", value=7), 7, 0),
    "uniform": (Distribution("uniform", min=2, max=4), 3, 2 / 12**0.5),
    "normal": (Distribution("normal", mean=100, stddev=10), 100, 10),
    "lognormal": (Distribution("lognormal", mean=60, stddev=20), 60, 20),
    "exponential": (Distribution("exponential", mean=5), 5, 5),
}


@pytest.mark.parametrize(("dist", "mean", "deviation"), MOMENTS.values(), ids=MOMENTS.keys())
def test_a_distribution_has_its_moments(dist: Distribution, mean: float, deviation: float) -> None:
    amounts = [dist.draw((number + 0.5) / 2000) for number in range(2000)]
    assert fmean(amounts) == pytest.approx(mean, rel=0.01)
    assert pstdev(amounts) == pytest.approx(deviation, rel=0.05, abs=1e-9)


@given(
    st.sampled_from([dist for dist, _, _ in MOMENTS.values()]),
    st.floats(0, 1, exclude_max=True),
    st.floats(0, 1, exclude_max=True),
)
def test_amounts_rise_with_the_share_and_are_never_negative(
    dist: Distribution, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    assert 0 <= dist.draw(low) <= dist.draw(high)


def test_a_lognormal_with_no_mean_is_nothing() -> None:
    assert Distribution("lognormal").draw(0.5) == 0


@given(st.text(max_size=20), st.integers())
def test_shares_depend_on_what_they_are_about_alone(name: str, number: int) -> None:
    assert share(name, number) == share(name, number)
    assert 0 <= share(name, number) < 1


def test_shares_are_spread() -> None:
    shares = sorted(share("uid", number) for number in range(1000))
    assert max(abs(got - number / 1000) for number, got in enumerate(shares)) < 0.06
