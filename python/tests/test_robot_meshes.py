"""Robots whose links are meshes, against python-fcl where that can be had, and against all pairs of triangles."""

import numpy
import pytest
from conftest import cubes

import obbligato
from obbligato import MeshBody, Triangles, _link_meshes
from obbligato.robots import Robot

# An angle profile: not convex, so that its bounding box has much space that its triangles leave free.
PROFILE = [[0, 0], [0.4, 0], [0.4, 0.1], [0.1, 0.1], [0.1, 0.4], [0, 0.4]]
CAPS = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]]
LENGTH = 1.0


def angle(length=LENGTH):
    """The corners and the triangles of an angle along z."""
    ends = [[[x - 0.05, y - 0.05, z] for x, y in PROFILE] for z in (0.1, length)]
    sides = [(k, (k + 1) % 6) for k in range(6)]
    faces = [[c, b, a] for a, b, c in CAPS] + [[a + 6, b + 6, c + 6] for a, b, c in CAPS]
    faces += [[a, b, b + 6] for a, b in sides] + [[a, b + 6, a + 6] for a, b in sides]
    return numpy.array(ends, numpy.float32).reshape(12, 3), numpy.array(faces)


def as_obj(path, corners, faces):
    lines = [f"v {x} {y} {z}" for x, y, z in corners.tolist()] + [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
    path.write_text("\n".join(lines) + "\n")


def urdf(links, joints):
    """The text of a chain of meshes that turn about y and x in turns."""
    mesh = '<collision><geometry><mesh filename="angle.obj"/></geometry></collision>'
    text = [f'<link name="link{k}">{mesh if k < links else ""}</link>' for k in range(joints + 1)]
    text += [
        f'<joint name="joint{k}" type="revolute"><parent link="link{k}"/><child link="link{k + 1}"/>'
        f'<origin xyz="0 0 {LENGTH}"/><axis xyz="{"0 1 0" if k % 2 else "1 0 0"}"/>'
        '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        for k in range(joints)
    ]
    return f'<robot name="arm">{"".join(text)}</robot>'


@pytest.fixture
def folder(tmp_path):
    as_obj(tmp_path / "angle.obj", *angle())
    (tmp_path / "arm.urdf").write_text(urdf(4, 3))
    (tmp_path / "arm.srdf").write_text('<robot name="arm"><disable_collisions link1="link0" link2="link2"/></robot>')
    return tmp_path


@pytest.fixture
def arm(folder):
    return Robot(folder / "arm.urdf", folder / "arm.srdf", meshes="triangles", backend="cpu")


CONFIGURATIONS = numpy.random.default_rng(8).uniform(-3, 3, (400, 3))
# The pairs of links that neither a joint nor the file of disabled pairs leaves out.
ALLOWED = [(0, 3), (1, 3)]


def surroundings(seed=9):
    """Boxes, capsules and spheres around the arm."""
    random = numpy.random.default_rng(seed)

    def centers(count):
        way = random.normal(size=(count, 3))
        return way / numpy.linalg.norm(way, axis=1)[:, None] * random.uniform(0.8, 2.5, (count, 1)) + [0, 0, 1]

    turns = random.normal(size=(2, 4, 4))
    turns /= numpy.linalg.norm(turns, axis=2)[..., None]
    boxes = numpy.hstack([centers(4), random.uniform(0.05, 0.3, (4, 3)), turns[0]])
    capsules = numpy.hstack([centers(4), random.uniform(0.1, 0.4, (4, 1)), turns[1], random.uniform(0.05, 0.2, (4, 1))])
    spheres = numpy.hstack([centers(4), random.uniform(0.05, 0.3, (4, 1))])
    return obbligato.Bodies(*(rows.astype(numpy.float32) for rows in (boxes, capsules, spheres)))


class Fcl:
    """The same links and bodies in python-fcl."""

    def __init__(self, fcl, bodies):
        self.fcl = fcl
        self.links = [fcl.CollisionObject(self.mesh(*angle()), fcl.Transform()) for _ in range(4)]
        self.bodies = [
            *(self.placed(fcl.Box(*(2.0 * row[3:6])), row[:3], row[6:]) for row in bodies.boxes.astype(float)),
            *(self.placed(fcl.Capsule(row[8], 2 * row[3]), row[:3], row[4:8]) for row in bodies.capsules.astype(float)),
            *(self.placed(fcl.Sphere(row[3]), row[:3], (0, 0, 0, 1)) for row in bodies.spheres.astype(float)),
        ]

    def mesh(self, corners, faces):
        model = self.fcl.BVHModel()
        model.beginModel(len(corners), len(faces))
        model.addSubModel(corners.astype(float), faces)
        model.endModel()
        return model

    def placed(self, shape, center, turn):
        x, y, z, w = turn
        return self.fcl.CollisionObject(shape, self.fcl.Transform([w, x, y, z], center))

    def pairs(self, poses, others):
        """Rows of a configuration, a link, and the other: of `ALLOWED` links, or of bodies."""
        found = []
        for configuration, links in enumerate(poses):
            for link, pose in zip(self.links, links):
                link.setTransform(self.fcl.Transform(pose[:3, :3], pose[:3, 3]))
            for a, b in others:
                other = self.links[b] if others is ALLOWED else self.bodies[b]
                if self.fcl.collide(self.links[a], other, self.fcl.CollisionRequest(), self.fcl.CollisionResult()):
                    found.append([configuration, a, b])
        return found


def test_a4_meshes_collide_as_in_python_fcl(arm):
    fcl = pytest.importorskip("fcl")
    scene = surroundings()
    peer, poses = Fcl(fcl, scene), arm.poses(CONFIGURATIONS)
    report = arm.check(CONFIGURATIONS, arm.prepare(scene))
    assert report.self_pairs.tolist() == peer.pairs(poses, ALLOWED)
    assert report.scene_pairs.tolist() == peer.pairs(poses, [(a, b) for a in range(4) for b in range(12)])
    # All kinds of bodies are met.
    assert set(report.scene_pairs[:, 2] // 4) == {0, 1, 2} and len(report.self_pairs) > 20
    assert report.colliding.tolist() == [
        k in {*report.self_pairs[:, 0].tolist(), *report.scene_pairs[:, 0].tolist()} for k in range(len(CONFIGURATIONS))
    ]


def placed(poses):
    corners, faces = angle()
    return (corners.astype(float) @ poses[..., :3, :3].swapaxes(-1, -2) + poses[..., None, :3, 3])[..., faces, :].astype(numpy.float32)


def test_meshes_collide_as_all_their_triangles_do(folder, arm):
    """With each other, with meshes at rest, and with bodies."""
    values, scene = CONFIGURATIONS[:60], surroundings()
    links = placed(arm.poses(values))
    corners, faces = angle(3.0)
    rods = [Triangles.of(corners + numpy.float32(place), faces) for place in ([1, 0, -1], [-1, 1, 0], [9, 9, 9])]
    checker = obbligato.Checker(backend="cpu")

    def met(one, other):
        return checker.check(Triangles(one), other).colliding_pairs > 0

    found = arm.check(values, [MeshBody(rod) for rod in rods])
    for pairs, expected in (
        (found.self_pairs, [[k, a, b] for k in range(60) for a, b in ALLOWED if met(links[k, a], Triangles(links[k, b]))]),
        (found.scene_pairs, [[k, a, b] for k in range(60) for a in range(4) for b in range(3) if met(links[k, a], rods[b])]),
    ):
        assert pairs.tolist() == expected and expected
    bodies = arm.check(values, scene).scene_pairs
    expected = [[k, a, b] for k in range(60) for a in range(4) for b in numpy.unique(checker.check(Triangles(links[k, a]), scene).pairs[:, 1])]
    assert bodies.tolist() == expected
    # Bounding boxes collide wherever the meshes do, and more often.
    boxes = Robot(folder / "arm.urdf", folder / "arm.srdf", backend="cpu").check(values, scene).scene_pairs.tolist()
    assert {tuple(pair) for pair in expected} < {tuple(pair) for pair in boxes}


def test_a_triangle_that_is_missing_is_noticed(folder, arm):
    """The answers are of all triangles: without two walls, fewer configurations collide."""
    scene = surroundings()
    corners, faces = angle()
    as_obj(folder / "angle.obj", corners, faces[:-4])
    damaged = Robot(folder / "arm.urdf", folder / "arm.srdf", meshes="triangles", backend="cpu")
    assert len(damaged.check(CONFIGURATIONS, scene).scene_pairs) < len(arm.check(CONFIGURATIONS, scene).scene_pairs)


def distance(triangles, core, radius):
    """The distance of triangles and a segment with a radius, by their hulls."""
    solids = obbligato.Solids([*triangles, core])
    pairs = [[k, len(triangles)] for k in range(len(triangles))]
    return max(solids.distances(pairs).distances.min() - radius, 0)


@pytest.mark.parametrize("within", [0.05, 0.4, 20])
def test_distances_of_meshes(arm, within):
    values, scene = CONFIGURATIONS[:40], surroundings()
    links = placed(arm.poses(values))
    cores = [*(_link_meshes._CORNERS * scene.boxes[:, None, 3:6])]
    cores += [numpy.float32([[0, 0, -half], [0, 0, half]]) for half in scene.capsules[:, 3]] + [numpy.zeros((1, 3), numpy.float32)] * 4
    centers = numpy.concatenate([scene.boxes[:, :3], scene.capsules[:, :3], scene.spheres[:, :3]])
    turns = [*scene.boxes[:, 6:], *scene.capsules[:, 4:8], *([[0, 0, 0, 1]] * 4)]
    cores = [core.astype(float) @ matrix(turn).T + center for core, turn, center in zip(cores, turns, centers)]
    radii = [0] * 4 + scene.capsules[:, 8].tolist() + scene.spheres[:, 3].tolist()
    every = numpy.array([
        min(distance(mesh, core.astype(numpy.float32), radius) for mesh in meshes for core, radius in zip(cores, radii))
        for meshes in links
    ])
    found = arm.distances(values, scene, within=within)
    sure = abs(every - within) > 1e-5
    assert numpy.allclose(found[sure], numpy.where(every <= within, every, numpy.inf)[sure], atol=1e-5)
    assert (found == 0).sum() == len(numpy.unique(arm.check(values, scene).scene_pairs[:, 0])) and (found > 0).any()
    assert numpy.isinf(found).any() == (within < 1)


def matrix(turn):
    x, y, z, w = (float(one) for one in turn)
    return numpy.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def test_margins_are_those_of_the_meshes(folder, arm):
    values, scene = CONFIGURATIONS[:200], surroundings()
    near = Robot(folder / "arm.urdf", folder / "arm.srdf", meshes="triangles", backend="cpu", margin=0.1)
    within = numpy.isfinite(arm.distances(values, scene, within=0.1))
    collide = numpy.zeros(200, bool)
    collide[near.check(values, scene).scene_pairs[:, 0]] = True
    assert collide.tolist() == within.tolist() and not within.all()


def test_closed_meshes_are_solid_and_open_ones_are_not(folder, arm):
    """A small sphere in the wall of a link, and a small mesh there; and links in a large one."""
    straight = numpy.zeros((1, 3))
    inside = [0, 0, 0.5]
    ball = obbligato.Spheres([[*inside, 0.01]])
    small = MeshBody(Triangles.of(0.01 * angle()[0] + numpy.float32(inside), angle()[1]))
    corners, faces = numpy.float32(100) * _link_meshes._CORNERS, _link_meshes._FACES
    large, lid = MeshBody(Triangles.of(corners, faces)), MeshBody(Triangles.of(corners, faces[1:]))
    block = cubes((0, 0, 0), half=100)
    for scene, links in ((ball, 1), ([small], 1), ([large], 4), (block, 4)):
        assert arm.check(straight, scene).scene_pairs.tolist() == [[0, link, 0] for link in range(links)]
        assert arm.distances(straight, scene, within=1).tolist() == [0]
    assert arm.check(straight, [lid]).scene_pairs.tolist() == []
    # The link's own mesh, without one triangle, is a surface, which the ball and the mesh are 0.04 from.
    as_obj(folder / "angle.obj", *(part[k:] for k, part in enumerate(angle())))
    hollow = Robot(folder / "arm.urdf", meshes="triangles", backend="cpu")
    for scene in (ball, [small]):
        assert hollow.check(straight, scene).scene_pairs.tolist() == []
        assert 0 < hollow.distances(straight, scene, within=1)[0] < 0.05
    for scene in (block, obbligato.Spheres([[0, 0, 0, 100]]), obbligato.Capsules([[0, 0, 0, 9, 0, 0, 0, 1, 100]])):
        assert hollow.check(straight, scene).scene_pairs.tolist() == [[0, link, 0] for link in range(4)]


def test_meshes_are_read_once_and_scaled(folder):
    mesh = '<collision><geometry><mesh filename="angle.obj" scale="{}"/></geometry></collision>'
    text = urdf(0, 1).replace('<link name="link0">', f'<link name="link0">{mesh.format("1 1 1")}{mesh.format("1 1 -2")}{mesh.format("1 1 1")}')
    (folder / "two.urdf").write_text(text)
    robot = Robot(folder / "two.urdf", meshes="triangles", backend="cpu")
    assert len(robot._meshes) == 2 and repr(robot) == "<Robot: 2 links, 1 joints, 3 bodies>"
    points = obbligato.Spheres([[0, 0, 0.95, 0], [0, 0, -1.9, 0], [0, 0, -2.1, 0], [0.2, 0.2, 0.5, 0]])
    assert robot.check([[0]], points).scene_pairs[:, 2].tolist() == [0, 1]


def test_blocks_change_nothing(arm, monkeypatch):
    scene = surroundings()
    expected = arm.check(CONFIGURATIONS, scene), arm.distances(CONFIGURATIONS, scene, within=0.5)
    monkeypatch.setattr("obbligato.robots._BLOCKS", (64, 64))
    found = arm.check(CONFIGURATIONS, scene), arm.distances(CONFIGURATIONS, scene, within=0.5)
    for one, other in zip([*vars(found[0]).values(), found[1]], [*vars(expected[0]).values(), expected[1]]):
        assert one.tolist() == other.tolist() and len(one)
