"""All kinds of shapes and the questions about them, against brute force in numpy."""

import pickle

import numpy
import pandas
import pytest
from conftest import cubes
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import obbligato

CHECKER = obbligato.Checker(backend="cpu")
quick = settings(max_examples=60, deadline=None)


def quarters(rows, columns, low=-24, high=24):
    """Multiples of 1/4: float64 computes with them, and with their squares, without rounding."""
    return arrays(numpy.int32, (rows, columns), elements=st.integers(low, high)).map(
        lambda whole: (whole / 4).astype(numpy.float32)
    )


def spheres(rows):
    return st.tuples(quarters(rows, 3), quarters(rows, 1, 0, 8)).map(numpy.hstack)


def plain_boxes(rows):
    still = numpy.tile(numpy.array([0, 0, 0, 1], numpy.float32), (rows, 1))
    return st.tuples(quarters(rows, 3), quarters(rows, 3, 0, 8)).map(lambda parts: numpy.hstack([*parts, still]))


def gaps(a, b):
    """The differences of all centers."""
    return a[:, None, :3].astype(float) - b[None, :, :3]


def upper(meet):
    return numpy.argwhere(numpy.triu(meet, 1)).tolist()


def balls_meet(a, b):
    return (gaps(a, b) ** 2).sum(axis=2) <= (a[:, None, 3].astype(float) + b[None, :, 3]) ** 2


def boxes_meet(a, b):
    return (abs(gaps(a, b)) <= a[:, None, 3:6].astype(float) + b[None, :, 3:6]).all(axis=2)


def boxes_meet_balls(boxes, balls):
    outside = numpy.maximum(abs(gaps(boxes, balls)) - boxes[:, None, 3:6], 0)
    return (outside**2).sum(axis=2) <= balls[None, :, 3].astype(float) ** 2


@quick
@given(spheres(12), plain_boxes(9))
def test_a2_mixed_scenes(balls, boxes):
    scene = obbligato.Bodies(boxes, spheres=balls)
    across = boxes_meet_balls(boxes, balls)
    every = numpy.block([[boxes_meet(boxes, boxes), across], [across.T, balls_meet(balls, balls)]])
    assert CHECKER.check(scene).pairs.tolist() == upper(every)
    assert CHECKER.check(obbligato.Spheres(balls)).pairs.tolist() == upper(balls_meet(balls, balls))
    assert CHECKER.check(boxes, obbligato.Spheres(balls)).pairs.tolist() == numpy.argwhere(across).tolist()
    moved = CHECKER.check_movers(CHECKER.prepare(boxes), obbligato.Spheres(balls))
    assert moved.pairs.tolist() == numpy.argwhere(across).tolist()
    tracked = obbligato.Tracker(backend="cpu").update(scene)
    assert tracked.pairs.tolist() == upper(every)


@quick
@given(spheres(10))
def test_periods(balls):
    balls[:, 3] = numpy.minimum(balls[:, 3], 1.5)
    apart = gaps(balls, balls)
    apart[..., :2] = abs(apart[..., :2] - 8 * numpy.round(apart[..., :2] / 8))
    meet = (apart**2).sum(axis=2) <= (balls[:, None, 3].astype(float) + balls[None, :, 3]) ** 2
    report = CHECKER.check(obbligato.Spheres(balls), period=[8, 8, None])
    assert report.pairs.tolist() == upper(meet)
    found = CHECKER.distances(obbligato.Spheres(balls), report.pairs, period=[8, None, 8])
    assert found.images.shape == (len(report.pairs), 3) and (found.images[:, 1] == 0).all()
    assert CHECKER.distances(obbligato.Spheres(balls), report.pairs).images is None


@quick
@given(quarters(8, 3), quarters(8, 3), quarters(8, 1, 0, 8), spheres(8))
def test_capsules(a, b, radius, balls):
    rods = obbligato.Capsules.from_ends(a, b, radius[:, 0])
    along = (b - a).astype(float)
    square = numpy.maximum((along**2).sum(axis=1), 1e-300)
    towards = balls[None, :, :3].astype(float) - a[:, None]
    place = numpy.clip((towards * along[:, None]).sum(axis=2) / square[:, None], 0, 1)
    apart = numpy.linalg.norm(towards - place[..., None] * along[:, None], axis=2) - radius - balls[None, :, 3]
    report = CHECKER.check(rods, obbligato.Spheres(balls))
    meet = numpy.zeros(apart.shape, bool)
    meet[tuple(report.pairs.T)] = True
    # Rounding to float32 may decide what is closer than that.
    sure = abs(apart) > 1e-5
    assert (meet == (apart <= 0))[sure].all()
    pairs = numpy.argwhere(numpy.ones(apart.shape))
    found = CHECKER.distances(rods, pairs, obbligato.Spheres(balls)).distances
    assert numpy.allclose(found, numpy.maximum(apart, 0).ravel(), atol=1e-5)


@quick
@given(plain_boxes(12))
def test_bounds_and_upright_cuboids(boxes):
    low, high = boxes[:, :3] - boxes[:, 3:6], boxes[:, :3] + boxes[:, 3:6]
    expected = upper(boxes_meet(boxes, boxes))
    assert CHECKER.check(obbligato.Bounds(numpy.hstack([low, high]))).pairs.tolist() == expected
    corners = [(low, low), (high, high), (low, high), (high, low)]
    plan = [column[:, axis] for x, y in corners for axis, column in ((0, x), (1, y))]
    rows = numpy.column_stack([*plan, low[:, 2], high[:, 2]]).astype(numpy.float64)
    assert CHECKER.check(obbligato.Uprights(rows)).pairs.tolist() == expected
    table = pandas.DataFrame(rows, columns=obbligato.Uprights.NAMES)
    assert obbligato.check(table, backend="cpu").pairs.tolist() == expected


@quick
@given(spheres(14), quarters(5, 3), st.integers(1, 4))
def test_neighbours(balls, points, nearest):
    apart = numpy.linalg.norm(gaps(points, balls), axis=2)
    found = CHECKER.neighbours(obbligato.Spheres(balls), around=points, nearest=nearest)
    prepared = CHECKER.neighbours(CHECKER.prepare(obbligato.Spheres(balls)), around=points, nearest=nearest)
    assert (found.neighbours == prepared.neighbours).all()
    order = numpy.argsort(apart, axis=1, kind="stable")[:, :nearest]
    assert found.neighbours.reshape(5, nearest).tolist() == order.tolist()
    assert numpy.allclose(found.distances.reshape(5, nearest), numpy.take_along_axis(apart, order, axis=1))
    surfaces = CHECKER.neighbours(obbligato.Spheres(balls), within=1.0, by_surface=True)
    between = numpy.linalg.norm(gaps(balls, balls), axis=2) - balls[:, 3:] - balls[None, :, 3]
    numpy.fill_diagonal(between, numpy.inf)
    for k in range(len(balls)):
        sure = abs(between[k] - 1) > 1e-6
        assert set(numpy.flatnonzero((between[k] <= 1) & sure)) == {j for j in surfaces.row(k) if sure[j]}
    assert repr(surfaces).startswith("<Neighbours: 14 rows")
    with pytest.raises(IndexError):
        surfaces.row(14)


@quick
@given(plain_boxes(20))
def test_rooms(boxes):
    room = obbligato.Room([-3, -3, -3], [3, 4, 5])
    low, high = boxes[:, :3] - boxes[:, 3:6], boxes[:, :3] + boxes[:, 3:6]
    walls = numpy.array([[-3, -3, -3]]), numpy.array([[3, 4, 5]])
    reached = numpy.stack([low <= walls[0], high >= walls[1]], axis=2).reshape(len(boxes), 6)
    outside = ((high < walls[0]) | (low > walls[1])).any(axis=1)
    found = CHECKER.enclosures(room, boxes)
    assert found.walls.tolist() == (reached << numpy.arange(6)).sum(axis=1).tolist()
    assert found.states.tolist() == numpy.where(outside, 2, reached.any(axis=1).astype(int)).tolist()
    again = pickle.loads(pickle.dumps(found))
    assert (again.states == found.states).all() and repr(again) == repr(found)
    assert repr(pickle.loads(pickle.dumps(room))) == repr(room)


@quick
@given(spheres(8), quarters(8, 3))
def test_sweeps_and_approaches(balls, speeds):
    scene = obbligato.Spheres(balls)
    start, speed = gaps(balls, balls), gaps(speeds, speeds)
    square = (speed**2).sum(axis=2)
    time = numpy.clip(-(start * speed).sum(axis=2) / numpy.where(square > 0, square, 1), 0, 2)
    nearest = numpy.linalg.norm(start + time[..., None] * speed, axis=2) - balls[:, 3:] - balls[None, :, 3]
    sure = abs(nearest) > 1e-6
    swept = numpy.zeros(sure.shape, bool)
    swept[tuple(CHECKER.sweep(scene, speeds, 2).pairs.T)] = True
    assert (swept == numpy.triu(nearest <= 0, 1))[sure].all()
    found = CHECKER.approaches(scene, speeds, 2, within=1.0)
    near = numpy.zeros(sure.shape, bool)
    near[tuple(found.pairs.T)] = True
    assert (near == numpy.triu(nearest <= 1, 1))[abs(nearest - 1) > 1e-6].all()
    a, b = found.pairs.T
    assert numpy.allclose(found.distances, numpy.maximum(nearest[a, b], 0), atol=1e-6) and len(found) == len(a)
    still = CHECKER.sweep_movers(CHECKER.prepare(scene), scene, speeds, 2)
    assert (still.pairs[:, 0] < 8).all() and still.images is None


def test_approaches_across_the_border():
    rows, walks = [[2, 0, 0, 0.25], [8, 1, 0, 0.25]], [[-1, 0, 0], [1, 0, 0]]
    people = obbligato.Spheres(rows)
    found = CHECKER.approaches(people, walks, 10, 1, period=(20, None, None))
    assert found.pairs.tolist() == [[0, 1]] and found.images.tolist() == [[-1, 0, 0]]
    assert found.times == pytest.approx([7], abs=1e-8) and found.distances == pytest.approx([0.5], abs=1e-8)
    first, second = obbligato.Spheres(rows[:1]), obbligato.Spheres(rows[1:])
    between = CHECKER.approaches(first, walks[:1], 10, 1, against=second, against_motions=walks[1:], period=(20, None, None))
    assert between.images.tolist() == [[-1, 0, 0]] and between.pairs.tolist() == [[0, 0]]
    open_space = CHECKER.approaches(people, walks, 10, 1)
    assert len(open_space) == 0 and open_space.images is None
    with pytest.raises(obbligato.Unavailable, match="reach over more than 16 periods"):
        CHECKER.approaches(people, walks, 10, 1e3, period=(20, None, None))


def test_the_plane():
    disks = obbligato.Bodies.in_plane(rectangles=[[0, 0, 2, 1, 0]], stadiums=[[4, 0, 1, numpy.pi / 2, 0.5]], disks=[[2.5, 0, 0.5]])
    report = CHECKER.check(disks, in_plane=True)
    assert report.pairs.tolist() == [[0, 2]] and report.touching_pairs == 1 and disks.is_flat
    depths = CHECKER.contacts(disks, [[0, 2]], in_plane=True).depths
    assert depths.tolist() == [0]
    assert CHECKER.distances(disks, [[1, 2]], in_plane=True).distances == pytest.approx([0.5], abs=1e-6)
    with pytest.raises(obbligato.InvalidInput, match="body 0"):
        CHECKER.check(cubes((0, 0, 1)), in_plane=True)


def test_contacts_of_bodies(backend):
    scene = obbligato.Bodies(cubes((0, 0, 0)), [[0, 0, 3, 1, 0, 0, 0, 1, 0.5]], [[0, 0, 1.5, 0.75]])
    found = obbligato.contacts(scene, [[0, 2], [1, 2]], backend=backend)
    assert numpy.allclose(found.depths, [0.25, 0.75]) and numpy.allclose(found.normals, [[0, 0, 1], [0, 0, -1]])


def test_tables_of_bodies_keep_ids_and_rules():
    table = pandas.DataFrame(
        {
            "shape": ["sphere", "box", "", "sphere"],
            "id": ["ball", "floor", "wall", "far"],
            "cx": [0, 0, 0, 99.0],
            "cy": 0.0,
            "cz": [1.5, 0, 0, 0],
            "radius": [1, numpy.nan, numpy.nan, 1],
            "world": [1, 1, 2, 1],
        }
    )
    for axis in "xyz":
        table[f"h{axis}"], table[f"q{axis}"] = [numpy.nan, 1, 1, numpy.nan], [numpy.nan, 0, 0, numpy.nan]
    table["qw"] = [numpy.nan, 1, 1, numpy.nan]
    table = table.astype({name: numpy.float32 for name in table if name not in ("shape", "id", "world")})
    report = obbligato.check(table, backend="cpu")
    assert report.pairs.tolist() == [[0, 2]] and report.pair_ids.tolist() == [["floor", "ball"]]
    unnamed = obbligato.check(table.drop(columns=["id", "world"]), backend="cpu")
    assert sorted(map(sorted, unnamed.pair_ids.tolist())) == [[0, 1], [0, 2], [1, 2]]
    with pytest.raises(ValueError, match=r"boxes\['shape'\] has 'cone' in row 1"):
        obbligato.check(table.assign(shape=["sphere", "cone", "box", "box"]), backend="cpu")
    with pytest.raises(ValueError, match="column shape"):
        obbligato.check(table.drop(columns="shape"), backend="cpu")


def test_shapes_pickle_and_show_themselves():
    scene = obbligato.Bodies(cubes((0, 0, 0)), spheres=[[0, 0, 0, 1]], ids=["a", "b"])
    assert repr(scene) == "<Bodies: 1 boxes, 0 capsules, 1 spheres>"
    assert repr(pickle.loads(pickle.dumps(scene))) == repr(scene)
    assert repr(obbligato.Spheres([[0, 0, 0, 1]])) == "<Spheres: 1>"
