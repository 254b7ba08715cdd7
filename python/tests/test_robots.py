"""Robots from URDF, against a chain computed by hand."""

import numpy
import pytest
from conftest import cubes

import obbligato
from obbligato._poses import quaternions
from obbligato.robots import Robot

ARM = """<robot name="arm">
  <link name="base"><collision><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.05" length="0.8"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.05" length="0.8"/></geometry></collision></link>
  <link name="hand"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="lower"/><child link="hand"/><origin xyz="0 0 1"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "arm.urdf").write_text(ARM)
    return tmp_path / "arm.urdf"


@pytest.fixture
def arm(path):
    return Robot(path, backend="cpu")


def hand_of(values):
    """The place of the hand in the plane of the arm: x and z."""
    shoulder, elbow, slide = values.T
    turn = shoulder + elbow
    return numpy.column_stack(
        [numpy.sin(shoulder) + (1 + slide) * numpy.sin(turn), 0.2 + numpy.cos(shoulder) + (1 + slide) * numpy.cos(turn)]
    )


def test_a4_poses_and_self_collisions(arm):
    assert arm.joints == ["shoulder", "elbow", "slide"] and arm.links == ["base", "upper", "lower", "hand"]
    values = numpy.random.default_rng(1).uniform([-3, -3, 0], [3, 3, 1], (500, 3))
    hands = arm.poses(values)[:, 3, :3, 3]
    assert numpy.allclose(hands[:, [0, 2]], hand_of(values)) and numpy.allclose(hands[:, 1], 0)
    report = arm.check(values)
    outside = numpy.maximum(abs(hands) - [0.2, 0.2, 0.1], 0)
    expected = numpy.linalg.norm(outside, axis=1) - 0.1
    of_hand = numpy.zeros(500, bool)
    of_hand[report.self_pairs[(report.self_pairs[:, 1] == 0) & (report.self_pairs[:, 2] == 3), 0]] = True
    sure = abs(expected) > 1e-5
    assert (of_hand == (expected <= 0))[sure].all() and of_hand.any()
    links = {tuple(pair) for pair in report.self_pairs[:, 1:].tolist()}
    assert not links & {(0, 1), (1, 2), (2, 3)} and report.colliding.sum() >= of_hand.sum()


def test_scenes_and_distances(arm):
    values = numpy.random.default_rng(2).uniform([-3, -3, 0], [3, 3, 1], (300, 3))
    scene = cubes((1.5, 0, 1), (0, 9, 0), half=0.1)
    report = arm.check(values, arm.prepare(scene))
    assert report.scene_pairs.tolist() == arm.check(values, scene).scene_pairs.tolist()
    hands = arm.poses(values)[:, 3, :3, 3]
    apart = numpy.linalg.norm(numpy.maximum(abs(hands - [1.5, 0, 1]) - 0.1, 0), axis=1) - 0.1
    of_hand = numpy.zeros(300, bool)
    of_hand[report.scene_pairs[report.scene_pairs[:, 1] == 3, 0]] = True
    sure = abs(apart) > 1e-5
    assert (of_hand == (apart <= 0))[sure].all() and of_hand.any()
    found = arm.distances(values, scene, within=0.5)
    assert (found[numpy.isfinite(found)] <= numpy.maximum(apart, 0)[numpy.isfinite(found)] + 1e-5).all()
    touching = numpy.isin(numpy.arange(300), report.scene_pairs[:, 0])
    assert ((found == 0) == touching).all() and numpy.isinf(found).any()
    assert repr(arm) == "<Robot: 4 links, 3 joints, 4 bodies>" and repr(report).startswith("<RobotReport: ")


def test_disabled_pairs_meshes_and_mistakes(arm, tmp_path):
    # The lower link lies on the upper one, and the hand is at the base.
    assert [0, 0, 3] in arm.check([[0, numpy.pi, 0]]).self_pairs.tolist()
    (tmp_path / "arm.srdf").write_text(
        '<robot name="arm"><disable_collisions link1="base" link2="hand"/><disable_collisions link1="lower" link2="base"/></robot>'
    )
    tolerant = Robot(tmp_path / "arm.urdf", tmp_path / "arm.srdf", backend="cpu")
    values = numpy.random.default_rng(1).uniform([-3, -3, 0], [3, 3, 1], (500, 3))
    links = {tuple(pair) for pair in tolerant.check(values).self_pairs[:, 1:].tolist()}
    assert not links & {(0, 2), (0, 3)}
    with pytest.raises(ValueError, match=r"configurations has the shape \(1, 2\): give \(K, 3\)"):
        arm.check([[0, 0]])
    with pytest.raises(ValueError, match=r"configurations\[1\] has a number that is not finite"):
        arm.check([[0, 0, 0], [0, numpy.nan, 0]])
    (tmp_path / "cube.obj").write_text("v 0 0 0\nv 2 0 0\nv 0 4 0\nv 0 0 6\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n")
    mesh = ARM.replace('<sphere radius="0.1"/>', '<mesh filename="package://arm/cube.obj" scale="0.1 0.1 0.1"/>')
    (tmp_path / "mesh.urdf").write_text(mesh)
    assert repr(Robot(tmp_path / "mesh.urdf")) == "<Robot: 4 links, 3 joints, 4 bodies>"


def test_rotations_becomequaternions():
    """Also half turns, about any axis: every component is the largest of some."""
    random = numpy.random.default_rng(5)
    axes = numpy.concatenate([numpy.eye(3), random.normal(size=(200, 3))])
    axes /= numpy.linalg.norm(axes, axis=1)[:, None]
    for angle in (0.0, 1e-9, 1.0, 3.0, numpy.pi, -2.5):
        x, y, z = axes.T
        zero = numpy.zeros_like(x)
        cross = numpy.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]).transpose(2, 0, 1)
        matrices = numpy.eye(3) + numpy.sin(angle) * cross + (1 - numpy.cos(angle)) * (cross @ cross)
        expected = numpy.column_stack([axes * numpy.sin(angle / 2), numpy.full(len(axes), numpy.cos(angle / 2))])
        found = quaternions(matrices)
        assert numpy.allclose(abs((found * expected).sum(axis=1)), 1)


@pytest.mark.parametrize("within", [0, 0.02, 0.5, 30])
def test_distances_are_those_of_all_pairs(arm, path, within):
    values = numpy.random.default_rng(3).uniform([-3, -3, 0], [3, 3, 1], (60, 3))
    scene = cubes((1.5, 0, 1), (0, 9, 0), (-2, 0.5, 0.5), half=0.1)
    found = arm.distances(values, scene, within=within)
    wide = Robot(path, backend="cpu", margin=2.0)
    assert wide.distances(values, scene, within=within).tolist() == found.tolist()
    placed = arm._placed(values, 0)
    bodies, of_configuration = placed.own.bodies, placed.of_configuration
    pairs = numpy.stack(numpy.meshgrid(range(len(scene)), range(len(bodies)), indexing="ij"), axis=-1).reshape(-1, 2)
    every = numpy.full(60, numpy.inf)
    numpy.minimum.at(every, of_configuration[pairs[:, 1]], obbligato.distances(scene, pairs, bodies, backend="cpu").distances)
    expected = numpy.where(every <= within, every, numpy.inf)
    assert found.tolist() == expected.tolist() and (within < 30 or numpy.isfinite(found).all())


def test_both_backends_agree(arm, path):
    values = numpy.random.default_rng(3).uniform([-3, -3, 0], [3, 3, 1], (60, 3))
    scene = cubes((1.5, 0, 1), (-2, 0.5, 0.5), half=0.1)
    other = Robot(path, backend="gpu")
    assert other.check(values, other.prepare(scene)).scene_pairs.tolist() == arm.check(values, scene).scene_pairs.tolist()
    assert numpy.allclose(other.distances(values, scene, within=30), arm.distances(values, scene, within=30), atol=1e-5)
