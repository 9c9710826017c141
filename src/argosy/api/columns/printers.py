"""What a printer is: columns, and the function that fills them from an object.

Cells of a built-in kind come from its stored form, so a printer is written once however many versions are served. Every
printer fills all its columns; which of them a user sees is decided by `Column.priority` (above 0: only with `-o wide`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from argosy.api.kinds import Column
from argosy.base.types import Json, Object

Cells: TypeAlias = Callable[[Object, datetime], list[Json]]

NAME: Final = Column(
    "Name", format="name", description="Name of the object, unique among its kind and namespace."
)
AGE: Final = Column("Age", description="Time since the object was created.")
CONTAINERS: Final = Column(
    "Containers", priority=1, description="Names of the containers in the template."
)
IMAGES: Final = Column(
    "Images", priority=1, description="Images of the containers in the template."
)
SELECTOR: Final = Column("Selector", priority=1, description="Labels of the pods that belong here.")


@dataclass(slots=True, frozen=True)
class Printer:
    columns: tuple[Column, ...]
    cells: Cells
    # What kube-apiserver prints without a printer of the kind's own shows no rows as null.
    null_rows: bool = False


# By group and kind.
Printers: TypeAlias = dict[tuple[str, str], Printer]


def integer(name: str, description: str) -> Column:
    return Column(name, "integer", description=description)
