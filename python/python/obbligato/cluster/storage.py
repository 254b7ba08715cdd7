"""A folder of files that appear whole or not at all."""

from __future__ import annotations

import os
from typing import Any
from uuid import uuid4

from pyarrow import fs

# Objects of these appear when their stream is closed, and not before. They cannot be renamed.
_OBJECT_STORES = ("abfs", "gcs", "s3")


class Storage:
    """A folder on a disk, on a network's, or in object storage (`s3://bucket/folder`), which all workers reach by the same name."""

    def __init__(self, url: str) -> None:
        self.url = located(url)
        self._files, self._path = fs.FileSystem.from_uri(self.url)

    def __reduce__(self) -> tuple[Any, ...]:
        return Storage, (self.url,)

    def put(self, name: str, data: Any) -> None:
        """Writes a file. Who reads it finds all of `data`, or what was there before."""
        path = f"{self._path}/{name}"
        data = data.encode() if isinstance(data, str) else data
        self._files.create_dir(os.path.dirname(path))
        if self._files.type_name in _OBJECT_STORES:
            # In one piece, as a stream that an exception closes would leave what it has.
            with self._files.open_output_stream(path) as stream:
                stream.write(data)
            return
        unfinished = f"{self._path}/work/{uuid4().hex}.unfinished"
        self._files.create_dir(os.path.dirname(unfinished))
        with self._files.open_output_stream(unfinished) as stream:
            stream.write(data)
        self._files.move(unfinished, path)

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return bool(self._files.get_file_info(f"{self._path}/{name}").type == fs.FileType.File)

    def is_empty(self, name: str) -> bool:
        """Whether nothing is in a folder, or there is none."""
        return not self._files.get_file_info(fs.FileSelector(f"{self._path}/{name}", allow_not_found=True))

    def open(self, name: str) -> Any:
        """A file to read from any place."""
        return self._files.open_input_file(f"{self._path}/{name}")

    def text(self, name: str) -> str:
        """All of a file."""
        with self.open(name) as file:
            return str(file.read(), "utf-8")

    def remove(self, name: str) -> None:
        """Removes a folder with all that is in it."""
        if self._files.get_file_info(f"{self._path}/{name}").type == fs.FileType.Directory:
            self._files.delete_dir(f"{self._path}/{name}")


def located(path: str) -> str:
    """A path as a URL that means the same from everywhere."""
    return path if "://" in path else "file://" + os.path.abspath(path)
