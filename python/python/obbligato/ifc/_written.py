"""Files that appear under their names when they are complete."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from obbligato._errors import FileError


@contextmanager
def replacing(name: str) -> Iterator[int]:
    """Yields the handle of a new file, which gets its name when all is written. The caller closes the handle."""
    handle, part = tempfile.mkstemp(dir=os.path.dirname(name) or ".", prefix=".obbligato-")
    try:
        yield handle
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, name)
    except BaseException:
        os.unlink(part)
        raise


@contextmanager
def written(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Opens a text file that appears under its name when it is complete. `-` is stdout, and devices are written to."""
    name = os.fspath(path)
    if name == "-":
        yield sys.stdout
        return
    try:
        if os.path.exists(name) and not os.path.isfile(name):
            with open(name, "w", newline="", encoding="utf-8") as file:
                yield file
            return
        with replacing(name) as handle, open(handle, "w", newline="", encoding="utf-8") as file:
            yield file
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(f"{name}: {error.strerror or error}: give a path that can be written to", "Io") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
