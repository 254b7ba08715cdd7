"""Tables, read by the names of their columns, which are those of scene files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy
from numpy.typing import NDArray

from obbligato._arrays import flags, floats, whole
from obbligato._native import NO_OWNER

NUMBERS: list[str] = ["cx", "cy", "cz", "hx", "hy", "hz", "qx", "qy", "qz", "qw"]
MOTIONS = ["vx", "vy", "vz", "wx", "wy", "wz", "ax", "ay", "az", "uncertainty"]
BOUNDS: list[str] = ["min_x", "min_y", "min_z", "max_x", "max_y", "max_z"]
GROUPS = ["memberships", "filter"]


class Table:
    """Named columns of equal length."""

    def __init__(self, what: str, names: list[str], column: Callable[[str], Any]) -> None:
        self.what, self.names, self._column = what, names, column

    def __contains__(self, name: str) -> bool:
        if self.names.count(name) > 1:
            raise ValueError(f"{self.what} has {self.names.count(name)} columns {name}: leave one")
        return name in self.names

    def column(self, name: str) -> Any:
        """Returns a column without conversion."""
        return self._column(name)

    def place(self, name: str) -> str:
        """Returns the name of a column in errors."""
        return f"{self.what}[{name!r}]"

    def numbers(self, names: list[str], double: bool, rows: Any = slice(None)) -> NDArray[Any]:
        """Returns these columns of some rows side by side, as float64 if one of them is."""
        missing = [name for name in names if name not in self]
        if missing:
            raise ValueError(
                f"{self.what} lacks the columns {', '.join(missing)}: name the columns {' '.join(names)}, or give an array of them "
                "in this order"
            )
        columns = [numpy.asarray(self.column(name))[rows] for name in names]
        for name, column in zip(names, columns):
            if column.shape != columns[0].shape:
                raise ValueError(
                    f"{self.place(name)} has the shape {column.shape} and {self.place(names[0])} {columns[0].shape}: give columns "
                    "of one length"
                )
        return numpy.column_stack([floats(self.place(name), column, double) for name, column in zip(names, columns)])


def columns(what: str, value: Any) -> Table | None:
    """Returns a value as a table; None if it is not a table, or has no names."""
    if isinstance(value, numpy.ndarray):
        # Records of boxes are read without conversion; any other records are a table.
        names = value.dtype.names or ()
        return Table(what, list(names), lambda name: value[name]) if names and "center" not in names else None
    if isinstance(value, Mapping):
        return Table(what, [str(name) for name in value], lambda name: value[name])
    if hasattr(value, "column_names") and hasattr(value, "column"):  # pyarrow
        return Table(what, list(value.column_names), lambda name: numpy.asarray(value.column(name)))
    # A structure or a stream of any library that has Arrow's PyCapsules. Tables with columns are read without pyarrow.
    if not hasattr(value, "columns") and not hasattr(value, "__array__") and (hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")):
        return columns(what, _of_arrow(what, value))
    names = getattr(value, "columns", None)
    if names is None or not hasattr(value, "__getitem__") or not any(isinstance(name, str) for name in names):
        return None
    # pandas and polars. A pandas index named id replaces the column.
    names, index = [str(name) for name in names], getattr(value, "index", None)
    if "id" not in names and getattr(index, "name", None) == "id":
        return Table(what, [*names, "id"], lambda name: index if name == "id" else value[name])
    return Table(what, names, lambda name: value[name])


def _of_arrow(what: str, value: Any) -> Any:
    """Returns what PyCapsules of Arrow hold, as a table of pyarrow or as an array of numbers."""
    try:
        import pyarrow
    except ImportError:
        raise TypeError(f"{what} is a table of Arrow, which pyarrow reads: pip install pyarrow, or give a table of pandas or polars") from None
    try:
        return pyarrow.table(value) if hasattr(value, "__arrow_c_stream__") else pyarrow.record_batch(value)
    except (pyarrow.ArrowException, TypeError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise TypeError(f"{what} is not an Arrow table ({reason}): give a structure or a table with named columns") from None


def boxes(what: str, table: Table, double: bool) -> tuple[NDArray[Any], Any, dict[str, Any]]:
    """Returns the boxes of a table, their ids and their rules."""
    if "radius" in table and "shape" not in table:
        raise ValueError(f"{what} has a column radius: name the shape of each row in a column shape, or give Spheres or Capsules")
    if "frame" in table:
        raise ValueError(f"{what} has a column frame: give the rows of one frame, without it")
    return table.numbers(NUMBERS, double), ids(table), rules(table)


def rules(table: Table) -> dict[str, Any]:
    """Returns the rules of a table."""
    found: dict[str, Any] = {}
    if "owner" in table:
        found["owners"] = _owners(table.place("owner"), table.column("owner"))
    if "world" in table:
        found["worlds"] = whole(table.place("world"), table.column("world"))
    if "static" in table:
        found["statics"] = flags(table.place("static"), table.column("static"))
    if any(name in table for name in GROUPS):
        columns = {name: whole(table.place(name), table.column(name)) for name in GROUPS if name in table}
        everything = numpy.full(len(next(iter(columns.values()))), 0xFFFFFFFF, numpy.uint32)
        found["groups"] = numpy.column_stack([columns.get(name, everything) for name in GROUPS])
    return found


def motions(what: str, table: Table) -> NDArray[Any]:
    """Returns the motions of a table. Missing columns are 0, as in files."""
    if not any(name in table for name in MOTIONS):
        raise ValueError(f"{what} has none of the columns {' '.join(MOTIONS)}: name those that it has")
    rows = numpy.zeros((len(table.column(table.names[0])), len(MOTIONS)), numpy.float32)
    for place, name in enumerate(MOTIONS):
        if name in table:
            rows[:, place] = floats(table.place(name), table.column(name))
    return rows


def numbers(what: str, value: Any, names: list[str]) -> NDArray[Any]:
    """Returns an array of float32, from an array or from these columns of a table."""
    table = columns(what, value)
    if table is None:
        return floats(what, value)
    return motions(what, table) if names is MOTIONS else table.numbers(names, False)


def named(pairs: NDArray[numpy.uint32], ids: list[Any]) -> NDArray[Any]:
    """Returns pairs with ids in place of positions, for each of the two lists that has ids."""
    sides = [pairs[:, side] if ids[side] is None else ids[side][pairs[:, side]] for side in (0, 1)]
    if sides[0].dtype == sides[1].dtype or all(side.dtype.kind in "iu" for side in sides):
        return numpy.column_stack(sides)
    both = numpy.empty(pairs.shape, object)
    both[:, 0], both[:, 1] = sides
    return both


def _owners(what: str, column: Any) -> NDArray[numpy.uint32]:
    """Returns owners. NaN, which pandas uses for missing numbers, means no owner."""
    array = numpy.asarray(column)
    if array.dtype.kind != "f":
        return whole(what, array)
    missing = numpy.isnan(array)
    filled = numpy.where(missing, 0, array)
    if (filled != numpy.floor(filled)).any() or (numpy.abs(filled) >= 2**53).any():
        raise TypeError(f"{what} has the dtype {array.dtype}: give whole numbers")
    owners = whole(what, filled.astype(numpy.int64))
    owners[missing] = NO_OWNER
    return owners


def ids(table: Table) -> Any:
    """Returns the ids without conversion; None if there are none."""
    if "id" not in table:
        return None
    found = numpy.asarray(table.column("id"))
    if found.dtype.kind == "f" or (found.dtype.kind == "O" and any(one is None or one != one for one in found)):
        raise TypeError(f"{table.place('id')} has numbers with fractions, or rows without an id: give whole numbers or texts")
    return found
