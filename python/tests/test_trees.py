"""Trees of bounds, against brute force: rays in fractions, everything else in numpy on multiples of 1/4."""

from fractions import Fraction

import numpy
import pytest
from conftest import cubes, row
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import obbligato
from obbligato import Bounds, InvalidInput, Tree

quick = settings(max_examples=60, deadline=None)
BUILDS = ["surface", "morton", "octree"]


def quarters(rows, columns, low=-16, high=16):
    """Multiples of 1/4: float64 computes with them, and with their squares, without rounding."""
    return arrays(numpy.int32, (rows, columns), elements=st.integers(low, high)).map(
        lambda whole: (whole / 4).astype(numpy.float32)
    )


def bounds(rows):
    return st.tuples(quarters(rows, 3), quarters(rows, 3, 0, 12)).map(lambda two: numpy.hstack([two[0], two[0] + two[1]]))


def rays(rows):
    """Rays with a limit; some of their directions are along an axis, or in a plane."""
    parts = st.tuples(quarters(rows, 3), quarters(rows, 3, -2, 2), quarters(rows, 1, 0, 40))
    return parts.map(numpy.hstack).map(lambda rays: rays[abs(rays[:, 3:6]).max(axis=1) > 0])


def entry(ray, corners):
    """The t at which a ray enters bounds, for exactly these numbers, or None."""
    origin, direction, limit = ray[:3], ray[3:6], ray[6]
    near, far = Fraction(0), Fraction(float(limit))
    for start, speed, low, high in zip(origin, direction, corners[:3], corners[3:]):
        start, speed, low, high = (Fraction(float(number)) for number in (start, speed, low, high))
        if speed == 0:
            if not low <= start <= high:
                return None
            continue
        first, last = sorted([(low - start) / speed, (high - start) / speed])
        near, far = max(near, first), min(far, last)
    return near if near <= far else None


def spans(found):
    return [found.row(k).tolist() for k in range(len(found))]


@quick
@given(bounds(14), rays(9), st.sampled_from(BUILDS))
def test_p3_rays(boxes, lines, build):
    tree = Tree(Bounds(boxes), build=build)
    entries = [sorted((t, k) for k, t in enumerate(entry(ray, box) for box in boxes) if t is not None) for ray in lines]
    hits, first = tree.all_hits(lines), tree.first_hits(lines)
    assert spans(hits) == [[k for _, k in one] for one in entries] and len(hits) == len(lines)
    for number, one in enumerate(entries):
        numpy.testing.assert_allclose(hits.t_of(number), [float(t) for t, _ in one], rtol=1e-6)
    assert first.positions.tolist() == [one[0][1] if one else -1 for one in entries]
    numpy.testing.assert_allclose(first.t, [float(one[0][0]) if one else numpy.inf for one in entries], rtol=1e-6)
    # Without a limit a ray goes on.
    whole = numpy.hstack([lines[:, :6], numpy.full((len(lines), 1), 1e9, numpy.float32)])
    assert spans(tree.all_hits(lines[:, :6])) == spans(tree.all_hits(whole))


@quick
@given(bounds(14), quarters(9, 3), bounds(7), st.sampled_from(BUILDS))
def test_p3_points_and_bounds(boxes, points, others, build):
    tree = Tree(Bounds(boxes), build=build)
    inside = ((boxes[None, :, :3] <= points[:, None]) & (points[:, None] <= boxes[None, :, 3:])).all(axis=2)
    assert spans(tree.containing(points)) == [numpy.flatnonzero(one).tolist() for one in inside]
    meet = (boxes[None, :, :3] <= others[:, None, 3:]) & (others[:, None, :3] <= boxes[None, :, 3:])
    for given_ in (others, Bounds(others)):
        assert spans(tree.overlapping(given_)) == [numpy.flatnonzero(one).tolist() for one in meet.all(axis=2)]
    own = (boxes[None, :, :3] <= boxes[:, None, 3:]) & (boxes[:, None, :3] <= boxes[None, :, 3:])
    assert tree.pairs().tolist() == numpy.argwhere(numpy.triu(own.all(axis=2), 1)).tolist()


def squares(points, boxes):
    """The squared distances of all points and bounds, without rounding."""
    lows, highs = boxes[None, :, :3].astype(float), boxes[None, :, 3:].astype(float)
    out = numpy.maximum(numpy.maximum(lows - points[:, None], points[:, None] - highs), 0)
    return (out**2).sum(axis=2)


@quick
@given(bounds(14), quarters(9, 3, -40, 40), st.integers(0, 16), st.integers(0, 40))
def test_p3_nearest(boxes, points, count, reach):
    tree, apart = Tree(Bounds(boxes)), squares(points.astype(float), boxes)
    near = tree.nearest(points, count)
    order = numpy.argsort(apart, axis=1, kind="stable")[:, :count]
    assert [near.row(k).tolist() for k in range(len(points))] == order.tolist()
    for k, one in enumerate(order):
        numpy.testing.assert_allclose(near.distances_of(k), numpy.sqrt(apart[k, one]), rtol=1e-6)
    assert not near.cut.any() and near.distances.dtype == numpy.float64
    assert spans(tree.within(points, reach / 4)) == [numpy.flatnonzero(one <= (reach / 4) ** 2).tolist() for one in apart]


def test_p3_bodies_have_their_bounds(crowd):
    mixed = obbligato.Bodies(row(0, 5), [[9, 0, 0, 1, 0, 0, 0, 1, 0.5]], [[20, 0, 0, 2], [30, 0, 0, 1]])
    tree = Tree(mixed)
    places = [[x, 0, 0] for x in (0, 5, 9, 20, 30, 50)]
    assert spans(tree.containing(places)) == [[0], [1], [2], [3], [4], []] and len(tree) == 5
    hit = tree.first_hits([[20, 0, 9, 0, 0, -1], [9, 0, 9, 0, 0, -1]])
    assert hit.positions.tolist() == [3, 2] and hit.t == pytest.approx([7, 7.5], rel=1e-4)
    triangles = obbligato.Triangles([[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[4, 4, 4], [5, 4, 4], [4, 5, 9]]])
    assert spans(Tree(triangles).containing([[0.75, 0.75, 0], [5, 5, 9], [0, 0, 0.01]])) == [[0], [1], []]
    walls = obbligato.Uprights([[0, 0, 4, 0, 4, 0.2, 0, 0.2, 0, 3]])
    assert spans(Tree(walls).containing([[2, 0.1, 1], [2, 1, 1]])) == [[0], []]
    # Pairs that collide have bounds that meet, for turned boxes too.
    pairs = {tuple(pair) for pair in Tree(crowd).pairs().tolist()}
    assert {tuple(pair) for pair in obbligato.check(crowd, backend="cpu").pairs.tolist()} <= pairs
    corners = numpy.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    for number in range(0, len(crowd), 97):
        x, y, z, w = crowd[number, 6:10].astype(float)
        axis = numpy.array([x, y, z])
        local = corners * crowd[number, 3:6]
        turned = local + 2 * numpy.cross(axis, numpy.cross(axis, local) + w * local) + crowd[number, :3]
        assert all(number in one for one in spans(Tree(crowd).containing(turned.astype(numpy.float32))))


def test_p3_refit(crowd):
    tree = Tree(crowd)
    before, points = tree.cost, crowd[:, :3].copy()
    moved = crowd[numpy.random.default_rng(1).permutation(len(crowd))]
    tree.refit(moved)
    fresh = Tree(moved)
    assert spans(tree.containing(points)) == spans(fresh.containing(points))
    assert (tree.pairs() == fresh.pairs()).all()
    assert tree.cost > 2 * before and fresh.cost == pytest.approx(before, rel=0.2)
    with pytest.raises(InvalidInput, match="boxes: there are 3 boxes but the tree has 2000") as caught:
        tree.refit(crowd[:3])
    assert caught.value.argument == "boxes"
    assert (tree.pairs() == fresh.pairs()).all()


def test_all_builds_and_forms_agree():
    corners = numpy.random.default_rng(3).uniform(0, 30, (3000, 3)).astype(numpy.float32)
    boxes = numpy.hstack([corners, corners + 1])
    names = ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"]
    trees = [Tree(Bounds(boxes), build=build) for build in BUILDS] + [Tree(Bounds(dict(zip(names, boxes.T))))]
    lines = numpy.hstack([corners, corners[::-1] - corners])
    for ask in (
        lambda tree: spans(tree.all_hits(lines)),
        lambda tree: tree.first_hits(lines).positions.tolist(),
        lambda tree: spans(tree.within(corners, 0.5)),
        lambda tree: tree.pairs().tolist(),
    ):
        answers = [ask(tree) for tree in trees]
        assert all(one == answers[0] for one in answers[1:]) and len(answers[0]) > 0


def test_nothing():
    tree = Tree(Bounds([]))
    assert len(tree) == 0 and tree.pairs().shape == (0, 2)
    assert tree.first_hits([[0, 0, 0, 1, 0, 0]]).positions.tolist() == [-1]
    assert spans(tree.nearest([[0, 0, 0]], 3)) == [[]]
    some = Tree(cubes((0, 0, 0)))
    for found in (some.all_hits([]), some.containing([]), some.overlapping([]), some.within([], 1), some.nearest([])):
        assert len(found) == 0 and found.offsets.tolist() == [0]
    assert len(some.first_hits([])) == 0


@pytest.mark.parametrize(
    ("rays", "message"),
    [
        ([[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 0, 0]], "rays: ray 1 has no direction: fix or remove it"),
        ([[0, 0, 0, numpy.nan, 0, 0]], "rays: ray 0 has a number that is NaN or infinite"),
        ([[1e30, 0, 0, 1, 0, 0]], "rays: ray 0 has an origin beyond"),
        ([[0, 0, 0, 1, 0, 0, -1]], "rays: ray 0 has"),
    ],
)
def test_bad_rays_are_named(rays, message):
    tree = Tree(cubes((0, 0, 0)))
    for ask in (tree.first_hits, tree.all_hits):
        with pytest.raises(InvalidInput, match=message) as caught:
            ask(rays)
        assert (caught.value.argument, caught.value.index) == ("rays", len(rays) - 1)
