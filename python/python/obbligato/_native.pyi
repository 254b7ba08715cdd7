from os import PathLike
from typing import Any, Literal, TypeAlias, final

import numpy
from numpy.typing import ArrayLike, NDArray

from obbligato._options import Rows, Rules

__all__ = [
    "NO_OWNER",
    "Adjacency",
    "BoxSet",
    "Checker",
    "Contacts",
    "Distances",
    "Frame",
    "Impacts",
    "PreparedScene",
    "Report",
    "Tiling",
    "Tracker",
    "__version__",
    "adapters",
    "checksum",
    "feature_name",
    "scene",
    "tile",
]

__version__: str
NO_OWNER: int

_Boxes: TypeAlias = Rows | BoxSet
_Pairs: TypeAlias = NDArray[numpy.uint32]
_Doubles: TypeAlias = NDArray[numpy.float64]
_Flags: TypeAlias = NDArray[numpy.bool_]

@final
class BoxSet:
    """Boxes, and what is known about each of them.

    Whatever takes boxes takes a set, too; `against` needs one for rules about the second list. The rules are those of `check`.

    >>> import obbligato
    >>> walls = obbligato.BoxSet([[0, 0, 0, 1, 1, 1, 0, 0, 0, 1.0]], worlds=[7])
    >>> obbligato.check([[1, 0, 0, 1, 1, 1, 0, 0, 0, 1.0]], against=walls, worlds=[7]).colliding_pairs
    1
    """

    def __new__(
        cls,
        boxes: Rows,
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
    def boxes(self) -> Rows:
        """The boxes."""
    @property
    def rules(self) -> Rules:
        """The rules, by name."""
    def __getnewargs_ex__(self) -> tuple[Any, ...]: ...

@final
class Checker:
    """Finds colliding pairs, and keeps its memory from call to call: make one and use it for every frame.

    Settings, all by name:

    - `backend`: "auto", "gpu" or "cpu"; `adapter`: part of a GPU's name, its position in `adapters()`, or a graphics API.
    - `precision`: "exact", "fast" or "conservative".
    - `margin`: report pairs that are no further apart than this, a float that is compared without rounding.
    - `output`: "pairs", "degrees" (how many boxes each box collides with) or "count" (totals alone). Degrees and counts take no memory
      for pairs, however many there are.
    - `broad_phase`: "auto", "grid", "sweep", "tree", "octree", "lbvh" or "all-pairs"; the pairs are the same with each.
    - `list_touching`: list the pairs that touch without overlapping, too.
    - `max_pairs`: return at most so many pairs, and the true total.
    - `count_operations`: count the broad phase's work.
    - `least_boxes`: "auto" checks smaller scenes on the CPU.
    - `pipeline_cache`: a file for compiled shaders; `timeout`: seconds to wait for a GPU.
    - `threads`: threads of the CPU, this checker's own; None takes those that all checkers share, one a core or
      RAYON_NUM_THREADS.

    Calls release the interpreter's lock. Calls of one checker from several threads wait for each other.

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
        boxes: _Boxes,
        against: _Boxes | None = None,
        *,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Report:
        """All colliding pairs of `boxes`, or the pairs of a box in `boxes` and one in `against`.

        Rules about `boxes`, all by name, one entry for each box: `owners`, `worlds`, `statics`, `active`, `margins`, `groups` (memberships
        and filter), and `excluded`, pairs that are never reported. A `BoxSet` has them for `against`.

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
        """The pairs that a tile owns, positions in `boxes`: those of the scene that the tile needs, which `Tiling.assign` gives it, and
        perhaps others. Over the tiles of a tiling these are the pairs of the scene, each once: see `tile`.

        The report is that of `check` but for the pairs of other tiles; its candidates, undecided pairs and times are of the work.
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
        """Which of `pairs` collide, positions in `boxes`: the narrow phase alone, for a broad phase of your own."""
    def check_bounds(self, bounds: Rows) -> Report:
        """Which of these bounds overlap, (N, 6) float32 of min and max corners, or a table of min_x, min_y, ... max_z: the broad phase
        alone, for shapes of your own.
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
        """The pairs of a box at rest and a mover that collide, in time that grows with the movers alone. In a pair, the first is a position in
        the scene and the second one among the movers.

        >>> import obbligato
        >>> checker = obbligato.Checker(backend="cpu")
        >>> wall = checker.prepare([[x, 0, 0, 1, 1, 1, 0, 0, 0, 1.0] for x in (0, 2, 4)])
        >>> checker.check_movers(wall, [[4.5, 1, 0, 0.4, 0.4, 0.4, 0, 0, 0, 1]]).pairs
        array([[2, 0]], dtype=uint32)
        """
    def contacts(self, boxes: _Boxes, pairs: ArrayLike, against: _Boxes | None = None) -> Contacts:
        """Where the boxes of each pair touch, and how deep they are in each other: see `Contacts`. In a pair, the second is a position in
        `against` if it is given, as in the pairs of `check`. Boxes in float64 are computed on the CPU.
        """
    def distances(self, boxes: _Boxes, pairs: ArrayLike, against: _Boxes | None = None) -> Distances:
        """How far apart the boxes of each pair are, and where they are closest: see `Distances`. Pairs are as in `contacts`."""
    def sweep(
        self,
        boxes: _Boxes,
        motions: Rows,
        dt: float,
        *,
        tolerance: float | None = None,
        against: _Boxes | None = None,
        against_motions: Rows | None = None,
        owners: ArrayLike | None = None,
        worlds: ArrayLike | None = None,
        statics: ArrayLike | None = None,
        active: ArrayLike | None = None,
        margins: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        excluded: ArrayLike | None = None,
    ) -> Impacts:
        """The pairs that share a point at any time of a step of `dt` seconds, and when each does first: see `Impacts`.

        A motion is a row of 3, 6, 9 or 10 numbers: velocity; angular velocity in radians per second; acceleration; and the uncertainty of
        that. Or motions are a table with any of the columns vx, vy, vz, wx, wy, wz, ax, ay, az and uncertainty. `against`, with
        `against_motions`, is a second list, whose boxes are checked against those of the first alone. Rules are those of `check`.

        >>> import obbligato
        >>> bullet, plate = [-10, 0, 0, .005, .005, .005, 0, 0, 0, 1], [0, 0, 0, .0005, 1, 1, 0, 0, 0, 1]
        >>> found = obbligato.Checker(backend="cpu").sweep([bullet, plate], [[1000, 0, 0], [0, 0, 0]], 1 / 60)
        >>> found.pairs.tolist(), round(float(found.times[0]), 4)
        ([[0, 1]], 0.01)
        """
    def memory_estimate(self, boxes: int, pairs: int = 0) -> dict[str, int]:
        """The bytes that a check of so many boxes with so many colliding pairs needs at most: `host_bytes`, `device_bytes`,
        `largest_buffer_bytes`, and in how many `parts`.
        """
    @property
    def backend(self) -> Literal["gpu", "cpu"]:
        """Where large scenes are checked: "gpu" or "cpu". With the backend "auto" this looks for a GPU."""
    @property
    def adapter(self) -> str | None:
        """The GPU's name; None on the CPU."""
    @property
    def choice(self) -> str:
        """Why it works there, in a few words."""
    @property
    def warnings(self) -> list[str]:
        """What has failed without an effect on results, a sentence each."""

@final
class PreparedScene:
    """Boxes at rest, sorted once: from `Checker.prepare`, for `Checker.check_movers`. It holds copies of the boxes and never changes."""
    def __len__(self) -> int: ...
    @property
    def backend(self) -> Literal["gpu", "cpu"]:
        """Where it is: "gpu" or "cpu"."""

@final
class Report:
    """The result of a check. Its arrays show the memory of the result itself, and cannot be written to: copy what you want to change.

    >>> import obbligato
    >>> report = obbligato.check(obbligato.scene("bricks", 1000), backend="cpu")
    >>> report.colliding_pairs == report.touching_pairs == len(report.pairs)
    True
    """

    @property
    def boxes(self) -> int:
        """Boxes checked, of both lists."""
    @property
    def candidate_pairs(self) -> int:
        """Pairs whose bounds overlap."""
    @property
    def colliding_pairs(self) -> int:
        """All colliding pairs, whether or not they are listed. With a margin, pairs no further apart than that."""
    @property
    def touching_pairs(self) -> int | None:
        """Those that share only boundary points; None unless the precision is "exact"."""
    @property
    def near_pairs(self) -> int | None:
        """Those that share no point and are only within the margin; None unless the precision is "exact"."""
    @property
    def undecided_pairs(self) -> int:
        """Pairs that `f32` could not decide and that `f64` or exact arithmetic did."""
    @property
    def undecided_after_f64(self) -> int:
        """Those of them that took exact arithmetic."""
    @property
    def complete(self) -> bool:
        """False only if more pairs collide than `max_pairs`."""
    @property
    def backend(self) -> Literal["gpu", "cpu"]:
        """Where the check ran: "gpu" or "cpu"."""
    @property
    def adapter(self) -> str | None:
        """The GPU's name; None on the CPU."""
    @property
    def threads(self) -> int | None:
        """The CPU's threads; None on a GPU."""
    @property
    def broad_phase(self) -> tuple[str, str] | None:
        """What found the candidate pairs, and why that: ("grid", "..."). None if they were given."""
    @property
    def operations(self) -> dict[str, int] | None:
        """The broad phase's work, "rows" and "comparisons"; None unless `count_operations` was set."""
    @property
    def device_bytes(self) -> int:
        """Bytes of GPU memory that the checker holds; 0 on the CPU."""
    @property
    def timings(self) -> dict[str, float]:
        """Milliseconds of each stage that the host times, and "total"."""
    @property
    def gpu_timings(self) -> dict[str, float]:
        """Milliseconds of each stage by the GPU's timestamps; empty on the CPU."""
    @property
    def pairs(self) -> _Pairs:
        """(P, 2) uint32: the colliding pairs, sorted. Of one list the first is the smaller position; of two, the first is a position in
        `boxes` and the second one in `against`.
        """
    @property
    def pair_ids(self) -> NDArray[Any]:
        """(P, 2): the pairs by the ids of their boxes, from the column `id` of a table. Boxes that have none go by their positions.

        >>> import obbligato, numpy
        >>> boxes = obbligato.scene("bricks", 4)
        >>> table = dict(zip("cx cy cz hx hy hz qx qy qz qw".split(), boxes.T), id=numpy.array(["a", "b", "c", "d"]))
        >>> obbligato.check(table, backend="cpu").pair_ids[0].tolist()
        ['a', 'b']
        """
    @property
    def touching(self) -> _Pairs:
        """(T, 2) uint32: the pairs that touch without overlapping, sorted. Needs `list_touching`."""
    @property
    def degrees(self) -> NDArray[numpy.uint32]:
        """(N,) uint32: how many boxes each box collides with. Needs the output "degrees"."""
    @property
    def checksum(self) -> str:
        """The checksum of the pairs, 16 hexadecimal digits; it does not depend on their order."""
    def marks(self) -> _Flags:
        """(N,) bool: whether each box collides. Of movers alone if there is a prepared scene; of `boxes` and then of `against` if there are two
        lists.
        """
    def adjacency(self, direction: Literal["both", "a-to-b", "b-to-a"] = "both") -> Adjacency:
        """The partners of every box: `offsets` and `neighbours`, of which those of box k are from offsets[k] to offsets[k + 1], ascending.

        The direction is "both", "a-to-b" (each pair in the row of its first box) or "b-to-a". Pairs of two lists have no "both".

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
        """(N + 1,) uint64: where the partners of each box begin, and where the last one's end."""
    @property
    def neighbours(self) -> NDArray[numpy.uint32]:
        """(K,) uint32: the partners of all boxes, one after the other."""
    def row(self, number: int) -> NDArray[numpy.uint32]:
        """The partners of one box, ascending."""
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Contacts:
    """Where the boxes of pairs touch: a manifold for each pair, in their order.

    Features are numbers: `feature_name` says which corner, edge or face one stands for.

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
        """(P + 1,) uint64: the points of pair k are those from offsets[k] to offsets[k + 1]. A pair that does not collide has none."""
    @property
    def normals(self) -> _Doubles:
        """(P, 3) float64: unit vectors from the first box to the second; NaN where they do not collide."""
    @property
    def depths(self) -> _Doubles:
        """(P,) float64: how far to move the second box along the normal to separate them; NaN where they do not collide."""
    @property
    def references(self) -> NDArray[numpy.int8]:
        """(P,) int8: whose face has the normal, 0 the first box's, 1 the second's, -1 neither's."""
    @property
    def features(self) -> NDArray[numpy.uint8]:
        """(P, 2) uint8: the parts of both boxes that are in contact; 255 where they do not collide."""
    @property
    def on_a(self) -> _Doubles:
        """(K, 3) float64: contact points on the first box."""
    @property
    def on_b(self) -> _Doubles:
        """(K, 3) float64: contact points on the second box."""
    @property
    def point_depths(self) -> _Doubles:
        """(K,) float64: how deep the boxes are in each other at each point."""
    @property
    def point_features(self) -> NDArray[numpy.uint8]:
        """(K, 2) uint8: the parts of both boxes that make each point."""
    def __len__(self) -> int: ...
    def points_of(self, pair: int) -> slice:
        """The slice of the arrays of points that is of the pair at a position."""
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Distances:
    """How far apart the boxes of pairs are, in their order."""
    @property
    def distances(self) -> _Doubles:
        """(P,) float64: 0 where the boxes collide."""
    @property
    def on_a(self) -> _Doubles:
        """(P, 3) float64: a point of the first box."""
    @property
    def on_b(self) -> _Doubles:
        """(P, 3) float64: a point of the second box, at that distance."""
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Impacts:
    """The pairs that meet during a step, sorted by time, an entry each in all arrays."""
    @property
    def boxes(self) -> int:
        """Boxes given, of both lists."""
    @property
    def candidate_pairs(self) -> int:
        """Pairs whose swept bounds overlap."""
    @property
    def pairs(self) -> _Pairs:
        """(P, 2) uint32: positions of the boxes."""
    @property
    def pair_ids(self) -> NDArray[Any]:
        """(P, 2): the pairs by the ids of their boxes, from the column `id` of a table. Boxes that have none go by their positions."""
    @property
    def times(self) -> _Doubles:
        """(P,) float64, in seconds: never later than the true time."""
    @property
    def starting(self) -> _Flags:
        """(P,) bool: whether they share a point at the start."""
    @property
    def normals(self) -> _Doubles:
        """(P, 3) float64: unit vectors from the first box to the second."""
    @property
    def points(self) -> _Doubles:
        """(P, 3) float64: a point that both boxes are at."""
    @property
    def resolved(self) -> _Flags:
        """(P,) bool: False if the search was ended before it was clear whether they meet; they do not before that time."""
    @property
    def earliest(self) -> NDArray[numpy.int64]:
        """(boxes,) int64: the position here of each box's earliest impact, -1 if it meets nothing; the boxes of `against` come last."""
    @property
    def checksum(self) -> str:
        """The checksum of the pairs, 16 hexadecimal digits."""
    @property
    def backend(self) -> Literal["gpu", "cpu"]:
        """Where it ran: "gpu" or "cpu"."""
    @property
    def milliseconds(self) -> float:
        """Milliseconds that the sweep took."""
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Tracker:
    """Checks frame after frame and says which pairs begin, persist and end.

    `coherence` says what of a frame serves the next: "auto", "fattened", "sweep-lists" or "none"; the pairs are the same with each. All
    other settings are those of `Checker`.

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
        """The next frame. Give every box an id, a whole number of 32 bits, and keep it as long as the box exists: a box is the same from
        frame to frame if its id is. A table has them in its column `id`.

        Without ids a box goes by its position, which is for scenes whose boxes never come or go: if one does, all behind it become other
        boxes, and their pairs end and begin. A warning says so when the number of boxes changes. Rules are those of `check`. After an
        error the frame counts as not given.
        """
    def safe_distances(self) -> NDArray[numpy.float32]:
        """(N,) float32, in ascending order of ids: while no point of a box has moved further than this, no pair begins or ends. 0 says nothing."""

@final
class Frame:
    """The pairs of a frame, and what has changed since the frame before. Boxes are named by their ids, the smaller one first; lists are sorted."""
    @property
    def boxes(self) -> int:
        """Boxes given."""
    @property
    def pairs(self) -> _Pairs:
        """(P, 2) uint32: the colliding pairs."""
    @property
    def begin(self) -> _Pairs:
        """(B, 2) uint32: those that did not collide in the frame before."""
    @property
    def end(self) -> _Pairs:
        """(E, 2) uint32: those that did, and do not now, or of which a box is gone."""
    @property
    def persist(self) -> _Pairs:
        """(P - B, 2) uint32: the pairs that collide now as before. O(pairs), whenever it is asked for."""
    @property
    def work(self) -> dict[str, Any]:
        """What was done to find them: "coherent" (whether what was known of the last frame served), and counts of boxes and pairs."""
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Tiling:
    """Space, cut into tiles that each have about as many boxes of a sample. `tile` makes it.

    A tile owns the pairs whose bounds' intersection has its low corner there: over all tiles these are the pairs of the scene, each
    once. See `Checker.check_tile`.
    """

    @property
    def tiles(self) -> NDArray[numpy.float32]:
        """The corners of the tiles, (tiles, 2, 3) float32: those with the smallest coordinates, which belong to the tile, and those with the
        largest, which do not. The outermost are infinite.
        """
    def assign(self, boxes: Rows, margin: float = 0.0) -> NDArray[numpy.uint32]:
        """Which boxes each tile needs, for pairs within `margin`: rows of a tile and a position in `boxes`, in the order of the boxes. A box
        that reaches over borders is there once for each of its tiles.

        >>> import obbligato
        >>> boxes = obbligato.scene("clusters", 1000)
        >>> tiling = obbligato.tile(boxes, 8)
        >>> places = tiling.assign(boxes)
        >>> len(tiling), len(places) >= 1000
        (8, True)
        """
    def to_json(self) -> str:
        """The tiling as text: what `from_json` reads."""
    @staticmethod
    def from_json(text: str) -> Tiling:
        """staticmethod(function) -> method

        Convert a function to be a static method.

        A static method does not receive an implicit first argument.
        To declare a static method, use this idiom:

             class C:
                 @staticmethod
                 def f(arg1, arg2, argN):
                     ...

        It can be called either on the class (e.g. C.f()) or on an instance
        (e.g. C().f()). Both the class and the instance are ignored, and
        neither is passed implicitly as the first argument to the method.

        Static methods in Python are similar to those found in Java or C++.
        For a more advanced concept, see the classmethod builtin.
        """
    def __eq__(self, value: object, /) -> bool: ...
    def __len__(self) -> int: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

def tile(sample: Rows, tiles: int) -> Tiling:
    """Cuts space into so many tiles, by a sample of a scene's boxes or all of them; fewer where too many boxes have one place.

    A few thousand boxes a tile make tiles equal within some percent. The answer does not depend on their order.

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
    """A seeded scene by name, (count, 10) float32: the same boxes on every machine.

    The names are uniform, dense, mixed, giants, crowd, bricks, clusters, sticks, particles, far and coincident.

    >>> import obbligato
    >>> obbligato.scene("crowd", 1000).shape
    (1000, 10)
    """
def adapters() -> list[dict[str, Any]]:
    """The GPUs of this machine, the best first, software ones included: what each is and has. Empty if there is none."""
def checksum(pairs: ArrayLike) -> str:
    """The checksum of pairs, 16 hexadecimal digits; it does not depend on their order, and that of lists that are parts of one is the sum of
    theirs modulo 2^64.

    >>> import obbligato
    >>> obbligato.checksum([[0, 1], [1, 2]]) == obbligato.checksum([[1, 2], [0, 1]])
    True
    """
def feature_name(number: int) -> str:
    """The name of a feature of `Contacts`: "c7" is a corner, "e11" an edge, "f5" a face.

    >>> import obbligato
    >>> obbligato.feature_name(0x25)
    'f5'
    """
