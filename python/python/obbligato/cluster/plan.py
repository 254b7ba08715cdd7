"""What is to be done, in a form that can be written down."""

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

# Of what is written beside the results.
_VERSION = 2


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
    def of_note(cls, note: dict[str, Any], options: Options, source: Source) -> Plan | None:
        """The plan that was written down, if it is of this subject."""
        if note["subject"] != json.loads(json.dumps(options.subject(source))):
            return None
        return cls.new(options, source, Tiling.from_json(note["tiling"]))

    def to_json(self) -> str:
        """The plan in a form to be written down, with how many parts it has: their files are known from it."""
        subject = self.options.subject(self.source)
        return sealed({"subject": subject, "tiling": self.tiling.to_json(), "parts": len(self.splits)})

    @cached_property
    def tiles(self) -> NDArray[Any]:
        """The corners of the tiles."""
        return self.tiling.tiles


def _digest(of: Any) -> str:
    return hashlib.sha256(json.dumps(of).encode()).hexdigest()


def sealed(note: dict[str, Any], *data: Any) -> str:
    """A note as JSON, with a digest of the note and of the data that it is about."""
    return json.dumps({**note, "digest": _seal(note, data)})


def unsealed(text: bytes, *data: Any) -> dict[str, Any] | None:
    """A note and its digest, unless the note or the data are not what they were."""
    try:
        note = json.loads(text)
        rest = {name: value for name, value in note.items() if name != "digest"}
        return note if note["digest"] == _seal(rest, data) else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def digest_of(*data: Any) -> str:
    """A digest of bytes."""
    digest = hashlib.blake2b(digest_size=16)
    for piece in data:
        digest.update(piece)
    return digest.hexdigest()


def _seal(note: dict[str, Any], data: tuple[Any, ...]) -> str:
    # As it is when it has been written and read.
    text = json.dumps(json.loads(json.dumps(note)), sort_keys=True)
    return digest_of(text.encode(), *data)


# A file of a check that is being written: the name that it will have, and a number of its own.
_UNFINISHED = re.compile(r"work/(plan\.json|report\.json|part-\d{6,}\.arrow|tile-\d{6,}\.parquet)\.[0-9a-f]{32}\.unfinished")


def is_unfinished(name: str) -> bool:
    """Whether a file is one that a check was writing when it was killed."""
    return _UNFINISHED.fullmatch(name) is not None


def part_name(number: int) -> str:
    """The file of a part: boxes that one task has read, in the order of their tiles."""
    return f"work/part-{number:06}.arrow"


def tile_name(number: int) -> str:
    """The file of a tile: its pairs, and what is known of them."""
    return f"pairs/tile-{number:06}.parquet"
