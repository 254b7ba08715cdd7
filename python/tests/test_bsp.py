"""BSP trees of bodies made of unit cubes, against the cubes and their faces in numpy: everything is along the axes, so exact."""

import copy
import pickle

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import obbligato
from obbligato import BspTree, Unavailable

quick = settings(max_examples=60, deadline=None)
SIZE = 3
cells = arrays(bool, (SIZE,) * 3, elements=st.booleans())


def quarters(rows, columns=3):
    """Multiples of 1/4 in and around the cubes."""
    return arrays(numpy.int32, (rows, columns), elements=st.integers(-3, 4 * SIZE + 3)).map(
        lambda whole: (whole / 4).astype(numpy.float32)
    )


def faces_of(full):
    """The faces between full and empty cubes as bounds, (F, 6)."""
    around = numpy.pad(full, 1)
    found = []
    for axis in range(3):
        for cell in numpy.argwhere(numpy.diff(around.astype(int), axis=axis) != 0):
            low = cell - 1
            low[axis] += 1
            high = low + 1
            high[axis] = low[axis]
            found.append([*low, *high])
    return numpy.array(found, numpy.float32).reshape(-1, 6)


def triangles_of(faces):
    """Two triangles for each face."""
    made = []
    for low, high in faces.reshape(-1, 2, 3):
        axis = int(numpy.flatnonzero(low == high)[0])
        one, two = numpy.eye(3)[[(axis + 1) % 3, (axis + 2) % 3]]
        corners = [low, low + one, low + one + two, low + two]
        made += [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
    return obbligato.Triangles(numpy.array(made, numpy.float32).reshape(-1, 9))


def touch(lows, highs, faces):
    """Which bounds share a point with a face."""
    meet = (lows[:, None] <= faces[None, :, 3:]) & (faces[None, :, :3] <= highs[:, None])
    return meet.all(axis=2).any(axis=1)


@quick
@given(cells, quarters(20))
def test_p5_points(full, points):
    faces = faces_of(full)
    on_surface = touch(points, points, faces)
    padded = numpy.pad(full, 2)
    inside = [padded[tuple(numpy.floor(point).astype(int) + 2)] for point in points]
    expected = numpy.where(on_surface, 1, numpy.where(inside, 0, 2))
    tree = BspTree(triangles_of(faces), solid=True)
    assert tree.locate(points).tolist() == expected.tolist()
    assert tree.meets(points[:, None]).tolist() == on_surface.tolist()
    assert len(tree) == 2 * len(faces)


@quick
@given(cells, quarters(20), quarters(20), st.integers(0, 2), st.booleans())
def test_p5_segments_polygons_and_boxes(full, starts, ends, axis, flat):
    faces = faces_of(full)
    tree = BspTree(triangles_of(faces))
    corners = numpy.stack([starts, ends], axis=1)
    # Along one axis, or in the plane across it.
    across = [axis] if flat else [one for one in range(3) if one != axis]
    corners[:, 1, across] = corners[:, 0, across]
    lows, highs = corners.min(axis=1), corners.max(axis=1)
    if flat:
        one, two = (axis + 1) % 3, (axis + 2) % 3
        second, fourth = lows.copy(), lows.copy()
        second[:, one], fourth[:, two] = highs[:, one], highs[:, two]
        corners = numpy.stack([lows, second, highs, fourth], axis=1)
    expected = touch(lows, highs, faces).tolist()
    assert tree.meets(corners).tolist() == expected
    count, width = corners.shape[:2]
    assert tree.meets(corners.reshape(-1, 3), numpy.arange(0, count * width + 1, width)).tolist() == expected
    lows, highs = numpy.minimum(starts, ends), numpy.maximum(starts, ends)
    still = numpy.tile(numpy.float32([0, 0, 0, 1]), (len(starts), 1))
    boxes = numpy.hstack([(lows + highs) / 2, (highs - lows) / 2, still])
    assert tree.meets_boxes(boxes).tolist() == touch(lows, highs, faces).tolist()


def test_trees_are_copied_and_solids_locate():
    full = numpy.ones((SIZE,) * 3, bool)
    tree = BspTree(triangles_of(faces_of(full)), True)
    for made in (copy.copy(tree), pickle.loads(pickle.dumps(tree))):
        assert made.locate([[1, 1, 1], [0, 1, 1], [-1, 0, 0]]).tolist() == [0, 1, 2]
    with pytest.raises(Unavailable, match="make it with solid=True"):
        BspTree(triangles_of(faces_of(full))).locate([[1, 1, 1]])
    assert tree.meets([]).shape == tree.locate([]).shape == tree.meets_boxes([]).shape == (0,)
