"""Wrong calls of every kind: the error has the right class, and one line that names the argument, the row, and what to do."""

import tempfile
from pathlib import Path

import numpy
import pytest
import trimesh
from conftest import row

import obbligato
from obbligato import Bodies, Bounds, BoxSet, BspTree, Capsules, Checker, ClosedMesh, MeshBody, Room, Solids, Spheres, Tracker, Tree, Triangles, Uprights, ifc
from obbligato import DeviceError, FileError, InvalidInput, Unavailable
from obbligato.robots import Robot
from obbligato.trimesh import CollisionManager


def changed(array, place, value):
    """A copy of an array with another value in one place."""
    array = array.copy()
    array[place] = value
    return array


CPU = Checker(backend="cpu")
BOXES = row(0, 1, 5)
BAD = changed(BOXES, (2, 3), -1)
PAIRS = [[0, 1], [1, 2]]
STILL = numpy.zeros((3, 3), numpy.float32)
DOUBLES = BOXES.astype(float)
BALLS = Spheres([[0, 0, 0, 1], [1, 0, 0, 1]])
BAD_BALLS = Spheres([[0, 0, 0, 1], [1, 0, 0, -1]])
CORNERS = numpy.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], numpy.float32)
FACES = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]
TETRA = Triangles.of(CORNERS, FACES)
NAN_TRIANGLE = Triangles([[[0, 0, 0], [1, 0, numpy.nan], [0, 1, 0]]])
SOLIDS = Solids([CORNERS, CORNERS])
TABLE = dict(zip("cx cy cz hx hy hz qx qy qz qw".split(), BOXES.T))


def without(table, *names):
    return {name: column for name, column in table.items() if name not in names}


class OnGpu:
    __cuda_array_interface__ = {"shape": (1, 10)}


class ByDlpack:
    def __dlpack__(self, **options):
        raise AssertionError("nobody asks for what is on a GPU")

    def __dlpack_device__(self):
        return (2, 0)


FOLDER = tempfile.mkdtemp()
ARM = """<robot name="arm"><link name="base"><collision><geometry><box size="1 1 1"/></geometry></collision></link>
  <link name="hand"><collision><geometry><sphere radius="0.1"/></geometry></collision></link><link name="tip"/>
  <joint name="a" type="continuous"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/></joint>
  <joint name="b" type="continuous"><parent link="hand"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>"""
EMPTY = '<robot name="one"><link name="base"><collision><geometry><mesh filename="empty.obj"/></geometry></collision></link></robot>'
LEGS = '<robot name="arm"><disable_collisions link1="base" link2="leg"/></robot>'


def written(name, text):
    path = Path(FOLDER) / name
    path.write_text(text)
    return path


def empty():
    written("empty.obj", "v 0 0 0\n")
    return Robot(written("empty.urdf", EMPTY), backend="cpu")


def arm():
    return Robot(written("arm.urdf", ARM), backend="cpu")


# A call, the class of its error, the words before what to do, and those.
WRONG = [
    (lambda: Checker(precision="perfect"), ValueError, 'no precision is named "perfect"', "choose one of exact"),
    (lambda: Checker(backend="tpu"), ValueError, 'no backend is named "tpu"', "choose one of auto"),
    (lambda: Checker(backend=3), TypeError, "backend is 3", "give a text"),
    (lambda: Checker(broad_phase="quadtree"), ValueError, 'no broad_phase is named "quadtree"', "choose one of auto"),
    (lambda: Checker(output="triples"), ValueError, 'no output is named "triples"', "choose one of pairs"),
    (lambda: Checker(adapter=3), TypeError, "adapter is 3", "give a text, such"),
    (
        lambda: Checker(backend="gpu", adapter="none of this name"),
        DeviceError,
        'no GPU adapter for "none of this name"',
        "install a Vulkan, Metal",
    ),
    (lambda: Checker(margin="wide"), TypeError, "margin is 'wide'", "give a distance"),
    (lambda: Checker(margin=-1), InvalidInput, "the margin -1 is not a valid distance", "give a number from"),
    (
        lambda: obbligato.check(BOXES, margin=float("nan")),
        InvalidInput,
        "the margin NaN is not a valid distance",
        "give a number from",
    ),
    (lambda: Checker(max_pairs=-1), ValueError, "max_pairs is -1", "give a number of"),
    (lambda: Checker(max_pairs="all"), TypeError, "max_pairs is 'all'", "give a number of"),
    (lambda: Checker(list_touching="yes"), TypeError, "list_touching is 'yes'", "give True or False"),
    (lambda: Checker(count_operations=BOXES), TypeError, "count_operations is a ndarray", "give True or False"),
    (lambda: Checker(least_boxes=1.5), TypeError, "least_boxes is 1.5", "give a number of"),
    (lambda: Checker(pipeline_cache=3), TypeError, "pipeline_cache is 3", "give a path, or"),
    (lambda: Checker(timeout=-1), ValueError, "timeout is -1", "give a number of"),
    (lambda: Checker(timeout="long"), TypeError, "timeout is 'long'", "give a number of"),
    (lambda: Checker(threads=0), ValueError, "threads is 0", "give a number from"),
    (lambda: Checker(threads=-1), ValueError, "threads is -1", "give a number from"),
    (lambda: Checker(threads="all"), TypeError, "threads is 'all'", "give a number from"),
    (lambda: Tracker(threads=100_000), ValueError, "threads is 100000", "give a number from"),
    (lambda: Checker(colour="red"), TypeError, "there is no setting colour", "the settings are backend"),
    (lambda: Checker(owners=[0]), TypeError, "there is no setting owners", "the settings are backend"),
    (
        lambda: Checker(backend="gpu", broad_phase="octree"),
        Unavailable,
        "cannot compute this broad phase on a GPU",
        "it runs only on",
    ),
    (lambda: Tracker(coherence="full"), ValueError, 'no coherence is named "full"', "choose one of auto"),
    (lambda: CPU.check(numpy.zeros((3, 9), numpy.float32)), ValueError, "boxes has the shape (3, 9)", "give (N, 10), one"),
    (lambda: CPU.check(BOXES[0]), ValueError, "boxes has the shape (10,)", "give (N, 10), one"),
    (
        lambda: CPU.check(BOXES, numpy.zeros((2, 5, 10), numpy.float32)),
        ValueError,
        "against has the shape (2, 5, 10)",
        "give (N, 10), one",
    ),
    (lambda: CPU.check(numpy.zeros((1, 10), bool)), TypeError, "boxes has the dtype bool", "give float32, float64"),
    (lambda: CPU.check(BOXES, BOXES.astype(complex)), TypeError, "against has the dtype complex128", "give float32, float64"),
    (lambda: CPU.check(BOXES.astype(numpy.longdouble)), TypeError, "boxes has the dtype float128", "give float32, float64, as"),
    (
        lambda: CPU.check(numpy.full((1, 10), 2**53 + 1)),
        ValueError,
        "boxes has the number 9007199254740993, and",
        "give boxes.astype(numpy.float64) to round",
    ),
    (lambda: CPU.check(numpy.ma.array(BOXES, mask=BOXES == 5)), ValueError, "boxes has masked entries", "fill them in or"),
    (lambda: CPU.check(object()), TypeError, "boxes is an object", "give a numpy array"),
    (lambda: CPU.check(None), TypeError, "boxes is None", "give a numpy array"),
    (lambda: CPU.check([["a"] * 10]), ValueError, "boxes is a list that is not an array", "give rows of numbers"),
    (lambda: CPU.check([[0] * 10, [0] * 9]), ValueError, "boxes is a list that is not an array", "give rows of numbers"),
    (lambda: CPU.check(numpy.zeros((1, 1), obbligato.BOX)), ValueError, "boxes has 2 dimensions", "give records in one"),
    (lambda: CPU.check(OnGpu()), TypeError, "boxes is an array on a GPU, which is not", "copy it to the"),
    (lambda: CPU.contacts(BOXES, PAIRS, ByDlpack()), TypeError, "against is an array on a GPU, which is not", "copy it to the"),
    (
        lambda: CPU.check(changed(BOXES, (1, 0), numpy.nan)),
        InvalidInput,
        "boxes: box 1 has a number that is NaN or",
        "fix or remove it",
    ),
    (lambda: CPU.check(BAD), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: CPU.check(changed(BOXES, (1, 9), 2)), InvalidInput, "boxes: box 1 has a rotation whose length is", "fix or remove it"),
    (lambda: CPU.check(changed(BOXES, (1, 2), 1e30)), InvalidInput, "boxes: box 1 has a coordinate beyond", "fix or remove it"),
    (lambda: CPU.check(BAD.astype(float)), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: CPU.check(BOXES, BAD), InvalidInput, "against: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: CPU.check(BOXES, BAD_BALLS), InvalidInput, "against: body 1 (a sphere) has a negative", "fix or remove it"),
    (lambda: CPU.check(BAD_BALLS), InvalidInput, "boxes: body 1 (a sphere) has a negative radius", "fix or remove it"),
    (
        lambda: CPU.check(Bodies(BOXES, spheres=BALLS), Bodies(BOXES, spheres=BAD_BALLS)),
        InvalidInput,
        "against: body 4 (a sphere) has a negative",
        "fix or remove it",
    ),
    (
        lambda: CPU.check(Bodies(BAD, spheres=BALLS), Bodies(BOXES, spheres=BAD_BALLS)),
        InvalidInput,
        "boxes: box 2 has a negative half extent (1",
        "fix or remove it",
    ),
    (
        lambda: CPU.check(Capsules([[0, 0, 0, -1, 0, 0, 0, 1, 1]])),
        InvalidInput,
        "boxes: body 0 (a capsule) has a negative half",
        "fix or remove it",
    ),
    (
        lambda: CPU.check(Triangles([[[0, 0, 0], [1, 0, numpy.nan], [0, 1, 0]]])),
        InvalidInput,
        "boxes: triangle 0 has a number that is NaN or",
        "fix or remove it",
    ),
    (
        lambda: CPU.check(TETRA, Triangles([[[0, 0, 0], [1, 0, numpy.nan], [0, 1, 0]]])),
        InvalidInput,
        "against: triangle 0 has a number that is NaN",
        "fix or remove it",
    ),
    (lambda: CPU.check(TETRA, BAD_BALLS), InvalidInput, "against: body 1 (a sphere) has a negative", "fix or remove it"),
    (
        lambda: CPU.check(Triangles([[[0, 0, 0], [1, 0, numpy.nan], [0, 1, 0]]]), BALLS),
        InvalidInput,
        "boxes: triangle 0 has a number that is NaN or",
        "fix or remove it",
    ),
    (lambda: CPU.check(BALLS, TETRA), Unavailable, "cannot compute a check of two sets of these", "pass two sets of"),
    (
        lambda: CPU.check(Uprights([[0, 0, 1, 0, 1, 1, 0, 1, 3, 0]])),
        InvalidInput,
        "boxes: cuboid 0 has a z_min above its z_max (1",
        "fix or remove it",
    ),
    (
        lambda: CPU.check(BOXES, Uprights([[0, 0, 1, 0, 1, 1, 0, 1, 3, 0]])),
        InvalidInput,
        "against: cuboid 0 has a z_min above its z_max",
        "fix or remove it",
    ),
    (
        lambda: CPU.check(Bounds([[0, 0, 0, 1, 1, 1], [0, 0, 0, -1, 1, 1]])),
        InvalidInput,
        "boxes: box 1 has a min above its max (1",
        "fix or remove it",
    ),
    (
        lambda: CPU.check(Bounds([[0, 0, 0, 1, 1, 1]]), Bounds([[0, 0, 0, -1, 1, 1]])),
        InvalidInput,
        "against: box 0 has a min above its max (1",
        "fix or remove it",
    ),
    (
        lambda: CPU.check(Bounds([[0, 0, 0, 1, 1, 1]]), BOXES),
        Unavailable,
        "cannot compute a check of two sets of these",
        "pass two sets of",
    ),
    (lambda: CPU.check(SOLIDS, BOXES), TypeError, "boxes is Solids, which are checked without", "leave them out"),
    (lambda: CPU.check(BOXES, SOLIDS), TypeError, "against is a Solids", "give a numpy array"),
    (lambda: CPU.check(SOLIDS, owners=[0, 1]), TypeError, "boxes is Solids, which are checked without", "leave them out"),
    (lambda: CPU.check(BOXES, period=3), ValueError, "period is not three lengths", "give one for each"),
    (lambda: CPU.check(BOXES, period=[1, 2]), ValueError, "period is not three lengths", "give one for each"),
    (lambda: CPU.check(BOXES, period=[-1, None, None]), InvalidInput, "period: the period along x is -1e0", "give a finite length"),
    (
        lambda: CPU.check(row(0, 0), period=[1, None, None]),
        InvalidInput,
        "boxes: body 0 is as wide as the period along",
        "give a longer period",
    ),
    (
        lambda: CPU.check(BALLS, changed(BOXES, (2, 3), 50), period=[10, None, None]),
        InvalidInput,
        "against: body 2 is as wide as the period along",
        "give a longer period",
    ),
    (
        lambda: CPU.check(changed(BOXES, (1, 2), 1), in_plane=True),
        InvalidInput,
        "boxes: body 1 has a center off the plane z = 0",
        "make it by `in_plane`",
    ),
    (
        lambda: CPU.check(BOXES, changed(BOXES, (1, 2), 1), in_plane=True),
        InvalidInput,
        "against: body 1 has a center off the plane z =",
        "make it by `in_plane`",
    ),
    (
        lambda: CPU.contacts(changed(BOXES, (1, 2), 1), PAIRS, period=[9, None, None], in_plane=True),
        InvalidInput,
        "boxes: body 1 has a center off the plane z = 0",
        "make it by `in_plane`",
    ),
    (lambda: CPU.check(BOXES, owners=[0, 1]), InvalidInput, "the rule `owners` has length 2 but the number", "give one entry for"),
    (lambda: CPU.check(BOXES, owners=[0.5, 1, 2]), TypeError, "owners has the dtype float64", "give whole numbers, such as"),
    (lambda: CPU.check(BOXES, owners=[[0, 1, 2]]), ValueError, "owners has the shape (1, 3)", "give one entry for"),
    (lambda: CPU.check(BOXES, owners=[0, 1, -1]), ValueError, "owners has the number -1", "give numbers from 0"),
    (
        lambda: CPU.check(BOXES, BoxSet(BOXES, worlds=[0])),
        InvalidInput,
        "the rule `worlds` has length 1 but the number",
        "give one entry for",
    ),
    (lambda: CPU.check(BOXES, statics=[0, 1, 2]), ValueError, "statics has numbers other than 0 and 1", "give bool"),
    (lambda: CPU.check(BOXES, statics=[0.0, 1.0, 0.0]), TypeError, "statics has the dtype float64", "give bool"),
    (lambda: CPU.check(BOXES, active=["yes"] * 3), TypeError, "active has the dtype <U3", "give bool"),
    (
        lambda: CPU.check(BOXES, margins=[0, -1, 0]),
        InvalidInput,
        "the rule `margins` has -1 for box 1, which is",
        "give a number from",
    ),
    (lambda: CPU.check(BOXES, margins=[0]), InvalidInput, "the rule `margins` has length 1 but the number", "give one entry for"),
    (lambda: CPU.check(BOXES, groups=[1, 2, 3]), ValueError, "groups has the shape (3,)", "give (P, 2), one"),
    (lambda: CPU.check(BOXES, excluded=[[0, 9]]), InvalidInput, "the rule `excluded` names body 9 of 3, counted", "remove the pair"),
    (lambda: CPU.check(BOXES, excluded=[0, 9]), ValueError, "excluded has the shape (2,)", "give (P, 2), one"),
    (lambda: CPU.check(BOXES, owner=[0, 1, 2]), TypeError, "there is no rule or setting owner", "the rules are owners"),
    (lambda: CPU.check(BOXES, margin=1), TypeError, "there is no rule or setting margin", "the rules are owners"),
    (
        lambda: CPU.check(BoxSet(BOXES), owners=[0, 1, 2]),
        TypeError,
        "boxes is a BoxSet and there are other rules",
        "give all of them",
    ),
    (lambda: BoxSet(BOXES, margin=1), TypeError, "there is no rule or setting margin", "the rules are owners"),
    (lambda: CPU.check_pairs(BOXES, [0, 1, 2]), ValueError, "pairs has the shape (3,)", "give (P, 2), one"),
    (
        lambda: CPU.check_pairs(BOXES, [[0, 1], [1, 3]]),
        InvalidInput,
        "pairs: pair 1 names body 3 of 3, counted from",
        "fix or remove the",
    ),
    (lambda: CPU.check_pairs(BOXES, [[0, 1.5]]), TypeError, "pairs has the dtype float64", "give whole numbers, such as"),
    (lambda: CPU.check_pairs(BOXES, [[0, -1]]), ValueError, "pairs has the number -1", "give numbers from 0"),
    (lambda: CPU.check_pairs(BAD, PAIRS), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: CPU.check_bounds(BOXES), ValueError, "bounds has the shape (3, 10)", "give (N, 6), one"),
    (
        lambda: CPU.check_bounds([[0, 0, 0, 1, 1, 1], [0, 0, 0, -1, 1, 1]]),
        InvalidInput,
        "bounds: box 1 has a min above its max (1",
        "fix or remove it",
    ),
    (lambda: CPU.check_bounds(TABLE), ValueError, "bounds lacks the columns min_x, min_y, min_z", "name the columns min_x"),
    (lambda: CPU.check_tile([0, 1], BOXES), TypeError, "tile is not (2, 3), its two corners", "give one of `Tiling.tiles`"),
    (
        lambda: CPU.check_tile([[-9, -9, -9], [9, 9, 9]], DOUBLES),
        TypeError,
        "boxes has the dtype float64, which this call",
        "give boxes.astype(numpy.float32), and if",
    ),
    (
        lambda: CPU.check_tile([[-9, -9, -9], [9, 9, 9]], BAD),
        InvalidInput,
        "boxes: box 2 has a negative half extent (1",
        "fix or remove it",
    ),
    (
        lambda: CPU.prepare(DOUBLES),
        TypeError,
        "boxes has the dtype float64, which this call",
        "give boxes.astype(numpy.float32), and if",
    ),
    (lambda: CPU.prepare(BAD), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: CPU.prepare(TETRA), Unavailable, "cannot compute the answer for these shapes", "pass boxes, capsules, spheres"),
    (lambda: CPU.check_movers(BOXES, BOXES), TypeError, "scene is a ndarray", "give a PreparedScene, as"),
    (
        lambda: CPU.check_movers(CPU.prepare(BOXES), BAD),
        InvalidInput,
        "movers: box 2 has a negative half extent (1",
        "fix or remove it",
    ),
    (
        lambda: CPU.check_movers(CPU.prepare(BOXES), DOUBLES),
        TypeError,
        "movers has the dtype float64, which this call",
        "give movers.astype(numpy.float32), and if",
    ),
    (
        lambda: CPU.check_movers(Checker(backend="gpu").prepare(BOXES), BOXES),
        Unavailable,
        "the scene was prepared on a device of",
        "prepare it with this",
    ),
    (
        lambda: CPU.contacts(BOXES, [[0, 1], [0, 3]]),
        InvalidInput,
        "pairs: pair 1 names body 3 of 3, counted from",
        "fix or remove the",
    ),
    (lambda: CPU.contacts(BOXES, [[0, 1]], BAD), InvalidInput, "against: box 2 has a negative half extent (1", "fix or remove it"),
    (
        lambda: CPU.contacts(DOUBLES, [[0, 1]], BAD.astype(float)),
        InvalidInput,
        "against: box 2 has a negative half extent (1",
        "fix or remove it",
    ),
    (lambda: CPU.contacts(BAD, [[0, 1]], BOXES), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: CPU.contacts(TETRA, [[0, 1]]), Unavailable, "cannot compute contacts or distances of these", "pass two sets of"),
    (
        lambda: CPU.distances(BOXES, [[0, 1]], BAD_BALLS),
        InvalidInput,
        "against: body 1 (a sphere) has a negative",
        "fix or remove it",
    ),
    (lambda: CPU.overlaps(BOXES, [[3, 3]]), InvalidInput, "pairs: pair 0 names body 3 of 3, counted from", "fix or remove the"),
    (lambda: CPU.overlaps(BALLS, [[0, 1]]), Unavailable, "cannot compute the overlap volume of capsules", "list pairs of boxes"),
    (lambda: CPU.overlaps(BOXES, [[0, 1]], BAD), InvalidInput, "against: box 2 has a negative half extent (1", "fix or remove it"),
    (
        lambda: CPU.sweep(BOXES, numpy.zeros((3, 4), numpy.float32), 1.0),
        ValueError,
        "motions has the shape (3, 4)",
        "give (N, 3), (N",
    ),
    (lambda: CPU.sweep(BOXES, STILL[:2], 1.0), InvalidInput, "motions: there are 3 bodies but 2 motions", "give one for each"),
    (
        lambda: CPU.sweep(BOXES, changed(STILL, (2, 0), numpy.inf), 1.0),
        InvalidInput,
        "motions: the motion of body 2 has a number",
        "fix or remove it",
    ),
    (lambda: CPU.sweep(BOXES, STILL, 1.0, against=BOXES), TypeError, "against and against_motions go together", "give both or none"),
    (
        lambda: CPU.sweep(BOXES, STILL, 1.0, against=BOXES, against_motions=STILL[:1]),
        InvalidInput,
        "against_motions: there are 3 bodies but 1",
        "give one for each",
    ),
    (
        lambda: CPU.sweep(BOXES, STILL, 1.0, against=BOXES, against_motions=changed(STILL, (2, 0), numpy.inf)),
        InvalidInput,
        "against_motions: the motion of body 2 has a",
        "fix or remove it",
    ),
    (
        lambda: CPU.sweep(BOXES, STILL, 1.0, against=BAD, against_motions=STILL),
        InvalidInput,
        "against: box 2 has a negative half extent (1",
        "fix or remove it",
    ),
    (lambda: CPU.sweep(BOXES, STILL, -1.0), InvalidInput, "the step's dt is -1", "give a number that"),
    (lambda: CPU.sweep(BOXES, STILL, "1 s"), TypeError, "dt is '1 s'", "give a number of"),
    (lambda: CPU.sweep(BOXES, STILL, 1.0, tolerance=-1), InvalidInput, "the step's tolerance is -1", "give a number that"),
    (
        lambda: Checker(backend="cpu", margin=1).sweep(BOXES, STILL, 1.0),
        Unavailable,
        "cannot compute a sweep with a margin: boxes in",
        "leave it out",
    ),
    (
        lambda: CPU.sweep(BOXES, {"speed": [0, 1, 2]}, 1.0),
        ValueError,
        "motions has none of the columns vx vy vz wx wy",
        "name those that it",
    ),
    (lambda: CPU.sweep_movers(BOXES, BOXES, STILL, 1.0), TypeError, "scene is a ndarray", "give a PreparedScene, as"),
    (
        lambda: CPU.sweep_movers(CPU.prepare(BOXES), BOXES, STILL[:1], 1.0),
        InvalidInput,
        "motions: there are 3 bodies but 1 motions",
        "give one for each",
    ),
    (
        lambda: CPU.sweep_movers(CPU.prepare(BOXES), BOXES, changed(STILL, (2, 0), numpy.inf), 1.0),
        InvalidInput,
        "motions: the motion of body 2 has a number",
        "fix or remove it",
    ),
    (lambda: CPU.neighbours(BOXES, around=[[0, 1]]), ValueError, "around has the shape (1, 2)", "give (M, 3), one"),
    (
        lambda: CPU.neighbours(BOXES, around=[[0, 1, 2], [0, numpy.nan, 1]]),
        InvalidInput,
        "around: point 1 has a number that is NaN or",
        "fix or remove it",
    ),
    (lambda: CPU.neighbours(BOXES, nearest=-1), ValueError, "nearest is -1", "give a number of"),
    (lambda: CPU.neighbours(BOXES, nearest=0), InvalidInput, "nearest: the number of neighbours is 0", "give a number that"),
    (lambda: CPU.neighbours(BOXES, within=-1), InvalidInput, "within: the radius of neighbours is -1", "give a number that"),
    (lambda: CPU.neighbours(CPU.prepare(BOXES)), TypeError, "boxes is a PreparedScene", "give the points to"),
    (lambda: CPU.neighbours(TETRA), Unavailable, "cannot compute the neighbours of these shapes", "pass boxes, capsules, spheres"),
    (lambda: CPU.neighbours(BAD), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (
        lambda: CPU.approaches(BOXES, STILL, 1, -1),
        InvalidInput,
        "within: the margin -1 is not a valid distance",
        "give a number from",
    ),
    (lambda: CPU.approaches(BOXES, [], 1, 1), InvalidInput, "motions: there are 3 bodies but 0 motions", "give one for each"),
    (lambda: CPU.enclosures(3, BOXES), TypeError, "region is 3", "give a Room or"),
    (
        lambda: CPU.enclosures(Room([0, 0, 0], [1, 1, 1]), TETRA),
        Unavailable,
        "cannot compute this question about bounds or",
        "give boxes, capsules, spheres",
    ),
    (
        lambda: CPU.enclosures(Room([0, 0, 0], [1, 1, 1]), BAD),
        InvalidInput,
        "boxes: box 2 has a negative half extent (1",
        "fix or remove it",
    ),
    (lambda: CPU.check_mesh(BALLS), TypeError, "triangles is another kind of shapes", "give Triangles"),
    (lambda: CPU.memory_estimate(-1), ValueError, "boxes is -1", "give a number of"),
    (lambda: Room([0, 0, 0], [1, 1, 0]), InvalidInput, "the room has no extent along one of its axes", "fix it"),
    (lambda: Room([0, 0], [1, 1]), TypeError, "min is a list", "give three numbers x"),
    (lambda: Room([0, 0, 0], [1, 1, numpy.nan]), InvalidInput, "the room has a number that is NaN or infinite", "fix it"),
    (
        lambda: Room.oriented([0, 0, 0], [1, 1, 1], [0, 0, 0, 2]),
        InvalidInput,
        "the room has a rotation whose length is not 1",
        "fix it",
    ),
    (lambda: ClosedMesh(Triangles(TETRA.corners[:3])), InvalidInput, "triangles: the mesh has 3 open edges, with an", "close it"),
    (lambda: ClosedMesh(TETRA, "odd"), ValueError, 'no rule is named "odd"', "choose one of parity"),
    (lambda: ClosedMesh(BOXES), TypeError, "triangles is another kind of shapes", "give Triangles"),
    (lambda: MeshBody(BOXES), TypeError, "triangles is another kind of shapes", "give Triangles"),
    (lambda: MeshBody(NAN_TRIANGLE), InvalidInput, "triangles: triangle 0 has a number that is NaN", "fix or remove it"),
    (lambda: MeshBody.from_each([TETRA, BOXES]), TypeError, "triangles[1] is another kind of shapes", "give Triangles"),
    (lambda: MeshBody.from_each([TETRA, NAN_TRIANGLE]), InvalidInput, "triangles[1]: triangle 0 has a number", "fix or"),
    (lambda: MeshBody.from_each(7), TypeError, "triangles is 7", "give a list of Triangles"),
    (lambda: CPU.mesh_scene(TETRA), TypeError, "meshes is a Triangles", "give a list of MeshBody"),
    (lambda: CPU.mesh_scene([MeshBody(TETRA)], [[0, 0, 0]]), ValueError, "poses has the shape (1, 3)", "give (1, 7)"),
    (
        lambda: CPU.mesh_scene([MeshBody(TETRA)] * 2, [[0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 2]]),
        InvalidInput,
        "poses: box 1 has a rotation",
        "fix or remove it",
    ),
    (lambda: CPU.mesh_scene([MeshBody(TETRA)], pairs=[[0, 1]]), InvalidInput, "pairs: pair 0 names body 1 of 1", "fix or remove the"),
    (lambda: CPU.mesh_scene([MeshBody(TETRA)], pairs=[0, 1]), ValueError, "pairs has the shape (2,)", "give (P, 2)"),
    (lambda: CPU.mesh_scene([MeshBody(TETRA)], margins=[0, 1]), InvalidInput, "margins", "give"),
    (lambda: CPU.mesh_scene([MeshBody(TETRA)], radii=[1]), TypeError, "there is no rule or setting radii", "the rules are owners"),
    (
        lambda: Checker(backend="cpu", output="count").mesh_scene([]),
        Unavailable,
        "a check of a scene of meshes without pairs",
        "",
    ),
    (
        lambda: ClosedMesh(Triangles.of(CORNERS, [[0, 1, 2], *FACES[1:]]), "winding"),
        InvalidInput,
        "triangles: triangles are oriented",
        "orient them consistently, or",
    ),
    (lambda: ClosedMesh(TETRA).locate([[0, 1]]), ValueError, "points has the shape (1, 2)", "give (N, 3), one"),
    (
        lambda: ClosedMesh(TETRA).locate([[0, 0, 0], [0, 0, numpy.nan]]),
        InvalidInput,
        "points: point 1 has a number that is NaN or",
        "fix or remove it",
    ),
    (lambda: Solids([CORNERS, CORNERS[:, :2]]), ValueError, "points[1] has the shape (4, 2)", "give (K, 3), one"),
    (lambda: Solids([CORNERS, CORNERS[:0]]), InvalidInput, "points[1]: the solid has no points", "fix its points"),
    (
        lambda: Solids([CORNERS, changed(CORNERS, (2, 0), numpy.nan)]),
        InvalidInput,
        "points[1]: the solid has a number that is NaN",
        "fix its points",
    ),
    (lambda: Solids(3), TypeError, "points is 3", "give a list of"),
    (lambda: SOLIDS.distances([[0, 2]]), InvalidInput, "pairs: pair 0 names body 2 of 2, counted from", "fix or remove the"),
    (lambda: SOLIDS.collide([[0, 2]]), InvalidInput, "pairs: pair 0 names body 2 of 2, counted from", "fix or remove the"),
    (lambda: SOLIDS.penetrations([[0, 0, 1]]), ValueError, "pairs has the shape (1, 3)", "give (P, 2), one"),
    (lambda: obbligato.tile(BALLS, 2), TypeError, "sample has shapes other than boxes, which this", "give boxes"),
    (lambda: obbligato.tile(BOXES, -1), ValueError, "tiles is -1", "give a number of"),
    (lambda: obbligato.tile(BOXES, 0), ValueError, "tiles is 0", "give a number of"),
    (
        lambda: obbligato.tile(DOUBLES, 2),
        TypeError,
        "sample has the dtype float64, which this call",
        "give sample.astype(numpy.float32), and if",
    ),
    (lambda: obbligato.tile(BAD, 2), InvalidInput, "sample: box 2 has a negative half extent (1", "fix or remove it"),
    (
        lambda: obbligato.tile(BOXES, 2).assign(BOXES, -1),
        InvalidInput,
        "margin: the margin -1 is not a valid distance",
        "give a number from",
    ),
    (lambda: obbligato.tile(BOXES, 2).assign(BAD), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: obbligato.Tiling.from_json("{}"), ValueError, "text is not that of a tiling", "give that of to_json"),
    (
        lambda: obbligato.check(BOXES, output="count", backend="cpu").pairs,
        Unavailable,
        "cannot compute the pairs: the check returns no",
        'set `output` to "pairs"',
    ),
    (
        lambda: obbligato.check(BOXES, backend="cpu").touching,
        Unavailable,
        "cannot compute the touching pairs: the check",
        'set `list_touching`, with "exact"',
    ),
    (
        lambda: obbligato.check(BOXES, backend="cpu").degrees,
        Unavailable,
        "cannot compute the degrees: the check returns",
        'set `output` to "degrees"',
    ),
    (
        lambda: obbligato.check(BOXES, backend="cpu", max_pairs=0).checksum,
        Unavailable,
        "cannot compute the checksum: the report lacks",
        "raise `max_pairs`",
    ),
    (lambda: obbligato.check(BOXES, backend="cpu").adjacency("up"), ValueError, 'no direction is named "up"', "choose one of both"),
    (
        lambda: obbligato.check(BOXES, BOXES, backend="cpu").adjacency(),
        Unavailable,
        "cannot compute an adjacency in both",
        'use "a-to-b" or "b-to-a"',
    ),
    (
        lambda: obbligato.check(BOXES, backend="cpu").adjacency().row(9),
        IndexError,
        "there is no box 9 of 3",
        "give one, counted from",
    ),
    (lambda: CPU.neighbours(BOXES).row(9), IndexError, "there is no row 9", "rows are 0 to"),
    (lambda: CPU.contacts(BOXES, PAIRS).points_of(9), IndexError, "there is no pair 9 of 2", "give one, counted from"),
    (lambda: Tracker(backend="cpu").update(BOXES, [1, 2]), InvalidInput, "ids: there are 3 bodies but 2 ids", "give one for each"),
    (
        lambda: Tracker(backend="cpu").update(BOXES, [1, 2, 1]),
        InvalidInput,
        "ids: the id 1 names bodies 0 and 2",
        "give each body of",
    ),
    (lambda: Tracker(backend="cpu").update(BOXES, ["a", "b", "c"]), TypeError, "ids has the dtype <U1", "give whole numbers, such as"),
    (
        lambda: Tracker(backend="cpu").update(DOUBLES),
        TypeError,
        "boxes has the dtype float64, which this call",
        "give boxes.astype(numpy.float32), and if",
    ),
    (lambda: Tracker(backend="cpu").update(BAD), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: list(obbligato.track([3], backend="cpu")), ValueError, "boxes has the shape ()", "give (N, 10), one"),
    (lambda: list(obbligato.track(3, backend="cpu")), TypeError, "frames is 3", "give an iterable of"),
    (lambda: Spheres([[0, 0, 1]]), ValueError, "Spheres has the shape (1, 3)", "give (N, 4), one"),
    (lambda: Capsules([[0, 0, 1]]), ValueError, "Capsules has the shape (1, 3)", "give (N, 9), one"),
    (lambda: Capsules.from_ends([[0, 0]], [[1, 1]], 1), ValueError, "a has the shape (1, 2)", "give (N, 3), one"),
    (lambda: Capsules.from_ends([[0, 0, 0]] * 2, [[1, 1, 1]] * 3, 1), ValueError, "b has 3 rows and a 2", "give one end for"),
    (
        lambda: Capsules.from_ends([[0, 0, 0]] * 2, [[1, 1, 1]] * 2, [1, 2, 3]),
        ValueError,
        "radius has the shape (3,)",
        "give one number, or",
    ),
    (lambda: Uprights([[0, 0, 1]]), ValueError, "Uprights has the shape (1, 3)", "give (N, 10), one"),
    (lambda: Bounds([[0, 0, 1]]), ValueError, "Bounds has the shape (1, 3)", "give (N, 6), one"),
    (lambda: Triangles([[0, 0, 1]]), ValueError, "Triangles has the shape (1, 3)", "give (N, 3, 3)"),
    (
        lambda: Triangles(TETRA.corners.astype(float)),
        TypeError,
        "Triangles has the dtype float64, which this",
        "give Triangles.astype(numpy.float32), and if",
    ),
    (lambda: Triangles.of([[0, 0, 0]], [[0, 0, 1]]), ValueError, "faces[0] names vertex 1 of 1", "fix or remove the"),
    (lambda: Triangles.of([[0, 0]], [[0, 0, 0]]), ValueError, "vertices has the shape (1, 2)", "give (V, 3), one"),
    (lambda: Triangles.of(CORNERS, [[0, 1]]), ValueError, "faces has the shape (1, 2)", "give (N, 3), one"),
    (lambda: Bodies(BOXES, ids=[1]), ValueError, "ids has the shape (1,)", "give one for each"),
    (
        lambda: Bodies(DOUBLES, spheres=BALLS),
        TypeError,
        "boxes has the dtype float64, which scenes with",
        "give boxes.astype(numpy.float32)",
    ),
    (lambda: Bodies(spheres=[[0, 1, 2]]), ValueError, "Spheres has the shape (1, 3)", "give (N, 4), one"),
    (lambda: Bodies.in_plane(disks=[[0, 1]]), ValueError, "disks has the shape (1, 2)", "give (N, 3), one"),
    (lambda: CPU.check(without(TABLE, "hx", "hz")), ValueError, "boxes lacks the columns hx, hz", "name the columns cx"),
    (lambda: CPU.check({**TABLE, "radius": [1, 2, 3]}), ValueError, "boxes has a column radius", "name the shape of"),
    (lambda: CPU.check({**TABLE, "frame": [1, 2, 3]}), ValueError, "boxes has a column frame", "give the rows of"),
    (
        lambda: CPU.check({**TABLE, "shape": ["box", "cone", "box"]}),
        ValueError,
        "boxes['shape'] has 'cone' in row 1",
        "give one of box",
    ),
    (lambda: CPU.check({**TABLE, "cx": ["0", "1", "2"]}), TypeError, "boxes['cx'] has the dtype <U1", "give float32, float64"),
    (
        lambda: CPU.check({**TABLE, "id": [1, numpy.nan, 3]}),
        TypeError,
        "boxes['id'] has numbers with fractions, or",
        "give whole numbers or",
    ),
    (lambda: CPU.check({**TABLE, "cx": [1, 2]}), ValueError, "boxes['cy'] has the shape (3,) and boxes['cx']", "give columns of one"),
    (lambda: CPU.check({**TABLE, "owner": [0.5, 1, 2]}), TypeError, "boxes['owner'] has the dtype float64", "give whole numbers"),
    (
        lambda: CPU.prepare({**TABLE, "cx": numpy.array([0.0, 1, 2])}),
        TypeError,
        "boxes['cx'] has the dtype float64, which this",
        "give boxes['cx'].astype(numpy.float32), and if",
    ),
    (lambda: obbligato.scene("moon", 10), ValueError, "no scene is named moon", "choose one of uniform"),
    (lambda: obbligato.scene("crowd", -1), ValueError, "count is -1", "give a number of"),
    (lambda: obbligato.checksum([1, 2, 3]), ValueError, "pairs has the shape (3,)", "give (P, 2), one"),
    (lambda: obbligato.render(BAD), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: obbligato.render(None), TypeError, "boxes is None", "give a numpy array"),
    (
        lambda: obbligato.render(DOUBLES, motions=STILL, dt=1),
        TypeError,
        "boxes has the dtype float64, which this call",
        "give boxes.astype(numpy.float32), and if",
    ),
    (lambda: obbligato.render(BOXES, motions=STILL), TypeError, "motions and dt go together", "give both"),
    (lambda: obbligato.render(BOXES, motions=STILL[:2], dt=1), InvalidInput, "motions: there are 3 bodies but 2 motions", "give one for"),
    (lambda: obbligato.render(BOXES, motions=STILL * numpy.nan, dt=1), InvalidInput, "motions: the motion of body 0 has a number", "fix"),
    (lambda: obbligato.render(TETRA, contacts=True), TypeError, "boxes is Triangles, which have no contacts", "leave these out"),
    (lambda: obbligato.glb(TETRA, motions=STILL, dt=1), TypeError, "boxes is Triangles, which have no contacts", "leave these out"),
    (lambda: obbligato.glb(BAD), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: obbligato.animation([]), ValueError, "frames is empty", "give at least one"),
    (lambda: obbligato.animation(3), TypeError, "frames is not a list", "give a list or"),
    (lambda: obbligato.animation(BOXES), ValueError, "frames[0] has the shape (10,)", "give (N, 10)"),
    (lambda: obbligato.animation([BOXES, BAD]), InvalidInput, "frames[1]: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: obbligato.animation([BOXES], milliseconds=-1), ValueError, "milliseconds is -1", "give a whole number"),
    (
        lambda: obbligato.render(Bounds([[0, 0, 0, 1, 1, 1]])),
        Unavailable,
        "cannot compute a picture of bounds",
        "give them as boxes",
    ),
    (lambda: obbligato.render(SOLIDS), TypeError, "boxes is a Solids", "give a numpy array"),
    (lambda: obbligato.render(BOXES, size=5), TypeError, "size is 5", "give two numbers"),
    (lambda: obbligato.render(BOXES, size=(5, -5)), ValueError, "size is a tuple", "give two numbers"),
    (
        lambda: obbligato.render(BOXES, size=(0, 5)),
        InvalidInput,
        "size: a picture cannot have 0 pixels on a side",
        "give from 1",
    ),
    (lambda: obbligato.render(BOXES, camera=(1, 2)), TypeError, "camera is a tuple", "give three numbers"),
    (
        lambda: obbligato.render(BOXES, camera=(1, 2, numpy.nan)),
        InvalidInput,
        "camera: the camera has a number that is NaN",
        "give finite ones",
    ),
    (
        lambda: obbligato.render(BOXES, camera=(1, 2, 3), target=(1, 2, 3)),
        InvalidInput,
        "camera: the camera has its target at its own position",
        "move it",
    ),
    (lambda: obbligato.render(BOXES, target=(1, 2, 3)), TypeError, "target is given without camera", "give both"),
    (lambda: obbligato.render(BOXES, owners=[0]), InvalidInput, "the rule `owners` has length 1 but the number", "give one"),
    (lambda: obbligato.render(BOXES, margin=1), TypeError, "there is no rule or setting margin", "the rules are owners"),
    (lambda: obbligato.render(BOXES, size=(8, 8)).save(3), TypeError, "path is 3", "give a text"),
    (lambda: obbligato.render(BOXES, size=(8, 8)).save("a.jpg"), FileError, "a.jpg: has an extension other than .png", "name it .png"),
    (
        lambda: obbligato.render(BOXES, size=(8, 8)).save(f"{FOLDER}/none/a.png"),
        FileError,
        "a.png: is in a folder that does not exist",
        "create the folder",
    ),
    (lambda: CPU.advance(BAD, STILL, 1, 1e-3), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: CPU.advance(BOXES, STILL[:2], 1, 1e-3), InvalidInput, "motions: there are 3 bodies but 2 motions", "give one for each"),
    (
        lambda: CPU.advance(BOXES, changed(STILL, (2, 0), numpy.inf), 1, 1e-3),
        InvalidInput,
        "motions: the motion of body 2 has a number",
        "fix or remove it",
    ),
    (lambda: CPU.advance(BOXES, STILL, "1 s", 1e-3), TypeError, "dt is '1 s'", "give a number of"),
    (lambda: CPU.advance(BOXES, STILL, -1, 1e-3), InvalidInput, "the step's dt is -1", "give a number that"),
    (lambda: CPU.advance(BOXES, STILL, 1, 0), InvalidInput, "skin: the step's skin is 0", "give a number that"),
    (lambda: CPU.advance(BOXES, STILL, 1, "thin"), TypeError, "skin is 'thin'", "give a distance"),
    (lambda: CPU.advance(BOXES, STILL, 1, 1e-3, limit=-1), ValueError, "limit is -1", "give a number of"),
    (lambda: CPU.advance(BOXES, STILL, 1, 1e-3, masses=[1, 1]), ValueError, "masses has the shape (2,)", "give (3,), one"),
    (
        lambda: CPU.advance(BOXES, STILL, 1, 1e-3, masses=[1, 1, 0]),
        InvalidInput,
        "masses: the mass of body 2 is 0",
        "give a number above",
    ),
    (
        lambda: CPU.advance(BOXES, STILL, 1, 1e-3, masses=[1, 1, 1], restitution=2),
        InvalidInput,
        "restitution: 2 is not a restitution",
        "give a number from",
    ),
    (lambda: CPU.advance(BOXES, STILL, 1, 1e-3, restitution=1), TypeError, "restitution is given without masses", "give both"),
    (
        lambda: CPU.advance(BALLS, STILL[:2], 1, 1e-3),
        Unavailable,
        "cannot compute a step of capsules and spheres",
        "give boxes, or answer",
    ),
    (lambda: CPU.roll_back(BOXES, BAD), InvalidInput, "wanted: box 2 has a negative half extent (1", "fix or remove it"),
    (
        lambda: CPU.roll_back(BOXES, BOXES[:2]),
        Unavailable,
        "cannot compute a placement of fewer bodies, or more",
        "give both placements",
    ),
    (
        lambda: CPU.roll_back(BOXES, DOUBLES),
        TypeError,
        "wanted has the dtype float64, which this call",
        "give wanted.astype(numpy.float32), and if",
    ),
    (lambda: BspTree(BOXES), TypeError, "triangles is another kind of shapes", "give Triangles"),
    (
        lambda: BspTree(Triangles([[[0, 0, 0], [1, 0, numpy.nan], [0, 1, 0]]])),
        InvalidInput,
        "triangles: triangle 0 has a number that is NaN",
        "fix or remove it",
    ),
    (
        lambda: BspTree(Triangles.of(CORNERS, FACES[:3]), solid=True),
        InvalidInput,
        "triangles: the mesh has 3 open edges",
        "close it",
    ),
    (lambda: BspTree(TETRA, solid="yes"), TypeError, "solid is 'yes'", "give True or"),
    (lambda: BspTree(TETRA).locate([[0, 0, 0]]), Unavailable, "cannot compute what is inside", "make it with solid=True"),
    (lambda: BspTree(TETRA, True).locate([[0, 0]]), ValueError, "points has the shape (1, 2)", "give (N, 3), one"),
    (
        lambda: BspTree(TETRA, True).locate([[0, 0, 0], [0, 0, numpy.nan]]),
        InvalidInput,
        "points: point 1 has a number that is NaN",
        "fix or remove it",
    ),
    (
        lambda: BspTree(TETRA).meets([CORNERS, changed(CORNERS, (1, 0), numpy.nan)]),
        InvalidInput,
        "points: point 1 of group 1 has a number",
        "fix or remove it",
    ),
    (lambda: BspTree(TETRA).meets_boxes(BAD), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: Tree(BAD), InvalidInput, "boxes: box 2 has a negative half extent (1", "fix or remove it"),
    (lambda: Tree(BAD_BALLS), InvalidInput, "boxes: body 1 (a sphere) has a negative radius", "fix or remove it"),
    (
        lambda: Tree(Capsules([[0, 0, 0, -1, 0, 0, 0, 1, 1]])),
        InvalidInput,
        "boxes: body 0 (a capsule) has a negative half",
        "fix or remove it",
    ),
    (
        lambda: Tree(Triangles([[[0, 0, 0], [1, 0, numpy.nan], [0, 1, 0]]])),
        InvalidInput,
        "boxes: triangle 0 has a number that is NaN",
        "fix or remove it",
    ),
    (
        lambda: Tree(Bounds([[0, 0, 0, 1, 1, 1], [0, 0, 0, -1, 1, 1]])),
        InvalidInput,
        "boxes: box 1 has a min above its max (1",
        "fix or remove it",
    ),
    (lambda: Tree(DOUBLES), TypeError, "boxes has the dtype float64, which this call", "give boxes.astype(numpy.float32), and if"),
    (lambda: Tree(SOLIDS), TypeError, "boxes is a Solids", "give a numpy array"),
    (lambda: Tree(BOXES, build="fast"), ValueError, 'no build is named "fast"', "choose one of surface"),
    (lambda: Tree(BOXES, build=3), TypeError, "build is 3", "give a text"),
    (lambda: Tree(BOXES).first_hits([[0, 0, 0]]), ValueError, "rays has the shape (1, 3)", "give (R, 6) or"),
    (lambda: Tree(BOXES).all_hits([[0] * 6]), InvalidInput, "rays: ray 0 has no direction", "fix or remove it"),
    (lambda: Tree(BOXES).first_hits([[0, 0, 0, 1, 0, 0, -1]]), InvalidInput, "rays: ray 0 has", "fix or remove it"),
    (lambda: Tree(BOXES).containing([[0, 0]]), ValueError, "points has the shape (1, 2)", "give (N, 3), one"),
    (
        lambda: Tree(BOXES).containing([[0, 0, 0], [0, 0, numpy.nan]]),
        InvalidInput,
        "points: point 1 has a number that is NaN",
        "fix or remove it",
    ),
    (
        lambda: Tree(BOXES).overlapping([[0, 0, 0, 1, 1, 1], [0, 0, 0, -1, 1, 1]]),
        InvalidInput,
        "bounds: box 1 has a min above its max (1",
        "fix or remove it",
    ),
    (lambda: Tree(BOXES).overlapping(BOXES), ValueError, "bounds has the shape (3, 10)", "give (N, 6), one"),
    (lambda: Tree(BOXES).within([[0, 0, 0]], -1), InvalidInput, "distance: -1 is not a distance", "give a number from"),
    (lambda: Tree(BOXES).within([[0, 0, 0]], "far"), TypeError, "distance is 'far'", "give a number"),
    (lambda: Tree(BOXES).nearest([[0, 0, 0]], -1), ValueError, "count is -1", "give a number of"),
    (lambda: Tree(BOXES).nearest([[0, 0, numpy.inf]]), InvalidInput, "points: point 0 has a number that is", "fix or remove it"),
    (lambda: Tree(BOXES).refit(BOXES[:2]), InvalidInput, "boxes: there are 2 boxes but the tree has 3", "give as many"),
    (lambda: obbligato.fit_boxes(3), ValueError, "points has the shape ()", "give (K, 3), one"),
    (lambda: obbligato.fit_boxes([[0, 0, 0]]), ValueError, "points[0] has the shape (3,)", "give (K, 3), one"),
    (lambda: obbligato.fit_boxes([CORNERS, CORNERS[:0]]), InvalidInput, "points: there are no points of group 1", "give at least one"),
    (
        lambda: obbligato.fit_boxes([CORNERS, changed(CORNERS, (2, 0), numpy.nan)]),
        InvalidInput,
        "points: point 2 of group 1 has a number",
        "fix or remove it",
    ),
    (
        lambda: obbligato.fit_boxes([CORNERS, changed(CORNERS.astype(float), (2, 0), 1e30)]),
        InvalidInput,
        "points: point 2 of group 1 has a coordinate",
        "fix or remove it",
    ),
    (lambda: obbligato.fit_boxes(CORNERS, [0, 3, 2, 4]), InvalidInput, "offsets: row 2 has 2, which is below 3", "give them in"),
    (lambda: obbligato.fit_boxes(CORNERS, [0, 3]), InvalidInput, "offsets: row 1 has 3, but there are 4", "give offsets from"),
    (lambda: obbligato.fit_boxes(CORNERS, []), ValueError, "offsets has the shape (0,)", "give (G + 1,), the"),
    (lambda: obbligato.fit_boxes(CORNERS, [0.0, 4.0]), TypeError, "offsets has the dtype float64", "give whole numbers"),
    (lambda: obbligato.fit_boxes(CORNERS, method="best"), ValueError, 'no method is named "best"', "choose one of"),
    (lambda: obbligato.fit_boxes(CORNERS, method=3), TypeError, "method is 3", "give a text"),
    (lambda: obbligato.fit_boxes(CORNERS, in_plane=True), ValueError, "points has the shape (4, 3)", "give (K, 2), one"),
    (lambda: obbligato.fit_boxes(CORNERS, in_plane="yes"), TypeError, "in_plane is 'yes'", "give True or"),
    (
        lambda: obbligato.fit_boxes(CORNERS[:, :2], method="principal", in_plane=True),
        Unavailable,
        "cannot compute rectangles along principal axes",
        "leave out method",
    ),
    (
        lambda: obbligato.fit_spheres(CORNERS.astype(float)),
        TypeError,
        "points has the dtype float64, which this call",
        "give points.astype(numpy.float32), and if",
    ),
    (lambda: obbligato.fit_spheres([CORNERS[:, :2]]), ValueError, "points[0] has the shape (4, 2)", "give (K, 3), one"),
    (lambda: obbligato.feature_name(300), ValueError, "number is 300", "give a number of"),
    (
        lambda: obbligato.records(DOUBLES),
        TypeError,
        "boxes has the dtype float64, which this call",
        "give boxes.astype(numpy.float32), and if",
    ),
    (lambda: obbligato.read("none.csv"), FileError, "none.csv: cannot be read", "check the path and"),
    (lambda: obbligato.read("none.obj"), FileError, "none.obj: cannot be read", "check the path and"),
    (lambda: obbligato.read("scene.xyz"), FileError, "scene.xyz: has an unknown extension", "name it .csv, .csv.gz"),
    (lambda: obbligato.read(3), TypeError, "path is 3", "give a text or"),
    (lambda: obbligato.write("scene.xyz", BOXES), FileError, "scene.xyz: has an unknown extension", "name it .csv, .npy"),
    (
        lambda: obbligato.write(f"{FOLDER}/x.csv", TETRA),
        Unavailable,
        "cannot compute this question about bounds or",
        "give boxes, capsules, spheres",
    ),
    (
        lambda: obbligato.write(f"{FOLDER}/x.csv", BOXES, STILL[:1]),
        FileError,
        "x.csv: cannot be written: motions has length 1",
        "give one entry for",
    ),
    (lambda: obbligato.write(f"{FOLDER}/x.npy", BALLS), FileError, "x.npy: cannot hold spheres and capsules", "name it .csv"),
    (
        lambda: obbligato.write(f"{FOLDER}/x.csv", obbligato.check({**TABLE, "id": ["a", "b", "c"]}, backend="cpu")),
        TypeError,
        "the ids of the report are texts, which files",
        "write report.pairs, or report.pair_ids",
    ),
    (
        lambda: obbligato.write(f"{FOLDER}/none/x.csv", BOXES),
        FileError,
        "x.csv: is in a folder that does not exist",
        "create the folder first",
    ),
    (
        lambda: CollisionManager().add_object("a", trimesh.creation.box(), numpy.eye(3)),
        ValueError,
        "transform has the shape (3, 3)",
        "give (4, 4)",
    ),
    (lambda: CollisionManager().add_object("a", TETRA), TypeError, "mesh is a Triangles", "give a trimesh.Trimesh"),
    (lambda: CollisionManager().set_transform("a", numpy.eye(4)), ValueError, "name is 'a', which no object has", "add it first, by"),
    (lambda: CollisionManager().remove_object("a"), ValueError, "name is 'a', which no object has", "add it first, by"),
    (lambda: CollisionManager().min_distance_internal("a"), ValueError, "name is 'a', which no object has", "add it first, by"),
    (lambda: CollisionManager(threads=0), ValueError, "threads is 0", "give a number from"),
    (lambda: Robot("none.urdf"), FileError, "none.urdf: there is no such file", "give the path of"),
    (lambda: Robot(written("bad.urdf", "robot")), FileError, "bad.urdf: not read as URDF", "fix it"),
    (lambda: Robot(written("arm.urdf", ARM), "none.srdf"), FileError, "none.srdf: there is no such file", "give the path of"),
    (
        lambda: Robot(written("arm.urdf", ARM), written("arm.srdf", LEGS)),
        ValueError,
        "srdf names the link 'leg', which the robot",
        "fix or remove the",
    ),
    (lambda: Robot(written("arm.urdf", ARM), margin="wide"), TypeError, "margin is 'wide'", "give a distance"),
    (lambda: Robot(written("arm.urdf", ARM), meshes="exact"), InvalidInput, "meshes is 'exact'", "give 'boxes' or 'triangles'"),
    (empty, FileError, "empty.obj has no triangles", "give a mesh"),
    (lambda: arm().check([[0, 0]], [MeshBody(TETRA), BOXES]), TypeError, "scene[1] is a ndarray", "give a list of MeshBody"),
    (lambda: arm().check([[0, 0]], TETRA), Unavailable, "a robot in a scene of triangles", "give MeshBody"),
    (lambda: arm().check([[0, 0, 0]]), ValueError, "configurations has the shape (1, 3)", "give (K, 2), one"),
    (lambda: arm().poses([[0, 0], [0, numpy.nan]]), ValueError, "configurations[1] has a number that is not", "fix or remove the"),
    (lambda: arm().distances([[0, 0]], BOXES[0], within=1), ValueError, "boxes has the shape (10,)", "give (N, 10), one"),
    (lambda: arm().distances([[0, 0]], BOXES, within=-1), InvalidInput, "within is -1", "give a distance that"),
    (lambda: ifc.read("none.ifc"), FileError, "none.ifc: there is no such file", "give the path of"),
    (lambda: ifc.read(written("bad.ifc", "ISO")), FileError, "bad.ifc: not read as IFC", "export the model as"),
    (lambda: ifc.read("none.ifc", kernel="fast"), InvalidInput, "kernel is 'fast'", "give one of opencascade"),
    (lambda: ifc.read("none.ifc", threads=0), InvalidInput, "threads is 0", "give a number of"),
    (lambda: ifc.Rules(tolerance=-1), InvalidInput, "tolerance is -1", "give a number of"),
    (lambda: ifc.Rules([ifc.Rule(("IfcWall", "*"), clearance=numpy.nan)]), InvalidInput, "clearance is nan", "give a number of"),
    (lambda: ifc.read_rules("none.toml"), FileError, "none.toml", "give the path of"),
    (
        lambda: ifc.read_rules(written("rules.toml", "[[rule]]\ntypes = ['IfcWall']")),
        FileError,
        "rules.toml: rule 1 has no two types",
        'give types = ["IfcWall"',
    ),
    (
        lambda: ifc.read_rules(written("rules.toml", "tolerances = 1")),
        FileError,
        "rules.toml: the file has tolerances, which is",
        "give any of tolerance",
    ),
    (lambda: ifc.read_pairs("none.csv"), FileError, "none.csv", "give a CSV file"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_errors_name_the_argument_the_row_and_the_remedy(number):
    call, kind, words, remedy = WRONG[number]
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert type(caught.value) is kind and "\n" not in message
    assert words in message and remedy in message[message.index(words) + len(words) :], message
    argument = getattr(caught.value, "argument", None)
    assert argument is None or message.startswith(f"{argument}: ")
    # Names of Rust are of no use here.
    assert "::" not in message


def test_there_are_many():
    print(f"{len(WRONG)} wrong calls")
    assert len(WRONG) > 200
