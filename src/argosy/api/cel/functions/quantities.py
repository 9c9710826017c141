"""Kubernetes quantities and semantic versions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from argosy.api.cel.declarations import Overload, declare
from argosy.api.cel.values import INT_MAX, INT_MIN, TYPE_NAMES, UINT_MAX, CelError
from argosy.base.fielderrors import quote
from argosy.base.quantities import NANOS, Format, ParseError, Quantity


@dataclass(slots=True, frozen=True)
class Semver:
    major: int
    minor: int
    patch: int
    pre: tuple[str, ...] = ()
    build: tuple[str, ...] = ()

    def order(self) -> tuple[int, int, int, int, list[tuple[int, int, str]]]:
        """A key that sorts as semver does: a release after its pre-releases, numbers before words."""
        parts = [(0, int(p), "") if p.isdigit() else (1, 0, p) for p in self.pre]
        return self.major, self.minor, self.patch, 0 if self.pre else 1, parts


TYPE_NAMES[Quantity] = "kubernetes.Quantity"
TYPE_NAMES[Semver] = "kubernetes.Semver"


def to_quantity(text: str) -> Quantity:
    try:
        return Quantity.parse(text)
    except ParseError as error:
        raise CelError(str(error)) from None


def is_quantity(text: str) -> bool:
    try:
        Quantity.parse(text)
    except ParseError:
        return False
    return True


def is_integer(quantity: Quantity) -> bool:
    whole, rest = divmod(quantity.nanos, NANOS)
    return not rest and INT_MIN <= whole <= INT_MAX


def as_integer(quantity: Quantity) -> int:
    if not is_integer(quantity):
        raise CelError("cannot convert value to integer")
    return quantity.nanos // NANOS


def _whole(value: int) -> Quantity:
    return Quantity.of(value, Format.DECIMAL_EXPONENT)


def _order(a: Quantity, b: Quantity) -> int:
    return (a.nanos > b.nanos) - (a.nanos < b.nanos)


def parse_semver(text: str) -> Semver:
    """A version by the letter of semver 2; raises CelError."""
    if not text:
        raise CelError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise CelError("No Major.Minor.Patch elements found")
    rest, plus, build = parts[2].partition("+")
    patch, dash, pre = rest.partition("-")
    major, minor = _number(parts[0], "Major"), _number(parts[1], "Minor")
    version = (major, minor, _number(patch, "Patch"))
    pres = tuple(pre.split(".")) if dash else ()
    builds = tuple(build.split(".")) if plus else ()
    for part in pres:
        if not part:
            raise CelError("Prerelease is empty")
        if part.isdigit() and len(part) > 1 and part[0] == "0":
            raise CelError(
                f"Numeric PreRelease version must not contain leading zeroes {quote(part)}"
            )
        if not re.fullmatch(r"[0-9A-Za-z-]+", part):
            raise CelError(f"Invalid character(s) found in prerelease {quote(part)}")
    for part in builds:
        if not part:
            raise CelError("Build meta data is empty")
        if not re.fullmatch(r"[0-9A-Za-z-]+", part):
            raise CelError(f"Invalid character(s) found in build meta data {quote(part)}")
    return Semver(*version, pres, builds)


def _number(text: str, what: str) -> int:
    if not re.fullmatch(r"[0-9]*", text):
        raise CelError(f"Invalid character(s) found in {what.lower()} number {quote(text)}")
    if len(text) > 1 and text[0] == "0":
        raise CelError(f"{what} number must not contain leading zeroes {quote(text)}")
    if not text:
        raise CelError('strconv.ParseUint: parsing "": invalid syntax')
    if int(text) > UINT_MAX:
        raise CelError(f"strconv.ParseUint: parsing {quote(text)}: value out of range")
    return int(text)


def normalized_semver(text: str) -> Semver:
    """As `parse_semver`, but a leading v, leading zeroes and missing parts are forgiven."""
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            cut = part.lstrip("0")
            parts[index] = cut if cut and cut[0].isdigit() else f"0{cut}"
    if len(parts) < 3 and re.search(r"[+-]", parts[-1]):
        raise CelError("short version cannot contain PreRelease/Build meta data")
    return parse_semver(".".join([*parts, "0", "0"][:3]))


def to_semver(text: str, normalize: bool = False) -> Semver:
    return normalized_semver(text) if normalize else parse_semver(text)


def is_semver(text: str, normalize: bool = False) -> bool:
    try:
        to_semver(text, normalize)
    except CelError:
        return False
    return True


def _compare(a: Semver, b: Semver) -> int:
    left, right = a.order(), b.order()
    return (left > right) - (left < right)


LIBRARY: Final[tuple[Overload, ...]] = (
    declare("quantity(string) -> Quantity", to_quantity),
    declare("isQuantity(string) -> bool", is_quantity),
    declare("sign(Quantity) -> int", lambda quantity: quantity.sign),
    declare("Quantity::isGreaterThan(Quantity) -> bool", lambda a, b: a > b),
    declare("Quantity::isLessThan(Quantity) -> bool", lambda a, b: a < b),
    declare("Quantity::compareTo(Quantity) -> int", _order),
    declare("Quantity::asApproximateFloat() -> double", lambda quantity: quantity.nanos / NANOS),
    declare("Quantity::asInteger() -> int", as_integer),
    declare("Quantity::isInteger() -> bool", is_integer),
    declare("Quantity::add(Quantity) -> Quantity", lambda a, b: a + b),
    declare("Quantity::add(int) -> Quantity", lambda a, b: a + _whole(b)),
    declare("Quantity::sub(Quantity) -> Quantity", lambda a, b: a - b),
    declare("Quantity::sub(int) -> Quantity", lambda a, b: a - _whole(b)),
    declare("semver(string) -> Semver", to_semver),
    declare("semver(string, bool) -> Semver", to_semver),
    declare("isSemver(string) -> bool", is_semver),
    declare("isSemver(string, bool) -> bool", is_semver),
    declare("Semver::major() -> int", lambda version: version.major),
    declare("Semver::minor() -> int", lambda version: version.minor),
    declare("Semver::patch() -> int", lambda version: version.patch),
    declare("Semver::isGreaterThan(Semver) -> bool", lambda a, b: _compare(a, b) > 0),
    declare("Semver::isLessThan(Semver) -> bool", lambda a, b: _compare(a, b) < 0),
    declare("Semver::compareTo(Semver) -> int", _compare),
)
