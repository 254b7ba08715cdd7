"""Elements of building models, read by ifcopenshell: their meshes in the world, and what names them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy

from obbligato._errors import FileError, InvalidInput
from obbligato._progress import Progress
from obbligato.ifc._distances import Doubles
from obbligato.ifc.scene import Whole

KERNELS = ["opencascade", "cgal", "cgal-simple", "hybrid-cgal-simple-opencascade"]
"""The geometry kernels of ifcopenshell that `read` may use. That of Manifold ends the process on some models."""


# Bytes in which a file's first and last words are expected.
_ENDS = 4096


def _library() -> Any:
    """Returns ifcopenshell, which only reading needs."""
    try:
        import ifcopenshell.geom
    except ImportError:
        raise ImportError("IFC files need the package ifcopenshell: pip install obbligato[ifc]") from None
    return ifcopenshell


@dataclass(frozen=True)
class Element:
    """The names of an element. Texts that a file leaves out are empty."""

    guid: str
    """The GlobalId: 22 characters."""
    type: str
    """The class, such as `IfcWall`."""
    name: str
    storey: str
    """The name of the storey that has it, or has what it is a part of."""
    model: str
    """The name of the file."""


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """The elements of a file that have a mesh, in the order of the file."""

    name: str
    """The name of the file."""
    schema: str
    elements: list[Element]
    vertices: list[Doubles]
    """For each element (V, 3) float64: the corners of its mesh in the world, in metres."""
    faces: list[Whole]
    """For each element (F, 3) int64: its triangles, as positions of their corners."""
    frames: Doubles
    """(N, 3, 3) float64: the axes of each element's placement, as columns."""
    bare: list[Element] = field(default_factory=list)
    """The elements that have no representation: what they are made of is in other elements, or nowhere."""
    failed: list[Element] = field(default_factory=list)
    """The elements whose representation ifcopenshell could not turn into triangles."""
    supertypes: dict[str, frozenset[str]] = field(default_factory=dict)
    """For each class of the elements, itself and all classes that it is derived from."""

    def __len__(self) -> int:
        return len(self.elements)

    def __repr__(self) -> str:
        triangles = sum(map(len, self.faces))
        return f"<Model: {self.name}, {self.schema}, {len(self)} elements with a mesh, {triangles} triangles>"

    def knows(self, type_name: str) -> bool:
        """Returns True if the schema of the file has a class with this name."""
        try:
            return str(_library().schema_by_name(self.schema).declaration_by_name(type_name).name()) == type_name
        except RuntimeError:
            return False


def read(
    path: str | os.PathLike[str],
    *,
    kernel: str = "opencascade",
    threads: int | None = None,
    progress: Progress | None = None,
) -> Model:
    """Reads all elements of an IFC file: IfcElement except openings and other features, which are cut from what they are in.

    Placements are multiplied out in float64 and lengths are metres, whatever the file's unit. `kernel` is the library that
    ifcopenshell cuts and triangulates with, see `KERNELS`; elements that it makes no mesh of are left to the first of these.
    `threads` is the number of its threads, by default one per core. `progress` is called with "elements", the number of those
    that are done, and that of all. What it raises ends the call.
    """
    if kernel not in KERNELS:
        raise InvalidInput(f"kernel is {kernel!r}: give one of {', '.join(KERNELS)}", "InvalidKernel")
    if threads is not None and threads < 1:
        raise InvalidInput(f"threads is {threads}: give a number of at least 1", "InvalidThreads")
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
    if os.path.isdir(path):
        raise FileError(f"{os.fspath(path)}: is a folder: give the path of an IFC file", "Io")
    if not os.path.isfile(path):
        raise FileError(f"{os.fspath(path)}: there is no such file: give the path of an IFC file", "Io")
    _expect_whole(path)
    library = _library()
    try:
        return library.open(os.fspath(path))
    except Exception as error:
        reason = _reason(error)
        raise FileError(f"{os.fspath(path)}: not read as IFC ({reason}): export the model as .ifc again", "Parse") from None


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _expect_whole(path: str | os.PathLike[str]) -> None:
    """Rejects texts that are not IFC, and those that were cut short, of which ifcopenshell reads what is there."""
    name = os.fspath(path)
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
    declaration = _library().schema_by_name(schema).declaration_by_name(type_name)
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
    geom = _library().geom
    iterator = geom.iterator(geom.settings(), file, threads, include=elements, geometry_library=kernel)
    for shape in iterator:
        vertices: Doubles = numpy.array(shape.geometry.verts, numpy.float64).reshape(-1, 3)
        faces = numpy.array(shape.geometry.faces, numpy.int64).reshape(-1, 3)
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
