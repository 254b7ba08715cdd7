"""A building of a hundred elements, of which every clash is known: written with ifcopenshell's own calls.

Lengths are millimetres in the file, and its site is 500 km away and turned by 30 degrees. Each cell of a grid of 8 m has a few
elements and the clashes that they have. All numbers here are metres in the cell, whose middle is at 0 0 0.
"""

import hashlib
import math

import ifcopenshell
import ifcopenshell.guid

PLACE, TURN, CELL, ROW = (512_345.678, 5_400_123.456, 87.65), math.radians(30), 8.0, 10


def box(kind, center, size, holes=()):
    """A box, and holes through it along y for walls, along z for slabs: center and size in the box's plan."""
    return {"kind": kind, "center": center, "size": size, "holes": list(holes), "round": False}


def pipe(kind, center, radius, length, along):
    """A round bar along y or z."""
    return {"kind": kind, "center": center, "size": (radius, length, along), "holes": [], "round": True}


def wall(center=(0, 0, 1.5), size=(4, 0.2, 3), holes=()):
    return box("IfcWall", center, size, holes)


def slab(center=(0, 0, -0.1), size=(4, 4, 0.2), holes=()):
    return box("IfcSlab", center, size, holes)


def column(bottom, side=0.3):
    return box("IfcColumn", (0, 0, bottom + 1.5), (side, side, 3))


def duct(center, size):
    return box("IfcDuctSegment", center, size)


OPENING, FAR_HOLE = (0, 1.5, 0.4, 0.4), (1.5, 1.5, 0.4, 0.4)
# For each cell its elements, and its clashes: two elements, kind, depth, whether that is exact, which is the inner one, distance.
CELLS = {
    "pipe through a wall": (
        {"w": wall(), "p": pipe("IfcPipeSegment", (0, 0, 1.5), 0.05, 2, "y")},
        [("w", "p", "pierce", 1.1, 1, "p", 0)],
    ),
    "duct in an opening": (
        {"w": wall(holes=[OPENING]), "d": duct((0, 0, 1.5), (0.1, 2, 0.1))},
        [("w", "d", "near", None, 0, "", 0.15)],
    ),
    "duct wider than its opening": (
        {"w": wall(holes=[OPENING]), "d": duct((0, 0, 1.5), (0.5, 2, 0.3))},
        [("w", "d", "overlap", 0.05, 0, "", 0)],
    ),
    "duct larger than its opening": (
        {"w": wall(holes=[OPENING]), "d": duct((0, 0, 1.5), (0.5, 2, 0.7))},
        [("w", "d", "pierce", 0.1, 0, "d", 0)],
    ),
    "column on a slab": ({"s": slab(), "c": column(0)}, [("s", "c", "touch", 0, 1, "", 0)]),
    "column in a slab": ({"s": slab(), "c": column(-0.05)}, [("s", "c", "overlap", 0.05, 1, "", 0)]),
    "column in a slab with a hole": (
        {"s": slab(holes=[FAR_HOLE]), "c": column(-0.05)},
        [("s", "c", "overlap", 0.05, 0, "", 0)],
    ),
    "column hardly in a slab": ({"s": slab(), "c": column(-0.0005)}, [("s", "c", "touch", 0.0005, 1, "", 0)]),
    "column hardly in a slab with a hole": (
        {"s": slab(holes=[FAR_HOLE]), "c": column(-0.0005)},
        [("s", "c", "touch", 0, 0, "", 0)],
    ),
    "a duct twice": (
        {"d": duct((0, 0, 1), (0.3, 2, 0.3)), "e": duct((0, 0, 1), (0.3, 2, 0.3))},
        [("d", "e", "duplicate", 0.3, 1, "", 0)],
    ),
    "a wall with an opening twice": (
        {"w": wall(holes=[OPENING]), "v": wall(holes=[OPENING])},
        [("w", "v", "duplicate", None, 0, "", 0)],
    ),
    "conduit in a wall": (
        {"w": wall(), "c": duct((1, 0, 1.5), (0.1, 0.05, 1))},
        [("w", "c", "contain", 0.125, 1, "c", 0)],
    ),
    "conduit in a wall with an opening": (
        {"w": wall(holes=[OPENING]), "c": duct((1, 0, 1.5), (0.1, 0.05, 1))},
        [("w", "c", "contain", 0.075, 0, "c", 0)],
    ),
    "niche flush with a wall": (
        {"w": wall(holes=[OPENING]), "c": duct((1, -0.05, 1.5), (0.4, 0.1, 0.4))},
        [("w", "c", "contain", 0.1, 0, "c", 0)],
    ),
    "ducts side by side": (
        {"d": duct((0, 0, 1), (0.3, 2, 0.3)), "e": duct((0.33, 0.5, 1), (0.3, 2, 0.3)), "f": duct((0.75, 0, 1), (0.3, 2, 0.3))},
        [("d", "e", "near", None, 0, "", 0.03), ("e", "f", "near", None, 0, "", 0.12)],
    ),
    "beams that cross": (
        {"b": box("IfcBeam", (0, 0, 3), (2, 0.2, 0.2)), "c": box("IfcBeam", (0, 0, 3), (0.2, 2, 0.2))},
        [("b", "c", "pierce", 0.2, 1, "", 0)],
    ),
    "walls that meet": (
        {"w": wall(), "v": wall((0, 1.1, 1.5), (0.2, 2, 3))},
        [("w", "v", "touch", 0, 1, "", 0)],
    ),
    "walls that overlap at a corner": (
        {"w": wall((2, 0, 1.5)), "v": wall((0.1, -1.45, 1.5), (0.2, 3.1, 3))},
        [("w", "v", "overlap", 0.2, 1, "", 0)],
    ),
    "walls with an opening that overlap at a corner": (
        {"w": wall((2, 0, 1.5), holes=[OPENING]), "v": wall((0.1, -1.45, 1.5), (0.2, 3.1, 3))},
        [("w", "v", "overlap", 0.1, 0, "", 0)],
    ),
    "duct below a slab": (
        {"s": slab((0, 0, 3)), "d": duct((0, 0, 2.75), (0.3, 2, 0.3))},
        [("s", "d", "touch", 0, 1, "", 0)],
    ),
    "pipe through a slab": (
        {"s": slab(holes=[FAR_HOLE]), "p": pipe("IfcPipeSegment", (0, 0, 0), 0.05, 2, "z")},
        [("s", "p", "pierce", 0.1, 0, "p", 0)],
    ),
    "door in a wall": (
        {"w": wall(holes=[(0, 1, 1, 2)]), "d": box("IfcDoor", (0, 0, 1), (1, 0.1, 2))},
        [("w", "d", "touch", 0, 0, "", 0)],
    ),
    "wall on a slab": ({"s": slab(), "w": wall(holes=[OPENING])}, [("s", "w", "touch", 0, 0, "", 0)]),
}
SERVICES = ["IfcPipeSegment", "IfcDuctSegment"]
TOTAL = 100
# The only element without a mesh has two columns as its parts.
BARE = "IfcElementAssembly"


def guid(text):
    """A GlobalId that is the same in every run."""
    return ifcopenshell.guid.compress(hashlib.md5(text.encode()).hexdigest())


class Building:
    """A file under construction. `cells` has the GlobalId of each element by its cell and key."""

    def __init__(self, only=None):
        """Makes all elements, or those whose type is accepted by `only`."""
        self.file = ifcopenshell.file(schema="IFC4")
        self.only, self.guids, self.count = only or (lambda kind: True), {}, 0
        self._context()
        for number, (name, (elements, _)) in enumerate(CELLS.items()):
            for key, element in elements.items():
                self.add(number, name, key, element)
        # Columns that are far from everything, up to the total.
        number = len(CELLS)
        while self.count < TOTAL - 1:
            self.add(number, f"column {number}", "c", column(0))
            number += 1
        self._assemble(f"column {number - 1}", f"column {number - 2}")
        for storey, elements in self.storeys.values():
            if elements:
                name = guid(f"in {storey.Name}")
                self.make("IfcRelContainedInSpatialStructure", name, RelatedElements=elements, RelatingStructure=storey)

    def make(self, kind, *values, **named):
        return self.file.create_entity(kind, *values, **named)

    def _frame(self, place, axis=(0, 0, 1), side=(1, 0, 0)):
        point = self.make("IfcCartesianPoint", [1000.0 * value for value in place])
        directions = [self.make("IfcDirection", list(map(float, one))) for one in (axis, side)]
        return self.make("IfcAxis2Placement3D", point, *directions)

    def _here(self):
        return self.make("IfcLocalPlacement", self.place, self._frame((0, 0, 0)))

    def _context(self):
        unit = self.make("IfcSIUnit", UnitType="LENGTHUNIT", Prefix="MILLI", Name="METRE")
        units = self.make("IfcUnitAssignment", [unit])
        whole = self.make("IfcGeometricRepresentationContext", None, "Model", 3, 1e-5, self._frame((0, 0, 0)))
        self.body = self.make(
            "IfcGeometricRepresentationSubContext",
            ContextIdentifier="Body",
            ContextType="Model",
            ParentContext=whole,
            TargetView="MODEL_VIEW",
        )
        project = self.make("IfcProject", guid("project"), Name="Clashes", RepresentationContexts=[whole], UnitsInContext=units)
        turned = self._frame(PLACE, side=(math.cos(TURN), math.sin(TURN), 0))
        self.place = self.make("IfcLocalPlacement", None, turned)
        site = self.make("IfcSite", guid("site"), Name="Site", ObjectPlacement=self.place)
        building = self.make("IfcBuilding", guid("building"), Name="House", ObjectPlacement=self._here())
        self.storeys = {}
        for name in ("Ground floor", "First floor"):
            self.storeys[name] = (self.make("IfcBuildingStorey", guid(name), Name=name, ObjectPlacement=self._here()), [])
        for above, below in ((project, [site]), (site, [building]), (building, [one for one, _ in self.storeys.values()])):
            self.make("IfcRelAggregates", guid(f"of {above.Name}"), RelatingObject=above, RelatedObjects=below)

    def add(self, number, cell, key, element):
        self.count += 1
        if not self.only(element["kind"]):
            return
        x, y = (number % ROW - ROW / 2) * CELL, (number // ROW - ROW / 2) * CELL
        center = [a + b for a, b in zip((x, y, 0), element["center"])]
        made = self._element(element, center, f"{cell}: {key}")
        self.guids[cell, key] = made.GlobalId
        self.storeys[self.storey_of(cell)][1].append(made)

    def storey_of(self, cell):
        return "First floor" if "slab" in cell else "Ground floor"

    def _element(self, element, center, name):
        placement = self.make("IfcLocalPlacement", self.place, self._frame(center))
        shape = self._round(*element["size"]) if element["round"] else self._solid(element["size"])
        made = self.make(element["kind"], guid(name), Name=name, ObjectPlacement=placement, Representation=self._shown(shape))
        for hole, (across, up, width, height) in enumerate(element["holes"]):
            flat = element["kind"] == "IfcSlab"
            middle = (across, up, 0) if flat else (across, 0, up - center[2])
            size = (width, height, 1) if flat else (width, 1, height)
            opening = self.make(
                "IfcOpeningElement",
                guid(f"{name} {hole}"),
                ObjectPlacement=self.make("IfcLocalPlacement", placement, self._frame(middle)),
                Representation=self._shown(self._solid(size)),
            )
            self.make("IfcRelVoidsElement", guid(f"{name} {hole} in"), RelatingBuildingElement=made, RelatedOpeningElement=opening)
        return made

    def _shown(self, solid):
        shape = self.make("IfcShapeRepresentation", self.body, "Body", "SweptSolid", [solid])
        return self.make("IfcProductDefinitionShape", None, None, [shape])

    def _solid(self, size):
        """A box around the middle."""
        profile = self.make("IfcRectangleProfileDef", "AREA", None, self._flat(), 1000.0 * size[0], 1000.0 * size[1])
        up = self.make("IfcDirection", [0.0, 0.0, 1.0])
        return self.make("IfcExtrudedAreaSolid", profile, self._frame((0, 0, -size[2] / 2)), up, 1000.0 * size[2])

    def _round(self, radius, length, along):
        profile = self.make("IfcCircleProfileDef", "AREA", None, self._flat(), 1000.0 * radius)
        start = (0, -length / 2, 0) if along == "y" else (0, 0, -length / 2)
        frame = self._frame(start, (0, 1, 0) if along == "y" else (0, 0, 1))
        return self.make("IfcExtrudedAreaSolid", profile, frame, self.make("IfcDirection", [0.0, 0.0, 1.0]), 1000.0 * length)

    def _flat(self):
        return self.make("IfcAxis2Placement2D", self.make("IfcCartesianPoint", [0.0, 0.0]))

    def _assemble(self, *cells):
        """Makes an element without a shape, whose parts are named instead of in a storey."""
        parts = [self.file.by_guid(self.guids[cell, "c"]) for cell in cells if (cell, "c") in self.guids]
        self.count += 1
        if not parts:
            return
        whole = self.make(BARE, guid("assembly"), Name="assembly")
        storey, elements = self.storeys["Ground floor"]
        elements[:] = [one for one in elements if one not in parts] + [whole]
        self.make("IfcRelAggregates", guid("of assembly"), RelatingObject=whole, RelatedObjects=parts)


def expected(clearance=0.0, between=None):
    """The clashes as a dictionary from (cell, element, element) to (kind, depth, exact, inner, distance).

    With `between`, only those of one element whose type it accepts and one whose type it does not.
    """
    found = {}
    for cell, (elements, clashes) in CELLS.items():
        for a, b, kind, depth, exact, inner, distance in clashes:
            sides = [between(elements[key]["kind"]) for key in (a, b)] if between else [True, False]
            if (kind != "near" or distance <= clearance) and sides[0] != sides[1]:
                found[cell, a, b] = (kind, depth, exact, inner, distance)
    return found
