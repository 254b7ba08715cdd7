"""Reading of IFC files by ifcopenshell, and of models that a cache has."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy

from obbligato._errors import FileError, InvalidInput
from obbligato._progress import Progress
from obbligato.ifc._cache import Cache, CacheWarning, key_of
from obbligato.ifc.elements import KERNELS, Element, Model, require_library
from obbligato.ifc.scene import Doubles, Whole

# Bytes in which a file's first and last words are expected.
_ENDS = 4096


def read(
    path: str | os.PathLike[str],
    *,
    kernel: str = "opencascade",
    threads: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Model:
    """Reads all elements of an IFC file: IfcElement except openings and other features, which are cut from what they are in.

    Placements are multiplied out in float64 and lengths are metres, whatever the file's unit. `kernel` is the library that
    ifcopenshell cuts and triangulates with, see `KERNELS`; elements that it makes no mesh of are left to the first of these.
    `threads` is the number of its threads, by default one per core. `progress` is called with "elements", the number of those
    that are done, and that of all. What it raises ends the call.

    `cache` is a folder, which is made if there is none. A model is stored there, and read from there as long as the content of
    its file, the kernel, and the versions of ifcopenshell and obbligato are the same. The result is the same, too. What is wrong
    with the cache is a `CacheWarning`, and the model is read without it. Files in it are never deleted: do so at any time.
    """
    return read_telling(path, kernel, threads, cache, progress, lambda text: warnings.warn(text, CacheWarning, stacklevel=4))


def read_telling(
    path: str | os.PathLike[str],
    kernel: str,
    threads: int | None,
    cache: str | os.PathLike[str] | None,
    progress: Progress | None,
    tell: Callable[[str], None],
) -> Model:
    """Reads a model as `read` does. What is wrong with the cache is told to a function."""
    if kernel not in KERNELS:
        raise InvalidInput(f"kernel is {kernel!r}: give one of {', '.join(KERNELS)}", "InvalidKernel")
    if threads is not None and threads < 1:
        raise InvalidInput(f"threads is {threads}: give a number of at least 1", "InvalidThreads")
    _expect_whole(path)
    if cache is None:
        return _made(path, kernel, threads, progress)
    stored = Cache(cache, tell)
    key = key_of(path, kernel)
    model = stored.load(key, os.path.basename(path))
    if model is None:
        model = _made(path, kernel, threads, progress)
        # The file may have been replaced while it was read.
        if key_of(path, kernel) == key:
            stored.save(key, model)
    elif progress is not None:
        count = len(model.elements) + len(model.failed)
        progress("elements", count, count)
    return model


def _made(path: str | os.PathLike[str], kernel: str, threads: int | None, progress: Progress | None) -> Model:
    """Returns the model of a file, and makes its meshes."""
    name = os.path.basename(os.fspath(path))
    file = _opened(path)
    found = [one for one in file.by_type("IfcElement") if not one.is_a("IfcFeatureElement")]
    _expect_unique(path, found)
    storeys = _storeys(file)
    named = {one.GlobalId: Element(one.GlobalId, one.is_a(), one.Name or "", storeys(one), name) for one in found}
    model = Model(name, file.schema_identifier, [], [], [], numpy.empty((0, 3, 3)))
    shown = [one for one in found if one.Representation is not None]
    meshes: dict[str, list[Any]] = {}
    # What another kernel makes no mesh of, the default one does.
    for library in dict.fromkeys([kernel, KERNELS[0]]):
        left = [one for one in shown if one.GlobalId not in meshes]
        for count, made in enumerate(_meshes_of(path, file, left, library, threads or os.cpu_count() or 1)):
            if progress is not None:
                progress("elements", count + 1, len(left))
            if made is not None:
                guid, *mesh = made
                meshes[guid] = mesh
    frames: list[Doubles] = []
    lists: tuple[list[Any], ...] = (model.vertices, model.faces, frames)
    for one in found:
        if one.GlobalId in meshes:
            model.elements.append(named[one.GlobalId])
            for values, part in zip(lists, meshes[one.GlobalId]):
                values.append(part)
        else:
            (model.bare if one.Representation is None else model.failed).append(named[one.GlobalId])
    supertypes = {type_name: _supertypes(model.schema, type_name) for type_name in {one.type for one in named.values()}}
    axes = numpy.array(frames).reshape(-1, 3, 3)
    return Model(name, model.schema, model.elements, model.vertices, model.faces, axes, model.bare, model.failed, supertypes)


def _opened(path: str | os.PathLike[str]) -> Any:
    ifcopenshell = require_library()
    try:
        return ifcopenshell.open(os.fspath(path))
    except Exception as error:
        reason = _reason(error)
        raise FileError(f"{os.fspath(path)}: not read as IFC ({reason}): export the model as .ifc again", "Parse") from None


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _expect_whole(path: str | os.PathLike[str]) -> None:
    """Rejects what is no file, texts that are not IFC, and those cut short, of which ifcopenshell reads what is there."""
    name = os.fspath(path)
    if os.path.isdir(path):
        raise FileError(f"{name}: is a folder: give the path of an IFC file", "Io")
    if not os.path.isfile(path):
        raise FileError(f"{name}: there is no such file: give the path of an IFC file", "Io")
    if not name.lower().endswith(".ifc"):
        return
    try:
        with open(path, "rb") as file:
            head = file.read(_ENDS)
            file.seek(max(file.seek(0, os.SEEK_END) - _ENDS, 0))
            tail = file.read()
    except OSError as error:
        raise FileError(f"{name}: {error.strerror or error}: check the path and its permissions", "Io") from None
    if b"ISO-10303-21;" not in head:
        raise FileError(f"{name}: not read as IFC (it does not begin with ISO-10303-21): export the model as .ifc again", "Parse")
    if b"END-ISO-10303-21;" not in tail:
        raise FileError(f"{name}: it is cut short, without END-ISO-10303-21 at its end: get it again", "Parse")


def _expect_unique(path: str | os.PathLike[str], elements: list[Any]) -> None:
    nameless = [one for one in elements if not one.GlobalId]
    if nameless:
        raise InvalidInput(
            f"{os.fspath(path)}: #{nameless[0].id()} has no GlobalId ({len(nameless)} in all): export the model again",
            "MissingId",
        )
    guids = [one.GlobalId for one in elements]
    names, counts = numpy.unique(guids, return_counts=True) if guids else (numpy.empty(0, str), numpy.empty(0, int))
    if (counts > 1).any():
        first = next(guid for guid in guids if guid in set(names[counts > 1].tolist()))
        raise InvalidInput(
            f"{os.fspath(path)}: several elements have the GlobalId {first} ({int((counts > 1).sum())} such in all): "
            "export the model again, or give them new ones",
            "DuplicateId",
        )


def _storeys(file: Any) -> Callable[[Any], str]:
    """Returns a function from an element to the name of its storey."""
    parents: dict[int, Any] = {}
    relations = [
        ("IfcRelAggregates", "RelatingObject", "RelatedObjects"),
        ("IfcRelNests", "RelatingObject", "RelatedObjects"),
        ("IfcRelContainedInSpatialStructure", "RelatingStructure", "RelatedElements"),
    ]
    for kind, upper, lower in relations:
        for relation in file.by_type(kind):
            parents.update((one.id(), getattr(relation, upper)) for one in getattr(relation, lower))

    def storey(element: Any) -> str:
        seen = set()
        while element is not None and element.id() not in seen:
            if element.is_a("IfcBuildingStorey"):
                return element.Name or element.LongName or ""
            seen.add(element.id())
            element = parents.get(element.id())
        return ""

    return storey


def _supertypes(schema: str, type_name: str) -> frozenset[str]:
    names = []
    declaration = require_library().schema_by_name(schema).declaration_by_name(type_name)
    while declaration is not None:
        names.append(str(declaration.name()))
        declaration = declaration.as_entity().supertype()
    return frozenset(names)


# The GlobalId, the corners in the world, the triangles and the axes of the placement of an element.
_Made = tuple[str, Doubles, Whole, Doubles]


def _meshes_of(
    path: str | os.PathLike[str], file: Any, elements: list[Any], kernel: str, threads: int
) -> Iterator[_Made | None]:
    """Yields what `_meshes` does. Its errors name the file."""
    try:
        yield from _meshes(file, elements, kernel, threads)
    except Exception as error:
        advice = "try another --kernel, or export the model again"
        raise FileError(f"{os.fspath(path)}: ifcopenshell makes no meshes ({_reason(error)}): {advice}", "Mesh") from None


def _meshes(file: Any, elements: list[Any], kernel: str, threads: int) -> Iterator[_Made | None]:
    """Yields the mesh of each element, or None."""
    if not elements:
        return
    geom = require_library().geom
    iterator = geom.iterator(geom.settings(), file, threads, include=elements, geometry_library=kernel)
    for shape in iterator:
        # `verts` and `faces` are tuples, which take ten times as long to make.
        vertices = numpy.frombuffer(shape.geometry.verts_buffer, numpy.float64).reshape(-1, 3)
        faces = numpy.frombuffer(shape.geometry.faces_buffer, numpy.int32).reshape(-1, 3)
        if not len(faces):
            yield None
            continue
        # The matrix is stored by columns.
        matrix = numpy.array(shape.transformation.matrix, numpy.float64).reshape(4, 4).T
        used, corners = numpy.unique(faces, return_inverse=True)
        world = vertices[used] @ matrix[:3, :3].T + matrix[:3, 3]
        if not numpy.isfinite(world).all():
            yield None
            continue
        yield shape.guid, world, corners.reshape(-1, 3).astype(numpy.int64), matrix[:3, :3]
