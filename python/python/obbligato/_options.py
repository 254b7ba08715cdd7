"""The names of settings and rules."""

from __future__ import annotations

from os import PathLike
from typing import Literal, TypedDict

from numpy.typing import ArrayLike


class Settings(TypedDict, total=False):
    """How a checker works and what it returns."""

    backend: Literal["auto", "gpu", "cpu"]
    adapter: str | None
    broad_phase: Literal["auto", "grid", "sweep", "tree", "octree", "lbvh", "all-pairs"]
    output: Literal["pairs", "degrees", "count"]
    precision: Literal["exact", "fast", "conservative"]
    margin: float
    list_touching: bool
    max_pairs: int | None
    count_operations: bool
    least_boxes: int
    pipeline_cache: str | PathLike[str] | None
    timeout: float


class Rules(TypedDict, total=False):
    """What keeps pairs out of a result, one entry for each box; `excluded` is a list of pairs."""

    owners: ArrayLike | None
    worlds: ArrayLike | None
    statics: ArrayLike | None
    active: ArrayLike | None
    margins: ArrayLike | None
    groups: ArrayLike | None
    excluded: ArrayLike | None


class Options(Settings, Rules, total=False):
    """Both."""
