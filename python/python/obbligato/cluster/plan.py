"""The plan of a check, which can be stored."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from obbligato._native import Tiling
from obbligato.cluster.source import Source, Split

# The version of the files that accompany the results.
_VERSION = 2


@dataclass(frozen=True)
class Options:
    """The scene to check, and the settings."""

    source: str
    out: str
    margin: float = 0.0
    precision: str = "exact"
    backend: str = "auto"
    adapter: str | None = None
    tile_boxes: int = 2_000_000
    split_rows: int = 1_000_000

    def subject(self, source: Source) -> dict[str, Any]:
        """Returns everything that results depend on. Work on another subject cannot be reused."""
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
        """Returns a digest of the subject."""
        return _digest(self.subject(source))


@dataclass(frozen=True)
class Plan:
    """The numbered parts to read and tiles to check."""

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
    def of_note(cls, note: dict[str, Any], options: Options, source: Source) -> Plan | None:
        """Returns the stored plan, if it is for this subject."""
        if note["subject"] != json.loads(json.dumps(options.subject(source))):
            return None
        return cls.new(options, source, Tiling.from_json(note["tiling"]))

    def to_json(self) -> str:
        """Returns the plan as JSON, with the number of its parts, from which the names of their files follow."""
        subject = self.options.subject(self.source)
        return sealed({"subject": subject, "tiling": self.tiling.to_json(), "parts": len(self.splits)})

    @cached_property
    def tiles(self) -> NDArray[Any]:
        """The corners of the tiles."""
        return self.tiling.tiles


def _digest(of: Any) -> str:
    return hashlib.sha256(json.dumps(of).encode()).hexdigest()


def sealed(note: dict[str, Any], *data: Any) -> str:
    """Returns a note as JSON, with a digest of the note and of the data that it describes."""
    return json.dumps({**note, "digest": _seal(note, data)})


def unsealed(text: bytes, *data: Any) -> dict[str, Any] | None:
    """Returns a note with its digest; None if the note or the data have changed."""
    try:
        note = json.loads(text)
        rest = {name: value for name, value in note.items() if name != "digest"}
        return note if note["digest"] == _seal(rest, data) else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def digest_of(*data: Any) -> str:
    """Returns a digest of bytes."""
    digest = hashlib.blake2b(digest_size=16)
    for piece in data:
        digest.update(piece)
    return digest.hexdigest()


def _seal(note: dict[str, Any], data: tuple[Any, ...]) -> str:
    # In the form that it has after it was written and read.
    text = json.dumps(json.loads(json.dumps(note)), sort_keys=True)
    return digest_of(text.encode(), *data)


# An unfinished file of a check: its final name, and a unique number.
_UNFINISHED = re.compile(r"work/(plan\.json|report\.json|part-\d{6,}\.arrow|tile-\d{6,}\.parquet)\.[0-9a-f]{32}\.unfinished")


def is_unfinished(name: str) -> bool:
    """Returns True for a file that a check was writing when it was killed."""
    return _UNFINISHED.fullmatch(name) is not None


def part_name(number: int) -> str:
    """Returns the file of a part: the boxes that one task has read, ordered by tile."""
    return f"work/part-{number:06}.arrow"


def tile_name(number: int) -> str:
    """Returns the file of a tile: its pairs, and a note about them."""
    return f"pairs/tile-{number:06}.parquet"
