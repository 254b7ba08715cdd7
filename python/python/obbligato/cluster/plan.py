"""What is to be done, in a form that can be written down."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from obbligato._native import Tiling
from obbligato.cluster.source import Source, Split

# Of what is written beside the results.
_VERSION = 1


@dataclass(frozen=True)
class Options:
    """What is checked, and how."""

    source: str
    out: str
    margin: float = 0.0
    precision: str = "exact"
    backend: str = "auto"
    adapter: str | None = None
    tile_boxes: int = 2_000_000
    split_rows: int = 1_000_000

    def subject(self, source: Source) -> dict[str, Any]:
        """All that results depend on: work on another subject is of no use."""
        return {
            "version": _VERSION,
            "source": source.url,
            "state": source.state,
            "rows": source.rows,
            "margin": self.margin,
            "precision": self.precision,
            "tile_boxes": self.tile_boxes,
            "split_rows": self.split_rows,
        }

    def key(self, source: Source) -> str:
        """The subject, in short."""
        return _digest(self.subject(source))


@dataclass(frozen=True)
class Plan:
    """The parts that are read and the tiles that are checked, by number."""

    options: Options
    source: Source
    splits: list[Split]
    tiling: Tiling
    key: str

    @classmethod
    def new(cls, options: Options, source: Source, tiling: Tiling) -> Plan:
        key = _digest([options.subject(source), tiling.to_json()])
        return cls(options, source, source.splits(options.split_rows), tiling, key)

    @classmethod
    def noted(cls, text: str, options: Options, source: Source) -> Plan | None:
        """The plan that was written down, if it is of this subject."""
        noted = json.loads(text)
        if noted["subject"] != json.loads(json.dumps(options.subject(source))):
            return None
        return cls.new(options, source, Tiling.from_json(noted["tiling"]))

    def to_json(self) -> str:
        return json.dumps({"subject": self.options.subject(self.source), "tiling": self.tiling.to_json()})

    @cached_property
    def tiles(self) -> NDArray[Any]:
        """The corners of the tiles."""
        return self.tiling.tiles


def _digest(of: Any) -> str:
    return hashlib.sha256(json.dumps(of).encode()).hexdigest()


def part_name(number: int) -> str:
    """The file of a part: boxes that one task has read, in the order of their tiles."""
    return f"work/part-{number:06}.arrow"


def tile_name(number: int) -> str:
    """The file of a tile: its pairs, and what is known of them."""
    return f"pairs/tile-{number:06}.parquet"
