"""Spheres that meet, by a hash grid of NVIDIA's warp, which compiles this kernel: for `peers.py`."""

import numpy
import warp
from numpy.typing import NDArray

warp.config.log_level = warp.LOG_ERROR


def _find(
    grid: warp.uint64, points: warp.array[warp.vec3], reach: warp.float32, found: warp.array[warp.vec2i], counter: warp.array[warp.int32]
) -> None:
    a = warp.hash_grid_point_id(grid, warp.tid())
    for b in warp.hash_grid_query(grid, points[a], reach):
        if a < b and warp.length(points[a] - points[b]) <= reach:
            place = warp.atomic_add(counter, 0, 1)
            if place < found.shape[0]:
                found[place] = warp.vec2i(a, b)


find = warp.kernel(_find)


class Points:
    """Points on the CPU."""

    def __init__(self, points: NDArray[numpy.float32]) -> None:
        with warp.ScopedDevice("cpu"):
            self._points = warp.array(points, dtype=warp.vec3)
            self._found = warp.empty(4 * len(points), dtype=warp.vec2i)
            self._grid = warp.HashGrid(128, 128, 128)
        # Compiles the kernel.
        self.pairs(1e-3)

    def pairs(self, reach: float) -> NDArray[numpy.int32]:
        """Returns the pairs at most so far apart."""
        with warp.ScopedDevice("cpu"):
            counter = warp.zeros(1, dtype=warp.int32)
            self._grid.build(self._points, reach)
            warp.launch(find, len(self._points), [self._grid.id, self._points, reach, self._found, counter])
            pairs: NDArray[numpy.int32] = self._found.numpy()[: int(counter.numpy()[0])]
            return pairs
