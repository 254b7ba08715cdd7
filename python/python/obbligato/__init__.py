"""Finds every collision among millions of oriented boxes, on the GPU or the CPU, with the same results on both.

Boxes are a float32 array of shape (N, 10) with one box per row: center x y z, half extents x y z, and a unit
quaternion x y z w. Two boxes that share a single point collide. Boxes can also be a table, such as a pandas
DataFrame, with the columns cx cy cz hx hy hz qx qy qz qw.

Other shapes are values too, which every question takes in place of boxes: `Spheres`, `Capsules`, `Uprights`, `Bounds`,
`Triangles`, `Solids`, and `Bodies` of several kinds. `read` makes them of files.

>>> import numpy, obbligato
>>> boxes = numpy.array([[0, 0, 0, 1, 1, 1, 0, 0, 0, 1], [1.5, 0, 0, 1, 1, 1, 0, 0, 0, 1]], numpy.float32)
>>> obbligato.check(boxes).pairs
array([[0, 1]], dtype=uint32)

The functions of this module create a `Checker` for one call. For many calls, create a `Checker`: it keeps its memory
and its GPU.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy
from numpy.typing import ArrayLike

from obbligato._carried import previous_pairs, previous_points
from obbligato._errors import DeviceError, Error, FileError, InvalidInput, LimitExceeded, OutOfMemory, Unavailable, shown
from obbligato._native import (
    NO_OWNER,
    Adjacency,
    BoxSet,
    BspTree,
    Checker,
    ClosedMesh,
    Contacts,
    Distances,
    Frame,
    Impacts,
    MeshBody,
    PreparedScene,
    Report,
    Room,
    Solids,
    Tiling,
    Tracker,
    Tree,
    __version__,
    adapters,
    animation,
    checksum,
    feature_name,
    fit_boxes,
    fit_spheres,
    glb,
    render,
    scene,
    tile,
)
from obbligato._files import read, write
from obbligato._options import Options, Rows, Rules, Settings, with_names
from obbligato._pictures import Picture
from obbligato._progress import Progress, blocks
from obbligato._records import BOX, records
from obbligato._results import (
    Advanced,
    Approaches,
    Enclosures,
    FirstHits,
    Hits,
    IouMatrix,
    Lists,
    MeshPairs,
    Neighbours,
    Overlaps,
    Penetrations,
)
from obbligato._shapes import Bodies, Bounds, Capsules, Listed, Shapes, Spheres, Triangles, Uprights

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "BOX",
    "NO_OWNER",
    "Adjacency",
    "Advanced",
    "Approaches",
    "Bodies",
    "Bounds",
    "BoxSet",
    "BspTree",
    "Capsules",
    "Checker",
    "ClosedMesh",
    "Contacts",
    "DeviceError",
    "Distances",
    "Enclosures",
    "Error",
    "FileError",
    "FirstHits",
    "Frame",
    "Hits",
    "Impacts",
    "InvalidInput",
    "IouMatrix",
    "LimitExceeded",
    "Lists",
    "MeshBody",
    "MeshPairs",
    "Neighbours",
    "OutOfMemory",
    "Overlaps",
    "Penetrations",
    "Picture",
    "PreparedScene",
    "Report",
    "Room",
    "Shapes",
    "Solids",
    "Spheres",
    "Tiling",
    "Tracker",
    "Tree",
    "Triangles",
    "Unavailable",
    "Uprights",
    "__version__",
    "adapters",
    "animation",
    "check",
    "checksum",
    "contacts",
    "distances",
    "feature_name",
    "fit_boxes",
    "fit_spheres",
    "glb",
    "iou_matrix",
    "overlaps",
    "previous_pairs",
    "previous_points",
    "read",
    "records",
    "render",
    "scene",
    "sweep",
    "tile",
    "track",
    "write",
]

# The number of pairs whose overlaps are computed at once.
_OVERLAPS_AT_ONCE = 1 << 20

# Mesa's Vulkan driver looks for a display, and complains on stderr if the variable for its socket's folder is not set.
# With any folder that has no socket, it stays silent.
if sys.platform == "linux":
    os.environ.setdefault("XDG_RUNTIME_DIR", tempfile.gettempdir())

# Tracebacks show the public module, which users import them from.
for _error in (DeviceError, Error, FileError, InvalidInput, LimitExceeded, OutOfMemory, Unavailable):
    _error.__module__ = "obbligato"
for _class in (
    *(Bodies, Bounds, Capsules, Shapes, Spheres, Triangles, Uprights),
    *(Advanced, Approaches, Enclosures, FirstHits, Hits, IouMatrix, Lists, Neighbours, Overlaps, Penetrations, Picture),
):
    _class.__module__ = "obbligato"


@with_names(Options)
def check(
    boxes: Listed | Solids,
    against: Listed | None = None,
    *,
    period: Sequence[float | None] | None = None,
    in_plane: bool = False,
    **options: Unpack[Options],
) -> Report:
    """Finds the colliding pairs within `boxes`, or between `boxes` and `against`.

    Both are shapes of any kind: see `Checker.check`. The options are the settings of `Checker` and the rules of `Checker.check`.

    >>> import obbligato
    >>> boxes = obbligato.scene("crowd", 1000)
    >>> near = obbligato.check(boxes, margin=0.5)
    >>> near.colliding_pairs > obbligato.check(boxes).colliding_pairs
    True
    >>> upper, lower = boxes[:500], boxes[500:]
    >>> pairs = obbligato.check(upper, against=lower).pairs  # Positions in `upper` and in `lower`.
    """
    settings, rules = _parted(options)
    return Checker(**settings).check(boxes, against, period=period, in_plane=in_plane, **rules)


@with_names(Settings)
def contacts(
    boxes: Listed,
    pairs: ArrayLike,
    against: Listed | None = None,
    *,
    period: Sequence[float | None] | None = None,
    in_plane: bool = False,
    **settings: Unpack[Settings],
) -> Contacts:
    """Computes the contact points and penetration depths of pairs.

    >>> import obbligato
    >>> boxes = obbligato.scene("crowd", 1000)
    >>> pairs = obbligato.check(boxes).pairs
    >>> deepest = obbligato.contacts(boxes, pairs).depths.max()
    """
    return Checker(**settings).contacts(boxes, pairs, against, period=period, in_plane=in_plane)


@with_names(Settings)
def distances(
    boxes: Listed,
    pairs: ArrayLike,
    against: Listed | None = None,
    *,
    period: Sequence[float | None] | None = None,
    in_plane: bool = False,
    **settings: Unpack[Settings],
) -> Distances:
    """Computes the distances and closest points of pairs.

    >>> import obbligato
    >>> boxes = obbligato.scene("crowd", 1000)
    >>> near = obbligato.check(boxes, margin=0.5).pairs
    >>> bool(obbligato.distances(boxes, near).distances.max() <= 0.5)
    True
    """
    return Checker(**settings).distances(boxes, pairs, against, period=period, in_plane=in_plane)


@with_names(Settings)
def overlaps(
    boxes: Listed,
    pairs: ArrayLike,
    against: Listed | None = None,
    *,
    period: Sequence[float | None] | None = None,
    in_plane: bool = False,
    **settings: Unpack[Settings],
) -> Overlaps:
    """Computes the volumes that the boxes of pairs share, and their IoU.

    >>> import obbligato
    >>> boxes = obbligato.scene("crowd", 1000)
    >>> pairs = obbligato.check(boxes).pairs
    >>> same = pairs[obbligato.overlaps(boxes, pairs).ious > 0.7]  # Such as two detections of one object.
    """
    return Checker(**settings).overlaps(boxes, pairs, against, period=period, in_plane=in_plane)


@with_names(Rules)
def iou_matrix(
    boxes: Listed,
    against: Listed | None = None,
    *,
    in_plane: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
    **rules: Unpack[Rules],
) -> IouMatrix:
    """Computes the volumes that each of `boxes` shares with each of `against`, or of `boxes` itself, and their IoU.

    Runs on the CPU. Only pairs that collide are computed, all others are 0; so are those that the rules leave out, such as boxes of
    different `worlds`. In the matrix of one list with itself, each box also meets itself. The two matrices take 16 bytes for each
    pair: for long lists of which few boxes meet, use `check` and `overlaps`. `progress` is called with "overlaps", the number of
    pairs that are computed, and that of all that collide: after every million. What it raises ends the call.

    >>> import obbligato
    >>> boxes = [[x, 0, 0, 1, 1, 1, 0, 0, 0, 1] for x in (0, 1, 2)]
    >>> volumes, ious = obbligato.iou_matrix(boxes[:2], boxes)
    >>> volumes
    array([[8., 4., 0.],
           [4., 8., 4.]])
    >>> ious.argmax(axis=1)
    array([0, 1])
    """
    checker = Checker(backend="cpu", threads=threads)
    report = checker.check(boxes, against, in_plane=in_plane, **rules)
    pairs = report.pairs
    if against is None:
        shape = (report.boxes, report.boxes)
        pairs = numpy.concatenate([pairs, numpy.arange(report.boxes, dtype=numpy.uint32).repeat(2).reshape(-1, 2)])
    else:
        rows = len(report.adjacency("a-to-b"))
        shape = (rows, report.boxes - rows)
    try:
        volumes, ious = numpy.zeros(shape), numpy.zeros(shape)
    except MemoryError:
        needed = 16 * shape[0] * shape[1]
        text = f"there is no memory for {shape[0]} x {shape[1]} volumes and IoUs, which take {needed} bytes: compare fewer boxes at once"
        raise OutOfMemory(text, "OutOfMemory", needed=needed) from None
    for block in blocks("overlaps", len(pairs), _OVERLAPS_AT_ONCE, progress):
        found = checker.overlaps(boxes, pairs[block], against, in_plane=in_plane)
        first, second = pairs[block].T
        for place in [(first, second)] if against is not None else [(first, second), (second, first)]:
            volumes[place], ious[place] = found.volumes, found.ious
    return IouMatrix(volumes, ious)


@with_names(Options)
def sweep(
    boxes: Listed,
    motions: Rows,
    dt: float,
    *,
    tolerance: float | None = None,
    against: Listed | None = None,
    against_motions: Rows | None = None,
    period: Sequence[float | None] | None = None,
    in_plane: bool = False,
    **options: Unpack[Options],
) -> Impacts:
    """Finds the pairs that share a point at any time during a step of `dt` seconds, and the first time of each.

    See `Checker.sweep`.

    >>> import numpy, obbligato
    >>> boxes = obbligato.scene("crowd", 1000)
    >>> still = numpy.zeros((1000, 3), numpy.float32)
    >>> len(obbligato.sweep(boxes, still, 1.0)) == obbligato.check(boxes).colliding_pairs
    True
    """
    settings, rules = _parted(options)
    return Checker(**settings).sweep(
        boxes,
        motions,
        dt,
        tolerance=tolerance,
        against=against,
        against_motions=against_motions,
        period=period,
        in_plane=in_plane,
        **rules,
    )


@with_names(Settings)
def track(frames: Iterable[Listed | tuple[Listed, ArrayLike]], **settings: Unpack[Settings]) -> Iterator[Frame]:
    """Yields a `Frame` for each of the frames.

    A frame is a tuple of boxes and their ids, which identify the boxes from frame to frame. In frames without ids,
    positions identify the boxes: see `Tracker.update`.

    >>> import numpy, obbligato
    >>> boxes, ids = obbligato.scene("crowd", 1000), numpy.arange(1000)
    >>> walk = (boxes + [0, 0, 0, 0.01 * step, 0.01 * step, 0, 0, 0, 0, 0] for step in range(3))
    >>> all(len(frame.end) == 0 for frame in track((frame.astype("float32"), ids) for frame in walk))
    True
    """
    if not isinstance(frames, Iterable):
        raise TypeError(f"frames is {shown(frames)}: give an iterable of boxes, or of boxes and their ids")
    tracker = Tracker(**settings)
    for frame in frames:
        boxes, ids = frame if isinstance(frame, tuple) else (frame, None)
        yield tracker.update(boxes, ids)


def _parted(options: Any) -> tuple[Settings, Rules]:
    """Splits options into settings and rules. Unknown names count as settings, which the checker rejects."""
    rules = {name: value for name, value in options.items() if name in Rules.__annotations__}
    settings = {name: value for name, value in options.items() if name not in rules}
    return settings, rules  # type: ignore[return-value]
