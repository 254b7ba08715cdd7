"""Conversion of arrays, the same for all calls. Only Python numbers in lists are rounded."""

from __future__ import annotations

from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray

from obbligato._errors import shown
from obbligato._records import BOX

_COLUMNS = 10
# The largest whole number up to which a type represents all whole numbers.
_WHOLE = {"float32": 2**24, "float64": 2**53}


# The devices of DLPack whose memory the host reads: its own, and what CUDA and ROCm pin.
_HOST_DEVICES = {1, 3, 11}


def array_of(what: str, value: ArrayLike) -> NDArray[Any]:
    """Returns a value as an array on the host, without a copy if it shares its memory by DLPack. Errors call it `what`."""
    if not isinstance(value, numpy.ndarray):
        given, value = value, _shared(what, value)
        if value.dtype.kind == "O":
            raise TypeError(f"{what} is {shown(given)}: give a numpy array of numbers")
    if numpy.ma.is_masked(value):
        raise ValueError(f"{what} has masked entries: fill them in or leave them out")
    return numpy.asarray(value)


def _shared(what: str, value: Any) -> NDArray[Any]:
    """Returns what is not an array of numpy as one."""
    by_dlpack = hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__")
    if hasattr(value, "__cuda_array_interface__") or (by_dlpack and int(value.__dlpack_device__()[0]) not in _HOST_DEVICES):
        raise TypeError(
            f"{what} is an array on a GPU, which is not supported: copy it to the host first, as by .cpu().numpy() or .get()"
        )
    if by_dlpack and not hasattr(value, "__array__"):
        try:
            return numpy.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError) as error:
            # Of what numpy cannot name, such as bfloat16.
            raise TypeError(f"{what} cannot be shared by DLPack ({error}): convert it to float32") from None
    return _listed(what, value, None)


def _listed(what: str, value: Any, dtype: Any) -> NDArray[Any]:
    """Returns a list as an array, or raises an error that names it, as numpy's do not."""
    try:
        return numpy.asarray(value, dtype)
    except (TypeError, ValueError) as error:
        reason = str(error).split(". ")[0]
        raise type(error)(f"{what} is {shown(value)} that is not an array ({reason}): give rows of numbers, all of one length") from None


def floats(what: str, value: ArrayLike, double: bool = False) -> NDArray[Any]:
    """Returns numbers as float32, or as float64 if the call accepts it (`double`) and float32 does not represent them."""
    if isinstance(value, (list, tuple)):
        return _as(_listed(what, value, numpy.float32), numpy.float32)
    array = array_of(what, value)
    kind, size = array.dtype.kind, array.dtype.itemsize
    if array.size == 0 or (kind == "f" and size <= 4):
        return _as(array, numpy.float32)
    if kind == "f" and size == 8:
        if double:
            return _as(array, numpy.float64)
        raise TypeError(
            f"{what} has the dtype float64, which this call does not accept: give {what}.astype(numpy.float32), and if they are "
            "far from the origin, relative to a point nearby"
        )
    if kind in "iu":
        largest = max(-int(array.min()), int(array.max()))
        names = ["float32", "float64"] if double else ["float32"]
        for name in names:
            if largest <= _WHOLE[name]:
                return _as(array, name)
        widest = names[-1]
        raise ValueError(
            f"{what} has the number {largest}, and {widest} does not hold all whole numbers beyond {_WHOLE[widest]}: give "
            f"{what}.astype(numpy.{widest}) to round them"
        )
    wanted = "float32, float64" if double else "float32"
    if kind == "f":
        wanted += f", as by {what}.astype(numpy.{'float64' if double else 'float32'})"
    raise TypeError(f"{what} has the dtype {array.dtype}: give {wanted}")


def whole(what: str, value: ArrayLike) -> NDArray[numpy.uint32]:
    """Returns unsigned 32-bit integers."""
    array = array_of(what, value)
    if array.size and array.dtype.kind not in "iu":
        raise TypeError(f"{what} has the dtype {array.dtype}: give whole numbers, such as those of dtype uint32")
    if array.size:
        for end in [int(array.min()), int(array.max())]:
            if not 0 <= end < 2**32:
                raise ValueError(f"{what} has the number {end}: give numbers from 0 to {2**32 - 1}")
    return _as(array, numpy.uint32)


def flags(what: str, value: ArrayLike) -> NDArray[numpy.bool_]:
    """Returns booleans, from the dtype bool or from integers 0 and 1."""
    array = array_of(what, value)
    if array.size and array.dtype.kind != "b":
        if array.dtype.kind not in "iu":
            raise TypeError(f"{what} has the dtype {array.dtype}: give bool")
        if not 0 <= int(array.min()) <= int(array.max()) <= 1:
            raise ValueError(f"{what} has numbers other than 0 and 1: give bool")
    return _as(array, numpy.bool_)


def boxes(what: str, value: Any, double: bool) -> tuple[NDArray[Any], Any, dict[str, Any]]:
    """Returns boxes as records of `BOX` or as rows of floats, their ids if they have any, and the rules of a table."""
    from obbligato import _tables

    table = _tables.columns(what, value)
    if table is not None:
        return _tables.boxes(what, table, double)
    if isinstance(value, numpy.ndarray) and value.dtype.names and value.dtype.newbyteorder("=") == BOX:
        if value.ndim != 1:
            raise ValueError(f"{what} has {value.ndim} dimensions: give records in one")
        return _as(value, BOX), None, {}
    rows = floats(what, value, double)
    if rows.shape == (0,):
        rows = rows.reshape(0, _COLUMNS)
    if rows.ndim != 2 or rows.shape[1] != _COLUMNS:
        raise ValueError(
            f"{what} has the shape {rows.shape}: give (N, {_COLUMNS}), one row per box (cx cy cz hx hy hz qx qy qz qw), records of "
            "the dtype obbligato.BOX, or a table whose columns have these names"
        )
    return rows, None, {}


def words(records: NDArray[Any]) -> NDArray[numpy.uint32]:
    """Returns records as the 32-bit words that they consist of."""
    return _as(records.view(numpy.uint32), numpy.uint32)


def _as(array: NDArray[Any], dtype: Any) -> NDArray[Any]:
    """Returns the array if it has this type, is in C order and aligned; otherwise a copy that is."""
    return numpy.require(array, dtype, ["C", "A"])
