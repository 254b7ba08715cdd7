"""The exceptions. The native module raises them with the message and the fields of the Rust error."""

from __future__ import annotations

import re
from typing import Any

# What messages of the engine call in Rust, and what it is called here.
_NAMES = {
    "; `MeshQuery` compares triangles with bodies": "; of triangles and bodies, the triangles first",
    ", or count them from pairs with `degrees`": "",
    "`Direction::AToB`": '"a-to-b"',
    "`Direction::BToA`": '"b-to-a"',
    "make it with `BspTree::of_solid`": "make it with solid=True",
}
_SETTING = re.compile(r"`(?:Gpu)?Config::(\w+)`")
_CHOICE = re.compile(r"`(?:[A-Z]\w+::)?([A-Z][a-z]+)`")


def _in_python(message: str) -> str:
    """Returns a message of the engine with names of the package: settings, and what they are set to."""
    for rust, own in _NAMES.items():
        message = message.replace(rust, own)
    message = _SETTING.sub(r"`\1`", message)
    return _CHOICE.sub(lambda found: f'"{found[1].lower()}"', message)


class Error(Exception):
    """Any error of obbligato.

    `kind` is the name of the Rust error, such as "InvalidBox". Numeric fields of the error are attributes too.
    """

    kind: str

    def __init__(self, message: str, kind: str = "", **fields: Any) -> None:
        super().__init__(_in_python(message))
        self.kind = kind
        self.__dict__.update(fields)


class InvalidInput(Error, ValueError):
    """Boxes, pairs, motions, rules or settings are not valid.

    `argument` is the name of the argument, with which the message begins. If the error is about a list, `index` is the position
    of the first invalid entry and `count` the number of invalid entries. What is not known is None.
    """

    argument: str | None = None
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


# The errors about an entry of a list of shapes; those about a whole list; those about one argument, whatever the call.
_ENTRIES = {"InvalidBox", "InvalidBody", "InvalidUpright", "InvalidTriangle", "OutOfPeriod", "NotInPlane"}
_LISTS = {"OpenMesh", "UnlikeFaces", "InvalidSolid", "MissingMotions", "MissingBoxes", "NoPoints"}
_ARGUMENTS = {"InvalidPair": "pairs", "DuplicateId": "ids", "MissingIds": "ids", "InvalidPeriod": "period"}
_MOTIONS = {"boxes": "motions", "movers": "motions", "against": "against_motions"}
# The longest text of a value that an error shows.
_SHOWN = 40


def in_lists(error: Exception, lists: list[tuple[str, int]]) -> Exception:
    """Returns an error with the argument that it is about: `lists` has those with shapes, and their lengths.

    Positions in errors of the engine continue from list to list; in the returned one, each list has its own.
    """
    if not isinstance(error, InvalidInput) or error.argument is not None:
        return error
    kind, index = error.kind, error.index
    name: str | None = _ARGUMENTS.get(kind)
    if kind == "InvalidMargin":
        name = "within" if ("within", 0) in lists else "margin"
    elif kind == "InvalidSearch":
        name = "within" if "radius" in str(error) else "nearest"
    elif kind in ("InvalidPoint", "InvalidRay"):
        name = lists[-1][0]
    elif kind == "InvalidStep" and "step's skin" in str(error):
        name = "skin"
    elif kind in _LISTS:
        name = lists[0][0]
    elif (kind in _ENTRIES or kind == "InvalidMotion") and index is not None:
        for name, length in lists:
            if index < length:
                break
            index -= length
        name = _MOTIONS.get(name or "") if kind == "InvalidMotion" else name
    if name is None:
        return error
    message = str(error) if index is None else str(error).replace(f" {error.index} ", f" {index} ", 1)
    fields = {**vars(error), "argument": name}
    if index is not None:
        fields["index"] = index
    return type(error)(f"{name}: {message}", **fields)


def shown(value: Any) -> str:
    """Returns a value as errors show it: its text if that is short, else its type."""
    if value is None or isinstance(value, (bool, int, float, str)):
        text = repr(value)
        if len(text) <= _SHOWN:
            return text
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"
