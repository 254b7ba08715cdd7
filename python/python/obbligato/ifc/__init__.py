"""Clashes of building models: which elements of IFC files collide, how, how deep, or how near they come.

    python -m obbligato.ifc building.ifc --clashes clashes.csv
    python -m obbligato.ifc building.ifc services.ifc --types IfcWall,IfcPipeSegment --clearance 0.05

Reading needs `pip install 'obbligato[ifc]'`: ifcopenshell parses the files, and cuts openings from the elements.

>>> import obbligato.ifc
>>> model = obbligato.ifc.read("building.ifc")                               # doctest: +SKIP
>>> report = obbligato.ifc.check(model, rules=obbligato.ifc.Rules(clearance=0.05))  # doctest: +SKIP
>>> report.write_clashes("clashes.csv")                                      # doctest: +SKIP
"""

from obbligato.ifc._cache import CacheWarning
from obbligato.ifc.clashes import KINDS, Clashes
from obbligato.ifc.elements import KERNELS, Element, Model
from obbligato.ifc.reading import read
from obbligato.ifc.report import IfcReport, check, read_pairs
from obbligato.ifc.rules import ANY, TOLERANCE, Rule, Rules, read_rules

__all__ = [
    "ANY",
    "KERNELS",
    "KINDS",
    "TOLERANCE",
    "CacheWarning",
    "Clashes",
    "Element",
    "IfcReport",
    "Model",
    "Rule",
    "Rules",
    "check",
    "read",
    "read_pairs",
    "read_rules",
]
