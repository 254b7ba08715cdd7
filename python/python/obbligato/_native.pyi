from collections.abc import Iterable, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, final

import numpy
from numpy.typing import ArrayLike, NDArray

from obbligato._options import Rows, Rules
from obbligato._pictures import Picture
from obbligato._results import (
    Advanced,
    Approaches,
    Enclosures,
    FirstHits,
    Hits,
    Lists,
    MeshPairs,
    Neighbours,
    Overlaps,
    Penetrations,
)
from obbligato._shapes import Bodies, Bounds, Shapes, Spheres, Triangles

__all__ = [
    "NO_OWNER",
    "Adjacency",
    "BoxSet",
    "BspTree",
    "Checker",
    "ClosedMesh",
    "Contacts",
    "Distances",
    "Frame",
    "Impacts",
    "MeshBody",
    "PreparedScene",
    "Report",
    "Room",
    "Solids",
    "Surfaces",
    "Tiling",
    "Tracker",
    "Tree",
    "__version__",
    "adapters",
    "animation",
    "checksum",
    "feature_name",
    "fit_boxes",
    "fit_spheres",
    "glb",
    "read_scene",
    "read_triangles",
    "render",
    "scene",
    "tile",
    "write_bcf",
    "write_bytes",
    "write_pairs",
    "write_scene",
]

__version__: str
NO_OWNER: int

_Boxes: TypeAlias = Rows | BoxSet | Bodies | Shapes
_Pairs: TypeAlias = NDArray[numpy.uint32]
_Doubles: TypeAlias = NDArray[numpy.float64]
_Flags: TypeAlias = NDArray[numpy.bool_]
_Positions: TypeAlias = NDArray[numpy.int64]
_Meetings: TypeAlias = tuple[_Positions, _Positions, _Positions]

@final
class BoxSet:
    """Boxes with rules for each of them.

    Every argument for boxes also accepts a set; `against` needs one for rules about the second
    list. The rules are those of `check`.

    >>> import obbligato
    >>> walls = obbligato.BoxSet([[0, 0, 0, 1, 1, 1, 0, 0, 0, 1.0]], worlds=[7])
    >>> obbligato.check([[1, 0, 0, 1, 1, 1, 0, 0, 0, 1.0]], against=walls, worlds=[7]).colliding_pairs
    1
    """

    def __new__(
        cls,
        boxes: Rows | Bodies | Shapes,
        *,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> BoxSet: ...
    @property
    def boxes(self) -> Rows | Bodies | Shapes:
        """The boxes."""
    @property
    def rules(self) -> Rules:
        """The rules, by name."""
    def __getnewargs_ex__(self) -> tuple[Any, ...]: ...

@final
class Checker:
    """Finds colliding pairs. A checker reuses its memory from call to call: create one and use it for
    every frame.

    Settings, all by keyword:

    - `backend`: "auto", "gpu" or "cpu"; `adapter`: part of a GPU's name, its position in
      `adapters()`, or a graphics API.
    - `precision`: "exact", "fast" or "conservative".
    - `margin`: report pairs no further apart than this distance, a float that is compared without
      rounding.
    - `output`: "pairs", "degrees" (the number of boxes that each box collides with) or "count"
      (only totals). Degrees and counts need no memory for pairs.
    - `broad_phase`: "auto", "grid", "sweep", "tree", "octree", "lbvh" or "all-pairs"; all find the
      same pairs.
    - `list_touching`: also list the pairs that touch without overlapping.
    - `max_pairs`: the maximum number of pairs to return; `colliding_pairs` still counts all of
      them.
    - `count_operations`: count the operations of the broad phase.
    - `least_boxes`: the smallest scene that "auto" checks on a GPU.
    - `pipeline_cache`: a file for compiled shaders; `timeout`: the seconds to wait for a GPU.
    - `threads`: the number of CPU threads for this checker alone; None uses the threads that all
      checkers share, one per core or RAYON_NUM_THREADS.

    Calls release the interpreter's lock. Calls of one checker from several threads run one after
    the other.

    >>> import obbligato
    >>> checker = obbligato.Checker(backend="cpu")
    >>> checker.check([[0, 0, 0, 1, 1, 1, 0, 0, 0, 1], [1.5, 0, 0, 1, 1, 1, 0, 0, 0, 1]]).pairs
    array([[0, 1]], dtype=uint32)
    """

    def __new__(
        cls,
        *,
        backend: Literal["auto", "gpu", "cpu"] = "auto",
        adapter: str | None = None,
        broad_phase: Literal["auto", "grid", "sweep", "tree", "octree", "lbvh", "all-pairs"] = "auto",
        output: Literal["pairs", "degrees", "count"] = "pairs",
        precision: Literal["exact", "fast", "conservative"] = "exact",
        margin: float = 0.0,
        list_touching: bool = False,
        max_pairs: int | None = None,
        count_operations: bool = False,
        least_boxes: int = 16384,
        pipeline_cache: str | PathLike[str] | None = None,
        timeout: float = 300.0,
        threads: int | None = None,
    ) -> Checker: ...
    def check(
        self,
        boxes: _Boxes | Solids,
        against: _Boxes | None = None,
        *,
        period: Sequence[float | None] | None = None,
        in_plane: bool = False,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Report:
        """Finds the colliding pairs within `boxes`, or between `boxes` and `against`.

        Both are shapes of any kind: boxes, `Bodies`, `Capsules`, `Spheres`, `Uprights`, `Bounds`,
        `Triangles` or, alone, `Solids`. Between triangles and bodies, give the triangles first.
        `period` is the length of space along each axis after which it repeats, None for an axis
        that does not; `in_plane=True` is for bodies in the plane z = 0, see `Bodies.in_plane`.

        Rules for `boxes`, all by keyword, with one entry for each box: `owners`, `worlds`,
        `statics`, `active`, `margins`, `groups` (memberships and filter), and `excluded`, pairs
        that are never reported. Rules for `against` need a `BoxSet`.

        >>> import obbligato
        >>> boxes = obbligato.scene("uniform", 1000)
        >>> obbligato.Checker(backend="cpu").check(boxes, owners=[0] * 1000).colliding_pairs
        0
        """
    def check_tile(
        self,
        tile: ArrayLike,
        boxes: _Boxes,
        *,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Report:
        """Finds the pairs that a tile owns, as positions in `boxes`. `boxes` must contain the boxes of
        the scene that the tile needs, see `Tiling.assign`, and may contain others. All tiles of a
        tiling together own each pair of the scene once: see `tile`.

        The report is that of `check` without the pairs of other tiles, but its candidate pairs,
        undecided pairs and times include the work for those.
        """
    def check_pairs(
        self,
        boxes: _Boxes,
        pairs: ArrayLike,
        *,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Report:
        """Finds the colliding pairs among `pairs`, positions in `boxes`: the narrow phase alone, for a
        custom broad phase.
        """
    def check_bounds(self, bounds: Rows | Bounds) -> Report:
        """Finds the overlapping pairs of bounds: the broad phase alone, for custom shapes. Bounds are
        (N, 6) float32, the min and max corners, or a table with the columns min_x, min_y, ...
        max_z.
        """
    def prepare(
        self,
        boxes: _Boxes,
        *,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> PreparedScene:
        """Sorts boxes at rest once, for many calls of `check_movers`."""
    def check_movers(
        self,
        scene: PreparedScene,
        movers: _Boxes,
        *,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Report:
        """Finds the colliding pairs of a box at rest and a mover, in time that depends only on the
        number of movers. In each pair, the first number is a position in the scene and the second a
        position in the movers.

        >>> import obbligato
        >>> checker = obbligato.Checker(backend="cpu")
        >>> wall = checker.prepare([[x, 0, 0, 1, 1, 1, 0, 0, 0, 1.0] for x in (0, 2, 4)])
        >>> checker.check_movers(wall, [[4.5, 1, 0, 0.4, 0.4, 0.4, 0, 0, 0, 1]]).pairs
        array([[2, 0]], dtype=uint32)
        """
    def contacts(
        self,
        boxes: _Boxes,
        pairs: ArrayLike,
        against: _Boxes | None = None,
        *,
        period: Sequence[float | None] | None = None,
        in_plane: bool = False,
    ) -> Contacts:
        """Computes the contact points and penetration depths of pairs: see `Contacts`. If `against` is
        given, the second number of a pair is a position in it, as in the pairs of `check`. Contacts
        of float64 boxes are computed on the CPU. `period` and `in_plane` are those of `check`.
        """
    def distances(
        self,
        boxes: _Boxes,
        pairs: ArrayLike,
        against: _Boxes | None = None,
        *,
        period: Sequence[float | None] | None = None,
        in_plane: bool = False,
    ) -> Distances:
        """Computes the distances and closest points of pairs: see `Distances`. Pairs, `period` and
        `in_plane` are as in `contacts`.
        """
    def overlaps(
        self,
        boxes: _Boxes,
        pairs: ArrayLike,
        against: _Boxes | None = None,
        *,
        period: Sequence[float | None] | None = None,
        in_plane: bool = False,
    ) -> Overlaps:
        """Computes the volumes that the boxes of pairs share, and their IoU: see `Overlaps`. Pairs,
        `period` and `in_plane` are as in `contacts`.

        >>> import obbligato
        >>> boxes = [[x, 0, 0, 1, 1, 1, 0, 0, 0, 1] for x in (0, 1, 2)]
        >>> found = obbligato.Checker(backend="cpu").overlaps(boxes, [[0, 1], [0, 2], [1, 1]])
        >>> found.volumes.tolist(), found.ious.round(4).tolist()
        ([4.0, 0.0, 8.0], [0.3333, 0.0, 1.0])
        """
    def sweep(
        self,
        boxes: _Boxes,
        motions: Rows,
        dt: float,
        *,
        tolerance: float | None = None,
        against: _Boxes | None = None,
        against_motions: Rows | None = None,
        period: Sequence[float | None] | None = None,
        in_plane: bool = False,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Impacts:
        """Finds the pairs that share a point at any time during a step of `dt` seconds, and the first
        time of each: see `Impacts`.

        A motion is a row of 3, 6, 9 or 10 numbers: velocity, angular velocity in radians per
        second, acceleration, and the uncertainty of the acceleration. Motions can also be a table
        with any of the columns vx, vy, vz, wx, wy, wz, ax, ay, az and uncertainty. With `against`
        and `against_motions`, a second list, only pairs between the two lists are found. `period`,
        `in_plane` and rules are those of `check`.

        >>> import obbligato
        >>> bullet, plate = [-10, 0, 0, .005, .005, .005, 0, 0, 0, 1], [0, 0, 0, .0005, 1, 1, 0, 0, 0, 1]
        >>> found = obbligato.Checker(backend="cpu").sweep([bullet, plate], [[1000, 0, 0], [0, 0, 0]], 1 / 60)
        >>> found.pairs.tolist(), round(float(found.times[0]), 4)
        ([[0, 1]], 0.01)
        """
    def neighbours(
        self,
        boxes: _Boxes | PreparedScene,
        *,
        around: ArrayLike | None = None,
        nearest: int | None = None,
        within: float | None = None,
        by_surface: bool = False,
        period: Sequence[float | None] | None = None,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Neighbours:
        """Finds the nearest neighbours of each body, or of each point of `around`: the `nearest` ones,
        all `within` a distance, or the nearest ones within it. With neither, the nearest one.

        Distances are those of centers, or, `by_surface`, those of the bodies. `around` is (M, 3)
        float32 or float64; bodies may be a `PreparedScene` then. Rules are those of `check`; bodies
        that they keep apart are not neighbours. `period` is that of `check`. See `Neighbours`.

        >>> import obbligato
        >>> balls = obbligato.Spheres([[x, 0, 0, 0.5] for x in (0, 1, 3, 9)])
        >>> found = obbligato.Checker(backend="cpu").neighbours(balls, within=2.5)
        >>> found.row(1).tolist(), found.distances_of(1).tolist()
        ([0, 2], [1.0, 2.0])
        """
    def approaches(
        self,
        boxes: _Boxes,
        motions: Rows,
        dt: float,
        within: float,
        *,
        tolerance: float | None = None,
        against: _Boxes | None = None,
        against_motions: Rows | None = None,
        period: Sequence[float | None] | None = None,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Approaches:
        """Finds the pairs that come `within` a distance of each other during a step of `dt` seconds,
        and when each is nearest: see `Approaches`. The other arguments are those of `sweep`,
        which also has a form for the plane.

        >>> import obbligato
        >>> people = obbligato.Spheres([[x, 0.1 * x, 0, 0.25] for x in (0, 10)])
        >>> found = obbligato.Checker(backend="cpu").approaches(people, [[1, 0, 0], [-1, 0, 0]], 8, within=1)
        >>> round(float(found.times[0]), 6), round(float(found.distances[0]), 6)
        (5.0, 0.5)
        """
    def enclosures(self, region: Room | ClosedMesh, boxes: _Boxes) -> Enclosures:
        """Locates bodies relative to a `Room` or a `ClosedMesh`: see `Enclosures`.

        >>> import obbligato
        >>> room = obbligato.Room([0, 0, 0], [6, 4, 2.5])
        >>> found = obbligato.Checker(backend="cpu").enclosures(room, obbligato.Spheres([[3, 2, 1, 0.5], [6, 2, 1, 0.5]]))
        >>> found.states.tolist(), found.walls.tolist()
        ([0, 1], [0, 2])
        """
    def check_mesh(
        self,
        triangles: Triangles,
        *,
        without_neighbours: bool = False,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Report:
        """Finds where a mesh intersects itself: the pairs of its triangles that share more than the
        corners and edges that they have in common. `without_neighbours=True` leaves out all pairs
        with a common corner. Rules are those of `check`.

        >>> import obbligato
        >>> square = obbligato.Triangles.of([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 3]])
        >>> checker = obbligato.Checker(backend="cpu")
        >>> checker.check_mesh(square).colliding_pairs, checker.check(square).colliding_pairs
        (0, 1)
        """
    def mesh_scene(
        self,
        meshes: Sequence[MeshBody],
        poses: ArrayLike | None = None,
        *,
        pairs: ArrayLike | None = None,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> MeshPairs:
        """Finds all pairs of meshes that share a point or are near, and how they lie relative to each
        other: see `MeshPairs`.

        `meshes` is a list of `MeshBody`, one for each instance, in which one may be repeated.
        `poses` is (N, 7) float32, a row per instance: translation x y z in the caller's unit, and
        the unit quaternion x y z w that rotates it into the world. Without it all frames are that
        of the world. A pair is decided exactly in the frame of its first instance, where corners of
        the second are rounded once to float32. With the checker's `margin`, pairs that share no
        point are also found if their surfaces are no further apart.

        With `pairs`, positions of instances, only these are decided, in their order. Rules are
        those of `check`, with one entry for each instance. `margins` add to the checker's: a mesh
        of one triangle whose corners are one point, or two, is a sphere or a capsule whose radius
        is its margin.

        >>> import obbligato
        >>> a, b, c, d = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
        >>> wedge = obbligato.MeshBody(obbligato.Triangles([[a, c, b], [a, b, d], [a, d, c], [b, c, d]]))
        >>> poses = [[x, 0, 0, 0, 0, 0, 1] for x in (0, 0.5, 1.5, 2.75)]
        >>> found = obbligato.Checker(backend="cpu", margin=0.25).mesh_scene([wedge] * 4, poses)
        >>> found.pairs.tolist(), found.relations.tolist(), found.distances.tolist()
        ([[0, 1], [1, 2], [2, 3]], [0, 1, 4], [0.0, 0.0, 0.25])
        """
    def sweep_movers(
        self,
        scene: PreparedScene,
        movers: _Boxes,
        motions: Rows,
        dt: float,
        *,
        tolerance: float | None = None,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Impacts:
        """Finds the pairs of a body at rest and a mover that share a point at any time during a step
        of `dt` seconds, in time that depends only on the movers: see `Impacts`. In each pair, the
        first number is a position in the scene and the second a position in the movers.
        """
    def advance(
        self,
        boxes: _Boxes,
        motions: Rows,
        dt: float,
        skin: float,
        *,
        masses: ArrayLike | None = None,
        restitution: float | None = None,
        limit: int = 1000,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Advanced:
        """Moves boxes through a step of `dt` seconds, from impact to impact: see `Advanced`. Motions
        are those of `sweep`, rules those of `check`.

        At an impact both boxes stop if they move into each other; with `masses`, (N,) in any unit,
        infinite for a box that nothing moves, they bounce off each other as solids of uniform
        density, without friction. `restitution` is the part of the speed that they keep, from 0 to
        1; 1 unless given. Boxes are kept apart by `skin`, a distance above the rounding of
        coordinates and far below the size of a box. No pair collides at the end that did not at the
        start. After `limit` sweeps the rest of the step is left out.

        >>> import obbligato
        >>> boxes = [[x, 0, 0, 1, 1, 1, 0, 0, 0, 1] for x in (0, 4)]
        >>> moved = obbligato.Checker(backend="cpu").advance(boxes, [[2, 0, 0], [0, 0, 0]], 2, 1e-3, masses=[1, 1])
        >>> moved.boxes[:, 0].round(2).tolist(), moved.motions[:, 0].tolist()
        ([2.0, 6.0], [0.0, 2.0])
        """
    def roll_back(
        self,
        safe: _Boxes,
        wanted: Rows | Bodies | Shapes,
        *,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> _Flags:
        """Finds the bodies that have to go back from `wanted` to where they are in `safe`, so that
        bodies collide only if they did so in `safe` and neither has moved. Returns (N,) bool.

        Both bodies of a colliding pair go back, and those that have moved into their places, too.
        Both placements have the same bodies in the same order. Rules are those of `check`, and the
        checker's margin is kept.

        >>> import obbligato, numpy
        >>> safe, wanted = (numpy.float32([[x, 0, 0, 0.5] for x in row]) for row in ((0, 2, 9), (1.5, 2, 5)))
        >>> checker = obbligato.Checker(backend="cpu")
        >>> back = checker.roll_back(obbligato.Spheres(safe), obbligato.Spheres(wanted))
        >>> numpy.where(back[:, None], safe, wanted)[:, 0].tolist()
        [0.0, 2.0, 5.0]
        """
    def memory_estimate(self, boxes: int, pairs: int = 0) -> dict[str, int]:
        """Estimates the memory for a check with these numbers of boxes and colliding pairs:
        `host_bytes`, `device_bytes` and `largest_buffer_bytes` at most, and the number of `parts`.
        """
    @property
    def backend(self) -> Literal["gpu", "cpu"]:
        """The backend for large scenes: "gpu" or "cpu". With the setting "auto", this looks for a GPU."""
    @property
    def adapter(self) -> str | None:
        """The GPU's name; None on the CPU."""
    @property
    def choice(self) -> str:
        """The reason for the choice of the backend, in a few words."""
    @property
    def warnings(self) -> list[str]:
        """Failures that do not affect results, one sentence each."""

@final
class PreparedScene:
    """Boxes at rest, sorted once by `Checker.prepare` for `Checker.check_movers`. A scene holds copies
    of the boxes and never changes.
    """

    def __len__(self) -> int: ...
    @property
    def bodies(self) -> Bodies:
        """A copy of the bodies of the scene, as `Bodies`."""
    @property
    def backend(self) -> Literal["gpu", "cpu"]:
        """The backend of the scene: "gpu" or "cpu"."""

@final
class Report:
    """The result of a check. Its arrays are read-only views of the result's memory: copy an array to
    change it.

    >>> import obbligato
    >>> report = obbligato.check(obbligato.scene("bricks", 1000), backend="cpu")
    >>> report.colliding_pairs == report.touching_pairs == len(report.pairs)
    True
    """

    @property
    def boxes(self) -> int:
        """The number of boxes checked, in both lists."""
    @property
    def candidate_pairs(self) -> int:
        """The number of pairs whose bounds overlap."""
    @property
    def colliding_pairs(self) -> int:
        """The number of colliding pairs, listed or not. With a margin, the number of pairs no further
        apart than that.
        """
    @property
    def touching_pairs(self) -> int | None:
        """The number of colliding pairs that share only boundary points; None unless the precision is
        "exact".
        """
    @property
    def near_pairs(self) -> int | None:
        """The number of pairs that share no point and are only within the margin; None unless the
        precision is "exact".
        """
    @property
    def undecided_pairs(self) -> int:
        """The number of pairs that `f32` could not decide, but `f64` or exact arithmetic did."""
    @property
    def undecided_after_f64(self) -> int:
        """The number of undecided pairs that required exact arithmetic."""
    @property
    def complete(self) -> bool:
        """False only if more pairs collide than `max_pairs`."""
    @property
    def backend(self) -> Literal["gpu", "cpu"]:
        """The backend that ran the check: "gpu" or "cpu"."""
    @property
    def adapter(self) -> str | None:
        """The GPU's name; None on the CPU."""
    @property
    def threads(self) -> int | None:
        """The number of CPU threads; None on a GPU."""
    @property
    def broad_phase(self) -> tuple[str, str] | None:
        """The broad phase that found the candidate pairs and the reason for its choice: ("grid",
        "..."). None if the pairs were given.
        """
    @property
    def operations(self) -> dict[str, int] | None:
        """The numbers of "rows" and "comparisons" in the broad phase; None unless `count_operations`
        is set.
        """
    @property
    def device_bytes(self) -> int:
        """The GPU memory that the checker holds, in bytes; 0 on the CPU."""
    @property
    def timings(self) -> dict[str, float]:
        """The time of each stage by the host's clock, and "total", in milliseconds."""
    @property
    def gpu_timings(self) -> dict[str, float]:
        """The time of each stage by the GPU's timestamps, in milliseconds; empty on the CPU."""
    @property
    def pairs(self) -> _Pairs:
        """(P, 2) uint32: the colliding pairs, sorted. With one list, the first position is the smaller
        one; with two, the first is a position in `boxes` and the second a position in `against`.
        """
    @property
    def pair_ids(self) -> NDArray[Any]:
        """(P, 2): the pairs as ids of their boxes, from the column `id` of a table; positions for
        boxes without ids.

        >>> import obbligato, numpy
        >>> boxes = obbligato.scene("bricks", 4)
        >>> table = dict(zip("cx cy cz hx hy hz qx qy qz qw".split(), boxes.T), id=numpy.array(["a", "b", "c", "d"]))
        >>> obbligato.check(table, backend="cpu").pair_ids[0].tolist()
        ['a', 'b']
        """
    @property
    def touching(self) -> _Pairs:
        """(T, 2) uint32: the pairs that touch without overlapping, sorted. Requires `list_touching`."""
    @property
    def degrees(self) -> NDArray[numpy.uint32]:
        """(N,) uint32: the number of boxes that each box collides with. Requires the output "degrees"."""
    @property
    def checksum(self) -> str:
        """The checksum of the pairs, 16 hexadecimal digits; it does not depend on their order."""
    def marks(self) -> _Flags:
        """Returns (N,) bool: True for each box that collides. With a prepared scene, only for movers;
        with two lists, for `boxes` and then for `against`.
        """
    def adjacency(self, direction: Literal["both", "a-to-b", "b-to-a"] = "both") -> Adjacency:
        """Returns the partners of every box as `offsets` and `neighbours`: the partners of box k are
        `neighbours[offsets[k]:offsets[k + 1]]`, in ascending order.

        The direction is "both", "a-to-b" (each pair in the row of its first box) or "b-to-a".
        "both" is not available for pairs of two lists.

        >>> import obbligato
        >>> row = [[x, 0, 0, 1, 1, 1, 0, 0, 0, 1] for x in (0, 1.5, 3, 9)]
        >>> adjacency = obbligato.check(row, backend="cpu").adjacency()
        >>> adjacency.row(1).tolist()
        [0, 2]
        """
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Adjacency:
    """The partners of every box, from `Report.adjacency`."""
    @property
    def offsets(self) -> NDArray[numpy.uint64]:
        """(N + 1,) uint64: the start of each box's partners in `neighbours`, and the end of the last
        box's.
        """
    @property
    def neighbours(self) -> NDArray[numpy.uint32]:
        """(K,) uint32: the partners of all boxes, one box after the other."""
    def row(self, number: int) -> NDArray[numpy.uint32]:
        """Returns the partners of one box, in ascending order."""
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Contacts:
    """Contact manifolds, one for each pair, in the order of the pairs.

    Features are numbers that stand for corners, edges and faces: see `feature_name`.

    >>> import obbligato, numpy
    >>> boxes = numpy.array([[0, 0, z, 1, 1, 1, 0, 0, 0, 1] for z in (0, 1.75)], numpy.float32)
    >>> found = obbligato.contacts(boxes, [[0, 1]])
    >>> found.normals[0].tolist(), float(found.depths[0])
    ([0.0, 0.0, 1.0], 0.25)
    >>> found.on_a[found.points_of(0)].shape
    (4, 3)
    """

    @property
    def offsets(self) -> NDArray[numpy.uint64]:
        """(P + 1,) uint64: the points of pair k are `offsets[k]:offsets[k + 1]`. A pair that does not
        collide has none.
        """
    @property
    def normals(self) -> _Doubles:
        """(P, 3) float64: unit vectors from the first box to the second; NaN if the boxes do not
        collide.
        """
    @property
    def depths(self) -> _Doubles:
        """(P,) float64: the distance to move the second box along the normal to separate the boxes;
        NaN if they do not collide.
        """
    @property
    def references(self) -> NDArray[numpy.int8]:
        """(P,) int8: the box whose face has the normal: 0 for the first box, 1 for the second, -1 for
        neither.
        """
    @property
    def features(self) -> NDArray[numpy.uint8]:
        """(P, 2) uint8: the features of both boxes that are in contact; 255 if the boxes do not
        collide.
        """
    @property
    def on_a(self) -> _Doubles:
        """(K, 3) float64: contact points on the first box."""
    @property
    def on_b(self) -> _Doubles:
        """(K, 3) float64: contact points on the second box."""
    @property
    def point_depths(self) -> _Doubles:
        """(K,) float64: the penetration depth at each point."""
    @property
    def point_features(self) -> NDArray[numpy.uint8]:
        """(K, 2) uint8: the features of both boxes that define each point."""
    @property
    def images(self) -> NDArray[numpy.int64] | None:
        """(P, 3) int64: the whole numbers of periods by which the second body is moved along each
        axis, if space repeats; else None.
        """
    def __len__(self) -> int: ...
    def points_of(self, pair: int) -> slice:
        """Returns the slice of the point arrays with the points of the pair at this position."""
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Distances:
    """The distances and closest points of pairs, in the order of the pairs."""
    @property
    def distances(self) -> _Doubles:
        """(P,) float64: the distance between the boxes; 0 if they collide."""
    @property
    def on_a(self) -> _Doubles:
        """(P, 3) float64: the closest point of the first box."""
    @property
    def on_b(self) -> _Doubles:
        """(P, 3) float64: the closest point of the second box."""
    @property
    def images(self) -> NDArray[numpy.int64] | None:
        """(P, 3) int64: the whole numbers of periods by which the second body is moved along each
        axis, if space repeats; else None.
        """
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Impacts:
    """The pairs that meet during a step, sorted by time. Each pair has one entry in every array."""
    @property
    def boxes(self) -> int:
        """The number of boxes, in both lists."""
    @property
    def candidate_pairs(self) -> int:
        """The number of pairs whose swept bounds overlap."""
    @property
    def pairs(self) -> _Pairs:
        """(P, 2) uint32: the positions of the boxes."""
    @property
    def pair_ids(self) -> NDArray[Any]:
        """(P, 2): the pairs as ids of their boxes, from the column `id` of a table; positions for
        boxes without ids.
        """
    @property
    def times(self) -> _Doubles:
        """(P,) float64: the times of first contact in seconds, never later than the true times."""
    @property
    def starting(self) -> _Flags:
        """(P,) bool: True if the boxes share a point at the start."""
    @property
    def normals(self) -> _Doubles:
        """(P, 3) float64: unit vectors from the first box to the second."""
    @property
    def points(self) -> _Doubles:
        """(P, 3) float64: a point on both boxes."""
    @property
    def resolved(self) -> _Flags:
        """(P,) bool: False if the search ended before it could decide whether the boxes meet; they do
        not meet before that time.
        """
    @property
    def earliest(self) -> NDArray[numpy.int64]:
        """(boxes,) int64: the position in these arrays of each box's earliest impact, -1 if it has
        none; the boxes of `against` come last.
        """
    @property
    def checksum(self) -> str:
        """The checksum of the pairs, 16 hexadecimal digits."""
    @property
    def backend(self) -> Literal["gpu", "cpu"]:
        """The backend that ran the sweep: "gpu" or "cpu"."""
    @property
    def milliseconds(self) -> float:
        """The time of the sweep in milliseconds."""
    @property
    def images(self) -> NDArray[numpy.int64] | None:
        """(P, 3) int64: the whole numbers of periods by which the second body is moved along each
        axis, if space repeats; else None.
        """
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Tracker:
    """Checks frame after frame, and reports the pairs that begin, persist and end.

    `coherence` is the method that reuses work from frame to frame: "auto", "fattened",
    "sweep-lists" or "none"; all find the same pairs. All other settings are those of `Checker`.

    >>> import obbligato, numpy
    >>> cube = lambda x: [x, 0, 0, 1, 1, 1, 0, 0, 0, 1]
    >>> tracker = obbligato.Tracker(backend="cpu")
    >>> for x in (4, 3, 2, 1, 3):
    ...     frame = tracker.update(numpy.array([cube(0), cube(x)], numpy.float32), ids=[7, 3])
    ...     print(frame.begin.tolist(), len(frame.persist), frame.end.tolist())
    [] 0 []
    [] 0 []
    [[3, 7]] 0 []
    [] 1 []
    [] 0 [[3, 7]]
    """

    def __new__(
        cls,
        *,
        coherence: Literal["auto", "fattened", "sweep-lists", "none"] = "auto",
        backend: Literal["auto", "gpu", "cpu"] = "auto",
        adapter: str | None = None,
        broad_phase: Literal["auto", "grid", "sweep", "tree", "octree", "lbvh", "all-pairs"] = "auto",
        output: Literal["pairs", "degrees", "count"] = "pairs",
        precision: Literal["exact", "fast", "conservative"] = "exact",
        margin: float = 0.0,
        list_touching: bool = False,
        max_pairs: int | None = None,
        count_operations: bool = False,
        least_boxes: int = 16384,
        pipeline_cache: str | PathLike[str] | None = None,
        timeout: float = 300.0,
        threads: int | None = None,
    ) -> Tracker: ...
    def update(
        self,
        boxes: _Boxes,
        ids: ArrayLike | None = None,
        *,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Frame:
        """Checks the next frame. Each box needs an id, an unsigned 32-bit integer, that stays the same
        as long as the box exists: ids identify boxes from frame to frame. A table has them in its
        column `id`.

        Without ids, positions identify the boxes. This is for scenes whose boxes never come or go:
        if one does, all boxes after it count as different ones, and their pairs end and begin. If
        the number of boxes changes, there is a warning. Rules are those of `check`. A frame that
        raises an error is ignored.
        """
    def safe_distances(self) -> NDArray[numpy.float32]:
        """Returns (N,) float32, in ascending order of ids: as long as no point of any box has moved
        further than its box's distance, no pair begins or ends. 0 means that nothing is known.
        """

@final
class Frame:
    """The pairs of a frame, and the changes since the previous frame. Pairs are ids of boxes, the
    smaller one first; lists are sorted.
    """

    @property
    def boxes(self) -> int:
        """The number of boxes."""
    @property
    def pairs(self) -> _Pairs:
        """(P, 2) uint32: the colliding pairs."""
    @property
    def begin(self) -> _Pairs:
        """(B, 2) uint32: the pairs that collide now, but did not in the previous frame."""
    @property
    def end(self) -> _Pairs:
        """(E, 2) uint32: the pairs that collided in the previous frame and do not now, or have lost a
        box.
        """
    @property
    def persist(self) -> _Pairs:
        """(P - B, 2) uint32: the pairs that collide in both frames. O(pairs) for each access."""
    @property
    def work(self) -> dict[str, Any]:
        """The work for this frame: "coherent" (True if it reused work from the previous frame), and
        counts of boxes and pairs.
        """
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Room:
    """A room with six walls, from the corner `min` to the corner `max`: see `Checker.enclosures`.

    >>> import obbligato
    >>> obbligato.Room([0, 0, 0], [6, 4, 2.5])
    Room([0.0, 0.0, 0.0], [6.0, 4.0, 2.5])
    """

    def __new__(cls, min: Sequence[float], max: Sequence[float]) -> Room: ...
    @staticmethod
    def oriented(center: Sequence[float], half_extents: Sequence[float], rotation: Sequence[float]) -> Room:
        """Returns a room of any orientation, from its center, half of its size along each of its own
        axes, and the unit quaternion x y z w that rotates these into the world.
        """
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class ClosedMesh:
    """A closed mesh, prepared for tests of which points and bodies are in it.

    `rule` defines the inside: "parity" (a ray crosses an odd number of triangles) or "winding" (the
    triangles wind around the point). A mesh with open edges is an error.

    >>> import obbligato
    >>> a, b, c, d = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
    >>> mesh = obbligato.ClosedMesh(obbligato.Triangles([[a, b, c], [a, b, d], [a, c, d], [b, c, d]]))
    >>> mesh.locate([[0.25, 0.25, 0.25], [0.5, 0.25, 0.25], [1, 1, 1]]).tolist()
    [0, 1, 2]
    """

    def __new__(cls, triangles: Triangles, rule: Literal["parity", "winding"] = "parity") -> ClosedMesh: ...
    def locate(self, points: ArrayLike) -> NDArray[numpy.int8]:
        """Locates points, (N, 3) float32. Returns (N,) int8: 0 inside, 1 on the surface, 2 outside."""
    def __len__(self) -> int: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...

@final
class MeshBody:
    """A triangle mesh that is prepared once, for a scene of any number of instances: see
    `Checker.mesh_scene`. `triangles` is `Triangles`, in the mesh's own frame.

    A closed mesh, in which every edge belongs to an even number of triangles, bounds a solid: the
    points from which a ray crosses an odd number of triangles. An open one is a surface without an
    inside.

    >>> import obbligato
    >>> a, b, c, d = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
    >>> wedge = obbligato.MeshBody(obbligato.Triangles([[a, c, b], [a, b, d], [a, d, c], [b, c, d]]))
    >>> wedge.is_closed, len(wedge)
    (True, 4)
    """

    def __new__(cls, triangles: Triangles) -> MeshBody: ...
    @staticmethod
    def from_each(triangles: Sequence[Triangles]) -> list[MeshBody]:
        """Prepares a list of meshes, on all cores."""
    @property
    def is_closed(self) -> bool:
        """True if it bounds a solid."""
    @property
    def bounds(self) -> NDArray[numpy.float32]:
        """(6,) float32: the bounds of its triangles in its own frame, min x y z and max x y z."""
    def __len__(self) -> int: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...

@final
class BspTree:
    """A tree of planes that divide space into convex parts (binary space partitioning), for tests of
    what meets some triangles. With `solid=True`, the triangles are a closed mesh, and the tree also
    locates points.

    >>> import obbligato
    >>> a, b, c, d = [0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]
    >>> tree = obbligato.BspTree(obbligato.Triangles([[a, c, b], [a, b, d], [a, d, c], [b, c, d]]), solid=True)
    >>> tree.locate([[0.25, 0.25, 0.25], [0.5, 0.25, 0.25], [1, 1, 1]]).tolist()
    [0, 1, 2]
    >>> tree.meets([[[1, 1, 1], [0, 0, 0]], [[1, 1, 1], [2, 0, 0]]]).tolist()
    [True, False]
    """

    def __new__(cls, triangles: Triangles, solid: bool = False) -> BspTree: ...
    def locate(self, points: ArrayLike) -> NDArray[numpy.int8]:
        """Locates points, (N, 3) float32, exactly. Returns (N,) int8: 0 inside, 1 on the surface, 2
        outside. Requires `solid=True`.
        """
    def meets(self, points: ArrayLike | Sequence[ArrayLike], offsets: ArrayLike | None = None) -> _Flags:
        """Tests which points, segments and polygons share a point with a triangle, exactly. Returns
        (G,) bool.

        `points` are the corners of each, (K, 3) float32, and `offsets` say which belong together:
        both as for `fit_boxes`. A polygon stands for all triangles of its first corner and two
        consecutive ones; if it is flat and convex, these are the polygon.
        """
    def meets_boxes(self, boxes: Rows | Bodies | Shapes) -> _Flags:
        """Tests which boxes may share a point with a triangle. Returns (N,) bool. False is always
        right; True is possible for a box that is apart from a triangle by less than about 1e-12 of
        the sizes and distances involved.
        """
    def __len__(self) -> int: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...

@final
class Solids:
    """Convex solids: the convex hull of each list of points, (K, 3) float32 in the caller's unit.

    `Checker.check` finds their colliding pairs, exactly.

    >>> import obbligato, numpy
    >>> corners = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], numpy.float32)
    >>> solids = obbligato.Solids([corners, corners + 0.5, corners + 0.25])
    >>> obbligato.Checker(backend="cpu").check(solids).pairs.tolist()
    [[0, 2], [1, 2]]
    """

    def __new__(cls, points: Sequence[ArrayLike]) -> Solids: ...
    @property
    def volumes(self) -> _Doubles:
        """(N,) float64: the volume of each solid, 0 if it is flat."""
    def distances(self, pairs: ArrayLike) -> Distances:
        """Computes the distances and closest points of pairs, (P, 2) positions: see `Distances`."""
    def collide(self, pairs: ArrayLike) -> _Flags:
        """Tests which pairs, (P, 2) positions, share a point, exactly. Returns (P,) bool."""
    def penetrations(self, pairs: ArrayLike) -> Penetrations:
        """Computes the shortest translation that separates each of some pairs, (P, 2) positions: see
        `Penetrations`.
        """
    def __len__(self) -> int: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...

@final
class Surfaces:
    """Meshes with what tests of their triangles need, in float64: for `obbligato.ifc`, whose `Scene`
    says what is in them. Arrays are in C order: float64, or int64 for positions.

    `points` are (V, 3), `faces` (F, 3) positions of their corners, and `starts` where the points
    and the faces of each mesh start, and the last ones end. No mesh is empty.
    """

    def __new__(
        cls, points: _Doubles, faces: _Positions, point_starts: _Positions, face_starts: _Positions
    ) -> Surfaces: ...
    @property
    def bounds(self) -> NDArray[numpy.float32]:
        """(N, 6) float32: the bounds of each mesh, of points that are rounded to float32."""
    @property
    def volumes(self) -> _Doubles:
        """(N,) float64: the signed volume that the triangles of each mesh enclose, from its own
        middle.
        """
    @property
    def oriented(self) -> _Flags:
        """(N,) bool: True for meshes in which each edge runs both ways equally often, as on a
        consistently oriented surface.
        """
    @property
    def normals(self) -> _Doubles:
        """(F, 3) float64: unit normals, outward where the mesh is oriented; 0 for triangles without an
        area.
        """
    @property
    def face_bounds(self) -> _Doubles:
        """(F, 6) float64: the bounds of each triangle."""
    def convex(self, meshes: _Positions, slack: float) -> _Flags:
        """Tests which meshes have no corner further in front of the plane of a triangle than a slack.
        Returns (K,) bool.
        """
    def closed(self, meshes: _Positions) -> _Flags:
        """Tests which meshes are closed. Returns (K,) bool."""
    def faces_in_reach(self, pairs: _Positions, margin: float) -> _Positions:
        """Finds the triangles of the first mesh of pairs, (P, 2), that are no further from the bounds
        of the second than a margin. Returns their positions, sorted.
        """
    def corners_in_reach(self, pairs: _Positions) -> _Positions:
        """Finds the points of the first mesh of pairs, (P, 2), that are within the bounds of the
        second. Returns (K, 2) int64: places in the list of pairs, and positions of points.
        """
    def states(self, points: _Doubles, meshes: _Positions) -> NDArray[numpy.int8]:
        """Locates points, (K, 3), relative to a mesh each. Returns (K,) int8: 0 inside, 1 on the
        surface, 2 outside, 3 if the mesh is not closed.
        """
    def to_surfaces(self, points: _Doubles, meshes: _Positions, limits: _Doubles) -> _Doubles:
        """Computes the distances of points, (K, 3), to the surfaces of a mesh each: (K,), infinity if
        beyond their limits.
        """
    def deepest(
        self, pairs: _Positions, points: _Doubles, meshes: _Positions, limits: _Doubles
    ) -> tuple[_Positions, _Doubles, _Doubles]:
        """Finds the deepest of some points, (K, 3), of each pair, which are inside of a mesh each, and
        no deeper than their limits. Returns its place, how deep it is, and the closest point of the
        surface.
        """
    def hits_along(self, points: _Doubles, towards: _Doubles, meshes: _Positions, slack: float) -> _Doubles:
        """Returns how far rays from points, (K, 3), run until they meet a surface of a mesh each,
        other than where they start: (K,), infinity if they meet none.
        """
    def matched(
        self, found: _Pairs, first: _Positions, second: _Positions, pairs: _Positions
    ) -> _Meetings:
        """Finds the meetings among pairs of triangles, (K, 2) uint32 places in two lists of triangles,
        whose meshes are one of `pairs`, (P, 2): positions of pairs and of triangles.
        """
    def middles(self, meeting: _Meetings, count: int) -> _Doubles:
        """Returns for each of `count` pairs the middle of where its triangles may meet, (count, 3);
        NaN if none do.
        """
    def falls_apart(
        self, pairs: _Positions, meshes: _Positions, outside: _Flags, cut: _Positions
    ) -> _Flags:
        """Tests which meshes, one for each of some pairs, have a connected part whose corners outside
        of the other mesh are not connected outside. `outside` is that of all corners of all these
        meshes, and `cut` has pairs and edges, as of `crossings`. Returns (K,) bool.
        """
    def entering(self, meeting: _Meetings, tolerances: _Doubles, through: bool) -> _Flags:
        """Tests for which meetings each triangle reaches behind the plane of the other, by more than
        the tolerance of the pair; with `through`, which are on both sides of it. Returns (K,) bool.
        """
    def halfway(
        self, meeting: _Meetings, chosen: _Positions, swapped: bool
    ) -> tuple[_Positions, _Doubles, _Doubles, _Positions]:
        """Returns points of the first meshes that may be in the second ones, from some of all
        meetings, whose triangles are exchanged if `swapped`: pairs, points, how deep at most, and
        triangles.

        From the middle of the line that two triangles have in common, a ray in the first one runs
        to where it leaves it or the second mesh. Its middle is such a point.
        """
    def crossings(self, meeting: _Meetings, swapped: bool, slack: float) -> _Positions:
        """Finds the edges of first meshes that pass through a triangle of the second ones. Returns
        (K, 2) int64, sorted: pairs, and positions of edges. Triangles are exchanged if `swapped`.
        """
    def nearest(
        self, candidates: _Meetings, clearances: _Doubles
    ) -> tuple[_Positions, _Doubles, _Doubles, _Doubles]:
        """Finds the shortest distance of each pair that is no further apart than its clearance, from
        triangles that may be that near. Returns pairs, sorted, distances, and the closest points of
        both meshes.
        """

@final
class Tiling:
    """A division of space into tiles with about equal numbers of boxes from a sample, made by `tile`.

    A tile owns a pair if it contains the low corner of the intersection of the pair's bounds, so
    exactly one tile owns each pair of a scene. See `Checker.check_tile`.
    """

    @property
    def tiles(self) -> NDArray[numpy.float32]:
        """The corners of the tiles, (tiles, 2, 3) float32: the corner with the smallest coordinates,
        which belongs to the tile, and the corner with the largest, which does not. The outermost
        coordinates are infinite.
        """
    def assign(self, boxes: Rows, margin: float = 0.0) -> NDArray[numpy.uint32]:
        """Finds the boxes that each tile needs for pairs within `margin`. Returns rows of a tile and a
        position in `boxes`, in the order of the boxes. A box that crosses borders has one row for
        each of its tiles.

        >>> import obbligato
        >>> boxes = obbligato.scene("clusters", 1000)
        >>> tiling = obbligato.tile(boxes, 8)
        >>> places = tiling.assign(boxes)
        >>> len(tiling), len(places) >= 1000
        (8, True)
        """
    def to_json(self) -> str:
        """Returns the tiling as text for `from_json`."""
    @staticmethod
    def from_json(text: str) -> Tiling:
        """Reads a tiling from the text of `to_json`."""
    def __eq__(self, value: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Tree:
    """A tree of the bounds of bodies, which answers questions by rays, points and boxes.

    Bodies are shapes of any kind but `Solids`, named by their positions. All answers are about
    their bounds in float32: those of `Bounds`, spheres and triangles are the smallest, those of
    other bodies are wider by at most about 1e-5 of their size and 1e-6 of their coordinates. Bounds
    are closed: what touches them meets them. Rules of bodies do not apply.

    `build` is the method of building: "surface", the fastest for questions, "morton", the fastest
    to build, or "octree", between the two. All give the same answers.

    >>> import obbligato
    >>> tree = obbligato.Tree(obbligato.Bounds([[x, 0, 0, x + 1, 1, 1] for x in (0, 3, 0.5, 7)]))
    >>> tree.pairs().tolist(), tree.containing([[0.75, 0.5, 0.5]]).row(0).tolist()
    ([[0, 2]], [0, 2])
    >>> hits = tree.first_hits([[10, 0.5, 0.5, -1, 0, 0], [0, 9, 0, 1, 0, 0]])
    >>> hits.positions.tolist(), hits.t.tolist()
    ([3, -1], [2.0, inf])
    """

    def __new__(
        cls, boxes: Rows | Bodies | Shapes, *, build: Literal["surface", "morton", "octree"] = "surface"
    ) -> Tree: ...
    def first_hits(self, rays: ArrayLike) -> FirstHits:
        """Finds the first body that each ray meets. A ray is a row of 6 or 7 numbers, float32: origin,
        direction, and the largest t. Its points are origin + t * direction, from t = 0; directions
        have any length but 0. See `FirstHits`.

        Whether a ray meets bounds is decided exactly. If it enters several at the same t, the first
        of them is found.
        """
    def all_hits(self, rays: ArrayLike) -> Hits:
        """Finds all bodies that each ray meets, in the order in which it enters their bounds: see
        `Hits`. Rays are those of `first_hits`.

        >>> import obbligato
        >>> tree = obbligato.Tree(obbligato.Spheres([[x, 0, 0, 1] for x in (9, 3, 6)]))
        >>> hits = tree.all_hits([[0, 0, 0, 1, 0, 0, 99], [0, 0, 0, 2, 0, 0, 2.5]])
        >>> hits.row(0).tolist(), hits.row(1).tolist(), hits.t_of(1).tolist()
        ([1, 2, 0], [1, 2], [1.0, 2.5])
        """
    def containing(self, points: ArrayLike) -> Lists:
        """Finds the bodies whose bounds contain each of some points, (Q, 3) float32: see `Lists`."""
    def overlapping(self, bounds: Rows | Bounds) -> Lists:
        """Finds the bodies whose bounds share a point with each of some others, (Q, 6) float32, the
        corners min x y z and max x y z, or `Bounds`: see `Lists`.
        """
    def within(self, points: ArrayLike, distance: float) -> Lists:
        """Finds the bodies whose bounds are within a distance, in the caller's unit, of each of some
        points, (Q, 3) float32: see `Lists`.
        """
    def nearest(self, points: ArrayLike, count: int = 1) -> Neighbours:
        """Finds the `count` bodies whose bounds are nearest to each of some points, (Q, 3) float32, or
        all if there are fewer: see `Neighbours`. The distance is 0 in the bounds. Those at the same
        distance are in ascending order.

        >>> import obbligato
        >>> tree = obbligato.Tree(obbligato.Bounds([[x, 0, 0, x + 1, 1, 1] for x in (0, 3, 7)]))
        >>> near = tree.nearest([[6, 0, 0]], count=2)
        >>> near.row(0).tolist(), near.distances_of(0).tolist()
        ([2, 1], [1.0, 2.0])
        """
    def pairs(self) -> _Pairs:
        """Finds the pairs of bodies whose bounds share a point, (P, 2) uint32, sorted."""
    def refit(self, boxes: Rows | Bodies | Shapes) -> None:
        """Moves every body to its new place: `boxes` has as many, in the same order. That is several
        times as fast as a new tree. Answers stay correct wherever the bodies go, but take longer
        the further former neighbours have moved apart: see `cost`.
        """
    @property
    def cost(self) -> float:
        """The mean number of nodes that a line through the tree visits. Lower is better: at twice the
        cost of a new tree, after `refit`, a new one usually pays.
        """
    def __len__(self) -> int: ...

def render(
    boxes: _Boxes,
    *,
    size: Sequence[int] = (1280, 720),
    camera: Sequence[float] | None = None,
    target: Sequence[float] | None = None,
    contacts: bool = False,
    motions: Rows | None = None,
    dt: float | None = None,
    period: Sequence[float | None] | None = None,
    in_plane: bool = False,
    owners: ArrayLike | None = None,
    worlds: ArrayLike | None = None,
    statics: ArrayLike | None = None,
    active: ArrayLike | None = None,
    margins: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    excluded: ArrayLike | None = None,
) -> Picture:
    """Draws a picture of a scene, on the CPU: free bodies are grey, bodies that only touch others are
    blue, and bodies that overlap others are vermillion. See `Picture`, which notebooks show.

    `boxes` are shapes of any kind but `Bounds` and `Solids`. `size` is the width and the height in
    pixels. `camera` is the position of the camera and `target` the point that it looks at, x y z
    each; without them everything is in the picture, seen from above at an angle, with z up.
    `period`, `in_plane` and rules are those of `Checker.check`, which finds the pairs;
    `Checker.check_mesh` finds those of `Triangles`, and colliding ones are vermillion. Every body
    is drawn at least one pixel in size.

    `contacts=True` draws the 10,000 deepest contacts as arrows from the first body to the second.
    `motions` and `dt` are those of `Checker.sweep`: bodies are transparent at four times of the
    step, and vermillion if they meet others in it. Neither is for `Triangles`, and motions need
    positions in float32.

    >>> import obbligato
    >>> picture = obbligato.render(obbligato.Spheres([[x, 0, 0, 1] for x in (0, 1.5, 9)]), size=(320, 200))
    >>> picture
    <Picture: 320 x 200, 1 free, 0 touching, 2 overlapping>
    >>> picture.png[:4]
    b'\x89PNG'
    """
def animation(
    frames: Iterable[_Boxes],
    *,
    milliseconds: int = 100,
    size: Sequence[int] = (1280, 720),
    camera: Sequence[float] | None = None,
    target: Sequence[float] | None = None,
    contacts: bool = False,
    period: Sequence[float | None] | None = None,
    in_plane: bool = False,
) -> Picture:
    """Draws an animation of scenes, on the CPU: a picture for each, `milliseconds` long, all with the
    same camera. It repeats. Notebooks and browsers show it; other programs may show the first
    picture alone.

    `frames` are lists of shapes as `render` takes them: with rules, give each as a `BoxSet`. The
    other arguments are those of `render`. The counts are those of all pictures together.

    >>> import obbligato
    >>> frames = [obbligato.Spheres([[0, 0, 0, 1], [x, 0, 0, 1]]) for x in (3, 2, 1)]
    >>> obbligato.animation(frames, size=(320, 200))
    <Picture: 320 x 200, 2 free, 2 touching, 2 overlapping>
    """
def glb(
    boxes: _Boxes,
    *,
    motions: Rows | None = None,
    dt: float | None = None,
    period: Sequence[float | None] | None = None,
    in_plane: bool = False,
    owners: ArrayLike | None = None,
    worlds: ArrayLike | None = None,
    statics: ArrayLike | None = None,
    active: ArrayLike | None = None,
    margins: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    excluded: ArrayLike | None = None,
) -> bytes:
    """Returns a scene as a binary glTF file for other programs, without a camera: bodies as triangles,
    with a material for each of the colours of `render`, whose arguments these are.

    >>> import obbligato, pathlib, tempfile
    >>> file = obbligato.glb(obbligato.scene("crowd", 100))
    >>> pathlib.Path(tempfile.mkdtemp(), "crowd.glb").write_bytes(file) == len(file)
    True
    >>> file[:4]
    b'glTF'
    """
def tile(sample: Rows, tiles: int) -> Tiling:
    """Divides space into this number of tiles, based on a sample of a scene's boxes or all of them.
    There are fewer tiles if too many boxes share one place.

    A sample of a few thousand boxes per tile makes tiles equal to within a few percent. The result
    does not depend on the order of the boxes.

    >>> import obbligato
    >>> boxes = obbligato.scene("dense", 1000)
    >>> tiling, checker = obbligato.tile(boxes, 4), obbligato.Checker(backend="cpu")
    >>> places = tiling.assign(boxes)
    >>> needed = [boxes[places[places[:, 0] == number, 1]] for number in range(4)]
    >>> found = sum(checker.check_tile(tile, some).colliding_pairs for tile, some in zip(tiling.tiles, needed))
    >>> found == checker.check(boxes).colliding_pairs
    True
    """
def scene(name: str, count: int, seed: int = 1) -> NDArray[numpy.float32]:
    """Generates a named scene from a seed, (count, 10) float32: the same boxes on every machine.

    The names are uniform, dense, mixed, giants, crowd, bricks, clusters, sticks, particles, far and
    coincident.

    >>> import obbligato
    >>> obbligato.scene("crowd", 1000).shape
    (1000, 10)
    """
def adapters() -> list[dict[str, Any]]:
    """Returns the GPUs of this machine, best first, including software adapters, with the properties
    of each. The list is empty if there is none.
    """
def checksum(pairs: ArrayLike) -> str:
    """Returns the checksum of pairs, 16 hexadecimal digits. It does not depend on their order. The
    checksum of a list is the sum of the checksums of its parts, modulo 2^64.

    >>> import obbligato
    >>> obbligato.checksum([[0, 1], [1, 2]]) == obbligato.checksum([[1, 2], [0, 1]])
    True
    """
def feature_name(number: int) -> str:
    """Returns the name of a feature of `Contacts`: "c7" is a corner, "e11" an edge, "f5" a face.

    >>> import obbligato
    >>> obbligato.feature_name(0x25)
    'f5'
    """
def fit_boxes(
    points: ArrayLike | Sequence[ArrayLike],
    offsets: ArrayLike | None = None,
    *,
    method: Literal["smallest", "principal"] = "smallest",
    in_plane: bool = False,
) -> NDArray[Any]:
    """Fits a box around each of many groups of points: (G, 10) rows, in the order of the groups.

    `points` is a list of (K, 3) arrays, one for each group, or an array (G, K, 3), or (K, 3) with
    all points one group after the other; then group k is `points[offsets[k]:offsets[k + 1]]`, with
    `offsets` (G + 1,) whole numbers, and without them all are one group. Points are in the caller's
    unit, float32 or float64, and the result has their dtype.

    `method` is "smallest", a box of nearly the least volume, or "principal", the box along the
    principal axes of the points, which is faster and larger. A box contains each of its points,
    without rounding. With `in_plane=True`, points have two coordinates, float32, and boxes are the
    rectangles of least area, for questions with `in_plane=True`.

    >>> import obbligato, numpy
    >>> corners = numpy.array([[x, y, z] for x in (0, 4) for y in (0, 2) for z in (0, 1)], numpy.float32)
    >>> obbligato.fit_boxes([corners, corners[:1]])[:, :6].tolist()
    [[2.0, 1.0, 0.5, 2.0, 1.0, 0.5], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    """
def fit_spheres(points: ArrayLike | Sequence[ArrayLike], offsets: ArrayLike | None = None) -> Spheres:
    """Fits the smallest sphere around each of many groups of points, which are given as for
    `fit_boxes`, as float32. A sphere contains each of its points, without rounding.

    >>> import obbligato, numpy
    >>> points = numpy.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [5, 5, 5]], numpy.float32)
    >>> obbligato.fit_spheres(points, offsets=[0, 3, 4]).rows.tolist()
    [[0.0, 0.0, 0.0, 1.0], [5.0, 5.0, 5.0, 0.0]]
    """
def read_scene(
    path: str | PathLike[str],
    frame: int | None = None,
    id_column: str | None = None,
    motions: bool = False,
    double: bool = False,
) -> dict[str, Any]:
    """Reads a scene: a dictionary of the arrays that `obbligato.read` makes bodies of."""
def read_triangles(path: str | PathLike[str]) -> tuple[NDArray[numpy.float32], list[float], list[str]]:
    """Reads a mesh: (N, 9) float32, the corners of its triangles, the origin that was subtracted from
    them, and notes on other contents.
    """
def write_scene(path: str | PathLike[str], bodies: _Boxes, motions: Rows | None = None) -> None:
    """Writes bodies with ids, rules and motions."""
def write_bcf(
    path: str | PathLike[str],
    triangles: Triangles,
    starts: Sequence[int],
    origin: Sequence[float],
    topics: Sequence[dict[str, Any]],
    date: str,
    version: str | None = None,
) -> list[int]:
    """Writes clashes as topics of a BCF archive, or updates one, and returns the numbers of new,
    changed, unchanged and closed topics. `starts` has the first triangle of each mesh, and their
    number at its end; triangles are relative to `origin`, with z up, in metres.
    """
def write_bytes(path: str | PathLike[str], bytes: bytes) -> None:
    """Writes bytes as a file, whole or not at all."""
def write_pairs(path: str | PathLike[str], pairs: ArrayLike) -> None:
    """Writes pairs."""
