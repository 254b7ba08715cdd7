"""A folder of files that appear whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable
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
        """Writes a file. Who reads it finds all of `data`, or what was there before, also after the machine has failed.

        Disks of networks are asked for no more than they promise by themselves.
        """
        path = f"{self._path}/{name}"
        data = data.encode() if isinstance(data, str) else data
        self._files.create_dir(os.path.dirname(path))
        if self._files.type_name in _OBJECT_STORES:
            # In one piece, as a stream that an exception closes would leave what it has.
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
        """Whether it is on a disk."""
        return bool(self._files.type_name == "local")

    def has(self, name: str) -> bool:
        """Whether there is a file of this name."""
        return bool(self._files.get_file_info(f"{self._path}/{name}").type == fs.FileType.File)

    def names(self, folder: str) -> list[str]:
        """What is in a folder, if there is one."""
        found = self._files.get_file_info(fs.FileSelector(f"{self._path}/{folder}", allow_not_found=True))
        return [f"{folder}/{info.base_name}" for info in found]

    def open(self, name: str) -> Any:
        """A file to read from any place."""
        return self._files.open_input_file(f"{self._path}/{name}")

    def data(self, name: str) -> bytes:
        """All of a file."""
        with self.open(name) as file:
            return bytes(file.read())

    def remove(self, names: Iterable[str]) -> None:
        """Removes those of the files that are there."""
        for name in names:
            if self.has(name):
                self._files.delete_file(f"{self._path}/{name}")

    def remove_empty(self, folder: str) -> None:
        """Removes a folder, unless something is in it."""
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
    """A path as a URL that means the same from everywhere."""
    return path if "://" in path else "file://" + os.path.abspath(path)
