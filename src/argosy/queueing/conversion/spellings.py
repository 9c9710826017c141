"""Names of fields that people still write.

A Cohort's `parent` was renamed to `parentName` when v1alpha1 ended, and talks and posts of that time live on. It is
read as `parentName`, with a warning; where both are given, `parentName` counts.
"""

from __future__ import annotations

from typing import Final

from argosy.base.fielderrors import print_value
from argosy.base.types import Object
from argosy.queueing.conversion.parts import renamed, without

_OLD: Final = "parent"
_NEW: Final = "parentName"


def respell_cohort(body: Object) -> tuple[Object, list[str]]:
    """A Cohort, or a merge patch of one, with `parentName`."""
    spec = body.get("spec")
    if not isinstance(spec, dict) or _OLD not in spec:
        return body, []
    if _NEW in spec:
        warning = f"spec.{_OLD}: {print_value(spec[_OLD])} is ignored, because spec.{_NEW} is given; remove spec.{_OLD}"
        return {**body, "spec": without(spec, _OLD)}, [warning]
    warning = f"spec.{_OLD}: this field is called spec.{_NEW} since v1beta1; it is read so, write spec.{_NEW} instead"
    return {**body, "spec": renamed(spec, _OLD, _NEW)}, [warning]
