"""Which objects a list or a watch is about, compiled once into a test of records.

A `Selection` is a namespace, a label selector and a field selector, each of which may be absent. metadata.name
and metadata.namespace are answered from the key, other fields from `Meta.fields`, where absent means "".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeAlias

from argosy.base.selectors.fields import FieldSelector
from argosy.base.selectors.labels import LabelSelector
from argosy.store.records import Record

NAME: Final = "metadata.name"
NAMESPACE: Final = "metadata.namespace"

Matcher: TypeAlias = Callable[[Record], bool]


class Selection(NamedTuple):
    """`namespace` None means all of them; objects outside namespaces are in namespace ""."""

    namespace: str | None = None
    labels: LabelSelector | None = None
    fields: FieldSelector | None = None

    @property
    def filters(self) -> bool:
        """Whether more than the namespace decides."""
        return not (
            (self.labels is None or self.labels.empty)
            and (self.fields is None or self.fields.empty)
        )

    @property
    def scope(self) -> str | None:
        """The only namespace that can match, None for any."""
        if self.namespace is None and self.fields is not None:
            return self.fields.exact.get(NAMESPACE)
        return self.namespace

    @property
    def name(self) -> str | None:
        """The only name that can match, None for any."""
        return None if self.fields is None else self.fields.exact.get(NAME)

    def exact_labels(self) -> Mapping[str, str]:
        return {} if self.labels is None else self.labels.exact

    def exact_fields(self) -> Mapping[str, str]:
        """Equality terms on fields that are not part of the key."""
        if self.fields is None:
            return {}
        return {f: v for f, v in self.fields.exact.items() if f not in {NAME, NAMESPACE}}


EVERYTHING: Final = Selection()


def compile_filters(selection: Selection) -> Matcher | None:
    """The test for labels and fields; None when every record passes. The namespace is left to the caller, who
    looks in that namespace only.
    """
    tests: list[Matcher] = []
    if selection.fields is not None:
        tests += [_field(*term) for term in selection.fields.requirements]
    if selection.labels is not None and not selection.labels.empty:
        tests.append(_labels(selection.labels))
    if not tests:
        return None
    return tests[0] if len(tests) == 1 else lambda record: all(test(record) for test in tests)


def compile_selection(selection: Selection) -> Matcher | None:
    """The whole test, namespace included; None when every record passes."""
    filters, namespace = compile_filters(selection), selection.namespace
    if namespace is None:
        return filters
    if filters is None:
        return lambda record: record.key.namespace == namespace
    return lambda record: record.key.namespace == namespace and filters(record)


def _labels(selector: LabelSelector) -> Matcher:
    matches = selector.matches
    return lambda record: matches(record.meta.labels)


def _field(field: str, operator: str, value: str) -> Matcher:
    equal = operator != "!="
    if field == NAME:
        return lambda record: (record.key.name == value) is equal
    if field == NAMESPACE:
        return lambda record: (record.key.namespace == value) is equal
    return lambda record: (record.meta.fields.get(field, "") == value) is equal
