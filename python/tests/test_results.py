"""Results are copied, pickled, and say what they are."""

import copy
import inspect
import pickle

import numpy
import pytest
from conftest import row

import obbligato

BOXES = row(0, 1, 2, 9)
TABLE = dict(zip("cx cy cz hx hy hz qx qy qz qw".split(), BOXES.T, strict=True), id=numpy.array(["a", "b", "c", "d"]))
STILL = numpy.zeros((4, 3), numpy.float32)
RAYS = numpy.array([[-9, 0, 0, 1, 0, 0], [-9, 5, 0, 1, 0, 0]], numpy.float32)


def frame():
    tracker = obbligato.Tracker(backend="cpu")
    tracker.update(BOXES, [1, 2, 3, 4])
    return tracker.update(BOXES[1:], [2, 3, 4])


RESULTS = {
    "pairs": lambda: obbligato.check(BOXES, backend="cpu", list_touching=True, count_operations=True),
    "pairs on a GPU": lambda: obbligato.check(BOXES, backend="gpu"),
    "degrees": lambda: obbligato.check(BOXES, backend="cpu", output="degrees"),
    "count": lambda: obbligato.check(BOXES, backend="cpu", output="count"),
    "two lists": lambda: obbligato.check(BOXES, against=BOXES, backend="cpu"),
    "names": lambda: obbligato.check(TABLE, backend="cpu"),
    "nothing": lambda: obbligato.check([], backend="cpu"),
    "a cut list": lambda: obbligato.check(BOXES, backend="cpu", max_pairs=1),
    "adjacency": lambda: obbligato.check(BOXES, backend="cpu").adjacency(),
    "contacts": lambda: obbligato.contacts(BOXES, [[0, 1], [0, 3]], backend="cpu"),
    "distances": lambda: obbligato.distances(BOXES, [[0, 1], [0, 3]], backend="cpu"),
    "overlaps": lambda: obbligato.overlaps(BOXES, [[0, 1], [0, 3]], backend="cpu"),
    "a matrix": lambda: obbligato.iou_matrix(BOXES),
    "impacts": lambda: obbligato.sweep(BOXES, STILL, 1.0, backend="cpu"),
    "named impacts": lambda: obbligato.sweep(TABLE, STILL, 1.0, backend="cpu"),
    "frame": frame,
    "first hits": lambda: obbligato.Tree(BOXES).first_hits(RAYS),
    "hits": lambda: obbligato.Tree(BOXES).all_hits(RAYS),
    "lists": lambda: obbligato.Tree(BOXES).containing(BOXES[:, :3]),
    "picture": lambda: obbligato.render(BOXES, size=(32, 18)),
    "advanced": lambda: obbligato.Checker(backend="cpu").advance(BOXES, STILL, 1.0, 1e-3),
    "tiling": lambda: obbligato.tile(BOXES, 2),
    "set": lambda: obbligato.BoxSet(BOXES, owners=numpy.arange(4)),
}
COPIES = {
    "pickled": lambda result: pickle.loads(pickle.dumps(result)),
    "pickled by protocol 2": lambda result: pickle.loads(pickle.dumps(result, 2)),
    "copied": copy.copy,
    "copied deeply": copy.deepcopy,
}


def said(result):
    """All that it says."""
    fields = {}
    for name in [*dir(type(result)), *getattr(type(result), "__dataclass_fields__", [])]:
        if name.startswith("_"):
            continue
        try:
            value = getattr(result, name)
        except obbligato.Error as error:
            value = str(error)
        if isinstance(value, numpy.ndarray):
            value = (value.dtype, value.shape, value.tobytes() if value.dtype != object else value.tolist())
        if isinstance(value, dict):
            value = {key: numpy.asarray(entry).tolist() for key, entry in value.items()}
        if not callable(value):
            fields[name] = value
    return fields


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("name", RESULTS)
def test_copies_are_equal(name, how):
    result = RESULTS[name]()
    made = COPIES[how](result)
    assert type(made) is type(result) and repr(made) == repr(result)
    assert said(made) == said(result) and len(said(result)) > 0
    if hasattr(result, "marks"):
        for method in (lambda one: one.marks().tolist(), lambda one: one.adjacency("a-to-b").neighbours.tolist()):
            try:
                expected = method(result)
            except obbligato.Error as error:
                with pytest.raises(type(error), match=str(error)[:20]):
                    method(made)
            else:
                assert method(made) == expected


def test_invalid_pickles_are_refused():
    for kind in (obbligato.Report, obbligato.Adjacency):
        arguments = ([None, None], b"nonsense") if kind is obbligato.Report else (b"\xff" * 20,)
        with pytest.raises(ValueError, match="is not what was pickled"):
            kind._restored(*arguments)


def classes():
    for name in obbligato.__all__:
        value = getattr(obbligato, name)
        if inspect.isclass(value) and not issubclass(value, Exception) and value is not obbligato.Shapes:
            yield value


def others(checker):
    """Shapes, regions, and results of arrays alone."""
    corner = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], numpy.float32)
    room, solids = obbligato.Room([0, 0, 0], [1, 1, 1]), obbligato.Solids([corner, corner])
    mesh = obbligato.Triangles.of(corner, [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])
    lists = [obbligato.Spheres([]), obbligato.Capsules([]), obbligato.Uprights([]), obbligato.Bounds([])]
    results = [
        checker.neighbours(BOXES),
        checker.approaches(BOXES, numpy.zeros((len(BOXES), 3), numpy.float32), 1, within=1),
        checker.enclosures(room, BOXES),
        solids.penetrations([[0, 1]]),
        checker.mesh_scene([obbligato.MeshBody(mesh)] * 2),
    ]
    meshes = [mesh, obbligato.ClosedMesh(mesh), obbligato.MeshBody(mesh), obbligato.BspTree(mesh)]
    return [room, solids, *meshes, obbligato.Bodies(BOXES), *lists, *results]


def test_every_class_has_a_repr():
    checker = obbligato.Checker(backend="cpu")
    every = [make() for make in RESULTS.values()]
    every += [obbligato.Tree(BOXES)]
    every += [checker, obbligato.Tracker(backend="cpu", margin=0.5), checker.prepare(BOXES), *others(checker)]
    assert {type(one) for one in every} == set(classes())
    for one in every:
        assert type(one).__repr__ is not object.__repr__ and " object at 0x" not in repr(one)
    assert repr(checker) == "Checker(backend='cpu')"
    assert repr(obbligato.Tracker(backend="cpu", margin=0.5)) == "Tracker(coherence='auto', backend='cpu', margin=0.5)"
    assert repr(obbligato.BoxSet(BOXES, owners=[0] * 4)) == "<BoxSet: 4 boxes, owners>"
    assert repr(obbligato.tile(BOXES, 1)) == "<Tiling: 1 tiles>"
    assert repr(obbligato.check(BOXES).adjacency()) == "<Adjacency: 4 boxes, 6 partners>"


def test_counts_take_no_memory_for_pairs():
    """10,000 boxes in one place have 50 million pairs, of 8 bytes each."""
    import subprocess
    import sys

    script = """
import resource, numpy, obbligato
pile = numpy.tile(numpy.array([0, 0, 0, 1, 1, 1, 0, 0, 0, 1], numpy.float32), (10_000, 1))
checkers = [obbligato.Checker(backend="cpu", output=output) for output in ("count", "degrees")]
[checker.check(pile[:2000]) for checker in checkers]
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (64 << 20), resource.RLIM_INFINITY))
count, degrees = [checker.check(pile) for checker in checkers]
print([count.colliding_pairs, degrees.colliding_pairs], degrees.degrees.sum())
"""
    if sys.platform == "linux":
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=900)
        assert ended.stdout.split() == ["[49995000,", "49995000]", "99990000"], ended.stderr
