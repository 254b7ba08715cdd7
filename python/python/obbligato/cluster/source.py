"""A scene in Parquet, read by row groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy
import pyarrow
from numpy.typing import NDArray
from pyarrow import fs, parquet

from obbligato._errors import Error, InvalidInput
from obbligato._records import records
from obbligato._tables import GROUPS as _GROUPS
from obbligato._tables import NUMBERS
from obbligato.cluster.storage import located

# Columns with a meaning in scenes that are not supported here.
_UNREAD = ["shape", "radius", "owner", "world", "static", "frame"]

# Pairs are two 32-bit numbers, as everywhere, if these are enough for the row numbers.
_MOST_NARROW = 2**32


@dataclass(frozen=True)
class Split:
    """Row groups of a file that one task reads."""

    file: int
    groups: tuple[int, ...]
    first_row: int
    rows: int


class Source:
    """A Parquet file, or a folder of Parquet files in the order of their names."""

    def __init__(self, url: str) -> None:
        self.url = located(url)
        self._files, path = fs.FileSystem.from_uri(self.url)
        info = self._files.get_file_info(path)
        if info.type == fs.FileType.Directory:
            found = self._files.get_file_info(fs.FileSelector(path, recursive=True))
            listed = sorted((one for one in found if one.path.endswith(".parquet")), key=lambda one: str(one.path))
        else:
            listed = [info]
        if not listed or any(one.type != fs.FileType.File for one in listed):
            raise _problem(url, "is neither a Parquet file nor a folder that has one: check the path")
        self.paths = [one.path for one in listed]
        # Identifies the state of the files.
        self.state = [[one.path, one.size, one.mtime_ns] for one in listed]
        self.groups = []
        for path in self.paths:
            with self._open(path) as file:
                self._expect_columns(path, file.schema_arrow)
                self.groups.append([file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)])
        self.rows = sum(map(sum, self.groups))
        self.id_type: Any = numpy.uint32 if self.has_ids or self.rows <= _MOST_NARROW else numpy.uint64

    def _open(self, path: str) -> Any:
        try:
            return parquet.ParquetFile(self._files.open_input_file(path))
        except pyarrow.ArrowInvalid as error:
            raise _problem(path, f"is not a Parquet table ({error}): check the path") from error

    def _expect_columns(self, path: str, schema: Any) -> None:
        for name in NUMBERS:
            if schema.names.count(name) != 1:
                raise _problem(path, f"has the column {name} {schema.names.count(name)} times: give it once")
        for name in _UNREAD:
            if name in schema.names:
                raise _problem(path, f"has a column {name}, which a cluster does not support yet: leave it out")
        present = [name for name in ["id", *_GROUPS] if name in schema.names]
        if path == self.paths[0]:
            self._besides = present
        elif self._besides != present:
            raise _problem(path, "does not have the columns of the other files: give all files the same")

    @property
    def has_ids(self) -> bool:
        """True if boxes have ids. Otherwise row numbers serve as ids."""
        return "id" in self._besides

    def splits(self, rows: int) -> list[Split]:
        """Returns the row groups in splits of about this number of rows."""
        splits, first = [], 0
        for file, groups in enumerate(self.groups):
            begin = 0
            while begin < len(groups):
                end, count = begin, 0
                while end < len(groups) and (end == begin or count + groups[end] <= rows):
                    count += groups[end]
                    end += 1
                splits.append(Split(file, tuple(range(begin, end)), first, count))
                first, begin = first + count, end
        return splits

    def ids(self, split: Split) -> NDArray[Any]:
        """Returns the ids of a split's boxes."""
        return self._ids(split, self._table(split, ["id"]) if self.has_ids else None)

    def boxes(self, split: Split) -> tuple[NDArray[Any], NDArray[Any]]:
        """Returns the ids of a split's boxes, and the boxes."""
        table = self._table(split, NUMBERS + self._besides)
        columns = []
        for name in NUMBERS:
            column = table.column(name)
            if not (pyarrow.types.is_floating(column.type) or pyarrow.types.is_integer(column.type)):
                raise _problem(self.paths[split.file], f"holds {column.type} in column {name}: write plain numbers")
            # Missing values become NaN, which the check rejects.
            columns.append(column.to_numpy().astype(numpy.float32))
        boxes = records(numpy.column_stack(columns))
        for name in set(_GROUPS) & set(self._besides):
            boxes[name] = self._words(split, table, name)
        return self._ids(split, table), boxes

    def _ids(self, split: Split, table: Any) -> NDArray[Any]:
        if table is not None and self.has_ids:
            return self._words(split, table, "id")
        return numpy.arange(split.first_row, split.first_row + split.rows, dtype=self.id_type)

    def _words(self, split: Split, table: Any, name: str) -> NDArray[numpy.uint32]:
        """Returns a column of unsigned 32-bit integers."""
        try:
            column = table.column(name).cast(pyarrow.uint32())
        except pyarrow.ArrowInvalid as error:
            raise _problem(self.paths[split.file], f"column {name}: {error}: give whole numbers of 32 bits") from error
        if column.null_count:
            raise _problem(self.paths[split.file], f"lacks {column.null_count} entries of column {name}: fill them in")
        words: NDArray[numpy.uint32] = column.to_numpy()
        return words

    def _table(self, split: Split, columns: list[str]) -> Any:
        path = self.paths[split.file]
        try:
            with self._open(path) as file:
                table = file.read_row_groups(list(split.groups), columns=columns, use_threads=False)
        except pyarrow.ArrowException as error:
            raise _problem(path, f"cannot be read ({error}): write it again") from error
        if table.num_rows != split.rows:
            raise _problem(path, "has changed since it was first read: do not change it during the check")
        return table

    def wrong(self, split: Split, error: InvalidInput) -> Error:
        """Returns an error about a split's boxes, with the row in the file."""
        row = split.first_row - sum(map(sum, self.groups[: split.file])) + (error.index or 0)
        return _problem(self.paths[split.file], f"row {row}: {error}", index=row, count=error.count)


def _problem(path: str, words: str, **fields: Any) -> Error:
    return InvalidInput(f"{path}: {words}", "File", **fields)
