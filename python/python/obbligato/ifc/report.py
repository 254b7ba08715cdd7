"""A check of models: its clashes by the names of their elements, and what is written of them."""

from __future__ import annotations

import csv
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy
from numpy.typing import NDArray

from obbligato._errors import FileError, InvalidInput
from obbligato._native import Checker, write_bcf
from obbligato._shapes import Bounds, Triangles
from obbligato.ifc._written import written
from obbligato.ifc.clashes import DUPLICATE, KINDS, NEAR, TOUCH, Clashes, find
from obbligato.ifc.elements import Element, Model
from obbligato.ifc.rules import Rules
from obbligato.ifc.scene import Doubles, Scene, Whole

CLASHES = ["a", "b", "depth", "touching", "nx", "ny", "nz", "x", "y", "z", "kind", "inner", "exact", "distance"]
"""The columns of clashes; `a_type`, `b_type`, ... of `KEPT` follow."""
KEPT = ["type", "name", "storey"]
"""The fields of both elements that clashes carry along."""
# In metres: the checker takes coordinates up to 2^60.
_FURTHEST = 1e15
VERSIONS = ["2.1", "3.0"]
"""The versions of BCF."""
BOXES = ["id", "cx", "cy", "cz", "hx", "hy", "hz", "qx", "qy", "qz", "qw", "type", "name", "storey", "model"]
"""The columns of boxes."""


@dataclass(frozen=True, eq=False, repr=False)
class IfcReport:
    """The clashes of one model, or of the elements of one model with those of another."""

    models: Sequence[Model]
    elements: list[Element]
    """The elements of all models that have a mesh; the pairs of `clashes` are positions in this list."""
    clashes: Clashes
    """The clashes, the deepest first, then by GlobalId. Of one model, the first GlobalId of a pair is the smaller one; of two,
    it is that of the first model."""
    candidate_pairs: int
    """The number of pairs whose bounds are no further apart than the clearance."""
    rounding: float
    """The largest move of a corner along an axis when it was rounded to float32, in metres."""
    backend: str
    milliseconds: dict[str, float]
    """The time of each part."""
    below_min_depth: int = 0
    """The number of pairs that `deeper_than` left out."""

    def __repr__(self) -> str:
        return f"<IfcReport: {len(self.elements)} elements, {self.clashes!r}>"

    def guids(self) -> list[tuple[str, str]]:
        """Returns the GlobalIds of each pair."""
        return [(self.elements[a].guid, self.elements[b].guid) for a, b in self.clashes.pairs]

    def deeper_than(self, depth: float) -> IfcReport:
        """Returns a report without pairs that are less deep in each other. Those of unknown depth and near ones stay."""
        return self._with(self.clashes.at(~(self.clashes.depths < depth)), int((self.clashes.depths < depth).sum()))

    def _with(self, clashes: Clashes, below: int) -> IfcReport:
        return replace(self, clashes=clashes, below_min_depth=self.below_min_depth + below)

    def by_types(self) -> dict[tuple[str, str], Counter[str]]:
        """Returns the number of clashes of each kind for each pair of types, sorted."""
        counts: dict[tuple[str, str], Counter[str]] = {}
        for (a, b), kind in zip(self.clashes.pairs, self.clashes.kinds):
            types = (self.elements[a].type, self.elements[b].type)
            if len(self.models) == 1 and types[0] > types[1]:
                types = types[::-1]
            counts.setdefault(types, Counter())[KINDS[kind]] += 1
        return dict(sorted(counts.items()))

    def summary(self) -> dict[str, Any]:
        """Returns counts, by kinds and by types, as one object for JSON."""
        kinds = numpy.bincount(self.clashes.kinds, minlength=len(KINDS))
        types = [{"a": a, "b": b, **{kind: counts[kind] for kind in KINDS}} for (a, b), counts in self.by_types().items()]
        return {
            "models": [{"name": one.name, "schema": one.schema, "elements": len(one)} for one in self.models],
            "elements": len(self.elements),
            "without_mesh": sum(len(one.bare) + len(one.failed) for one in self.models),
            "failed": [element.guid for one in self.models for element in one.failed],
            "triangles": sum(len(faces) for one in self.models for faces in one.faces),
            "candidate_pairs": self.candidate_pairs,
            "colliding_pairs": len(self.clashes) - int(kinds[NEAR]),
            "touching_pairs": int(kinds[TOUCH]),
            "near_pairs": int(kinds[NEAR]),
            "below_min_depth": self.below_min_depth,
            "kinds": dict(zip(KINDS, kinds.tolist())),
            "types": types,
            "rounding": self.rounding,
            "backend": self.backend,
            "timings_ms": {name: round(value, 3) for name, value in self.milliseconds.items()},
        }

    def write_pairs(self, path: str | os.PathLike[str]) -> None:
        """Writes the GlobalIds of all pairs as CSV, `a,b`, sorted. `-` is stdout."""
        _write(path, ["a", "b"], sorted(self.guids()))

    def write_clashes(self, path: str | os.PathLike[str], status: Sequence[str] | None = None) -> None:
        """Writes the clashes as CSV: `CLASHES`, and `KEPT` of both elements. `status` is one more column. `-` is stdout."""
        header = CLASHES + [f"{side}_{name}" for name in KEPT for side in "ab"] + (["status"] if status else [])
        rows = self.rows()
        _write(path, header, rows if status is None else ([*row, one] for row, one in zip(rows, status)))

    def rows(self) -> Iterator[list[Any]]:
        """Yields the clashes as rows of texts and numbers. What is not known is empty."""
        found = self.clashes
        for k, (a, b) in enumerate(found.pairs):
            one, other, kind = self.elements[a], self.elements[b], int(found.kinds[k])
            inner = ["a", "b", ""][found.inner[k]]
            numbers = [_text(value) for value in (*found.normals[k], *found.points[k])]
            yield [
                *[one.guid, other.guid, _text(found.depths[k]), int(kind == TOUCH), *numbers, KINDS[kind], inner],
                *[int(found.exact[k]), _text(found.distances[k])],
                *[getattr(element, name) for name in KEPT for element in (one, other)],
            ]

    def write_bcf(self, path: str | os.PathLike[str], version: str | None = None) -> dict[str, int]:
        """Writes the clashes as BCF, a topic for each pair of elements, or updates the archive that is there.

        `version` is 2.1, the default, or 3.0. Each topic has a camera that looks at the clash, and a snapshot: both elements in
        colour, and those around them as glass. Topics of an earlier run are updated: what people added stays, and those whose
        clash is gone are closed. Returns the numbers of `new`, `changed`, `unchanged` and `closed` topics. `-` is stdout.
        """
        if version not in (None, *VERSIONS):
            raise InvalidInput(f"version is {version!r}: give one of {', '.join(VERSIONS)}", "InvalidVersion")
        meshes = [mesh for one in self.models for mesh in zip(one.vertices, one.faces)]
        # One that does not move with every element, so that topics do not change with others.
        scene = Scene(meshes, origin=numpy.round(Scene(meshes).origin, -3))
        same: dict[tuple[str, ...], list[int]] = {}
        for k, guids in enumerate(self.guids()):
            same.setdefault(tuple(sorted(guids)), []).append(k)
        topics = [self._topic(key, places, scene) for key, places in same.items()]
        starts, origin = scene.face_starts.tolist(), scene.origin.tolist()
        counts = write_bcf(path, Triangles(scene.triangles), starts, origin, topics, _now(), version)
        return dict(zip(("new", "changed", "unchanged", "closed"), counts))

    def _topic(self, key: tuple[str, ...], places: list[int], scene: Scene) -> dict[str, Any]:
        """Returns the topic of clashes of the same elements, the deepest first."""
        found, first = self.clashes, places[0]
        depth, normal, point = found.depths[first], found.normals[first], found.points[first] - scene.origin
        others = f" and {len(places) - 1} more" if len(places) > 1 else ""
        return {
            "key": list(key),
            "title": self._title(first) + others,
            "kind": KINDS[found.kinds[first]],
            "description": "\n".join(map(self._description, places)),
            "pair": found.pairs[first].tolist(),
            "depth": None if numpy.isnan(depth) else float(depth),
            "point": point.tolist() if numpy.isfinite(point).all() else None,
            "normal": normal.tolist() if numpy.isfinite(normal).all() else None,
        }

    def _title(self, clash: int) -> str:
        both = [self.elements[place] for place in self.clashes.pairs[clash]]
        return " / ".join(f"{one.type} {one.name or one.guid}" for one in both)

    def _description(self, clash: int) -> str:
        """Returns what a clash is, how deep, and where."""
        found, kind = self.clashes, int(self.clashes.kinds[clash])
        measure = ""
        if kind == NEAR:
            measure = f", {_short(found.distances[clash])} m apart"
        elif kind != TOUCH and not numpy.isnan(found.depths[clash]):
            measure = f", {_short(found.depths[clash])} m deep"
        point = found.points[clash]
        place = f" at {', '.join(map(_short, point))}" if numpy.isfinite(point).all() else ""
        storeys = list(dict.fromkeys(self.elements[one].storey for one in found.pairs[clash]))
        inside = f" in {' and '.join(filter(None, storeys))}" if any(storeys) else ""
        return f"{self._title(clash)}: {KINDS[kind]}{measure}{place}{inside}"

    @cached_property
    def boxes(self) -> Doubles:
        """(N, 10) float64: a box around each element, center in the world, half extents and quaternion, in metres.

        Its axes are those of the element's placement or of the world, whichever box is smaller.
        """
        rows = [numpy.empty((0, 10))]
        for model in self.models:
            rows += [_box(points, frame)[None] for points, frame in zip(model.vertices, model.frames)]
        return numpy.vstack(rows)

    def write_boxes(self, path: str | os.PathLike[str]) -> None:
        """Writes the boxes as a scene in CSV, with GlobalId, type, name, storey and model of each. `-` is stdout."""
        placed = zip(self.elements, self.boxes)
        _write(path, BOXES, ([one.guid, *map(_text, row), *(getattr(one, name) for name in BOXES[11:])] for one, row in placed))


def check(
    model: Model,
    other: Model | None = None,
    rules: Rules | None = None,
    *,
    backend: str = "auto",
    adapter: str | None = None,
    threads: int | None = None,
) -> IfcReport:
    """Finds the clashes of the elements of a model, or those of its elements with the ones of another model.

    `backend`, `adapter` and `threads` are those of `Checker`.

    A triangle of one element and one of another that share a point are found exactly, for corners that are relative to an
    origin near the middle of all models and rounded to float32: see `IfcReport.rounding`.
    """
    started = time.perf_counter()
    models = [model] if other is None else [model, other]
    limits = (rules or Rules()).limits(models)
    _expect_near(models)
    scene = Scene([mesh for one in models for mesh in zip(one.vertices, one.faces)])
    split = None if other is None else len(model)
    checker = Checker(backend=backend, adapter=adapter, threads=threads)  # type: ignore[arg-type]
    pairs, tolerances, clearances = limits.apply(_candidates(scene, limits.furthest(), checker, split))
    prepared = time.perf_counter()
    found = find(scene, pairs, tolerances, clearances, checker, split)
    elements = [element for one in models for element in one.elements]
    found = _ordered(found, elements, split is None)
    times = {"bounds": (prepared - started) * 1e3, "clashes": (time.perf_counter() - prepared) * 1e3}
    return IfcReport(models, elements, found, len(pairs), scene.rounding, checker.backend, times)


def _expect_near(models: Sequence[Model]) -> None:
    """Rejects elements so far from the others that no coordinates can be computed with."""
    named = [(element, points) for one in models for element, points in zip(one.elements, one.vertices)]
    if not named:
        return
    middle = numpy.median([points[0] for _, points in named], axis=0)
    reach = [float(abs(points - middle).max()) for _, points in named]
    far = sum(length > _FURTHEST for length in reach)
    if far:
        first = next(element for (element, _), length in zip(named, reach) if length > _FURTHEST)
        raise InvalidInput(
            f"{first.model}: {first.type} {first.guid} is more than {_FURTHEST:.0e} m from the others ({far} such in all): "
            "correct its placement, or remove it",
            "TooLarge",
        )


def _candidates(scene: Scene, clearance: float, checker: Checker, split: int | None) -> Whole:
    """Returns the pairs of meshes whose bounds are no further apart than a clearance along each axis."""
    sides = numpy.array([-1, -1, -1, 1, 1, 1], numpy.float32)
    bounds = scene.bounds
    wider = bounds + sides * numpy.float32(max(clearance, scene.slack) * 0.5 * (1 + 1e-6) + 2 * scene.rounding)
    bounds = numpy.nextafter(wider, sides * numpy.float32(numpy.inf))
    if split is None:
        return checker.check(Bounds(bounds)).pairs.astype(numpy.int64)
    found = checker.check(Bounds(bounds[:split]), Bounds(bounds[split:])).pairs.astype(numpy.int64)
    found[:, 1] += split
    return found


def _ordered(found: Clashes, elements: list[Element], swap: bool) -> Clashes:
    """Sorts clashes, the deepest first and then the nearest, by GlobalId. With `swap`, the smaller GlobalId of a pair is first."""
    guids = numpy.array([one.guid.encode() for one in elements], object)[found.pairs]
    turned = guids[:, 0] > guids[:, 1] if swap else numpy.zeros(len(found), bool)
    turned = turned.astype(bool)
    found.pairs[turned], guids[turned] = found.pairs[turned][:, ::-1], guids[turned][:, ::-1]
    found.normals[turned] *= -1
    found.inner[turned & (found.inner >= 0)] ^= 1
    depths = numpy.where(numpy.isnan(found.depths), numpy.where(found.kinds == DUPLICATE, numpy.inf, -1), found.depths)
    order = sorted(range(len(found)), key=lambda k: (-depths[k], found.distances[k], guids[k, 0], guids[k, 1]))
    return found.at(numpy.array(order, numpy.int64))


def _box(points: Doubles, frame: Doubles) -> Doubles:
    """Returns the smaller one of the boxes around points along the axes of a frame and of the world."""
    best, least = numpy.empty(0), numpy.inf
    for axes in (frame, numpy.eye(3)):
        lengths = numpy.linalg.norm(axes, axis=0)
        turn = axes / lengths if (lengths > 0).all() else numpy.eye(3)
        if numpy.linalg.det(turn) < 0:
            turn = turn * [1, 1, -1]
        # From a point nearby, so that differences are exact far from the origin.
        own = (points - points[0]) @ turn
        low, high = own.min(axis=0), own.max(axis=0)
        # Half extents cover the corners after rounding to float32, too.
        rounded = ((high - low) / 2 * (1 + 1e-7)).astype(numpy.float32)
        half = numpy.nextafter(rounded, numpy.float32(numpy.inf)).astype(numpy.float64)
        if half.prod() < least:
            least = half.prod()
            best = numpy.concatenate([points[0] + turn @ ((low + high) / 2), half, _quaternion(turn)])
    return best


def _quaternion(turn: Doubles) -> Doubles:
    """Returns the unit quaternion x y z w of a rotation (Shepperd's method)."""
    diagonal = numpy.array([*numpy.diag(turn), numpy.trace(turn)])
    k = int(diagonal.argmax())
    result = numpy.empty(4)
    if k == 3:
        result[:] = [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1], 1 + diagonal[3]]
    else:
        m, n = (k + 1) % 3, (k + 2) % 3
        result[k] = 1 + turn[k, k] - turn[m, m] - turn[n, n]
        result[m], result[n] = turn[m, k] + turn[k, m], turn[n, k] + turn[k, n]
        result[3] = turn[n, m] - turn[m, n]
    return result / numpy.linalg.norm(result)


def _now() -> str:
    """Returns the time in UTC: that of `SOURCE_DATE_EPOCH`, seconds since 1970, if it is set, so that results can be reproduced."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(given) if given.isdecimal() else time.time()
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _short(value: Any) -> str:
    """Returns a number to a tenth of a millimetre."""
    return f"{float(value):.4f}".rstrip("0").rstrip(".")


def _text(value: Any) -> str:
    """Returns a number in digits that read back exactly; nothing if it is not known."""
    number = float(value) + 0.0
    return repr(number) if numpy.isfinite(number) else ""


def read_pairs(path: str | os.PathLike[str]) -> set[tuple[str, str]]:
    """Reads the columns `a` and `b` of a CSV file of pairs or clashes."""
    try:
        with open(path, newline="", encoding="utf-8") as file:
            table = csv.DictReader(file)
            if table.fieldnames is None or not {"a", "b"} <= set(table.fieldnames):
                raise FileError(f"{os.fspath(path)}: there are no columns a and b: give a CSV file of pairs or clashes", "Parse")
            return {(row["a"], row["b"]) for row in table}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{os.fspath(path)}: {error}: give a CSV file of pairs or clashes", "Io") from None


def _write(path: str | os.PathLike[str], header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with written(path) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)
