"""Boxes, motions and bounds by the names of their columns."""

import numpy
import pandas
import polars
import pyarrow
import pytest
from conftest import row

import obbligato

NAMES = "cx cy cz hx hy hz qx qy qz qw".split()
MIXED_UP = ["qw", "cz", "hx", "cy", "qx", "hz", "cx", "qz", "hy", "qy"]


def columns(boxes, names=MIXED_UP):
    return {name: boxes[:, NAMES.index(name)] for name in names}


def structured(table):
    rows = numpy.empty(len(table["cx"]), [(name, numpy.asarray(column).dtype) for name, column in table.items()])
    for name, column in table.items():
        rows[name] = column
    return rows


KINDS = {
    "a dict": dict,
    "pandas": pandas.DataFrame,
    "polars": polars.DataFrame,
    "pyarrow": pyarrow.table,
    "a batch of pyarrow": pyarrow.RecordBatch.from_pydict,
    "a structured array": structured,
}


@pytest.fixture(params=KINDS)
def kind(request):
    return KINDS[request.param]


@pytest.mark.parametrize("dtype", [numpy.float32, numpy.float64])
def test_columns_are_found_by_their_names(kind, dtype, crowd):
    expected = obbligato.check(crowd, backend="cpu")
    table = kind(columns(crowd.astype(dtype)) | {"colour": numpy.zeros(len(crowd), numpy.int64)})
    found = obbligato.check(table, backend="cpu")
    assert found.colliding_pairs > 100 and numpy.array_equal(found.pairs, expected.pairs)
    assert numpy.array_equal(found.pair_ids, found.pairs)
    half = crowd[:1000]
    against = obbligato.check(half, against=kind(columns(crowd[1000:])), backend="cpu")
    assert against.checksum == obbligato.check(half, against=crowd[1000:], backend="cpu").checksum


@pytest.mark.parametrize(
    "ids",
    [
        numpy.array([40, 30, 20, 10]),
        numpy.array([2**40, 1, 2, 3], numpy.uint64),
        numpy.array(["wall", "beam", "door", "desk"]),
        ["wall", "beam", "door", "desk"],
    ],
    ids=["numbers", "long numbers", "texts", "a list"],
)
def test_ids_are_carried_to_results(kind, ids):
    if kind is structured:
        ids = numpy.asarray(ids)
    boxes = row(0, 1, 9, 9.5)
    table = kind(columns(boxes) | {"id": ids})
    ids = numpy.asarray(ids)
    checker = obbligato.Checker(backend="cpu")
    expected = ids[[[0, 1], [2, 3]]].tolist()
    still = numpy.zeros((4, 3), numpy.float32)
    tile = obbligato.tile(boxes, 1).tiles[0]
    for found in [
        checker.check(table),
        checker.check(obbligato.BoxSet(table)),
        checker.check_pairs(table, [[0, 1], [1, 2], [2, 3]]),
        checker.check_tile(tile, table),
        checker.sweep(table, still, 1.0),
    ]:
        assert found.pairs.tolist() == [[0, 1], [2, 3]]
        assert found.pair_ids.tolist() == expected
    # Of two lists each has its own; one that has none uses positions.
    assert checker.check(row(1), against=table).pair_ids.tolist() == [[0, one] for one in ids[:2].tolist()]
    assert checker.check(table, against=row(1)).pair_ids.tolist() == [[one, 0] for one in ids[:2].tolist()]
    assert checker.check_movers(checker.prepare(table), row(1)).pair_ids[:, 0].tolist() == ids[:2].tolist()
    assert checker.check(table, against=table).pair_ids[0].tolist() == [ids[0], ids[0]]


def test_trackers_take_the_ids_of_tables():
    tracker = obbligato.Tracker(backend="cpu")
    table = pandas.DataFrame(columns(row(0, 1, 9)) | {"id": [7, 3, 5]})
    assert tracker.update(table).begin.tolist() == [[3, 7]]
    assert len(tracker.update(table[::-1]).end) == 0
    with pytest.raises(TypeError, match=r"boxes\['id'\] has the dtype .*: give whole numbers"):
        tracker.update(pandas.DataFrame(columns(row(0)) | {"id": ["wall"]}))
    assert tracker.update(table, ids=[1, 2, 3]).pairs.tolist() == [[1, 2]]


def test_an_index_may_be_the_ids():
    table = pandas.DataFrame(columns(row(0, 1)), index=pandas.Index(["a", "b"], name="id"))
    assert obbligato.check(table, backend="cpu").pair_ids.tolist() == [["a", "b"]]


def test_rules_in_columns(kind):
    boxes = row(0, 0, 0, 0)
    checker = obbligato.Checker(backend="cpu")

    def pairs(rules, **given):
        return checker.check(kind(columns(boxes) | {name: numpy.array(rule) for name, rule in rules.items()}), **given).pairs.tolist()

    assert pairs({"owner": [1, 1, 2, 2]}) == [[0, 2], [0, 3], [1, 2], [1, 3]]
    assert pairs({"owner": [1, 1, numpy.nan, numpy.nan]}) == [[0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert pairs({"world": [1, 1, 2, 2]}) == [[0, 1], [2, 3]]
    assert pairs({"static": [True, True, True, False]}) == pairs({"static": [1, 1, 1, 0]}) == [[0, 3], [1, 3], [2, 3]]
    assert pairs({"memberships": [1, 2, 4, 4], "filter": [2, 1, 1, 1]}) == [[0, 1]]
    # What the call says goes before what the table says.
    assert pairs({"world": [1, 1, 2, 2]}, worlds=[1, 2, 2, 1]) == [[0, 3], [1, 2]]
    records = obbligato.records(kind(columns(boxes) | {"memberships": numpy.array([1, 2, 4, 4])}))
    assert records["memberships"].tolist() == [1, 2, 4, 4] and (records["filter"] == 0xFFFFFFFF).all()


def test_motions_and_bounds_in_columns(kind):
    checker = obbligato.Checker(backend="cpu")
    zeros = numpy.zeros(2, numpy.float32)
    moves = {"vy": zeros, "vx": numpy.array([4, 0], numpy.float32)}
    assert len(checker.sweep(row(0, 4), kind(moves | {"cx": zeros} if kind is structured else moves), 1.0)) == 1
    sides = {"max_x": numpy.array([1, 2], numpy.float32), "min_x": numpy.array([0, 1], numpy.float32)}
    for axis in "yz":
        sides |= {f"min_{axis}": zeros, f"max_{axis}": zeros}
    assert checker.check_bounds(kind(sides | {"cx": zeros} if kind is structured else sides)).pairs.tolist() == [[0, 1]]
    with pytest.raises(ValueError, match="motions has none of the columns vx vy"):
        checker.sweep(row(0, 4), kind({"cx": zeros, "cy": zeros}), 1.0)
    with pytest.raises(ValueError, match="bounds lacks the columns min_x"):
        checker.check_bounds(kind({"cx": zeros, "cy": zeros}))


def test_tables_with_missing_or_foreign_columns_are_refused(kind):
    table = columns(row(0, 1))
    with pytest.raises(ValueError, match="boxes lacks the columns hx, hz: name the columns cx cy cz"):
        obbligato.check(kind({name: column for name, column in table.items() if name not in ("hx", "hz")}))
    refused = {"shape": r"boxes\['shape'\] has 0 in row 0", "radius": "in a column shape", "frame": "the rows of one frame"}
    for name, words in refused.items():
        with pytest.raises(ValueError, match=words):
            obbligato.check(kind(table | {name: numpy.zeros(2, numpy.int64)}))
    with pytest.raises(TypeError, match=r"boxes\['cx'\] (has the dtype|is a Series)"):
        obbligato.check(kind(table | {"cx": numpy.array(["0", "1"])}))
    with pytest.raises(TypeError, match=r"boxes\['id'\] has numbers with fractions, or rows without an id"):
        obbligato.check(kind(table | {"id": numpy.array([1, numpy.nan])}))
    with pytest.raises(TypeError, match=r"boxes\['cx'\] has the dtype float64, which this call does not accept"):
        obbligato.Tracker(backend="cpu").update(kind(table | {"cx": numpy.array([0.0, 1.0])}))


def test_frames_of_pandas_without_names_are_arrays(crowd):
    assert obbligato.check(pandas.DataFrame(crowd), backend="cpu").checksum == obbligato.check(crowd, backend="cpu").checksum
    twice = pandas.DataFrame(crowd, columns=["cx", *NAMES[:3], *NAMES[4:]])
    with pytest.raises(ValueError, match="2 columns cx|lacks the columns hx"):
        obbligato.check(twice)
