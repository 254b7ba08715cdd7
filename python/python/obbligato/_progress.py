"""The progress of long calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""A function that is called with a stage, what of it is done, and all of it."""


def blocks(stage: str, count: int, size: int, progress: Progress | None) -> Iterator[slice]:
    """Yields the places of blocks of at most `size` items, and says after each how many are done."""
    for start in range(0, count, size):
        end = min(start + size, count)
        yield slice(start, end)
        if progress is not None:
            progress(stage, end, count)
