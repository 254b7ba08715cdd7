"""The names of settings and rules."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from os import PathLike
from typing import Any, Literal, Protocol, TypeAlias, TypedDict, TypeVar

from numpy.typing import ArrayLike


class Columns(Protocol):
    """An object with named columns: a dict, or a table of pandas, polars or pyarrow."""

    def __getitem__(self, name: str, /) -> Any:
        """Returns the column with this name."""


Rows: TypeAlias = ArrayLike | Columns
"""An array or a table with a row for each box."""


class Settings(TypedDict, total=False):
    """The settings of a checker."""

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
    threads: int | None


class Rules(TypedDict, total=False):
    """The rules that keep pairs out of a result, with one entry for each box; `excluded` is a list of pairs."""

    owners: ArrayLike | None
    worlds: ArrayLike | None
    statics: ArrayLike | None
    active: ArrayLike | None
    margins: ArrayLike | None
    groups: ArrayLike | None
    excluded: ArrayLike | None


class Options(Settings, Rules, total=False):
    """Settings and rules."""


# The defaults of settings, in the order of `Settings`; rules are None.
DEFAULTS: dict[str, Any] = {
    "backend": "auto",
    "adapter": None,
    "broad_phase": "auto",
    "output": "pairs",
    "precision": "exact",
    "margin": 0.0,
    "list_touching": False,
    "max_pairs": None,
    "count_operations": False,
    "least_boxes": 16384,
    "pipeline_cache": None,
    "timeout": 300.0,
    "threads": None,
}

_Function = TypeVar("_Function", bound=Callable[..., Any])


def with_names(kind: type[Any]) -> Callable[[_Function], _Function]:
    """Returns a decorator that adds the options of a `TypedDict` to a function's signature, for `help` and editors."""

    def named(function: _Function) -> _Function:
        signature = inspect.signature(function)
        own = [one for one in signature.parameters.values() if one.kind is not inspect.Parameter.VAR_KEYWORD]
        options = [
            inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=DEFAULTS.get(name),
                annotation=getattr(annotation, "__forward_arg__", annotation),
            )
            for name, annotation in kind.__annotations__.items()
        ]
        function.__signature__ = signature.replace(parameters=own + options)  # type: ignore[attr-defined]
        return function

    return named
