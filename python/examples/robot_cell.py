"""Which configurations of a robot are free, and how near each comes to its cell.

`python robot_cell.py 20000` checks that many random configurations. It needs `pip install obbligato[robots]`.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy
from numpy.typing import NDArray

from obbligato.robots import Robot

# A SCARA robot in the metres of the file: two links that turn about z, a spindle that slides down, and a gripper.
SCARA = """<robot name="scara">
  <link name="column"><collision><origin xyz="0 0 0.3"/><geometry><box size="0.2 0.2 0.6"/></geometry></collision></link>
  <link name="upper"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.1 0.08"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0.15 0 0"/><geometry><box size="0.3 0.09 0.07"/></geometry></collision></link>
  <link name="spindle"><collision><geometry><cylinder radius="0.02" length="0.4"/></geometry></collision></link>
  <link name="gripper"><collision><geometry><sphere radius="0.06"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="column"/><child link="upper"/><origin xyz="0 0 0.66"/><axis xyz="0 0 1"/>
    <limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/><origin xyz="0.4 0 0.09"/><axis xyz="0 0 1"/>
    <limit lower="-2.5" upper="2.5" effort="1" velocity="1"/></joint>
  <joint name="lift" type="prismatic"><parent link="fore"/><child link="spindle"/><origin xyz="0.3 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-0.3" upper="0" effort="1" velocity="1"/></joint>
  <joint name="hand" type="fixed"><parent link="spindle"/><child link="gripper"/><origin xyz="0 0 -0.24"/></joint>
</robot>"""
LOWER, UPPER = [-2.5, -2.5, -0.3], [2.5, 2.5, 0.0]


def cell() -> NDArray[numpy.float32]:
    """Returns a table, a crate on it, and two posts: center, half extents, quaternion x y z w."""
    boxes = [
        [0.7, 0, 0.05, 0.4, 0.6, 0.05, 0, 0, 0, 1],
        [0.45, 0.3, 0.25, 0.1, 0.1, 0.15, 0, 0, 0, 1],
        [0.3, -0.55, 0.5, 0.05, 0.05, 0.5, 0, 0, 0, 1],
        [-0.3, 0.5, 0.5, 0.05, 0.05, 0.5, 0, 0, 0, 1],
    ]
    return numpy.array(boxes, numpy.float32)


def scara() -> Robot:
    """Returns the robot. A program of its own names a file that is there."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scara.urdf"
        path.write_text(SCARA)
        return Robot(path, backend="cpu")


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    robot, scene = scara(), cell()
    values = numpy.random.default_rng(1).uniform(LOWER, UPPER, (count, len(robot.joints)))
    start = time.perf_counter()
    report = robot.check(values, scene)
    distances = robot.distances(values, scene, within=0.1)
    seconds = time.perf_counter() - start
    free = ~report.colliding
    near = free & numpy.isfinite(distances)
    print(f"{free.sum()} of {count} configurations are free, {near.sum()} of these nearer than 10 cm to the cell, in {seconds:.2f} s")
    links = [robot.links[link] for link in numpy.unique(report.scene_pairs[:, 1])]
    print(f"links that meet the cell: {', '.join(links)}")


if __name__ == "__main__":
    main()
