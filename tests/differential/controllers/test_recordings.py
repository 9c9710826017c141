"""Argosy's controllers, in virtual time, do what a real control plane was recorded doing."""

from __future__ import annotations

import pytest

from tests.differential.controllers import comparing
from tests.differential.controllers.groups import play_here
from tests.differential.controllers.scenarios import load, themes

SCENARIOS = {scenario.title: scenario for theme in themes() for scenario in load(theme)}
RECORDED = {theme: comparing.read(theme) for theme in themes()}


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_same_comes_of_a_scenario(name: str) -> None:
    scenario = SCENARIOS[name]
    want = RECORDED[scenario.theme].get(scenario.name)
    assert want is not None, "not recorded: python -m tests.differential.controllers --record"
    assert comparing.differences(scenario, want, play_here(scenario)) == []
