"""A folder of files that appear as a whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any
from uuid import uuid4

from pyarrow import fs

# In these, an object appears when its stream is closed, and not before. Objects cannot be renamed.
_OBJECT_STORES = ("abfs", "gcs", "s3")


class Storage:
    """A folder that all workers reach by the same name: on a local or network disk, or in object storage (`s3://bucket/folder`)."""

    def __init__(self, url: str) -> None:
        self.url = located(url)
        self._files, self._path = fs.FileSystem.from_uri(self.url)

    def __reduce__(self) -> tuple[Any, ...]:
        return Storage, (self.url,)

    def put(self, name: str, data: Any) -> None:
        """Writes a file. A reader finds all of `data` or the earlier content, even after the machine has failed.

        On network disks, this depends on their own guarantees.
        """
        path = f"{self._path}/{name}"
        data = data.encode() if isinstance(data, str) else data
        self._files.create_dir(os.path.dirname(path))
        if self._files.type_name in _OBJECT_STORES:
            # In one piece, because a stream that an exception closes would leave an incomplete object.
            self._write(path, data)
            return
        unfinished = f"{self._path}/work/{os.path.basename(name)}.{uuid4().hex}.unfinished"
        self._files.create_dir(os.path.dirname(unfinished))
        self._write(unfinished, data)
        if not self.is_local:
            self._files.move(unfinished, path)
            return
        _sync(unfinished)
        self._files.move(unfinished, path)
        _sync(os.path.dirname(path))

    def _write(self, path: str, data: Any) -> None:
        with self._files.open_output_stream(path) as stream:
            stream.write(data)
        written, promised = self._files.get_file_info(path).size, memoryview(data).nbytes
        if written != promised:
            raise OSError(f"{path}: has {written} of {promised} bytes after it was written: check the disk")

    @property
    def is_local(self) -> bool:
        """True if the folder is on a local disk."""
        return bool(self._files.type_name == "local")

    def has(self, name: str) -> bool:
        """Returns True if there is a file with this name."""
        return bool(self._files.get_file_info(f"{self._path}/{name}").type == fs.FileType.File)

    def names(self, folder: str) -> list[str]:
        """Returns the names in a folder; none if it does not exist."""
        found = self._files.get_file_info(fs.FileSelector(f"{self._path}/{folder}", allow_not_found=True))
        return [f"{folder}/{info.base_name}" for info in found]

    def open(self, name: str) -> Any:
        """Opens a file for reading at any position."""
        return self._files.open_input_file(f"{self._path}/{name}")

    def data(self, name: str) -> bytes:
        """Returns the content of a file."""
        with self.open(name) as file:
            return bytes(file.read())

    def remove(self, names: Iterable[str]) -> None:
        """Removes those of the files that exist."""
        for name in names:
            if self.has(name):
                self._files.delete_file(f"{self._path}/{name}")

    def remove_empty(self, folder: str) -> None:
        """Removes a folder if it is empty."""
        path = f"{self._path}/{folder}"
        if self._files.get_file_info(path).type == fs.FileType.Directory and not self.names(folder):
            self._files.delete_dir(path)


def _sync(path: str) -> None:
    """Waits until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def located(path: str) -> str:
    """Returns a path as a URL that is valid in every working directory."""
    return path if "://" in path else "file://" + os.path.abspath(path)
