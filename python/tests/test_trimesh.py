"""The collision manager of `obbligato.trimesh`, against that of trimesh where python-fcl can be had."""

import sys

import numpy
import pytest
import trimesh

from obbligato.trimesh import CollisionManager, scene_to_collision

CUBE = trimesh.creation.box([1, 1, 1])
RING = trimesh.creation.torus(2, 0.5, major_sections=16, minor_sections=8)
BALL = trimesh.creation.icosphere(subdivisions=1, radius=0.6)


def at(*place, turn=None):
    transform = numpy.eye(4) if turn is None else trimesh.transformations.random_rotation_matrix(turn)
    transform[:3, 3] = place
    return transform


def managers():
    """Ours and that of trimesh, with the same objects."""
    pytest.importorskip("fcl")
    random = numpy.random.default_rng(3)
    both = [CollisionManager(), trimesh.collision.CollisionManager()]
    for number in range(40):
        mesh = [CUBE, RING, BALL][number % 3]
        transform = at(*random.uniform(-6, 6, 3), turn=random.random(3))
        for manager in both:
            manager.add_object(f"object {number:02}", mesh, transform)
    return both


def test_the_answers_are_those_of_trimesh():
    ours, theirs = managers()
    assert ours.in_collision_internal(return_names=True) == theirs.in_collision_internal(return_names=True)
    random = numpy.random.default_rng(4)
    for number in range(30):
        mesh, transform = [CUBE, RING, BALL][number % 3], at(*random.uniform(-7, 7, 3), turn=random.random(3))
        assert ours.in_collision_single(mesh, transform, return_names=True) == theirs.in_collision_single(
            mesh, transform, return_names=True
        )
        distance, name = ours.min_distance_single(mesh, transform, return_name=True)
        expected, expected_name = theirs.min_distance_single(mesh, transform, return_name=True)
        if expected > 0:
            assert distance == pytest.approx(expected, abs=1e-5) and name == expected_name
        else:
            assert distance <= 0


def test_contacts_have_faces_and_points():
    manager = CollisionManager()
    manager.add_object("ring", RING)
    hit, names, data = manager.in_collision_single(CUBE, at(2, 0, 0), return_names=True, return_data=True)
    assert hit is True and names == {"ring"} and len(data) > 10
    for contact in data:
        assert contact.names == {"ring", "__external"} and contact.index("__external") == -1
        corners = RING.triangles[contact.index("ring")]
        assert (corners.min(axis=0) - contact.depth <= contact.point + 1e-5).all()
        assert numpy.linalg.norm(contact.normal) == pytest.approx(1) and contact.depth >= 0
    distance, data = manager.min_distance_single(CUBE, at(4, 0, 0), return_data=True)
    assert distance == data.distance == pytest.approx(1)
    assert numpy.allclose(data.point("ring"), [2.5, 0, 0]) and data.index("__external") == -1
    assert manager.min_distance_single(BALL, at(2, 0, 0)) <= 0


def test_scenes_and_mistakes():
    manager, objects = scene_to_collision(trimesh.Scene([CUBE, RING]))
    assert len(objects) == 2 and manager.in_collision_internal() is False
    for call in (manager.remove_object, lambda name: manager.set_transform(name, at(0, 0, 0))):
        with pytest.raises(ValueError, match="name is .none., which no object has: add it first"):
            call("none")
    with pytest.raises(ValueError, match=r"transform has the shape \(3, 3\): give \(4, 4\)"):
        manager.add_object("cube", CUBE, numpy.eye(3))
    empty = CollisionManager()
    assert empty.in_collision_internal(return_names=True, return_data=True) == (False, set(), [])
    assert empty.min_distance_internal() == empty.min_distance_single(CUBE) == sys.float_info.max
