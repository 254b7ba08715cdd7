"""Boxes and spheres around points: containment in fractions, sizes against brute force in numpy."""

from fractions import Fraction
from itertools import combinations

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracle import _axes

import obbligato
from obbligato import InvalidInput, Unavailable

quick = settings(max_examples=40, deadline=None)
RANDOM = numpy.random.default_rng(7)


def clouds(least=1, most=14):
    """Points with many coordinates in common, so that planes, lines and repeated points come up."""
    tenths = arrays(numpy.int32, st.tuples(st.integers(least, most), st.just(3)), elements=st.integers(-30, 30))
    return tenths.map(lambda whole: (whole / 10).astype(numpy.float32))


def fractions(numbers):
    return [Fraction(float(number)) for number in numbers]


def contains_all(box, points):
    """True if all points are in a box, for exactly the numbers of both."""
    row = fractions(box)
    for point in points:
        apart = [p - c for p, c in zip(fractions(point), row[:3])]
        for half, axis in zip(row[3:6], _axes(row[6:10])):
            if abs(sum(a * b for a, b in zip(apart, axis))) > half:
                return False
    return True


def volume(rows):
    return numpy.prod(2.0 * rows[..., 3:6].astype(float), axis=-1)


def turned(points, axes):
    """The volumes of boxes around points along some axes, (R, 3, 3)."""
    along = points.astype(float) @ numpy.swapaxes(axes, -1, -2)
    return numpy.ptp(along, axis=-2).prod(axis=-1)


def rotations(count):
    """Random axes, (count, 3, 3)."""
    return numpy.linalg.qr(RANDOM.normal(size=(count, 3, 3)))[0]


@quick
@given(st.lists(clouds(), min_size=1, max_size=4), st.sampled_from(["smallest", "principal"]))
def test_s5_boxes_contain_their_points(groups, method):
    for given_ in (groups, [group + 1e6 / 3 for group in groups], [group.astype(float) / 3 for group in groups]):
        rows = obbligato.fit_boxes(given_, method=method)
        assert rows.shape == (len(groups), 10) and rows.dtype == given_[0].dtype
        for row, points in zip(rows, given_):
            assert contains_all(row, points)


def test_the_test_of_containment_can_fail():
    box = obbligato.fit_boxes(numpy.float32([[0, 0, 0], [1, 2, 3]]))[0]
    assert contains_all(box, [[0.5, 1, 1.5]]) and not contains_all(box, [[0.5, 1, 4]])
    box[3] = numpy.nextafter(box[3], numpy.float32(0))
    assert not contains_all(box, [[0, 0, 0], [1, 2, 3]])


def test_s5_float64_boxes_fit_closely_far_away():
    near = RANDOM.normal(size=(5, 40, 3))
    far = near + numpy.array([4e6, -7e5, 3e3])
    rows, away = obbligato.fit_boxes(near), obbligato.fit_boxes(far)
    assert away.dtype == numpy.float64
    numpy.testing.assert_allclose(volume(away), volume(rows), rtol=1e-4)
    # Rows of float32 would not hold the points.
    assert obbligato.check(away, backend="cpu").boxes == 5
    assert all(contains_all(row, points) for row, points in zip(away, far))


def test_s5_boxes_are_nearly_the_smallest():
    axes = rotations(4000)
    for points in RANDOM.normal(size=(12, 25, 3)).astype(numpy.float32):
        best = turned(points, axes).min()
        assert volume(obbligato.fit_boxes(points))[0] <= 1.0001 * best
    # Of a turned box with points inside of it, the smallest box is known.
    for half, three in zip(RANDOM.uniform(0.2, 3, size=(20, 3)), rotations(20)):
        corners = numpy.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half
        inner = RANDOM.uniform(-1, 1, size=(400, 3)) * half
        points = (numpy.vstack([corners, inner]) @ three).astype(numpy.float32)
        assert volume(obbligato.fit_boxes(points))[0] == pytest.approx(8 * half.prod(), rel=1e-3)


def test_s5_principal_axes():
    clouds = RANDOM.normal(size=(30, 200, 3)) * [1, 3, 9] @ rotations(30)
    rows = obbligato.fit_boxes(clouds.astype(numpy.float32), method="principal")
    for row, points in zip(rows, clouds):
        _, columns = numpy.linalg.eigh(numpy.cov(points.T))
        own = numpy.array(_axes([float(part) for part in row[6:10]]))
        # The same axes, in any order and direction.
        assert abs(abs(own @ columns).max(axis=0) - 1).max() < 1e-4
        assert volume(row) == pytest.approx(turned(points, columns.T[None])[0], rel=1e-3)
    smallest = obbligato.fit_boxes(clouds.astype(numpy.float32))
    assert (volume(smallest) <= volume(rows) * 1.000001).all()


@quick
@given(clouds(2, 9))
def test_s5_rectangles(points):
    flat = points[:, :2]
    row = obbligato.fit_boxes(flat, in_plane=True)[0]
    assert contains_all(row, [[x, y, 0] for x, y in flat]) and row[2] == 0
    # A side of the smallest lies along two of the points.
    edges = numpy.array([b - a for a, b in combinations(flat.astype(float), 2)])
    edges = edges[abs(edges).max(axis=1) > 0]
    if not len(edges):
        edges = numpy.array([[1.0, 0.0]])
    unit = edges / numpy.linalg.norm(edges, axis=1)[:, None]
    both = numpy.stack([unit, numpy.column_stack([-unit[:, 1], unit[:, 0]])], axis=1)
    best = numpy.ptp(flat.astype(float) @ numpy.swapaxes(both, -1, -2), axis=-2).prod(axis=-1).min()
    assert 4.0 * float(row[3]) * float(row[4]) <= best + 1e-5
    scene = obbligato.check(numpy.vstack([row, row]), in_plane=True, backend="cpu")
    assert scene.colliding_pairs == 1


def through(points):
    """The sphere with some points on it and its center among them, or None."""
    base, more = points[0], points[1:] - points[0]
    if not len(more):
        return base, 0.0
    parts, *_ = numpy.linalg.lstsq(2 * more @ more.T, (more**2).sum(axis=1), rcond=None)
    center = base + parts @ more
    apart = numpy.linalg.norm(points - center, axis=1)
    return (center, apart[0]) if numpy.ptp(apart) < 1e-9 else None


def least_radius(points):
    """The radius of the smallest sphere: of all spheres through up to four points, the smallest that contains all."""
    points = numpy.unique(points.astype(float), axis=0)
    radii = []
    for count in range(1, min(4, len(points)) + 1):
        for some in combinations(points, count):
            found = through(numpy.array(some))
            if found and numpy.linalg.norm(points - found[0], axis=1).max() <= found[1] + 1e-9:
                radii.append(found[1])
    return min(radii)


@quick
@given(st.lists(clouds(1, 9), min_size=1, max_size=3))
def test_s5_spheres(groups):
    spheres = obbligato.fit_spheres(groups)
    assert isinstance(spheres, obbligato.Spheres) and len(spheres) == len(groups)
    for row, points in zip(spheres.rows, groups):
        x, y, z, radius = fractions(row)
        for point in points:
            assert sum((p - c) ** 2 for p, c in zip(fractions(point), (x, y, z))) <= radius**2
        assert float(radius) <= least_radius(points) * (1 + 1e-5) + 1e-6


def test_all_forms_of_points_are_equal():
    stack = RANDOM.normal(size=(6, 11, 3)).astype(numpy.float32)
    expected = obbligato.fit_boxes(list(stack))
    offsets = numpy.arange(0, 67, 11)
    for points, starts in ((stack, None), (stack.reshape(-1, 3), offsets), (stack.reshape(-1, 3).tolist(), offsets.tolist())):
        assert (obbligato.fit_boxes(points, starts) == expected).all()
        assert (obbligato.fit_spheres(points, starts).rows == obbligato.fit_spheres(list(stack)).rows).all()
    assert (obbligato.fit_boxes(stack[0]) == expected[:1]).all()
    assert (obbligato.fit_boxes(stack[:, ::-1][:, ::-1]) == expected).all()
    # Numbers that float32 holds give the same box in either dtype.
    assert (obbligato.fit_boxes(stack.astype(float)) == expected).all()
    for nothing in ([], numpy.empty((0, 4, 3), numpy.float32)):
        assert obbligato.fit_boxes(nothing).shape == (0, 10) and len(obbligato.fit_spheres(nothing)) == 0


def test_errors_say_where():
    points = RANDOM.normal(size=(9, 3)).astype(numpy.float32)
    with pytest.raises(InvalidInput, match="offsets: row 2 has 3, which is below 5") as caught:
        obbligato.fit_boxes(points, [0, 5, 3, 9])
    assert (caught.value.argument, caught.value.index) == ("offsets", 2)
    for offsets, row in (([1, 9], 0), ([0, 8], 1), ([0, 4, 10], 2)):
        with pytest.raises(InvalidInput, match="but there are 9 points: give offsets from 0 to 9") as caught:
            obbligato.fit_spheres(points, offsets)
        assert (caught.value.argument, caught.value.index) == ("offsets", row)
    for method in ("smallest", "principal"):
        with pytest.raises(InvalidInput, match="points: there are no points of group 1") as caught:
            obbligato.fit_boxes(points, [0, 4, 4, 9], method=method)
        assert (caught.value.argument, caught.value.kind) == ("points", "NoPoints")
        for dtype in (numpy.float32, numpy.float64):
            bad = points.astype(dtype)
            bad[6] = numpy.nan
            with pytest.raises(InvalidInput, match="points: point 2 of group 1 has a number that is NaN") as caught:
                obbligato.fit_boxes(bad, [0, 4, 9], method=method)
            assert (caught.value.argument, caught.value.index) == ("points", 2)
    with pytest.raises(Unavailable, match="leave out method, or in_plane"):
        obbligato.fit_boxes(points[:, :2], method="principal", in_plane=True)
