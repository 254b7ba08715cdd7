"""Contacts and distances."""

import numpy
import pytest
from conftest import cubes, row

import obbligato


def test_a_cube_on_a_cube(backend):
    boxes = cubes((0, 0, 0), (0.5, 0, 1.75), (9, 0, 0))
    found = obbligato.contacts(boxes, [[0, 1], [0, 2]], backend=backend)
    assert len(found) == 2 and repr(found) == "<Contacts: 2 pairs, 4 points>"
    assert found.offsets.tolist() == [0, 4, 4]
    assert found.normals[0].tolist() == [0, 0, 1] and found.depths[0] == 0.25
    assert numpy.isnan(found.normals[1]).all() and numpy.isnan(found.depths[1])
    points = found.points_of(0)
    assert sorted(found.on_a[points, :2].tolist()) == [[-0.5, -1], [-0.5, 1], [1, -1], [1, 1]]
    assert (found.on_a[points, 2] == 1).all() and (found.on_b[points, 2] == 0.75).all()
    assert (found.point_depths == 0.25).all()
    # Normals point from the first to the second.
    turned = obbligato.contacts(boxes[:2], [[1, 0]], backend=backend)
    assert turned.normals[0].tolist() == [0, 0, -1]
    assert found.points_of(1) == slice(4, 4, 1)
    with pytest.raises(IndexError):
        found.points_of(2)


def test_features(backend):
    found = obbligato.contacts(cubes((0, 0, 0), (0, 0, 1.75)), [[0, 1]], backend=backend)
    assert [obbligato.feature_name(part) for part in found.features[0]] == ["f5", "f4"]
    assert found.references.tolist() in ([0], [1])
    names = {obbligato.feature_name(part) for part in found.point_features.ravel()}
    assert names and all(name[0] in "cef" for name in names)
    apart = obbligato.contacts(row(0, 9), [[0, 1]], backend=backend)
    assert apart.features.tolist() == [[255, 255]] and apart.references.tolist() == [-1]
    assert [obbligato.feature_name(code) for code in (0x07, 0x1B, 0x25, 0x30)] == ["c7", "e11", "f5", "r0"]


def test_distances(backend, crowd):
    found = obbligato.distances(row(0, 2.25, 1), [[0, 1], [0, 2], [1, 0]], backend=backend)
    assert found.distances.tolist() == [0.25, 0, 0.25]
    assert (found.on_a[0, 0], found.on_b[0, 0]) == (1, 1.25)
    assert (found.on_a[2, 0], found.on_b[2, 0]) == (1.25, 1)
    near = obbligato.check(crowd, backend=backend, margin=0.3).pairs
    found = obbligato.distances(crowd, near, backend=backend)
    between = numpy.linalg.norm(found.on_b - found.on_a, axis=1)
    apart = found.distances > 0
    assert 0 < apart.sum() < len(near) == len(found)
    assert numpy.allclose(between[apart], found.distances[apart], atol=1e-4)
    colliding = {tuple(pair) for pair in obbligato.check(crowd, backend=backend).pairs.tolist()}
    assert {tuple(pair) for pair in near[~apart].tolist()} == colliding


def test_two_lists(backend):
    first, second = row(0, 5), row(9, 6.5)
    pairs = obbligato.check(first, against=second, backend=backend).pairs
    assert pairs.tolist() == [[1, 1]]
    found = obbligato.contacts(first, pairs, against=second, backend=backend)
    assert found.normals.tolist() == [[1, 0, 0]] and found.depths.tolist() == [0.5]
    assert obbligato.distances(first, [[0, 0]], against=second, backend=backend).distances.tolist() == [7]


def test_moving_by_the_depth_separates_boxes(crowd):
    pairs = obbligato.check(crowd, backend="cpu").pairs
    found = obbligato.contacts(crowd, pairs, backend="cpu")
    assert (found.depths >= 0).all() and len(found.on_a) == found.offsets[-1]
    deep = numpy.flatnonzero(found.depths > 0.01)
    assert len(deep) > 100
    # Along the normal by the depth, and a little more or less.
    for part, collide in [(1.001, False), (0.9, True)]:
        for k in deep[::20]:
            two = crowd[pairs[k]].astype(numpy.float64)
            two[1, :3] += part * found.depths[k] * found.normals[k]
            assert obbligato.check(two, backend="cpu").colliding_pairs == collide, (k, part)


def test_pairs_of_missing_boxes_are_refused(backend):
    checker = obbligato.Checker(backend=backend)
    for call in (checker.contacts, checker.distances, checker.overlaps, checker.check_pairs):
        with pytest.raises(obbligato.InvalidInput, match="pair 1 names body 2 of 2") as caught:
            call(row(0, 1), [[0, 1], [0, 2]])
        assert caught.value.index == 1
    assert len(checker.contacts(row(0, 1), [])) == 0
    with pytest.raises(ValueError, match=r"pairs has the shape \(1, 3\)"):
        checker.contacts(row(0, 1), [[0, 1, 2]])
