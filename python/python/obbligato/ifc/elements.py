"""Elements of building models: their meshes in the world, and what names them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy

from obbligato.ifc.scene import Doubles, Whole

KERNELS = ["opencascade", "cgal", "cgal-simple", "hybrid-cgal-simple-opencascade"]
"""The geometry kernels of ifcopenshell that `read` may use. That of Manifold ends the process on some models."""


def require_library() -> Any:
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
        if any(type_name in above for above in self.supertypes.values()):
            return True
        try:
            return str(require_library().schema_by_name(self.schema).declaration_by_name(type_name).name()) == type_name
        except RuntimeError:
            return False
