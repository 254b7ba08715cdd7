"""The exceptions. The native half raises them; each carries the message of the Rust error and its fields."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """Any error of obbligato.

    `kind` is the name of the Rust error, such as "InvalidBox". Where the error has fields of numbers, they are attributes, too.
    """

    kind: str

    def __init__(self, message: str, kind: str = "", **fields: Any) -> None:
        super().__init__(message)
        self.kind = kind
        self.__dict__.update(fields)


class InvalidInput(Error, ValueError):
    """Boxes, pairs, motions, rules or settings are not valid.

    `index` is the first invalid one and `count` how many there are, where the error is about a list; else they are None.
    """

    index: int | None = None
    count: int | None = None


class Unavailable(Error):
    """The settings or the input do not allow what was asked for."""


class LimitExceeded(Error):
    """The work exceeds a limit: `needed` of `available`."""

    needed: int = 0
    available: int = 0


class OutOfMemory(Error, MemoryError):
    """The host or the GPU has no memory left: `needed` is in bytes."""

    needed: int = 0


class DeviceError(Error, RuntimeError):
    """There is no such GPU, or it failed."""
