"""Triangles, closed meshes and convex solids, against brute force in numpy and against boxes."""

import pickle
from itertools import product

import numpy
import pytest
from conftest import cubes
from hypothesis import given
from test_shapes import CHECKER, boxes_meet, plain_boxes, quarters, quick, spheres, upper

import obbligato

SIGNS = numpy.array(list(product((-1, 1), repeat=3)), numpy.float32)
# The corners of each side of a cube, by their positions in `SIGNS`, anticlockwise from outside.
SIDES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
FACES = [triangle for a, b, c, d in SIDES for triangle in ([a, b, c], [a, c, d])]


def corners_of(boxes):
    return [box[:3] + SIGNS * box[3:6] for box in boxes]


@quick
@given(plain_boxes(10))
def test_solids_are_boxes(boxes):
    solids = obbligato.Solids(corners_of(boxes))
    meet = boxes_meet(boxes, boxes)
    assert CHECKER.check(solids).pairs.tolist() == upper(meet)
    pairs = numpy.argwhere(numpy.ones((10, 10)))
    assert (solids.collide(pairs) == meet.ravel()).all()
    apart = numpy.maximum(abs(boxes[:, None, :3] - boxes[None, :, :3]) - boxes[:, None, 3:6] - boxes[None, :, 3:6], 0)
    assert numpy.allclose(solids.distances(pairs).distances, numpy.linalg.norm(apart, axis=2).ravel())
    assert numpy.allclose(solids.volumes, 8 * boxes[:, 3:6].prod(axis=1))
    deep = (boxes[:, None, 3:6] + boxes[None, :, 3:6] - abs(boxes[:, None, :3] - boxes[None, :, :3])).min(axis=2)
    found = solids.penetrations(pairs)
    flat = (boxes[:, 3:6] == 0).any(axis=1)
    solid = ~(flat[:, None] | flat[None]).ravel()
    assert (numpy.isnan(found.depths) == ~meet.ravel()).all()
    sure = solid & meet.ravel()
    assert numpy.allclose(found.depths[sure], deep.ravel()[sure], atol=1e-6)
    assert len(pickle.loads(pickle.dumps(solids))) == len(solids) and repr(solids) == "<Solids: 10>"


@quick
@given(plain_boxes(1), quarters(30, 3))
def test_points_in_a_mesh(boxes, points):
    boxes[:, 3:6] += 0.25
    (corners,) = corners_of(boxes)
    mesh = obbligato.ClosedMesh(obbligato.Triangles.of(corners, FACES))
    beyond = (abs(points - boxes[0, :3]) - boxes[0, 3:6]).max(axis=1)
    assert mesh.locate(points).tolist() == (numpy.sign(beyond) + 1).astype(int).tolist()
    again = pickle.loads(pickle.dumps(mesh))
    assert len(again) == 12 and repr(again) == repr(mesh)
    balls = obbligato.Spheres(numpy.column_stack([points, numpy.zeros(len(points), numpy.float32)]))
    assert CHECKER.enclosures(mesh, balls).states.tolist() == mesh.locate(points).tolist()


NAMES = obbligato.MeshPairs.RELATIONS


@quick
@given(plain_boxes(8), quarters(8, 3))
def test_scenes_of_meshes_are_boxes(boxes, ways):
    """Boxes on a grid, in frames of their own, by the intervals of both."""
    boxes[:, 3:6] += 0.25
    bodies = obbligato.MeshBody.from_each([obbligato.Triangles.of(corners, FACES) for corners in corners_of(boxes)])
    assert all(one.is_closed and len(one) == 12 for one in bodies)
    poses = numpy.column_stack([ways, numpy.tile(numpy.float32([0, 0, 0, 1]), (8, 1))])
    centers, halves = boxes[:, :3] + ways, boxes[:, 3:6]
    margin = 0.5
    found = obbligato.Checker(backend="cpu", margin=margin).mesh_scene(bodies, poses)
    relations = {tuple(pair): (NAMES[k], far) for pair, k, far in zip(found.pairs.tolist(), found.relations, found.distances)}
    for a in range(8):
        for b in range(a + 1, 8):
            apart = abs(centers[a] - centers[b])
            gap = float(numpy.linalg.norm(numpy.maximum(apart - halves[a] - halves[b], 0)))
            inner = [(apart < halves[k] - halves[m]).all() for k, m in ((a, b), (b, a))]
            if gap > 0:
                expected = ("near", gap) if gap <= margin else None
            elif any(inner):
                expected = ("a contains b" if inner[0] else "b contains a", 0)
            else:
                expected = ("overlap" if (apart < halves[a] + halves[b]).all() else "touch", 0)
            assert relations.get((a, b)) == (expected and (expected[0], pytest.approx(expected[1])))
    surfaces = found.triangles[found.relations < 2]
    assert ((surfaces >= 0) & (surfaces < 12)).all() and (found.triangles[numpy.isin(found.relations, [2, 3])] == -1).all()
    again = pickle.loads(pickle.dumps((bodies, found)))
    assert again[1].pairs.tolist() == found.pairs.tolist() and repr(again[0]) == repr(bodies)


def test_instances_share_a_mesh():
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    wedge = obbligato.MeshBody(obbligato.Triangles.of(corners, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]))
    found = CHECKER.mesh_scene([wedge] * 3, [[x, 0, 0, 0, 0, 0, 1] for x in (0, 1, 1.5)])
    assert repr(found) == "<MeshPairs: 1 overlap, 1 touch, 0 a contains b, 0 b contains a, 0 near>"
    assert found.pairs.tolist() == [[0, 1], [1, 2]] and found.relations.tolist() == [1, 0]
    # A half turn about z puts it in another octant, which has an edge in common.
    turned = CHECKER.mesh_scene([wedge] * 2, [[0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 1, 0]])
    assert turned.relations.tolist() == [1] and len(CHECKER.mesh_scene([])) == 0
    open_one = obbligato.MeshBody(obbligato.Triangles([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]))
    assert not open_one.is_closed and repr(open_one) == "<MeshBody: 1 triangles, open>"


def to_triangle(point, corners):
    """The distance of a point and a triangle: to its plane if it is above it, else to the nearest edge."""
    a, b, c = corners
    normal = numpy.cross(b - a, c - a)
    sides = [numpy.dot(numpy.cross(q - p, point - p), normal) for p, q in ((a, b), (b, c), (c, a))]
    if normal.any() and min(sides) >= 0:
        return abs(numpy.dot(point - a, normal)) / numpy.linalg.norm(normal)

    def to_edge(p, q):
        along = q - p
        place = numpy.clip(numpy.dot(point - p, along) / max(numpy.dot(along, along), 1e-300), 0, 1)
        return numpy.linalg.norm(point - p - place * along)

    return min(to_edge(a, b), to_edge(b, c), to_edge(c, a))


@quick
@given(quarters(18, 3), spheres(8))
def test_triangles_and_spheres(points, balls):
    corners = points.reshape(6, 3, 3)
    found = CHECKER.check(obbligato.Triangles(corners), obbligato.Spheres(balls)).pairs.tolist()
    for a, b in product(range(6), range(8)):
        gap = to_triangle(balls[b, :3].astype(float), corners[a].astype(float)) - balls[b, 3]
        if abs(gap) > 1e-9:
            assert ([a, b] in found) == (gap < 0)


@quick
@given(quarters(18, 3), quarters(18, 3))
def test_triangles_are_flat_solids(first, second):
    a, b = first.reshape(6, 3, 3), second.reshape(6, 3, 3)
    solids = obbligato.Solids([*a, *b])
    pairs = numpy.array(list(product(range(6), range(6, 12))))
    meet = pairs[solids.collide(pairs)] - [0, 6]
    assert CHECKER.check(obbligato.Triangles(a), obbligato.Triangles(b)).pairs.tolist() == meet.tolist()


def test_a_mesh_with_itself():
    (corners,) = corners_of(cubes((0, 0, 0)))
    cube = obbligato.Triangles.of(corners, FACES)
    assert len(cube) == 12 and cube.corners.shape == (12, 3, 3)
    assert CHECKER.check_mesh(cube).colliding_pairs == 0
    both = obbligato.Triangles(numpy.concatenate([cube.corners, cube.corners * numpy.float32(0.5) + 0.75]))
    crossing = CHECKER.check_mesh(both)
    assert crossing.colliding_pairs > 0
    assert CHECKER.check_mesh(both, without_neighbours=True).pairs.tolist() == crossing.pairs.tolist()
    with pytest.raises(obbligato.InvalidInput, match="open"):
        obbligato.ClosedMesh(obbligato.Triangles(cube.corners[:11]))
    with pytest.raises(ValueError, match=r"points\[0\] has the shape"):
        obbligato.Solids([[0, 0, 0]])
    with pytest.raises(obbligato.InvalidInput, match="pair 0"):
        obbligato.Solids([corners]).distances([[0, 1]])
