"""What plays kubectl describes objects as it does."""

from __future__ import annotations

from argosy.cli.demos.standins import described


def test_an_object_is_described_in_words() -> None:
    obj = {
        "status": {
            "conditions": [
                {"type": "Ready", "status": "True", "observedGeneration": 1},
                {"type": "Applied", "status": "False"},
            ],
            "suspend": False,
        }
    }
    assert list(described(obj)) == [
        "Status:",
        "  Conditions:",
        "    Observed Generation:  1",
        "    Status:               True",
        "    Type:                 Ready",
        "    Status:  False",
        "    Type:    Applied",
        "  Suspend:     false",
    ]
