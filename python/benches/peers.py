"""How long the same jobs take with obbligato and with other libraries, and whether their answers agree.

`python benches/peers.py [--small] [JOB ...]`, after `pip install scipy shapely python-fcl trimesh coal warp-lang 'obbligato[robots]'`;
what is not installed is left out. Every library gets its own objects ready before the clock starts, and gives the answer as an array
of numpy or a set. Calls of at most a few seconds are repeated, and the best time counts.
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

import obbligato
from obbligato.robots import Robot

# The times of a library, by the clock and of the processor, and its answer.
Timed = tuple[str, tuple[float, float], Any]
# Calls that take longer are not repeated.
LONG = 3.0
REPEATS = 5


def library(name: str) -> Any:
    """Returns a library, or None if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def timed(name: str, call: Callable[[], Any]) -> Timed:
    """Returns the best times of some calls, after one that is not counted if it is short."""
    clock: list[float] = []
    processor: list[float] = []
    while len(clock) < REPEATS + 1 and sum(clock) < LONG:
        start, own_start = time.perf_counter(), time.process_time()
        answer = call()
        processor.append(time.process_time() - own_start)
        clock.append(time.perf_counter() - start)
    return name, (min(clock[1:] or clock), min(processor[1:] or processor)), answer


def matrices(boxes: NDArray[Any]) -> NDArray[numpy.float64]:
    """Returns (N, 3, 3): the rotations of boxes."""
    x, y, z, w = boxes[:, 6:].astype(numpy.float64).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return numpy.array(rows).transpose(2, 0, 1)


def fcl_boxes(fcl: Any, boxes: NDArray[Any]) -> list[Any]:
    """Returns boxes as objects of python-fcl, or of coal, whose names are the same."""
    turns = matrices(boxes)
    place = getattr(fcl, "Transform3s", None) or fcl.Transform
    sides = (2 * boxes[:, 3:6]).astype(numpy.float64)
    centers = boxes[:, :3].astype(numpy.float64)
    return [fcl.CollisionObject(fcl.Box(*side), place(turn, center)) for side, turn, center in zip(sides, turns, centers)]


def as_set(pairs: Any) -> set[tuple[int, int]]:
    return {(min(a, b), max(a, b)) for a, b in numpy.asarray(pairs).reshape(-1, 2).tolist()}


def boxes_job(small: bool) -> Iterator[Timed]:
    """All colliding pairs of 20,000 oriented boxes"""
    boxes = obbligato.scene("dense", 500 if small else 20_000)
    checker = obbligato.Checker(backend="cpu")
    yield timed("obbligato", lambda: checker.check(boxes).pairs)
    if (fcl := library("fcl")) is not None:
        objects = fcl_boxes(fcl, boxes)
        # Wrappers of one object differ from call to call; centers tell the boxes apart.
        places = {tuple(center): k for k, center in enumerate(boxes[:, :3].astype(numpy.float64).tolist())}

        def by_fcl() -> Any:
            found: list[tuple[int, int]] = []
            request = fcl.CollisionRequest()

            def meet(a: Any, b: Any, _: Any) -> bool:
                if fcl.collide(a, b, request, fcl.CollisionResult()):
                    found.append((places[tuple(a.getTranslation())], places[tuple(b.getTranslation())]))
                return False

            manager = fcl.DynamicAABBTreeCollisionManager()
            manager.registerObjects(objects)
            manager.setup()
            manager.collide(None, meet)
            return found

        yield timed("python-fcl", by_fcl)
    if (coal := library("coal")) is not None:
        bodies = fcl_boxes(coal, boxes)

        def by_coal() -> Any:
            manager = coal.DynamicAABBTreeCollisionManager()
            for body in bodies:
                manager.registerObject(body)
            manager.setup()
            meeting = coal.CollisionCallBackDefault()
            meeting.data.request.num_max_contacts = 1_000_000
            manager.collide(meeting)
            return meeting.data.result.numContacts()

        # Its package shows no pairs to Python, only contacts, one for each.
        yield timed("coal", by_coal)


def names_that_meet(manager: Any) -> Any:
    return manager.in_collision_internal(return_names=True)[1]


def trimesh_job(small: bool) -> Iterator[Timed]:
    """Which of 1,000 boxes as meshes collide, by trimesh's CollisionManager"""
    trimesh = library("trimesh")
    if trimesh is None:
        return
    from obbligato.trimesh import CollisionManager

    boxes = obbligato.scene("dense", 100 if small else 1_000)
    places = numpy.tile(numpy.eye(4), (len(boxes), 1, 1))
    places[:, :3, :3], places[:, :3, 3] = matrices(boxes), boxes[:, :3]
    meshes = [trimesh.creation.box(2 * sides) for sides in boxes[:, 3:6].astype(numpy.float64)]
    managers = [("obbligato", CollisionManager)]
    if library("fcl") is not None:
        managers.append(("trimesh with python-fcl", trimesh.collision.CollisionManager))
    for name, kind in managers:
        manager = kind()
        for k, mesh in enumerate(meshes):
            manager.add_object(f"{k:05}", mesh, places[k])
        _, seconds, met = timed(name, partial(names_that_meet, manager))
        yield name, seconds, [(int(a), int(b)) for a, b in met]


def spheres_job(small: bool) -> Iterator[Timed]:
    """All colliding pairs of 1M equal spheres"""
    count = 10_000 if small else 1_000_000
    side = 1.5 * count ** (1 / 3)
    balls = numpy.random.default_rng(1).uniform(0, side, (count, 4)).astype(numpy.float32)
    balls[:, 3] = 0.5
    checker = obbligato.Checker(backend="cpu")
    shapes = obbligato.Spheres(balls)
    yield timed("obbligato", lambda: checker.check(shapes).pairs)
    if (spatial := library("scipy.spatial")) is not None:
        centers = balls[:, :3].astype(numpy.float64)
        yield timed("scipy cKDTree", lambda: spatial.cKDTree(centers).query_pairs(1.0, output_type="ndarray"))
    if library("warp") is not None:
        points = importlib.import_module("warp_spheres").Points(balls[:, :3])
        yield timed("warp on the CPU", lambda: points.pairs(1.0))


Mesh = tuple[NDArray[numpy.float32], NDArray[numpy.int64]]


def random_meshes(trimesh: Any, count: int, seed: int) -> list[Mesh]:
    """Returns corners and triangles of meshes of five shapes, stretched, dented and turned, at places around the origin."""
    creation, random = trimesh.creation, numpy.random.default_rng(seed)
    shapes = [
        creation.box([1, 1, 1]),
        creation.torus(0.7, 0.25, major_sections=10, minor_sections=6),
        creation.icosphere(subdivisions=1, radius=0.6),
        creation.cone(0.5, 1.2, sections=9),
        creation.capsule(0.8, 0.3, count=[6, 6]),
    ]
    meshes = []
    quaternions = random.normal(size=(count, 4))
    quaternions /= numpy.linalg.norm(quaternions, axis=1)[:, None]
    for turn in matrices(numpy.hstack([numpy.zeros((count, 6)), quaternions])):
        shape = shapes[random.integers(len(shapes))]
        corners = shape.vertices * random.uniform(0.5, 1.5, 3) + random.normal(0, 0.03, shape.vertices.shape)
        meshes.append(((corners @ turn.T + random.uniform(-0.9, 0.9, 3)).astype(numpy.float32), shape.faces))
    return meshes


def meshes_job(small: bool) -> Iterator[Timed]:
    """In which of 20,000 pairs of meshes a triangle of one meets a triangle of the other"""
    trimesh = library("trimesh")
    if trimesh is None:
        return
    count = 200 if small else 20_000
    sides = [random_meshes(trimesh, count, seed) for seed in (6, 7)]
    # The two meshes of a pair are alone in a world.
    worlds = [numpy.repeat(numpy.arange(count), [len(faces) for _, faces in meshes]) for meshes in sides]
    triangles = [obbligato.Triangles(numpy.concatenate([corners[faces] for corners, faces in meshes])) for meshes in sides]
    first, second = (obbligato.BoxSet(own, worlds=theirs) for own, theirs in zip(triangles, worlds))
    checker = obbligato.Checker(backend="cpu")

    def by_obbligato() -> Any:
        meet = numpy.zeros(count, bool)
        meet[worlds[0][checker.check(first, against=second).pairs[:, 0]]] = True
        return meet

    yield timed("obbligato", by_obbligato)
    if (coal := library("coal")) is not None:
        models = [[coal_model(coal, *mesh) for mesh in meshes] for meshes in sides]
        still, request = coal.Transform3s(), coal.CollisionRequest()

        def by_coal() -> Any:
            return numpy.array([coal.collide(a, still, b, still, request, coal.CollisionResult()) > 0 for a, b in zip(*models)])

        yield timed("coal", by_coal)


def coal_model(coal: Any, corners: NDArray[numpy.float32], faces: NDArray[numpy.int64]) -> Any:
    model = coal.BVHModelOBBRSS()
    model.beginModel(len(faces), len(corners))
    model.addVertices(corners.astype(numpy.float64))
    model.addTriangles(numpy.asarray(faces))
    model.endModel()
    return model


def neighbours_job(small: bool) -> Iterator[Timed]:
    """The 8 nearest of 1M points for each of them"""
    count = 10_000 if small else 1_000_000
    points = numpy.random.default_rng(2).uniform(0, 100, (count, 3)).astype(numpy.float32)
    balls = obbligato.Spheres(numpy.column_stack([points, numpy.zeros(count, numpy.float32)]))
    checker = obbligato.Checker(backend="cpu")
    yield timed("obbligato", lambda: checker.neighbours(balls, nearest=8).distances.reshape(count, 8))
    if (spatial := library("scipy.spatial")) is not None:
        centers = points.astype(numpy.float64)
        yield timed("scipy cKDTree", lambda: spatial.cKDTree(centers).query(centers, 9, workers=-1)[0][:, 1:])


def overlaps_job(small: bool) -> Iterator[Timed]:
    """The IoU of 1M pairs of upright boxes"""
    count = 10_000 if small else 1_000_000
    random = numpy.random.default_rng(3)
    yaw = random.uniform(-3, 3, (2, count))
    center, half = random.uniform(-1, 1, (2, count, 3)), random.uniform(0.5, 2, (2, count, 3))
    zero = numpy.zeros((2, count))
    rows = numpy.concatenate([center, half, numpy.stack([zero, zero, numpy.sin(yaw / 2), numpy.cos(yaw / 2)], axis=2)], axis=2)
    first, second = rows.astype(numpy.float32)
    pairs = numpy.repeat(numpy.arange(count, dtype=numpy.uint32)[:, None], 2, axis=1)
    checker = obbligato.Checker(backend="cpu")
    yield timed("obbligato", lambda: checker.overlaps(first, pairs, second).ious)
    if (shapely := library("shapely")) is not None:

        def by_shapely() -> Any:
            sides = []
            for boxes in (first.astype(numpy.float64), second.astype(numpy.float64)):
                angle = 2 * numpy.arctan2(boxes[:, 8], boxes[:, 9])
                along = numpy.stack([numpy.cos(angle), numpy.sin(angle)], axis=1)
                across = numpy.stack([-along[:, 1], along[:, 0]], axis=1)
                along, across = along * boxes[:, 3:4], across * boxes[:, 4:5]
                corners = [boxes[:, :2] + a * along + b * across for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
                low, high = boxes[:, 2] - boxes[:, 5], boxes[:, 2] + boxes[:, 5]
                sides.append((shapely.polygons(numpy.stack(corners, axis=1)), low, high, 8 * boxes[:, 3:6].prod(axis=1)))
            (a, a_low, a_high, a_volume), (b, b_low, b_high, b_volume) = sides
            height = numpy.maximum(numpy.minimum(a_high, b_high) - numpy.maximum(a_low, b_low), 0)
            shared = shapely.area(shapely.intersection(a, b)) * height
            return shared / (a_volume + b_volume - shared)

        yield timed("shapely", by_shapely)


ARM_LINKS = 7
LINK, RADIUS, GAP = 0.3, 0.05, 0.12


def arm(mesh: Any = None) -> Robot:
    """Returns an arm of seven links, each a capsule, or a mesh of trimesh."""
    geometry = f'<cylinder radius="{RADIUS}" length="{LINK}"/>' if mesh is None else '<mesh filename="link.obj"/>'
    links = ['<link name="base"/>']
    joints = []
    for k in range(ARM_LINKS):
        links.append(
            f'<link name="link{k}"><collision><origin xyz="0 0 {GAP + LINK / 2}"/>'
            f"<geometry>{geometry}</geometry></collision></link>"
        )
        parent = "base" if k == 0 else f"link{k - 1}"
        joints.append(
            f'<joint name="joint{k}" type="revolute"><parent link="{parent}"/><child link="link{k}"/>'
            f'<origin xyz="0 0 {0 if k == 0 else LINK + 2 * GAP}"/><axis xyz="{"0 0 1" if k % 2 == 0 else "0 1 0"}"/>'
            '<limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.urdf"
        path.write_text(f'<robot name="arm">{"".join(links + joints)}</robot>')
        if mesh is not None:
            mesh.export(path.with_name("link.obj"))
        return Robot(path, meshes="triangles", backend="cpu")


def cell() -> NDArray[numpy.float32]:
    """Returns 50 boxes around the arm."""
    random = numpy.random.default_rng(4)
    direction = random.normal(size=(50, 3))
    centers = direction / numpy.linalg.norm(direction, axis=1)[:, None] * random.uniform(1.5, 3.5, (50, 1))
    still = numpy.tile([0, 0, 0, 1], (50, 1))
    return numpy.hstack([centers, random.uniform(0.05, 0.3, (50, 3)), still]).astype(numpy.float32)


class FclArm:
    """The arm and its cell in python-fcl: what is asked of each configuration."""

    def __init__(self, fcl: Any, scene: NDArray[Any], link: Any) -> None:
        self.fcl = fcl
        self.links = [fcl.CollisionObject(link, fcl.Transform()) for _ in range(ARM_LINKS)]
        self.scene = fcl.DynamicAABBTreeCollisionManager()
        self.scene.registerObjects(fcl_boxes(fcl, scene))
        self.scene.setup()
        self.pairs = [(a, b) for a in range(ARM_LINKS) for b in range(a + 2, ARM_LINKS)]

    def place(self, poses: NDArray[Any]) -> None:
        for link, pose in zip(self.links, poses[1:]):
            middle = pose[:3, 3] + (GAP + LINK / 2) * pose[:3, 2]
            link.setTransform(self.fcl.Transform(pose[:3, :3], middle))

    def collides(self, poses: NDArray[Any]) -> bool:
        fcl = self.fcl
        self.place(poses)
        for a, b in self.pairs:
            if fcl.collide(self.links[a], self.links[b], fcl.CollisionRequest(), fcl.CollisionResult()):
                return True
        for link in self.links:
            data = fcl.CollisionData()
            self.scene.collide(link, data, fcl.defaultCollisionCallback)
            if data.result.is_collision:
                return True
        return False

    def distance(self, poses: NDArray[Any]) -> float:
        fcl = self.fcl
        self.place(poses)
        nearest = numpy.inf
        for link in self.links:
            data = fcl.DistanceData()
            self.scene.distance(link, data, fcl.defaultDistanceCallback)
            nearest = min(nearest, data.result.min_distance)
        return max(nearest, 0.0)


def configurations(small: bool) -> NDArray[numpy.float64]:
    return numpy.random.default_rng(5).uniform(-2.5, 2.5, (200 if small else 20_000, ARM_LINKS))


def arm_job(small: bool) -> Iterator[Timed]:
    """Which of 20,000 configurations of an arm of 7 links collide with itself or with 50 boxes"""
    robot, scene, values = arm(), cell(), configurations(small)
    prepared = robot.prepare(scene)
    yield timed("obbligato", lambda: robot.check(values, prepared).colliding)
    if (fcl := library("fcl")) is not None:
        peer, poses = FclArm(fcl, scene, fcl.Capsule(RADIUS, LINK)), robot.poses(values)
        yield timed("python-fcl", lambda: numpy.array([peer.collides(one) for one in poses]))


def mesh_arm_job(small: bool) -> Iterator[Timed]:
    """The same of links that are meshes of 1,152 triangles"""
    trimesh = library("trimesh")
    if trimesh is None:
        return
    link = trimesh.creation.capsule(LINK, RADIUS, count=[24, 24])
    link.apply_translation(-link.bounds.mean(axis=0))
    robot, scene, values = arm(link), cell(), configurations(small)
    prepared = robot.prepare(scene)
    yield timed("obbligato", lambda: robot.check(values, prepared).colliding)
    if (fcl := library("fcl")) is not None:
        model = fcl.BVHModel()
        model.beginModel(len(link.vertices), len(link.faces))
        model.addSubModel(numpy.asarray(link.vertices), numpy.asarray(link.faces))
        model.endModel()
        peer, poses = FclArm(fcl, scene, model), robot.poses(values)
        yield timed("python-fcl", lambda: numpy.array([peer.collides(one) for one in poses]))


def distances_job(small: bool) -> Iterator[Timed]:
    """The distance of that arm and the boxes in each of 20,000 configurations"""
    robot, scene, values = arm(), cell(), configurations(small)
    yield timed("obbligato", lambda: robot.distances(values, scene, within=10.0))
    if (fcl := library("fcl")) is not None:
        peer, poses = FclArm(fcl, scene, fcl.Capsule(RADIUS, LINK)), robot.poses(values)
        yield timed("python-fcl", lambda: numpy.array([peer.distance(one) for one in poses]))


JOBS = {
    "boxes": boxes_job,
    "trimesh": trimesh_job,
    "meshes": meshes_job,
    "spheres": spheres_job,
    "neighbours": neighbours_job,
    "overlaps": overlaps_job,
    "arm": arm_job,
    "mesh-arm": mesh_arm_job,
    "distances": distances_job,
}


def agreement(own: Any, other: Any) -> str:
    """Says how far two answers agree: pairs as sets, flags one by one, and numbers by their largest difference."""
    if isinstance(other, int):
        return f"{len(own)} and {other} pairs"
    if isinstance(own, list) or own.dtype.kind == "u":
        a, b = as_set(own), as_set(other)
        return f"{len(a)} pairs, the same" if a == b else f"{len(a)} pairs, {len(a ^ b)} differ"
    if own.dtype.kind == "b":
        return f"{int(own.sum())} of {len(own)}, {int((own != other).sum())} differ"
    return f"differ by at most {float(abs(own - other).max()):.1e}"


def machine() -> str:
    """Returns what the times are of."""
    names = [line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    versions = [f"{name} {version}" for name in ("numpy", "scipy", "shapely", "python-fcl", "trimesh", "coal", "warp-lang") if (version := _version(name))]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{(names or [platform.processor()])[0]}, {cores} cores, Python {platform.python_version()}, {', '.join(versions)}"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def _version(name: str) -> str | None:
    import importlib.metadata

    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("jobs", nargs="*", metavar="JOB", help="by default all")
    parser.add_argument("--small", action="store_true", help="few of everything, to see that it runs")
    parsed = parser.parse_args()
    print(machine())
    print(f"load of the machine before: {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "")
    print("| job | library | seconds | to obbligato | of the processor | to obbligato | answers |\n|---|---|---|---|---|---|---|")
    for name in parsed.jobs or JOBS:
        own: Timed | None = None
        for library_name, (clock, processor), answer in JOBS[name](parsed.small):
            factors, agree = ["", ""], ""
            if own is None:
                own = (library_name, (clock, processor), answer)
            else:
                factors = [f"{clock / own[1][0]:.1f}x", f"{processor / own[1][1]:.1f}x"]
                agree = agreement(own[2], answer)
            print(f"| {name} | {library_name} | {clock:.3f} | {factors[0]} | {processor:.3f} | {factors[1]} | {agree} |", flush=True)
    if hasattr(os, "getloadavg"):
        print(f"load of the machine after: {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
