"""Pairs, against an oracle of our own and against the known answers of the library."""

import functools
from pathlib import Path

import numpy
import oracle
import pytest
from conftest import cubes, row

import obbligato

SCENES = {
    "uniform": 0x84E0_EE57_6602_50B9,
    "dense": 0xF6BF_129B_73A9_E384,
    "mixed": 0xA605_41CA_0EE9_9465,
    "giants": 0x6C2C_2CD0_7DBD_67FB,
    "crowd": 0x1054_426D_AC82_0219,
    "bricks": 0xB4ED_745D_3594_1212,
    "clusters": 0x1EDC_1614_FED2_332D,
    "sticks": 0x9E61_D82B_9F8A_C2C2,
    "particles": 0x8D46_220C_7A2E_8741,
    "far": 0x32F4_5682_4727_08B0,
    "coincident": 0x60BC_1CAE_425B_1719,
}


def test_the_oracle_distinguishes_touching_from_apart():
    cube, beside = row(0, 2)
    assert oracle.contact(cube, beside) == 0
    beside[0] = numpy.nextafter(beside[0], numpy.float32(3))
    assert oracle.contact(cube, beside) == -1
    beside[0] = 1.5
    assert oracle.contact(cube, beside) == 1


@functools.cache
def known(scene):
    """Boxes, and the oracle's answer, which takes seconds: for both backends."""
    boxes = obbligato.scene(scene, 150, seed=3)
    return boxes, *oracle.contacts(boxes)


@pytest.mark.parametrize("scene", ["dense", "crowd", "bricks", "sticks", "particles", "mixed"])
def test_pairs_match_the_oracle(scene, backend):
    boxes, expected, touching = known(scene)
    report = obbligato.check(boxes, backend=backend)
    assert report.backend == backend
    assert len(expected) > 10
    assert report.pairs.tolist() == expected
    assert (report.colliding_pairs, report.touching_pairs) == (len(expected), touching)


@pytest.mark.parametrize("way", [-1, 0, 1])
def test_the_last_digit_decides(way, backend):
    # A cube on its edge beside another cube.
    turned = numpy.float32(numpy.sqrt(0.5))
    boxes = numpy.array(
        [[0, 0, 0, 1, 1, 1, 0, 0, 0, 1], [0, 0, 0, 1, 1, 1, 0, 0, numpy.sin(numpy.pi / 8), numpy.cos(numpy.pi / 8)]],
        numpy.float32,
    )
    boxes[1, 0] = numpy.float32(1) + numpy.float32(2) * turned
    boxes[1, 0] = numpy.nextafter(boxes[1, 0], numpy.float32(way * numpy.inf)) if way else boxes[1, 0]
    collide = oracle.contact(*boxes) >= 0
    assert obbligato.check(boxes, backend=backend).colliding_pairs == collide


def test_scenes_match_the_library():
    for name, expected in SCENES.items():
        found = 0xCBF2_9CE4_8422_2325
        for byte in obbligato.records(obbligato.scene(name, 1000)).tobytes():
            found = (found ^ byte) * 0x100_0000_01B3 & 0xFFFF_FFFF_FFFF_FFFF
        assert found == expected, name


def test_x4_a_million_boxes_have_the_known_pairs():
    report = obbligato.check(obbligato.scene("uniform", 1_000_000), backend="cpu")
    assert report.checksum == "83c1b5a2aa2f60d1"
    assert obbligato.checksum(report.pairs) == report.checksum


def test_the_building_has_the_known_pairs(backend):
    # The README of the library has these numbers.
    path = Path(__file__).parents[2] / "tests/data/building.csv"
    boxes = numpy.loadtxt(path, numpy.float32, delimiter=",", skiprows=1, usecols=range(3, 13), quotechar='"')
    report = obbligato.check(boxes, backend=backend)
    assert (report.boxes, report.colliding_pairs, report.touching_pairs) == (182, 481, 78)
    assert (report.checksum, (report.marks() == 0).sum()) == ("6984f29d9568478c", 4)


def test_both_backends_find_the_same(crowd):
    on_cpu, on_gpu = (obbligato.check(crowd, backend=backend) for backend in ("cpu", "gpu"))
    assert numpy.array_equal(on_cpu.pairs, on_gpu.pairs)
    assert (on_cpu.adapter, on_gpu.threads) == (None, None)
    assert on_gpu.adapter == obbligato.adapters()[0]["name"] and on_cpu.threads >= 1


@pytest.mark.parametrize("broad_phase", ["auto", "grid", "sweep", "tree", "octree", "lbvh", "all-pairs"])
def test_every_broad_phase_finds_the_same(broad_phase, crowd):
    expected = obbligato.check(crowd, backend="cpu")
    found = obbligato.check(crowd, backend="cpu", broad_phase=broad_phase)
    assert numpy.array_equal(found.pairs, expected.pairs)
    assert broad_phase in ("auto", found.broad_phase[0])


def test_two_lists(backend):
    walls, desks = row(0, 1), row(9, 2.5)
    report = obbligato.check(walls, against=desks, backend=backend)
    assert report.pairs.tolist() == [[1, 1]]
    assert report.marks().tolist() == [False, True, False, True]
    assert report.boxes == 4


def test_margins(backend):
    boxes = row(0, 2.25, 9)
    assert obbligato.check(boxes, backend=backend, margin=0.25).pairs.tolist() == [[0, 1]]
    near = obbligato.check(boxes, backend=backend, margin=0.5, margins=[0, 4.5, 0])
    assert near.pairs.tolist() == [[0, 1], [1, 2]]
    assert (near.near_pairs, near.touching_pairs) == (2, 0)


def test_outputs(backend):
    boxes = row(0, 1.5, 3, 9)
    degrees = obbligato.check(boxes, backend=backend, output="degrees")
    assert degrees.degrees.tolist() == [1, 2, 1, 0]
    assert degrees.marks().tolist() == [True, True, True, False]
    count = obbligato.check(boxes, backend=backend, output="count")
    assert count.colliding_pairs == 2
    for report, form in [(degrees, "pairs"), (count, "pairs"), (count, "degrees"), (count, "checksum")]:
        with pytest.raises(obbligato.Unavailable):
            getattr(report, form)


def test_adjacency():
    report = obbligato.check(row(0, 1.5, 3, 9))
    adjacency = report.adjacency()
    assert adjacency.offsets.tolist() == [0, 1, 3, 4, 4]
    assert adjacency.neighbours.tolist() == [1, 0, 2, 1]
    assert [adjacency.row(k).tolist() for k in range(len(adjacency))] == [[1], [0, 2], [1], []]
    assert report.adjacency("a-to-b").neighbours.tolist() == [1, 2]
    with pytest.raises(IndexError):
        adjacency.row(4)
    with pytest.raises(ValueError, match="both, a-to-b, b-to-a"):
        report.adjacency("up")


def test_touching_pairs_are_listed(backend):
    boxes = row(0, 2, 3.5)
    report = obbligato.check(boxes, backend=backend, list_touching=True)
    assert report.pairs.tolist() == [[0, 1], [1, 2]]
    assert report.touching.tolist() == [[0, 1]]


def test_fixed_capacity(backend, crowd):
    total = obbligato.check(crowd, backend=backend).colliding_pairs
    report = obbligato.check(crowd, backend=backend, max_pairs=10)
    assert (report.complete, len(report.pairs), report.colliding_pairs) == (False, 10, total)
    with pytest.raises(obbligato.Unavailable, match="max_pairs"):
        report.checksum


def test_other_precisions(backend, crowd):
    exact = set(map(tuple, obbligato.check(crowd, backend=backend).pairs.tolist()))
    safe = obbligato.check(crowd, backend=backend, precision="conservative")
    assert exact <= set(map(tuple, safe.pairs.tolist()))
    assert obbligato.check(crowd, backend=backend, precision="fast").touching_pairs is None


def test_given_pairs_and_bounds(backend):
    checker = obbligato.Checker(backend=backend)
    assert checker.check_pairs(row(0, 1.5, 9), [[1, 2], [0, 1]]).pairs.tolist() == [[0, 1]]
    bounds = numpy.array([[x, 0, 0, x + 1, 1, 1] for x in (0, 1, 9)], numpy.float32)
    assert checker.check_bounds(bounds).pairs.tolist() == [[0, 1]]


def test_prepared_scenes(backend):
    checker = obbligato.Checker(backend=backend)
    scene = checker.prepare(row(0, 2, 4))
    assert (len(scene), scene.backend) == (3, backend)
    assert checker.check_movers(scene, cubes((4.5, 3, 0), half=0.4)).pairs.tolist() == []
    assert checker.check_movers(scene, cubes((4.5, 1, 0), half=0.4)).pairs.tolist() == [[2, 0]]
    other = obbligato.Checker(backend={"cpu": "gpu", "gpu": "cpu"}[backend])
    with pytest.raises(obbligato.Unavailable, match="prepare"):
        other.check_movers(scene, row(0))


def test_centers_in_float64(backend):
    street = numpy.array([[4e6 + x, 5.5e6, 0, 0.5, 0.5, 0.5, 0, 0, 0, 1] for x in (0, 1, 2.001)])
    assert street.dtype == numpy.float64
    assert obbligato.check(street, backend=backend).pairs.tolist() == [[0, 1]]
    assert obbligato.check(street.astype(numpy.float32), backend=backend).colliding_pairs == 2
    assert obbligato.check(street[:1], against=street[1:], backend=backend).pairs.tolist() == [[0, 0]]
    # A list in float32 beside one in float64 is what it is.
    near = street - [4e6, 5.5e6, 0, 0, 0, 0, 0, 0, 0, 0]
    for of_first in (numpy.float32, numpy.float64):
        for of_second in (numpy.float32, numpy.float64):
            found = obbligato.check(near[:1].astype(of_first), against=near[1:].astype(of_second), backend=backend)
            assert found.pairs.tolist() == [[0, 0]]


def test_nothing_collides_in_an_empty_scene(backend):
    for boxes in ([], numpy.empty((0, 10), numpy.float32), numpy.empty(0, obbligato.BOX)):
        report = obbligato.check(boxes, backend=backend)
        assert (report.boxes, report.colliding_pairs, report.pairs.shape) == (0, 0, (0, 2))
        assert report.checksum == "0" * 16


def test_reports_describe_the_check(crowd):
    checker = obbligato.Checker(backend="cpu", count_operations=True)
    report = checker.check(crowd)
    assert report.candidate_pairs >= report.colliding_pairs > 0
    assert report.operations["comparisons"] >= report.candidate_pairs
    # The stages may be all of the total; each is rounded to an f64 of its own.
    stages = sum(time for stage, time in report.timings.items() if stage != "total")
    assert 0 < stages <= report.timings["total"] * (1 + 1e-12)
    assert report.gpu_timings == {} and report.device_bytes == 0
    assert repr(report).startswith(f"<Report: 2000 boxes, {report.colliding_pairs} colliding pairs, cpu, ")
    assert (checker.backend, checker.adapter, checker.warnings) == ("cpu", None, [])
    assert "cpu" in checker.choice.lower()
    assert checker.memory_estimate(1_000_000)["host_bytes"] > 48_000_000


def test_a_checker_can_be_reused(backend, crowd):
    checker = obbligato.Checker(backend=backend)
    first = checker.check(crowd)
    pairs = first.pairs.copy()
    assert checker.check(row(0, 1)).colliding_pairs == 1
    assert checker.check(crowd[:100]).boxes == 100
    assert numpy.array_equal(checker.check(crowd).pairs, pairs)
    assert numpy.array_equal(first.pairs, pairs), "a report stays as it is"
