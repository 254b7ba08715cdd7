"""The exceptions. The native module raises them with the message and the fields of the Rust error."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Any error of obbligato.

    `kind` is the name of the Rust error, such as "InvalidBox". Numeric fields of the error are attributes too.
    """

    kind: str

    def __init__(self, message: str, kind: str = "", **fields: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.__dict__.update(fields)


class InvalidInput(Error, ValueError):
    """Boxes, pairs, motions, rules or settings are not valid.

    If the error is about a list, `index` is the position of the first invalid entry and `count` the number of invalid
    entries; otherwise they are None.
    """

    index: int | None = None
    count: int | None = None


class Unavailable(Error):
    """The settings or the input do not support the request."""


class LimitExceeded(Error):
    """The work exceeds a limit: it needs `needed`, but only `available` is allowed."""

    needed: int = 0
    available: int = 0


class OutOfMemory(Error, MemoryError):
    """The host or the GPU is out of memory; `needed` is in bytes."""

    needed: int = 0


class DeviceError(Error, RuntimeError):
    """There is no such GPU, or it failed."""


class FileError(Error, OSError):
    """A file cannot be read, parsed or written. The message names the file, the place in it and what to do."""
