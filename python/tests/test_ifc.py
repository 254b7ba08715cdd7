"""Clashes of building models: a building of which every clash is known, and boxes against a reference by intervals."""

import csv
import io
import json
import math
import os
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy
import pytest

import obbligato

ifcopenshell = pytest.importorskip("ifcopenshell", reason="ifcopenshell is not installed: pip install 'obbligato[ifc]'")

import building  # noqa: E402
from building import CELLS, SERVICES, TOTAL, Building, expected  # noqa: E402

import obbligato.ifc  # noqa: E402
from obbligato.ifc import KINDS, Rule, Rules, __main__ as program  # noqa: E402
from obbligato.ifc.clashes import find  # noqa: E402
from obbligato.ifc.scene import Scene  # noqa: E402

CLEARANCE = 0.15001


@pytest.fixture(scope="module")
def built():
    return Building()


@pytest.fixture(scope="module")
def path(built, tmp_path_factory):
    file = tmp_path_factory.mktemp("ifc") / "building.ifc"
    built.file.write(str(file))
    return file


@pytest.fixture(scope="module")
def model(path):
    return obbligato.ifc.read(path)


def test_progress(services):
    """It is told of every element, and what the function raises is no fault of the file."""
    said = []
    model = obbligato.ifc.read(services, progress=lambda *one: said.append(one))
    assert said == [("elements", k + 1, len(model)) for k in range(len(model))] and len(said) > 10

    def stop(stage, done, of):
        raise KeyError(done)

    with pytest.raises(KeyError, match="1"):
        obbligato.ifc.read(services, progress=stop)


def is_service(kind):
    return kind in SERVICES


@pytest.fixture(scope="module")
def services(tmp_path_factory):
    """Elements that ifcopenshell cuts no openings out of, which takes it most of its time."""
    file = tmp_path_factory.mktemp("ifc") / "services.ifc"
    Building(lambda kind: is_service(kind) or kind == "IfcBeam").file.write(str(file))
    return file


def table(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


def place_of(cell, center):
    """Where a point of a cell is in the world."""
    number = list(CELLS).index(cell)
    x = (number % building.ROW - building.ROW / 2) * building.CELL + center[0]
    y = (number // building.ROW - building.ROW / 2) * building.CELL + center[1]
    turned = [x * math.cos(building.TURN) - y * math.sin(building.TURN), x * math.sin(building.TURN) + y * math.cos(building.TURN), center[2]]
    return numpy.array(turned) + building.PLACE


def compare(rows, names, wanted, rounding):
    """Holds rows of clashes against what is known of them."""
    found = {}
    for row in rows:
        (cell, a), (other, b) = names[row["a"]], names[row["b"]]
        assert cell == other, f"{cell} and {other} are metres apart"
        found[cell, frozenset((a, b))] = (row, {"a": a, "b": b, "": ""}[row["inner"]])
    assert len(found) == len(rows) and set(found) == {(cell, frozenset((a, b))) for cell, a, b in wanted}
    for (cell, a, b), (kind, depth, exact, inner, distance) in wanted.items():
        row, own_inner = found[cell, frozenset((a, b))]
        assert (row["kind"], own_inner, row["touching"]) == (kind, inner, str(int(kind == "touch"))), cell
        slack = 8 * rounding + 1e-9
        assert row["depth"] == "" if depth is None else abs(float(row["depth"]) - depth) <= slack, cell
        assert abs(float(row["distance"]) - distance) <= (1e-8 if kind == "near" else slack), cell
        assert kind == "touch" or row["exact"] == str(exact), cell
        assert numpy.linalg.norm([float(row[axis]) for axis in "xyz"] - place_of(cell, (0, 0, 1.5))) < 4, cell


def test_a5_every_clash_of_a_building(path, built, tmp_path, capsys):
    out = {name: tmp_path / name for name in ("pairs.csv", "clashes.csv", "boxes.csv", "counts.json")}
    files = [f"--{name.split('.')[0]}" if name != "counts.json" else "--json" for name in out]
    words = [word for option, file in zip(files, out.values()) for word in (option, str(file))]
    assert program.main([str(path), "--clearance", str(CLEARANCE), *words]) == 0
    counts = json.loads(out["counts.json"].read_text())
    assert (counts["elements"], counts["without_mesh"], counts["failed"]) == (TOTAL - 1, 1, [])
    names, wanted = {guid: key for key, guid in built.guids.items()}, expected(CLEARANCE)
    rows = table(out["clashes.csv"])
    assert 0 < counts["rounding"] < 2e-6
    compare(rows, names, wanted, counts["rounding"])
    kinds = Counter(kind for kind, *_ in wanted.values())
    assert counts["kinds"] == {kind: kinds[kind] for kind in KINDS}
    assert counts["colliding_pairs"] == len(wanted) - kinds["near"] and counts["touching_pairs"] == kinds["touch"]
    for row in rows:
        cell, key = names[row["a"]]
        assert row["a_type"] == CELLS[cell][0][key]["kind"] and row["a_name"] == f"{cell}: {key}"
        assert row["a_storey"] == row["b_storey"] == built.storey_of(cell) and row["a"] < row["b"]
    pairs = [(row["a"], row["b"]) for row in table(out["pairs.csv"])]
    assert pairs == sorted((row["a"], row["b"]) for row in rows)
    by_types = Counter(tuple(sorted((row["a_type"], row["b_type"]))) for row in rows)
    assert {(row["a"], row["b"]): sum(row[kind] for kind in KINDS) for row in counts["types"]} == by_types
    text = capsys.readouterr().out
    assert f"{TOTAL - 1} elements of building.ifc, 1 more without a mesh" in text
    assert text.splitlines()[-1].split()[-1] == str(len(wanted))


def test_another_kernel_finds_the_same(path, model):
    other = obbligato.ifc.read(path, kernel="cgal-simple", threads=1)
    found = [obbligato.ifc.check(one, rules=Rules(clearance=CLEARANCE)) for one in (model, other)]
    kinds = [dict(zip(one.guids(), one.clashes.kinds.tolist())) for one in found]
    assert len(other) == len(model) and kinds[0] == kinds[1]


def test_deepest_first(model):
    rows = list(obbligato.ifc.check(model).rows())
    known = [float(row[2]) for row in rows if row[2]]
    assert known == sorted(known, reverse=True) and rows[0][10] == "duplicate"


def test_normals_separate(model, built):
    report = obbligato.ifc.check(model, backend="cpu")
    names, found = {guid: key for key, guid in built.guids.items()}, report.clashes
    for k, (a, b) in enumerate(report.guids()):
        (cell, key), (_, other) = names[a], names[b]
        if cell in ("column in a slab", "column in a slab with a hole"):
            up = 1 if (key, other) == ("s", "c") else -1
            assert numpy.allclose(found.normals[k], [0, 0, up], atol=1e-6), cell
            assert abs(found.points[k, 2] - building.PLACE[2] + 0.025) < 1e-5, cell


def test_two_models(tmp_path):
    paths = [tmp_path / "house.ifc", tmp_path / "services.ifc"]
    halves = [Building(lambda kind: not is_service(kind)), Building(is_service)]
    for half, file in zip(halves, paths):
        half.file.write(str(file))
    out = tmp_path / "clashes.csv"
    words = ["--clearance", str(CLEARANCE), "--clashes", str(out)]
    assert program.main([*map(str, paths), *words]) == 0
    rows = table(out)
    names = {guid: key for half in halves for key, guid in half.guids.items()}
    wanted = expected(CLEARANCE, is_service)
    compare(rows, names, wanted, 2e-6)
    assert {row["a_type"] for row in rows}.isdisjoint(SERVICES) and {row["b_type"] for row in rows} <= set(SERVICES)


def cuboid(low, high):
    """The corners and triangles of a box along the axes."""
    corners = numpy.array([[(high if k >> axis & 1 else low)[axis] for axis in range(3)] for k in range(8)], float)
    faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
    return corners, numpy.array([[f[0], f[k], f[k + 1]] for f in faces for k in (1, 2)])


def joined(*meshes):
    """Several meshes as one."""
    shifts = numpy.cumsum([0] + [len(corners) for corners, _ in meshes])
    return numpy.vstack([corners for corners, _ in meshes]), numpy.vstack([faces + shift for (_, faces), shift in zip(meshes, shifts)])


def searched(meshes, clearance=0.0, tolerance=1e-3, split=None):
    scene = Scene(meshes)
    count = len(meshes)
    pairs = numpy.array([(a, b) for a in range(count) for b in range(a + 1, count)])
    return find(scene, pairs, numpy.full(len(pairs), tolerance), numpy.full(len(pairs), clearance), obbligato.Checker(backend="cpu"), split)


def by_intervals(a, b):
    """The kind of two boxes, the inner one, and how far they are apart, from the intervals that they cover."""
    (low, high), (other_low, other_high) = a, b
    overlap = numpy.minimum(high, other_high) - numpy.maximum(low, other_low)
    apart = float(numpy.linalg.norm(numpy.maximum(-overlap, 0)))
    if apart:
        return "near", -1, apart
    if overlap.min() == 0:
        return "touch", -1, 0
    within = (low >= other_low) & (high <= other_high)
    around = (low <= other_low) & (high >= other_high)
    if (within & around).all():
        return "duplicate", -1, 0
    if within.all() or around.all():
        return "contain", int(around.all()), 0
    # One that is within the other along two axes, and reaches beyond it on both sides along the third, passes through.
    longer = [(low < other_low) & (high > other_high), (low > other_low) & (high < other_high)]
    through = [reach.sum() == 1 and (reach | side).all() for reach, side in zip(longer, (within, around))]
    if any(through):
        return "pierce", -1 if all(through) else int(through[1]), 0
    return "overlap", -1, 0


@pytest.mark.parametrize("satellites", [False, True])
def test_kinds_match_intervals(satellites):
    """Boxes on a grid share faces, edges and corners in all ways. With a satellite far away they are not convex."""
    random = numpy.random.default_rng(7)
    low = random.integers(0, 5, (120, 3)).astype(float)
    boxes = [(at, at + size) for at, size in zip(low, random.integers(1, 5, (120, 3)))]
    meshes = [cuboid(*one) for one in boxes]
    if satellites:
        away = [numpy.array([0, 0, 20.0 + 4 * k]) for k in range(len(boxes))]
        meshes = [joined(mesh, cuboid(at, at + 1)) for mesh, at in zip(meshes, away)]
    clearance = 1.5
    found = searched(meshes, clearance)
    got = {tuple(pair): (KINDS[kind], inner, distance) for pair, kind, inner, distance in zip(found.pairs.tolist(), found.kinds, found.inner, found.distances)}
    seen = Counter()
    for a in range(len(boxes)):
        for b in range(a + 1, len(boxes)):
            kind, inner, distance = by_intervals(boxes[a], boxes[b])
            if kind == "near" and distance > clearance:
                assert (a, b) not in got
                continue
            if satellites and kind in ("duplicate", "contain", "pierce"):
                # With its satellite a box is not in the other one, nor the same; both reach beyond each other.
                kinds = {"duplicate": {"overlap"}, "contain": {"overlap", "pierce"}, "pierce": {"pierce"}}[kind]
                assert got[a, b][0] in kinds, (a, b, got[a, b], kind)
            else:
                assert got[a, b][:2] == (kind, inner), (a, b, got[a, b], kind, inner)
            assert abs(got[a, b][2] - distance) < 1e-9
            seen[kind] += 1
    assert set(seen) == set(KINDS) - (set() if seen["duplicate"] else {"duplicate"}) and min(seen.values()) >= 1


def turn_of(quaternion):
    x, y, z, w = quaternion
    return numpy.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def shortest_way(a, turn, b, other):
    """The shortest translation that separates two boxes, by the separating axis theorem."""
    axes = [*turn.T, *other.T, *(numpy.cross(one, two) for one in turn.T for two in other.T)]
    units = [axis / numpy.linalg.norm(axis) for axis in axes if numpy.linalg.norm(axis) > 1e-6]
    return min(min((a @ one).max() - (b @ one).min(), (b @ one).max() - (a @ one).min()) for one in units)


def test_turned_boxes_match_boxes():
    """Pairs, depths and distances of boxes as meshes are those of the boxes themselves."""
    boxes = obbligato.scene("uniform", 300)
    boxes[:, :3] *= 0.6
    turns = [turn_of(row[6:]) for row in boxes.astype(float)]
    meshes = []
    for row, turn in zip(boxes.astype(float), turns):
        corners, faces = cuboid(-row[3:6], row[3:6])
        meshes.append((corners @ turn.T + row[:3], faces))
    found = searched(meshes, 0.3)
    wanted = obbligato.check(boxes, margin=0.3, backend="cpu").pairs
    apart = obbligato.distances(boxes, wanted).distances
    assert found.pairs.tolist() == wanted.tolist() and len(wanted) > 500
    assert ((found.kinds == KINDS.index("near")) == (apart > 1e-5)).all() and (apart > 1e-5).sum() > 100
    assert abs(found.distances - apart).max() < 1e-5
    for k in numpy.flatnonzero(apart == 0):
        a, b = found.pairs[k]
        assert found.exact[k] and abs(found.depths[k] - shortest_way(meshes[a][0], turns[a], meshes[b][0], turns[b])) < 1e-5


def test_turned_boxes_touch():
    """Corners of boxes that share a face are rounded to different places, which does not part them."""
    random = numpy.random.default_rng(5)
    for turn in map(turn_of, (row / numpy.linalg.norm(row) for row in random.normal(size=(40, 4)))):
        place = random.uniform(-30, 30, 3)
        parts = [cuboid((0, 0, 0), (1, 1, 1)), cuboid((1, 0.3, 0.2), (2, 0.7, 3)), cuboid((1.0001, 0.8, 0), (2, 1, 1))]
        found = searched([(corners @ turn.T + place, faces) for corners, faces in parts])
        assert found.pairs.tolist() == [[0, 1]] and KINDS[found.kinds[0]] == "touch" and found.depths[0] < 1e-5


def made(*lows):
    """A model of cubes of a metre, along the axes of the world."""
    corners = numpy.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
    faces = numpy.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
    elements = [obbligato.ifc.Element(building.guid(f"cube {k}"), "IfcBeam", f"cube {k}", "", "cubes") for k in range(len(lows))]
    vertices = [corners + low for low in lows]
    frames = numpy.array([numpy.eye(3)] * len(lows))
    return obbligato.ifc.Model("cubes", "IFC4", elements, vertices, [faces] * len(lows), frames, supertypes={"IfcBeam": frozenset(["IfcBeam"])})


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_clearances_reach_all_the_way(axis):
    """Bounds are not wider than the cubes, so that the clearance alone finds them."""
    step = numpy.eye(3)[axis]
    model = made(0 * step, 1.2 * step, 2.5 * step, 5 * step)
    for clearance, wanted in ((0.3, [0.2, 0.3]), (0.29, [0.2]), (1.5, [0.2, 0.3, 1.5, 1.5]), (1.49, [0.2, 0.3])):
        found = obbligato.ifc.check(model, rules=Rules(clearance=clearance + 1e-6)).clashes
        assert numpy.allclose(sorted(found.distances), wanted, atol=1e-9), (clearance, found.distances)
    both = obbligato.ifc.check(made(0 * step), made(1.3 * step), Rules(clearance=0.300001)).clashes
    assert numpy.allclose(both.distances, [0.3])


def test_distances_match_convex_solids():
    random = numpy.random.default_rng(3)
    a, b = random.uniform(-1, 1, (2, 3000, 3, 3)).astype(numpy.float32)
    b[:, :, 0] += 1.5
    # Flat ones, and ones that are parallel.
    a[:100, 2] = a[:100, 1]
    b[100:300] = a[100:300] + numpy.float32([2, 0, 0])
    pairs = numpy.column_stack([numpy.arange(3000), 3000 + numpy.arange(3000)])
    apart = obbligato.Solids([*a, *b]).distances(pairs).distances
    # Each triangle is a mesh.
    surfaces = Scene([(corners, [[0, 1, 2]]) for corners in (*a, *b)], origin=numpy.zeros(3)).surfaces
    found, far, on_a, on_b = surfaces.nearest((pairs[:, 0].copy(), pairs[:, 0].copy(), pairs[:, 1].copy()), numpy.full(3000, numpy.inf))
    kept = apart > 0
    assert found.tolist() == pairs[:, 0].tolist() and kept.sum() > 2000 and abs(far - apart)[kept].max() < 1e-6
    assert numpy.allclose(numpy.linalg.norm(on_a - on_b, axis=1), far)
    near = surfaces.nearest((pairs[:, 0].copy(), pairs[:, 0].copy(), pairs[:, 1].copy()), numpy.full(3000, 0.5))
    assert near[0].tolist() == numpy.flatnonzero(far <= 0.5).tolist() and 100 < len(near[0]) < 2900
    points = a[:, 0].astype(float)
    apart = obbligato.Solids([*a[:, :1], *b]).distances(pairs).distances
    assert abs(surfaces.to_surfaces(points, pairs[:, 1].copy(), numpy.full(3000, numpy.inf)) - apart).max() < 1e-6


def test_wrong_positions_are_told():
    """Arrays that do not fit are errors, not crashes."""
    surfaces = Scene([cuboid((0, 0, 0), (1, 1, 1))]).surfaces
    one, none = numpy.array([1]), numpy.array([0])
    with pytest.raises(ValueError, match="meshes has 1: give positions below 1"):
        surfaces.closed(one)
    with pytest.raises(ValueError, match="first has -1: give positions below 12"):
        surfaces.entering((none, none - 1, none), numpy.zeros(1), False)
    with pytest.raises(ValueError, match="lists of 1, 2 and 2 entries: give equal numbers"):
        surfaces.states(numpy.zeros((1, 3)), numpy.zeros(2, numpy.int64))
    with pytest.raises(ValueError, match="face_starts does not ascend from 0 to 1"):
        obbligato._native.Surfaces(numpy.zeros((3, 3)), numpy.array([[0, 1, 2]]), numpy.array([0, 3]), numpy.array([0, 0]))
    with pytest.raises(ValueError, match="faces of mesh 1 have points of another one"):
        faces, starts = numpy.array([[0, 1, 2], [3, 4, 2]]), [numpy.array([0, 3, 6]), numpy.array([0, 1, 2])]
        obbligato._native.Surfaces(numpy.zeros((6, 3)), faces, *starts)
    with pytest.raises(ValueError, match="found has places beyond the lists"):
        surfaces.matched(numpy.array([[0, 1]], numpy.uint32), none, none, numpy.array([[0, 0]]))


def kinds_of(*meshes, **limits):
    found = searched(meshes, **limits)
    return {tuple(pair): (KINDS[kind], depth) for pair, kind, depth in zip(found.pairs.tolist(), found.kinds, found.depths)}


def plate(low, high, axis):
    """A rectangle across an axis."""
    corners, faces = cuboid(low, high)
    return corners, faces[{0: [8, 9], 1: [4, 5], 2: [0, 1]}[axis]]


def test_flat_meshes_are_no_solids():
    """Both sides of a rectangle are oriented, and no corner is in front of a plane, but nothing is inside."""
    corners, faces = plate((0, 0, 0), (2, 2, 0), 2)
    found = searched([(corners, numpy.vstack([faces, faces[:, ::-1]])), cuboid((0.5, 0.5, -1), (1.5, 1.5, 1))])
    assert found.pairs.tolist() == [[0, 1]] and not found.exact.any()


def test_open_meshes():
    flat = plate((0, 0, 0), (2, 2, 0), 2)
    across, above = plate((1, 0.5, -1), (1, 1.5, 1), 0), plate((1, 0.5, 0), (1, 1.5, 1), 0)
    assert kinds_of(flat, across)[0, 1][0] == "pierce" and numpy.isnan(kinds_of(flat, across)[0, 1][1])
    cut = plate((1, 0.5, -1), (1, 2.5, 1), 0)
    assert kinds_of(flat, cut)[0, 1][0] == "overlap" and numpy.isnan(kinds_of(flat, cut)[0, 1][1])
    assert kinds_of(flat, above)[0, 1][0] == "touch"
    kind, depth = kinds_of(flat, cuboid((0.5, 0.5, -0.25), (1, 1, 0.5)))[0, 1]
    # The deepest point of the plate is 0.25 deep, which is more than the points that are looked at.
    assert kind == "pierce" and 0.1 < depth <= 0.25
    assert kinds_of(flat, cuboid((0.5, 0.5, 0), (1, 1, 0.5)))[0, 1] == ("touch", 0)
    assert kinds_of(flat, cuboid((-1, -1, -1), (3, 3, 3)))[0, 1][0] == "contain"


def test_shells_in_one_another():
    outer, (corners, faces) = cuboid((0, 0, 0), (9, 9, 9)), cuboid((2, 2, 2), (7, 7, 7))
    hollow = joined(outer, (corners, faces[:, ::-1]))
    # The deepest corner is this far from that of the void.
    deep = pytest.approx(0.75**0.5)
    in_void, in_solid = cuboid((3, 3, 3), (4, 4, 4)), cuboid((0.5, 0.5, 0.5), (1.5, 1.5, 1.5))
    assert kinds_of(hollow, in_void) == {}
    assert kinds_of(hollow, in_solid) == {(0, 1): ("contain", deep)}
    # All corners of this one are in the solid, but the void is in it.
    assert kinds_of(hollow, cuboid((1, 1, 1), (8, 8, 8)))[0, 1][0] == "overlap"
    # Where two shells of a mesh overlap is inside, too.
    twofold = joined(cuboid((0, 0, 0), (3, 2, 2)), cuboid((1, 0, 0), (4, 2, 2)))
    assert kinds_of(twofold, cuboid((1.5, 0.5, 0.5), (2.5, 1.5, 1.5))) == {(0, 1): ("contain", 0.5)}
    # An edge that is nowhere deeper than the tolerance only touches.
    assert kinds_of(hollow, cuboid((-0.5, 4, -0.5), (0.0005, 4.2, 9.5))) == {(0, 1): ("touch", 0)}
    assert kinds_of(hollow, cuboid((0.0001, 4, 4), (0.0009, 5, 5)))[0, 1][0] == "touch"
    # One of two parts is inside, without any surface in common.
    assert kinds_of(hollow, joined(in_solid, in_void)) == {(0, 1): ("overlap", deep)}
    assert kinds_of(hollow, joined(in_solid, cuboid((20, 0, 0), (21, 1, 1)))) == {(0, 1): ("overlap", deep)}


def test_far_from_the_origin():
    away = numpy.array([5e5, 5.4e6, 100.0])
    meshes = [cuboid(away, away + 1), cuboid(away + [1, 0, 0], away + [2, 1, 1]), cuboid(away + [2.001953125, 0, 0], away + [3, 1, 1])]
    found = searched(meshes, 0.01)
    assert [KINDS[kind] for kind in found.kinds] == ["touch", "near"] and abs(found.distances[1] - 0.001953125) < 1e-9
    assert abs(found.points[1] - away - [2, 0.5, 0.5])[0] < 0.002


def test_types_and_rules(model, built, tmp_path):
    names = {guid: key for key, guid in built.guids.items()}

    def cells(rules):
        report = obbligato.ifc.check(model, rules=rules)
        return {names[a][0]: KINDS[kind] for (a, _), kind in zip(report.guids(), report.clashes.kinds)}

    # A class stands for those that are derived from it, too.
    only = cells(Rules([Rule(("IfcDistributionFlowElement", "IfcWall"))], only=True))
    assert only == {
        cell: kind for (cell, a, b), (kind, *_) in expected().items() if {CELLS[cell][0][k]["kind"] == "IfcWall" for k in (a, b)} == {True, False}
        and {CELLS[cell][0][k]["kind"] in SERVICES for k in (a, b)} == {True, False}
    }
    assert cells(Rules([Rule(("*", "IfcWall"), ignore=True)])).keys().isdisjoint(only)
    text = 'tolerance = 0.0001\n[[rule]]\ntypes = ["IfcSlab", "IfcColumn"]\ntolerance = 0.06\n[[rule]]\ntypes = ["*", "IfcDuctSegment"]\nclearance = 0.05\n'
    (tmp_path / "rules.toml").write_text(text)
    if sys.version_info < (3, 11):
        with pytest.raises(obbligato.FileError, match="Python 3.11"):
            obbligato.ifc.read_rules(tmp_path / "rules.toml")
        return
    found = cells(obbligato.ifc.read_rules(tmp_path / "rules.toml"))
    assert found["column in a slab"] == found["column in a slab with a hole"] == "touch"
    assert found["walls that overlap at a corner"] == "overlap" and found["ducts side by side"] == "near"
    assert cells(Rules(tolerance=0.0001))["column hardly in a slab with a hole"] == "overlap"


WRONG = {
    "no such file": (["nowhere.ifc"], "nowhere.ifc: there is no such file"),
    "not IFC": (["text.ifc"], "text.ifc: not read as IFC"),
    "cut short": (["short.ifc"], "short.ifc: it is cut short"),
    "a GlobalId twice": (["twice.ifc"], "several elements have the GlobalId"),
    "no GlobalId": (["nameless.ifc"], "has no GlobalId (1 in all)"),
    "an unknown type": (["building.ifc", "--types", "IfcWal,IfcSlab"], "IfcWal is not a type of IFC4"),
    "one type": (["building.ifc", "--types", "IfcWall"], "is not a pair of types"),
    "a negative tolerance": (["building.ifc", "--tolerance", "-1"], "tolerance is -1.0"),
    "no number": (["building.ifc", "--clearance", "wide"], "invalid float value"),
    "an infinite clearance": (["building.ifc", "--clearance", "inf"], "clearance is inf"),
    "an unknown kernel": (["building.ifc", "--kernel", "best"], "kernel is 'best'"),
    "no threads": (["building.ifc", "--threads", "0"], "threads is 0"),
    "no rules": (["building.ifc", "--rules", "none.toml"], "none.toml: "),
    "an unknown key": (["building.ifc", "--rules", "wrong.toml"], "rule 1 has depth, which is unknown"),
    "a baseline without pairs": (["building.ifc", "--baseline", "text.ifc"], "no columns a and b"),
    "no folder": (["building.ifc", "--pairs", "none/pairs.csv"], "none/pairs.csv: "),
    "the input as an output": (["building.ifc", "--clashes", "./building.ifc"], "building.ifc: is also an input"),
    "an output twice": (["building.ifc", "--pairs", "a.csv", "--clashes", "a.csv"], "a.csv: is also another output"),
    "stdout twice": (["building.ifc", "--pairs", "-", "--json", "-"], "several outputs are stdout"),
    "a folder": (["."], ".: is a folder"),
    "version without archive": (["building.ifc", "--bcf-version", "3.0"], "without --bcf"),
    "no model": ([], "required"),
    "types and rules": (["building.ifc", "--types", "IfcWall,*", "--rules", "wrong.toml"], "both given"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input(case, path, tmp_path, monkeypatch, capsys):
    words, message = WRONG[case]
    monkeypatch.chdir(tmp_path)
    text = path.read_text()
    (tmp_path / "building.ifc").write_text(text)
    (tmp_path / "text.ifc").write_text("no model\n")
    (tmp_path / "short.ifc").write_text(text[: len(text) // 2])
    (tmp_path / "wrong.toml").write_text('[[rule]]\ntypes = ["IfcWall", "*"]\ndepth = 1\n')
    first, second = [building.guid(f"column on a slab: {key}") for key in "sc"]
    (tmp_path / "twice.ifc").write_text(text.replace(first, second))
    if "toml" in " ".join(words) and sys.version_info < (3, 11):
        message = "both given" if message == "both given" else "Python 3.11"
    (tmp_path / "nameless.ifc").write_text(text.replace(f"'{first}'", "''"))
    before = sorted(os.listdir(tmp_path))
    try:
        code = program.main([*words])
    except SystemExit as ended:
        code = ended.code
    shown = capsys.readouterr()
    assert code == 2 and message in shown.err and len(shown.err.splitlines()) == 1 and shown.out == ""
    assert sorted(os.listdir(tmp_path)) == before


def test_baseline_depth_and_stdout(services, tmp_path, capsys):
    old = tmp_path / "old.csv"
    assert program.main([str(services), "--pairs", str(old), "--types", "IfcBeam,*"]) == 0
    kept = len(table(old))
    assert kept == 1
    with open(old, "a", encoding="utf-8") as file:
        file.write("gone1,gone2\n")
    capsys.readouterr()
    out = tmp_path / "clashes.csv"
    assert program.main([str(services), "--baseline", str(old), "--json", "-", "--clashes", str(out)]) == 0
    shown = capsys.readouterr()
    counts = json.loads(shown.out)
    known = [row for (cell, a, b), row in expected().items() if {CELLS[cell][0][key]["kind"] for key in (a, b)} <= {*SERVICES, "IfcBeam"}]
    assert (counts["new"], counts["gone"], counts["kept"]) == (len(known) - kept, 1, kept) and "1 gone" in shown.err
    assert "gone: gone1,gone2\n" in shown.err
    assert Counter(row["status"] for row in table(out)) == {"new": counts["new"], "kept": kept}
    for least in (0.06, 0.25):
        assert program.main([str(services), "--min-depth", str(least), "--pairs", "-"]) == 0
        lines = capsys.readouterr().out.splitlines()
        deep = [1 for kind, depth, *_ in known if depth is None or depth >= least]
        assert lines[0] == "a,b" and len(lines) == 1 + len(deep)


def test_boxes_hold_their_elements(model, path, tmp_path):
    report = obbligato.ifc.check(model)
    for row, points in zip(report.boxes, model.vertices):
        x, y, z, w = row[6:]
        apart = points - row[:3]
        vector = numpy.array([x, y, z])
        # The inverse rotation of the quaternion.
        own = apart - 2 * w * numpy.cross(vector, apart) + 2 * numpy.cross(vector, numpy.cross(vector, apart))
        assert (abs(own) <= row[3:6] + 1e-9).all()
        assert numpy.prod(row[3:6]) * 8 < 1.1 * max(numpy.prod(2 * abs(own).max(axis=0)), 1e-9)
    assert program.main([str(path), "--boxes", str(tmp_path / "boxes.csv")]) == 0
    scene = obbligato.read(tmp_path / "boxes.csv", double=True)
    pairs = {frozenset(pair) for pair in obbligato.check(scene, backend="cpu").pair_ids.tolist()}
    # Boxes around elements meet wherever these do, up to the rounding.
    kinds = {frozenset(pair): kind for pair, kind in zip(report.guids(), report.clashes.kinds)}
    assert {pair for pair, kind in kinds.items() if KINDS[kind] != "touch"} <= pairs


def test_elements_are_named(model, built):
    assert len(model) == TOTAL - 1 and [one.type for one in model.bare] == [building.BARE] and not model.failed
    by_guid = {one.guid: one for one in model.elements}
    for (cell, key), guid in built.guids.items():
        one = by_guid[guid]
        assert (one.name, one.storey, one.model) == (f"{cell}: {key}", built.storey_of(cell), "building.ifc")
    walls = [points for one, points in zip(model.elements, model.vertices) if one.name == "walls that meet: w"]
    place = place_of("walls that meet", (-2, -0.1, 0))
    assert numpy.linalg.norm(walls[0] - place, axis=1).min() < 1e-8


def test_nothing_to_check(services, tmp_path, capsys):
    Building(lambda kind: False).file.write(str(tmp_path / "empty.ifc"))
    assert program.main([str(tmp_path / "empty.ifc"), "--pairs", "-"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "a,b\n" and "empty.ifc: there is no element with a mesh" in shown.err
    assert program.main([str(services), str(tmp_path / "empty.ifc"), "--clearance", "1", "--pairs", "-"]) == 0
    assert capsys.readouterr().out == "a,b\n"
    assert program.main([str(services), "--types", "IfcBoiler,*", "--clashes", "-", "--boxes", str(tmp_path / "boxes.csv")]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 1 and len(table(tmp_path / "boxes.csv")) == len(obbligato.ifc.read(services)) > 10


def test_far_elements_are_named(tmp_path, capsys):
    far = Building(lambda kind: kind == "IfcColumn")
    lone = far.file.by_guid(far.guids[f"column {len(CELLS)}", "c"])
    lone.ObjectPlacement.RelativePlacement.Location.Coordinates = [1e10, 0.0, 0.0]
    far.file.write(str(tmp_path / "far.ifc"))
    assert program.main([str(tmp_path / "far.ifc"), "--pairs", "-"]) == 0
    assert "corners were rounded by up to 0.2" in capsys.readouterr().err
    for far_away in (1e40, 1e300):
        lone.ObjectPlacement.RelativePlacement.Location.Coordinates = [far_away, 0.0, 0.0]
        far.file.write(str(tmp_path / "far.ifc"))
        assert program.main([str(tmp_path / "far.ifc"), "--pairs", "-"]) == 2
        shown = capsys.readouterr().err
        assert f"far.ifc: IfcColumn {lone.GlobalId} is more than 1e+15 m from the others (1 such in all)" in shown


# What ifcopenshell's own tool leaves out of the building: elements in one another whose surfaces coincide, or that are wholly
# inside of a wall with an opening.
THEIRS_LACKS = {
    "a duct twice",
    "a wall with an opening twice",
    "conduit in a wall with an opening",
    "niche flush with a wall",
    "walls that overlap at a corner",
    "walls with an opening that overlap at a corner",
}


def test_clashes_match_those_of_ifcopenshell(built, model):
    import ifcopenshell.geom

    try:
        tree = ifcopenshell.geom.tree(backend="opencascade.trianglebvh")
    except TypeError:
        tree = ifcopenshell.geom.tree()
    elements = [one for one in built.file.by_type("IfcElement") if one.Representation and not one.is_a("IfcFeatureElement")]
    for shape in ifcopenshell.geom.iterator(ifcopenshell.geom.settings(), built.file, 1, include=elements):
        tree.add_element(shape)
    names = {guid: key for key, guid in built.guids.items()}

    def cells(clashes):
        return {names[one.a.get_argument(0)][0] for one in clashes}

    overlaps = {cell for (cell, *_), (kind, *_) in expected().items() if kind != "touch"}
    theirs = cells(tree.clash_intersection_many(elements, elements, 0.001, True))
    assert theirs <= overlaps and overlaps - theirs <= THEIRS_LACKS and len(theirs) >= 8
    surfaces = cells(tree.clash_collision_many(elements, elements, True))
    assert surfaces <= {cell for cell, *_ in expected()}
    near = cells(tree.clash_clearance_many(elements, elements, CLEARANCE, True))
    assert near == {cell for cell, *_ in expected(CLEARANCE)}


def test_a5_scenes_of_meshes_agree(model):
    """The engine's scenes of meshes, which know no tolerance, find the same pairs, in the same relation up to the rounding."""
    scene = Scene(list(zip(model.vertices, model.faces)))
    starts = scene.face_starts.tolist()
    parts = [obbligato.Triangles(scene.triangles[first:last]) for first, last in zip(starts, starts[1:])]
    found = obbligato.Checker(backend="cpu", margin=CLEARANCE).mesh_scene(obbligato.MeshBody.from_each(parts))
    report = obbligato.ifc.check(model, rules=Rules(clearance=CLEARANCE), backend="cpu")
    own, places = report.clashes, {tuple(sorted(pair)): k for k, pair in enumerate(report.clashes.pairs.tolist())}
    assert set(places) == {tuple(pair) for pair in found.pairs.tolist()} and len(places) == len(expected(CLEARANCE))
    relations = Counter()
    for pair, number, distance in zip(found.pairs.tolist(), found.relations, found.distances):
        k, relation = places[tuple(pair)], found.RELATIONS[number]
        kind, inner = KINDS[own.kinds[k]], own.pairs[k, own.inner[k]]
        relations[relation] += 1
        if relation == "near":
            assert kind == "near" and abs(distance - own.distances[k]) <= 4 * scene.rounding, pair
        elif relation == "touch":
            assert kind == "touch", pair
        elif relation == "overlap":
            assert kind in ("duplicate", "pierce", "overlap") or own.depths[k] <= obbligato.ifc.TOLERANCE, pair
        else:
            assert kind == "contain" and inner == pair["ab".index(relation[-1])], pair
    assert min(relations["overlap"], relations["touch"], relations["near"]) >= 3
    assert relations["a contains b"] + relations["b contains a"] == 3


def test_without_ifcopenshell(path):
    code = "import sys; sys.modules['ifcopenshell'] = None\nfrom obbligato.ifc import __main__\nsys.exit(__main__.main(sys.argv[1:]))"
    ended = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, timeout=600)
    assert ended.returncode == 2 and ended.stdout == ""
    assert ended.stderr == "obbligato.ifc: IFC files need the package ifcopenshell: pip install obbligato[ifc]\n"


GUIDE = Path(__file__).parents[2] / "docs" / "src" / "guide" / "ifc.md"


def test_the_commands_of_the_guide(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Building(lambda kind: is_service(kind) or kind == "IfcSlab").file.write("building.ifc")
    Building(is_service).file.write("services.ifc")
    text = GUIDE.read_text(encoding="utf-8")
    lines = "".join(re.findall(r"```sh\n(.*?)```", text, re.DOTALL)).replace("\\\n", " ").splitlines()
    commands = [shlex.split(line)[3:] for line in lines if line.startswith("python -m obbligato.ifc ")]
    for words in commands:
        assert program.main(words) == 0 and capsys.readouterr().err == ""
    assert len(commands) >= 2 and {"clashes.csv", "pairs.csv"} <= set(os.listdir())
    shown = program.arguments().format_help()
    for option in re.findall(r"`(--[a-z-]+)", text):
        assert option in shown or option in ("--html", "--f64", "--keep"), option
    (tmp_path / "rules.toml").write_text(re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[0])
    if sys.version_info >= (3, 11):
        rules = obbligato.ifc.read_rules("rules.toml")
        assert [one.types[0] for one in rules.rules] == ["IfcWall", "IfcDoor"] and rules.rules[1].ignore
    spaces: dict = {}
    for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL):
        exec(compile(block, "ifc.md", "exec"), spaces)
    kinds, summary = spaces["report"]("building.ifc")
    assert len(kinds) == summary["colliding_pairs"] + summary["near_pairs"] > 0
