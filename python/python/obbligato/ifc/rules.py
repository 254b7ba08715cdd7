"""Which pairs of types are checked, with which tolerance and clearance."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy
from numpy.typing import NDArray

from obbligato._errors import FileError, InvalidInput
from obbligato.ifc.elements import Model
from obbligato.ifc.scene import Doubles

TOLERANCE = 0.001
"""The default tolerance, in metres: overlaps that are no deeper only touch."""
ANY = "*"
"""Stands for any type in a rule."""


@dataclass(frozen=True)
class Rule:
    """A rule for pairs of an element of one type and one of another, in either order, subtypes included."""

    types: tuple[str, str]
    tolerance: float | None = None
    """Overlaps that are no deeper, in metres, only touch. None for that of `Rules`."""
    clearance: float | None = None
    """Elements that share no point are listed if they are no further apart, in metres. None for that of `Rules`."""
    ignore: bool = False
    """True to leave out these pairs."""


@dataclass(frozen=True)
class Rules:
    """Rules for pairs of types. For each pair the first rule that fits its types holds."""

    rules: Sequence[Rule] = ()
    tolerance: float = TOLERANCE
    """The tolerance of pairs whose rule has none, in metres."""
    clearance: float = 0.0
    """The clearance of pairs whose rule has none, in metres."""
    only: bool = False
    """True to check only pairs that a rule fits."""

    def __post_init__(self) -> None:
        for rule in (self, *self.rules):
            for name in ("tolerance", "clearance"):
                value = getattr(rule, name)
                if value is not None and not (math.isfinite(value) and value >= 0):
                    raise InvalidInput(f"{name} is {value}: give a number of metres that is not negative", "InvalidRule")

    def limits(self, models: Sequence[Model]) -> Limits:
        """Returns the rules for the types of some models, whose elements are numbered consecutively."""
        supertypes = {name: above for model in models for name, above in model.supertypes.items()}
        for name in {name for rule in self.rules for name in rule.types}:
            if name != ANY and not any(model.knows(name) for model in models):
                schemas = " or ".join(sorted({model.schema for model in models}))
                raise InvalidInput(f"{name} is not a type of {schemas}: give a class such as IfcWall, or *", "UnknownType")
        names = sorted(supertypes)
        shape = (len(names), len(names))
        checked = numpy.full(shape, not self.only)
        tolerances, clearances = numpy.full(shape, float(self.tolerance)), numpy.full(shape, float(self.clearance))
        for rule in reversed(self.rules):
            fits = [numpy.array([one == ANY or one in supertypes[name] for name in names], bool) for one in rule.types]
            both = numpy.outer(*fits) | numpy.outer(*fits[::-1])
            checked[both] = not rule.ignore
            tolerances[both] = self.tolerance if rule.tolerance is None else rule.tolerance
            clearances[both] = self.clearance if rule.clearance is None else rule.clearance
        places = {name: place for place, name in enumerate(names)}
        of = numpy.array([places[one.type] for model in models for one in model.elements], numpy.int64)
        return Limits(of, checked, tolerances, clearances)


@dataclass(frozen=True, eq=False)
class Limits:
    """Rules as tables of types: `of` has the row of each element."""

    of: NDArray[numpy.int64]
    checked: NDArray[numpy.bool_]
    tolerances: Doubles
    clearances: Doubles

    def furthest(self) -> float:
        """Returns the largest clearance of any pair."""
        return float(self.clearances[self.checked].max(initial=0))

    def apply(self, pairs: NDArray[numpy.int64]) -> tuple[NDArray[numpy.int64], Doubles, Doubles]:
        """Returns the pairs that are checked, and the tolerance and the clearance of each."""
        a, b = self.of[pairs[:, 0]], self.of[pairs[:, 1]]
        kept = self.checked[a, b]
        a, b = a[kept], b[kept]
        return pairs[kept], self.tolerances[a, b], self.clearances[a, b]


def read_rules(path: str | os.PathLike[str], tolerance: float | None = None, clearance: float | None = None) -> Rules:
    """Reads rules from a TOML file. A tolerance and a clearance that are given replace those of the file for all pairs."""
    try:
        import tomllib
    except ImportError:
        raise FileError(f"{os.fspath(path)}: files of rules need Python 3.11 or later: use that", "Io") from None
    try:
        with open(path, "rb") as file:
            table = tomllib.load(file)
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: {error.strerror}: give the path of a file of rules", "Io") from None
    except ValueError as error:
        raise FileError(f"{os.fspath(path)}: not read as TOML ({error}): fix it", "Parse") from None
    given = [_rule(path, number, one) for number, one in enumerate(_listed(path, table.pop("rule", [])), 1)]
    values: dict[str, Any] = {"tolerance": TOLERANCE, "clearance": 0.0, "only": False}
    _expect_keys(path, "the file", table, values)
    values.update(table)
    values.update((name, value) for name, value in (("tolerance", tolerance), ("clearance", clearance)) if value is not None)
    return Rules(given, **values)


def _listed(path: str | os.PathLike[str], rules: Any) -> Iterable[dict[str, Any]]:
    if not isinstance(rules, list) or not all(isinstance(one, dict) for one in rules):
        raise FileError(f"{os.fspath(path)}: rule is not a list of tables: begin each with [[rule]]", "Parse")
    return rules


def _rule(path: str | os.PathLike[str], number: int, table: dict[str, Any]) -> Rule:
    place = f"rule {number}"
    _expect_keys(path, place, table, {"types": [], "tolerance": 0.0, "clearance": 0.0, "ignore": False})
    types = table.pop("types", None)
    if not isinstance(types, list) or len(types) != 2 or not all(isinstance(one, str) for one in types):
        raise FileError(f'{os.fspath(path)}: {place} has no two types: give types = ["IfcWall", "IfcPipeSegment"]', "Parse")
    return Rule((types[0], types[1]), **table)


def _expect_keys(path: str | os.PathLike[str], place: str, table: dict[str, Any], known: dict[str, Any]) -> None:
    for name, value in table.items():
        if name not in known:
            raise FileError(f"{os.fspath(path)}: {place} has {name}, which is unknown: give any of {', '.join(known)}", "Parse")
        kinds = (int, float) if isinstance(known[name], float) else type(known[name])
        if not isinstance(value, kinds) or (isinstance(value, bool) and not isinstance(known[name], bool)):
            kind = {bool: "true or false", float: "a number", list: "a list"}[type(known[name])]
            raise FileError(f"{os.fspath(path)}: {place} has {name} = {value!r}: give {kind}", "Parse")
