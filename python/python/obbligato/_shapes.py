"""Lists of shapes. One table says which numbers each kind has; everything else follows from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, Union

import numpy
from numpy.typing import ArrayLike, NDArray

from obbligato import _arrays, _tables
from obbligato._options import Rows

if TYPE_CHECKING:
    from obbligato._native import BoxSet

CAPSULE = ["cx", "cy", "cz", "hz", "qx", "qy", "qz", "qw", "radius"]
SPHERE = ["cx", "cy", "cz", "radius"]
UPRIGHT = ["x0", "y0", "x1", "y1", "x2", "y2", "x3", "y3", "z_min", "z_max"]
TRIANGLE = [f"{axis}{corner}" for corner in "abc" for axis in "xyz"]

# The columns of each kind of body, in the order of the positions, by its name in the column `shape`.
BODIES = {"box": _tables.NUMBERS, "capsule": CAPSULE, "sphere": SPHERE}


class Shapes:
    """A list of shapes of one kind. Iteration, slices and masks are those of its array `rows`."""

    KIND: ClassVar[str]
    NAMES: ClassVar[list[str]]
    DTYPE: ClassVar[Any] = numpy.float32

    rows: NDArray[Any]
    """The numbers, one row for each shape."""
    ids: NDArray[Any] | None
    """The column `id` of the table that they were made from."""
    rules: dict[str, Any]
    """The rules in the columns of that table."""

    def __init__(self, rows: Rows) -> None:
        name = type(self).__name__
        table = _tables.columns(name, rows)
        self.ids, self.rules = None, {}
        if table is not None:
            self.ids, self.rules = _tables.ids(table), _tables.rules(table)
            self.rows = table.numbers(self.NAMES, self.DTYPE is numpy.float64)
        else:
            self.rows = self._shaped(name, rows)
        if self.DTYPE is numpy.float64:
            self.rows = self.rows.astype(numpy.float64)

    def _shaped(self, name: str, rows: Any) -> NDArray[Any]:
        width = len(self.NAMES)
        if self.DTYPE is numpy.float64 and isinstance(rows, (list, tuple)):
            rows = numpy.asarray(rows, numpy.float64)
        array = _arrays.floats(name, rows, self.DTYPE is numpy.float64)
        array = array.reshape(0, width) if array.shape == (0,) else array
        if array.ndim != 2 or array.shape[1] != width:
            raise ValueError(
                f"{name} has the shape {array.shape}: give (N, {width}), one row for each ({' '.join(self.NAMES)}), or a table "
                "whose columns have these names"
            )
        return array

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self)}>"


class Spheres(Shapes):
    """Spheres: (N, 4) float32, center x y z and radius in the caller's unit; or a table with the columns cx cy cz radius.

    >>> import obbligato
    >>> obbligato.check(obbligato.Spheres([[0, 0, 0, 1], [1.5, 0, 0, 1]]), backend="cpu").pairs.tolist()
    [[0, 1]]
    """

    KIND, NAMES = "spheres", SPHERE


class Capsules(Shapes):
    """Capsules: all points within a radius of a segment along their own z axis.

    (N, 9) float32: center x y z, half of the segment's length, unit quaternion x y z w, and radius; or a table with the
    columns cx cy cz hz qx qy qz qw radius. Lengths are in the caller's unit.

    >>> import obbligato
    >>> rods = obbligato.Capsules([[0, 0, 0, 2, 0, 0, 0, 1, 0.1], [0.15, 0, 2, 1, 0, 0, 0, 1, 0.1]])
    >>> obbligato.check(rods, backend="cpu").colliding_pairs
    1
    """

    KIND, NAMES = "capsules", CAPSULE

    @classmethod
    def from_ends(cls, a: ArrayLike, b: ArrayLike, radius: ArrayLike) -> Capsules:
        """Makes capsules around the segments from `a` to `b`, each (N, 3), with a radius, or (N,) of them.

        Numbers are computed in float64 and rounded once.
        """
        ends = [numpy.atleast_2d(numpy.asarray(end, numpy.float64)) for end in (a, b)]
        for name, end in zip("ab", ends):
            if end.ndim != 2 or end.shape[1] != 3:
                raise ValueError(f"{name} has the shape {end.shape}: give (N, 3), one row for each end")
        if len({len(ends[0]), len(ends[1]), 1}) > 2:
            raise ValueError(f"b has {len(ends[1])} rows and a {len(ends[0])}: give one end for each")
        first, second = numpy.broadcast_arrays(*ends)
        radii = numpy.asarray(radius, numpy.float64)
        if radii.shape not in ((), (1,), (len(first),)):
            raise ValueError(f"radius has the shape {radii.shape}: give one number, or one for each of the {len(first)} capsules")
        along = second - first
        length = numpy.linalg.norm(along, axis=1)
        x, y, z = (along / numpy.where(length > 0, length, 1)[:, None]).T
        z = numpy.where(length > 0, z, 1)
        # The shortest turn from z to the segment. A segment that points down turns about x.
        turn = numpy.column_stack([-y, x, numpy.zeros_like(z), numpy.where(z < 0, (x * x + y * y) / (1 - numpy.minimum(z, 0)), 1 + z)])
        turn[(x == 0) & (y == 0) & (z < 0)] = [1, 0, 0, 0]
        turn /= numpy.linalg.norm(turn, axis=1)[:, None]
        rows = numpy.column_stack([(first + second) / 2, length / 2, turn, numpy.broadcast_to(radii, len(first))])
        return cls(rows.astype(numpy.float32))


class Uprights(Shapes):
    """Upright cuboids: (N, 10) float64, four corners in plan x y in any order, lowest and highest z, in the caller's unit.

    Or a table with the columns x0 y0 x1 y1 x2 y2 x3 y3 z_min z_max, as in files of buildings.

    >>> import obbligato
    >>> walls = obbligato.Uprights([[0, 0, 4, 0, 4, 0.2, 0, 0.2, 0, 3], [2, 0, 2.2, 0, 2.2, 4, 2, 4, 0, 3]])
    >>> obbligato.check(walls, backend="cpu").colliding_pairs
    1
    """

    KIND, NAMES, DTYPE = "uprights", UPRIGHT, numpy.float64


class Bounds(Shapes):
    """Bounds along the axes: (N, 6) float32, the corners min x y z and max x y z, in the caller's unit.

    Or a table with the columns min_x min_y min_z max_x max_y max_z.

    >>> import obbligato
    >>> obbligato.check(obbligato.Bounds([[0, 0, 0, 1, 1, 1], [1, 1, 1, 2, 2, 2]]), backend="cpu").colliding_pairs
    1
    """

    KIND, NAMES = "bounds", _tables.BOUNDS


class Triangles(Shapes):
    """Triangles, the surface of a mesh: (N, 3, 3) float32, three corners x y z each, in the caller's unit.

    Triangles against bodies are checked exactly, and triangles against triangles.

    >>> import obbligato
    >>> floor = obbligato.Triangles([[[-9, -9, 0], [9, -9, 0], [0, 9, 0]]])
    >>> obbligato.check(floor, obbligato.Spheres([[0, 0, 0.5, 1], [0, 0, 2, 1]]), backend="cpu").pairs.tolist()
    [[0, 0]]
    """

    KIND, NAMES = "triangles", TRIANGLE
    origin: NDArray[numpy.float64] | None = None
    """(3,) float64: what `read` subtracted from all corners of a mesh far from the origin; None if the mesh was not read."""

    @classmethod
    def of(cls, vertices: ArrayLike, faces: ArrayLike) -> Triangles:
        """Makes the triangles of a mesh: vertices (V, 3) float32, and faces (N, 3), the positions of their corners."""
        points = _arrays.floats("vertices", vertices)
        corners = _arrays.whole("faces", faces)
        if points.ndim != 2 or points.shape[1] != 3:
            raise ValueError(f"vertices has the shape {points.shape}: give (V, 3), one row per vertex")
        if corners.size and (corners.ndim != 2 or corners.shape[1] != 3):
            raise ValueError(f"faces has the shape {corners.shape}: give (N, 3), one row per triangle")
        if corners.size and int(corners.max()) >= len(points):
            row = int(numpy.argmax((corners >= len(points)).any(axis=1)))
            raise ValueError(f"faces[{row}] names vertex {int(corners[row].max())} of {len(points)}: fix or remove the face")
        return cls(points[corners.reshape(-1, 3)].reshape(-1, 9))

    @property
    def corners(self) -> NDArray[numpy.float32]:
        """(N, 3, 3) float32: the corners of each triangle."""
        return self.rows.reshape(-1, 3, 3)

    def _shaped(self, name: str, rows: Any) -> NDArray[Any]:
        array = _arrays.floats(name, rows)
        if array.size == 0 or array.shape[1:] == (3, 3):
            return numpy.ascontiguousarray(array.reshape(-1, 9))
        if array.ndim == 2 and array.shape[1] == 9:
            return array
        raise ValueError(
            f"{name} has the shape {array.shape}: give (N, 3, 3), three corners for each triangle, or vertices and faces to "
            "Triangles.of"
        )


class Bodies:
    """Boxes, capsules and spheres of one scene.

    They are numbered consecutively: first the boxes, then the capsules, then the spheres. Pairs, rules and errors name
    bodies by these positions. `boxes` is (N, 10) float32 (see the module), `capsules` and `spheres` are arrays or lists
    of these (see `Capsules` and `Spheres`); `ids` has any number or text for each body, to name pairs by.

    >>> import obbligato
    >>> floor, balls = [[0, 0, 0, 9, 9, 1, 0, 0, 0, 1]], [[0, 0, 4, 0.75], [0, 0, 1.5, 0.75]]
    >>> scene = obbligato.Bodies(floor, spheres=balls, ids=["floor", "high", "low"])
    >>> report = obbligato.check(scene, backend="cpu")
    >>> report.pairs.tolist(), report.pair_ids.tolist()
    ([[0, 2]], [['floor', 'low']])
    """

    ids: NDArray[Any] | None
    """The id of each body, by position."""
    rules: dict[str, Any]
    """The rules of the table or file that they were made from."""
    motions: NDArray[numpy.float32] | None
    """(N, 10) float32: the motions of the file that they were read from, as `Checker.sweep` takes them; else None."""
    is_flat: bool = False
    """True if they were read from a file in the plane, or made by `in_plane`: ask questions with `in_plane=True`."""

    def __init__(
        self,
        boxes: Rows | None = None,
        capsules: Rows | Capsules | None = None,
        spheres: Rows | Spheres | None = None,
        *,
        ids: ArrayLike | None = None,
    ) -> None:
        rows = _rows_of("boxes", [] if boxes is None else boxes, double=True)
        given: list[tuple[type[Shapes], Any]] = [(Capsules, capsules), (Spheres, spheres)]
        others = [
            one.rows if isinstance(one, kind) else kind([] if one is None else one).rows for kind, one in given
        ]
        if rows.dtype == numpy.float64 and any(len(one) for one in others):
            raise TypeError(
                "boxes has the dtype float64, which scenes with other bodies do not support: give boxes.astype(numpy.float32)"
            )
        self.boxes, self.capsules, self.spheres = rows, others[0], others[1]
        self.ids, self.rules, self.motions = None, {}, None
        if ids is not None:
            self.ids = numpy.asarray(ids)
            if self.ids.shape != (len(self),):
                raise ValueError(f"ids has the shape {self.ids.shape}: give one for each of the {len(self)} bodies")

    @classmethod
    def in_plane(
        cls, rectangles: ArrayLike | None = None, stadiums: ArrayLike | None = None, disks: ArrayLike | None = None
    ) -> Bodies:
        """Makes bodies in the plane z = 0, for questions with `in_plane=True`. Angles are in radians from x, anticlockwise.

        `rectangles` are (N, 5): center x y, half extents x y, angle. `stadiums` are (N, 5): center x y, half of the
        segment's length, angle, radius. `disks` are (N, 3): center x y, radius.

        >>> import obbligato
        >>> scene = obbligato.Bodies.in_plane(rectangles=[[0, 0, 2, 1, 0.5]], disks=[[2, 1, 0.5]])
        >>> obbligato.check(scene, in_plane=True, backend="cpu").colliding_pairs
        1
        """
        x, y, width, height, angle = _plane("rectangles", rectangles, 5)
        zero, one = numpy.zeros_like(x), numpy.ones_like(x)
        boxes = [x, y, zero, width, height, one, zero, zero, numpy.sin(angle / 2), numpy.cos(angle / 2)]
        x, y, half, angle, radius = _plane("stadiums", stadiums, 5)
        # The capsule's own z turns to x, then by the angle: components are equal in pairs, which keeps it level.
        sine, cosine = 0.5**0.5 * numpy.sin(angle / 2), 0.5**0.5 * numpy.cos(angle / 2)
        capsules = [x, y, numpy.zeros_like(x), half, -sine, cosine, sine, cosine, radius]
        x, y, round_radius = _plane("disks", disks, 3)
        spheres = [x, y, numpy.zeros_like(x), round_radius]
        made = cls(*(numpy.column_stack(columns).astype(numpy.float32) for columns in (boxes, capsules, spheres)))
        made.is_flat = True
        return made

    def __len__(self) -> int:
        return len(self.boxes) + len(self.capsules) + len(self.spheres)

    def __repr__(self) -> str:
        return f"<Bodies: {len(self.boxes)} boxes, {len(self.capsules)} capsules, {len(self.spheres)} spheres>"


def parts(what: str, value: Any, double: bool) -> tuple[str, list[NDArray[Any]], Any, dict[str, Any]]:
    """Returns the kind of shapes, their arrays, their ids if they have any, and the rules of their table."""
    if isinstance(value, Bodies):
        if value.boxes.dtype == numpy.float64 and not double:
            _arrays.floats(what, value.boxes)
        return "bodies", [value.boxes, value.capsules, value.spheres], value.ids, dict(value.rules)
    if isinstance(value, (Capsules, Spheres)):
        lists = {"capsules": Capsules([]).rows, "spheres": Spheres([]).rows, value.KIND: value.rows}
        return "bodies", [_no_boxes(), lists["capsules"], lists["spheres"]], value.ids, dict(value.rules)
    if isinstance(value, Shapes):
        return value.KIND, [value.rows], value.ids, dict(value.rules)
    table = _tables.columns(what, value)
    if table is not None:
        if "shape" in table:
            return _mixed(what, table)
        if "x0" in table:
            cuboids = Uprights(value)
            return cuboids.KIND, [cuboids.rows], cuboids.ids, cuboids.rules
    rows, ids, rules = _arrays.boxes(what, value, double)
    return "bodies", [rows, Capsules([]).rows, Spheres([]).rows], ids, rules


def _mixed(what: str, table: _tables.Table) -> tuple[str, list[NDArray[Any]], Any, dict[str, Any]]:
    """Reads bodies of several kinds. Without ids, pairs are named by rows."""
    shapes = numpy.asarray(table.column("shape"), object)
    # An empty field is a box: an empty text, None or NaN.
    missing = numpy.array([shape is None or shape != shape or shape == "" for shape in shapes], bool)
    shapes = numpy.where(missing, "box", shapes)
    unknown = numpy.flatnonzero(~numpy.isin(shapes.astype(str), list(BODIES)))
    if len(unknown):
        row = int(unknown[0])
        raise ValueError(f"{table.place('shape')} has {shapes[row]!r} in row {row}: give one of {', '.join(BODIES)}")
    places = [numpy.flatnonzero(shapes == name) for name in BODIES]
    arrays = [
        table.numbers(names, False, rows) if len(rows) else numpy.empty((0, len(names)), numpy.float32)
        for names, rows in zip(BODIES.values(), places)
    ]
    order = numpy.concatenate(places)
    ids = _tables.ids(table)
    ids = numpy.arange(len(shapes)) if ids is None else ids
    return "bodies", arrays, ids[order], {name: rule[order] for name, rule in _tables.rules(table).items()}


def _no_boxes() -> NDArray[numpy.float32]:
    return numpy.empty((0, len(_tables.NUMBERS)), numpy.float32)


def _rows_of(what: str, value: Any, double: bool) -> NDArray[Any]:
    rows, _, _ = _arrays.boxes(what, value, double)
    return rows


def _plane(what: str, value: Any, width: int) -> NDArray[numpy.float64]:
    """Returns the columns of rows in float64."""
    rows = numpy.asarray([] if value is None else value, numpy.float64)
    rows = rows.reshape(0, width) if rows.size == 0 else rows
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"{what} has the shape {rows.shape}: give (N, {width}), one row for each")
    return rows.T


Listed: TypeAlias = Union[Rows, Bodies, Shapes, "BoxSet"]
"""A list of shapes: an array or a table of boxes, or any of the classes."""
