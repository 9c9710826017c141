"""The project's own words for types and fields."""

from __future__ import annotations

import json
from importlib.resources import files

from argosy.api.builtin import builtin_kinds
from argosy.api.schema.builtin import builtin_schema
from argosy.apiserver.openapi.descriptions import describe

WORDS: dict[str, dict[str, str]] = json.loads(
    files("argosy.api").joinpath("data/descriptions.json").read_text()
)


def test_every_served_kind_has_a_sentence() -> None:
    silent = [
        version.schema.name
        for kind in builtin_kinds()
        for version in kind.versions.values()
        if not describe(version.schema.name)
    ]
    assert silent == []


def test_every_described_field_exists() -> None:
    missing = []
    for name, fields in WORDS.items():
        if name == "*":
            continue
        full = name if name.startswith("io.k8s.") else f"io.k8s.api.{name}"
        known = builtin_schema(full).properties
        missing += [(name, field) for field in fields if field and field not in known]
    assert missing == []


def test_sentences_end_with_a_period() -> None:
    assert [
        t for fields in WORDS.values() for t in fields.values() if not t.endswith((".", "..."))
    ] == []


def test_a_field_without_words_of_its_own_has_the_common_ones() -> None:
    name = "io.k8s.api.storage.v1.StorageClass"
    got = (describe(name, "metadata"), describe(name, "provisioner"), describe("nope"))
    assert got == (WORDS["*"]["metadata"], "", "")
