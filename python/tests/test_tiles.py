"""Tiles find the pairs of the whole, each once."""

import pickle

import numpy
import pytest
from conftest import cubes

import obbligato


def in_tiles(checker, boxes, tiling, margin=0.0):
    """The pairs of all tiles, and how many touch and are near."""
    places, found, counts = tiling.assign(boxes, margin), [], numpy.zeros(3, int)
    for number, tile in enumerate(tiling.tiles):
        chosen = places[places[:, 0] == number, 1]
        report = checker.check_tile(tile, boxes[chosen])
        assert report.colliding_pairs == len(report.pairs)
        found.append(chosen[report.pairs])
        counts += [report.colliding_pairs, report.touching_pairs, report.near_pairs]
    pairs = numpy.concatenate(found)
    return pairs[numpy.lexsort((pairs[:, 1], pairs[:, 0]))], counts.tolist()


@pytest.mark.parametrize("scene", ["dense", "bricks", "giants", "clusters", "coincident"])
@pytest.mark.parametrize("tiles", [1, 2, 7, 100])
def test_tiles_together_match_the_whole(scene, tiles, backend):
    boxes = obbligato.scene(scene, 600)
    checker = obbligato.Checker(backend=backend, margin=0.05)
    whole = checker.check(boxes)
    pairs, counts = in_tiles(checker, boxes, obbligato.tile(boxes, tiles), 0.05)
    assert numpy.array_equal(pairs, whole.pairs)
    assert counts == [whole.colliding_pairs, whole.touching_pairs, whole.near_pairs]


def test_tiles_cover_space_and_are_balanced():
    boxes = obbligato.scene("clusters", 8000)
    tiling = obbligato.tile(boxes, 16)
    corners = tiling.tiles
    assert corners.shape == (16, 2, 3) and corners.dtype == numpy.float32 and len(tiling) == 16
    centers = boxes[:, None, :3]
    inside = ((corners[None, :, 0] <= centers) & (centers < corners[None, :, 1])).all(axis=2)
    assert (inside.sum(axis=1) == 1).all()
    assert inside.sum(axis=0).max() <= 520


def test_the_parts_of_a_tile_that_is_cut():
    left, right = obbligato.tile(cubes((0, 0, 0), (4, 0, 0)), 2).tiles
    pair = cubes((3, 0, 0), (4.5, 0, 0))
    checker = obbligato.Checker(backend="cpu")
    # The low corner of the intersection is at 3.5: left of the border, which is at 4.
    assert checker.check_tile(left, pair).colliding_pairs == 1
    assert checker.check_tile(right, pair).colliding_pairs == 0


def test_tilings_can_be_pickled():
    tiling = obbligato.tile(obbligato.scene("dense", 1000), 9)
    for same in (pickle.loads(pickle.dumps(tiling)), type(tiling).from_json(tiling.to_json())):
        assert same == tiling and numpy.array_equal(same.tiles, tiling.tiles)
    assert tiling != obbligato.tile(obbligato.scene("dense", 1000), 8)


@pytest.mark.parametrize("text", ["", "{}", '{"nodes":[]}', '{"nodes":[{"Plane":{"axis":0,"at":1.0,"left":1,"right":2}}]}'])
def test_invalid_tilings_are_refused(text):
    with pytest.raises(ValueError, match="text is not that of a tiling"):
        type(obbligato.tile(cubes((0, 0, 0)), 1)).from_json(text)


def test_bad_input_is_not_ignored():
    boxes = obbligato.scene("dense", 100)
    tiling, checker = obbligato.tile(boxes, 4), obbligato.Checker(backend="cpu")
    boxes[7, 0] = numpy.nan
    with pytest.raises(obbligato.InvalidInput, match="box 7") as raised:
        tiling.assign(boxes)
    assert raised.value.index == 7
    with pytest.raises(obbligato.InvalidInput, match="box 7"):
        obbligato.tile(boxes, 4)
    with pytest.raises(obbligato.InvalidInput, match="margin"):
        tiling.assign(boxes[:5], -1)
    with pytest.raises(TypeError, match=r"tile is not \(2, 3\)"):
        checker.check_tile([0, 1, 2], boxes[:5])
    with pytest.raises(obbligato.Unavailable):
        obbligato.Checker(backend="cpu", output="count").check_tile(tiling.tiles[0], boxes[:5])
