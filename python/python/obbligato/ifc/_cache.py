"""Models on disk, so that one that has not changed is read without making its meshes again."""

from __future__ import annotations

import glob
import hashlib
import importlib.util
import json
import os
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import numpy
from numpy.typing import NDArray

from obbligato._errors import FileError
from obbligato._native import __version__
from obbligato.ifc._written import replacing
from obbligato.ifc.elements import Element, Model, require_library

FORMAT = 1
"""Goes up whenever a file of a cache, or what is read of a model, changes."""
_ARRAYS = ["points", "point_starts", "faces", "face_starts", "frames", "texts"]
_PREFIX = "obbligato-ifc-"
# Bytes of a model that are hashed at once.
_BLOCK = 1 << 20

Key = dict[str, Any]
"""All that a model in a cache depends on."""


class CacheWarning(UserWarning):
    """A cache cannot be used as it is. The model is read all the same."""


class Cache:
    """A folder of models, each in a file whose name says what the model was made from.

    Files of a cache can be deleted at any time. Any number of programs may use it at once.
    """

    def __init__(self, folder: str | os.PathLike[str], tell: Callable[[str], None]) -> None:
        """Makes the folder if there is none. `tell` is called with what is wrong, and what is done about it."""
        self._folder, self._tell = os.fspath(folder), tell
        try:
            os.makedirs(self._folder, exist_ok=True)
        except OSError as error:
            reason = "is not a folder" if isinstance(error, (FileExistsError, NotADirectoryError)) else error.strerror
            raise FileError(f"{self._folder}: {reason}: give a folder that can be made for the cache", "Io") from None

    def path(self, key: Key) -> str:
        """Returns where the model of a key is, if it is there."""
        name = hashlib.sha256(_as_text(key)).hexdigest()
        return os.path.join(self._folder, f"{_PREFIX}{name[:40]}.npz")

    def load(self, key: Key, name: str) -> Model | None:
        """Returns the model of a key, under the name of its file, or None if there is none that can be used."""
        path = self.path(key)
        if not os.path.lexists(path):
            return None
        try:
            return _loaded(path, key, name)
        # What a damaged file raises is not bounded: NumPy and zipfile parse it.
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            self._tell(f"{path}: not used as a cached model ({reason}): {name} is read again, and the file replaced")
            return None

    def save(self, key: Key, model: Model) -> None:
        """Stores a model."""
        path, parts = self.path(key), _parts(model)
        parts.update(key=_bytes(_as_text(key)), digest=_bytes(_digest(key, parts)))
        try:
            with replacing(path) as handle, open(handle, "wb") as file:
                numpy.savez(file, **parts)  # type: ignore[arg-type]
        except OSError as error:
            reason = error.strerror or error
            self._tell(f"{path}: {model.name} is not cached ({reason}): give a folder that can be written to")


def key_of(path: str | os.PathLike[str], kernel: str) -> Key:
    """Returns the key of a model: hash of its file, versions, and kernel. The end of its name says how the file is read."""
    digest = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: {error.strerror or error}: check the path and its permissions", "Io") from None
    return {
        "format": FORMAT,
        "obbligato": __version__,
        "ifcopenshell": _version(),
        "suffix": os.path.splitext(path)[1].lower(),
        "sha256": digest.hexdigest(),
        "kernel": kernel,
    }


def _version() -> str:
    """Returns the release of ifcopenshell. Its import takes longer than the rest: if it is installed, a folder has it."""
    spec = importlib.util.find_spec("ifcopenshell")
    if spec is not None and spec.origin is not None:
        packages = os.path.dirname(os.path.dirname(spec.origin))
        installed = glob.glob(os.path.join(glob.escape(packages), "ifcopenshell-*.dist-info"))
        if len(installed) == 1:
            return os.path.basename(installed[0]).removesuffix(".dist-info").partition("-")[2]
    return str(require_library().version)


def _as_text(key: Key) -> bytes:
    return json.dumps(key, sort_keys=True).encode()


def _bytes(text: bytes) -> NDArray[Any]:
    return numpy.frombuffer(text, numpy.uint8)


def _digest(key: Key, parts: dict[str, NDArray[Any]]) -> bytes:
    """Returns the hash of a key and of arrays, with their types and shapes."""
    digest = hashlib.sha256(_as_text(key))
    for name in _ARRAYS:
        part = numpy.ascontiguousarray(parts[name])
        digest.update(f"{name} {part.dtype.str} {part.shape} ".encode())
        digest.update(part.tobytes())
    return digest.digest()


def _parts(model: Model) -> dict[str, NDArray[Any]]:
    """Returns a model as arrays."""
    texts = {
        "schema": model.schema,
        "supertypes": {name: sorted(above) for name, above in model.supertypes.items()},
        **{kind: [asdict(one) for one in getattr(model, kind)] for kind in ("elements", "bare", "failed")},
    }
    return {
        "points": numpy.concatenate([numpy.empty((0, 3)), *model.vertices]),
        "point_starts": numpy.cumsum([0, *map(len, model.vertices)]),
        "faces": numpy.concatenate([numpy.empty((0, 3), numpy.int64), *model.faces]),
        "face_starts": numpy.cumsum([0, *map(len, model.faces)]),
        "frames": model.frames,
        "texts": _bytes(json.dumps(texts).encode()),
    }


def _loaded(path: str, key: Key, name: str) -> Model:
    """Reads a model from a file of a cache. Any error means that the file is not one of these."""
    # NumPy does not close a damaged file that it has opened itself.
    with open(path, "rb") as file, numpy.load(file, allow_pickle=False) as stored:
        parts = {part: stored[part] for part in [*_ARRAYS, "key", "digest"]}
    if parts["key"].tobytes() != _as_text(key):
        raise ValueError("it is of another model")
    if parts["digest"].tobytes() != _digest(key, parts):
        raise ValueError("its digest is wrong")
    texts = json.loads(parts["texts"].tobytes())
    # The file may have had another name when it was cached.
    lists = [[Element(**{**one, "model": name}) for one in texts[kind]] for kind in ("elements", "bare", "failed")]
    vertices = numpy.split(parts["points"], parts["point_starts"][1:-1])[: len(lists[0])]
    faces = numpy.split(parts["faces"], parts["face_starts"][1:-1])[: len(lists[0])]
    supertypes = {one: frozenset(above) for one, above in texts["supertypes"].items()}
    return Model(name, texts["schema"], lists[0], vertices, faces, parts["frames"], lists[1], lists[2], supertypes)
