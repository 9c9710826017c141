"""Where uids and generated name suffixes come from.

Injected everywhere, so that a simulation with a seed makes the same names twice. `RandomIds` draws from a
generator seeded by the operating system and not from `uuid.uuid4`, which costs a system call per object.
"""

from __future__ import annotations

import random
from typing import Final, Protocol

# Kubernetes' alphabet for generated names: no vowels and no look-alikes, so that no words appear.
ALPHABET: Final = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH: Final = 5
_SUFFIXES: Final = len(ALPHABET) ** _SUFFIX_LENGTH
_THREES: Final = tuple(a + b + c for a in ALPHABET for b in ALPHABET for c in ALPHABET)
_TWOS: Final = tuple(a + b for a in ALPHABET for b in ALPHABET)
# Version 4, variant 10, as RFC 9562 lays the bits of a random UUID.
_CLEAR: Final = ~((0xF << 76) | (0x3 << 62))
_MARK: Final = (0x4 << 76) | (0x2 << 62)


class Ids(Protocol):
    """A source of identifiers."""

    def uid(self) -> str:
        """A fresh random UUID, lower case with dashes."""

    def suffix(self) -> str:
        """Five characters to append to `metadata.generateName`."""


class SeededIds:
    """The same ids for the same seed."""

    __slots__ = ("_random",)

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed)

    def uid(self) -> str:
        digits = f"{(self._random.getrandbits(128) & _CLEAR) | _MARK:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def suffix(self) -> str:
        high, low = divmod(int(self._random.random() * _SUFFIXES), len(_TWOS))
        return _THREES[high] + _TWOS[low]


class RandomIds(SeededIds):
    """Ids that differ in every process."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(random.SystemRandom().getrandbits(256))
