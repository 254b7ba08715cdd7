"""The tasks of workers. Each task writes one file with its own name, so it can run again, or twice at the same time."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy
import pyarrow
from numpy.typing import NDArray
from pyarrow import ipc, parquet

from obbligato._errors import Error, InvalidInput, OutOfMemory
from obbligato._native import Checker, Report, checksum, tile
from obbligato._records import BOX
from obbligato.cluster.plan import Options, Plan, digest_of, part_name, sealed, tile_name, unsealed
from obbligato.cluster.source import Source, Split
from obbligato.cluster.storage import Storage

_NOTE = b"obbligato"
# The number of ids that are processed together.
_RUN = 1 << 22


@dataclass
class Totals:
    """The totals of a check."""

    boxes: int = 0
    candidate_pairs: int = 0
    colliding_pairs: int = 0
    touching_pairs: int | None = 0
    near_pairs: int | None = 0
    undecided_pairs: int = 0
    undecided_after_f64: int = 0
    # A 64-bit number, which `add` keeps within 64 bits. None if ids have more than 32 bits.
    checksum: int | None = 0

    def add(self, other: Totals) -> None:
        """Adds the totals of another tile, or of a part of one."""
        for field in fields(self):
            own, others = getattr(self, field.name), getattr(other, field.name)
            setattr(self, field.name, None if own is None or others is None else own + others)
        if self.checksum is not None:
            self.checksum %= 1 << 64


@dataclass
class TileResult:
    """The result of a tile. `node` is the machine that checked it."""

    number: int
    totals: Totals
    node: str


def sample(source: Source, split: Split, count: int) -> NDArray[Any]:
    """Returns a sample of a split's boxes, as rows: always the same ones."""
    boxes = source.boxes(split)[1]
    try:
        tile(boxes, 1)
    except InvalidInput as error:
        raise source.wrong(split, error) from error
    chosen = numpy.random.default_rng(split.first_row).choice(split.rows, min(count, split.rows), replace=False)
    some = boxes[numpy.sort(chosen)]
    return numpy.column_stack([some["center"], some["half_extents"], some["rotation"]])


def expect_unique_ids(source: Source, splits: list[Split]) -> None:
    """Raises an error if two boxes have the same id. O(n), with one bit for each possible id."""
    seen = numpy.zeros(1 << 29, numpy.uint8)
    for split in splits:
        ids = source.ids(split)
        for begin in range(0, len(ids), _RUN):
            some = numpy.sort(ids[begin : begin + _RUN])
            bits = numpy.left_shift(1, some & 7).astype(numpy.uint8)
            repeated = (seen[some >> 3] & bits) != 0
            repeated[1:] |= some[1:] == some[:-1]
            if repeated.any():
                path = source.paths[split.file]
                raise InvalidInput(f"{path}: the id {some[repeated][0]} occurs twice: give each box its own", "File")
            # Several ids may share one byte. Because they are sorted, they are neighbours.
            places = some >> 3
            begins = numpy.flatnonzero(numpy.concatenate([[True], places[1:] != places[:-1]]))
            seen[places[begins]] |= numpy.bitwise_or.reduceat(bits, begins)


def scatter(plan: Plan, number: int) -> NDArray[numpy.int64]:
    """Writes a part: a split's boxes by tile. Returns the number of boxes for each tile."""
    storage, split = Storage(plan.options.out), plan.splits[number]
    if storage.has(part_name(number)):
        counts = _counts_of_part(plan, storage, number)
        if counts is not None:
            return counts
    ids, boxes = plan.source.boxes(split)
    try:
        places = plan.tiling.assign(boxes, plan.options.margin)
    except InvalidInput as error:
        raise plan.source.wrong(split, error) from error
    order = numpy.argsort(places[:, 0], kind="stable")
    tiles, chosen = places[order, 0], places[order, 1]
    met, begins = numpy.unique(tiles, return_index=True)
    table = pyarrow.table({"id": ids[chosen], "box": _as_binary(boxes[chosen])})
    counts = numpy.bincount(tiles, minlength=len(plan.tiling))
    ranges = list(zip(begins, [*begins[1:], len(tiles)]))
    digests = [digest_of(ids[chosen[begin:end]], numpy.ascontiguousarray(boxes[chosen[begin:end]])) for begin, end in ranges]
    note = {"key": plan.key, "rows": split.rows, "tiles": met.tolist(), "counts": counts[met].tolist(), "digests": digests}
    sink = pyarrow.BufferOutputStream()
    with ipc.new_file(sink, table.schema.with_metadata({_NOTE: sealed(note)})) as writer:
        for begin, end in ranges:
            writer.write_table(table.slice(begin, end - begin))
    storage.put(part_name(number), sink.getvalue())
    return counts


def check_tile(plan: Plan, number: int, node: str) -> TileResult:
    """Writes the pairs of a tile, unless they are already written."""
    storage = Storage(plan.options.out)
    if storage.has(tile_name(number)):
        done = _result_of_tile(plan, storage, number)
        if done is not None:
            return done
    ids, boxes = _gather(plan, storage, number)
    # Ordered by id, so that pairs are in the order in which they are listed.
    order = numpy.argsort(ids, kind="stable")
    totals, found = _find(plan.options, plan.tiles[number], ids[order], boxes[order])
    totals.boxes = len(boxes)
    pairs = numpy.concatenate(found)
    if len(found) > 1:
        pairs = pairs[numpy.lexsort((pairs[:, 1], pairs[:, 0]))]
    result = TileResult(number, totals, node)
    note = {"key": plan.key, "tile": number, "totals": vars(totals), "node": node}
    columns = [numpy.ascontiguousarray(pairs[:, side]) for side in range(2)]
    table = pyarrow.table({"a": columns[0], "b": columns[1]})
    sink = pyarrow.BufferOutputStream()
    parquet.write_table(table.replace_schema_metadata({_NOTE: sealed(note, *columns)}), sink)
    storage.put(tile_name(number), sink.getvalue())
    return result


def _as_binary(boxes: NDArray[Any]) -> Any:
    """Returns records as a column."""
    data = pyarrow.py_buffer(numpy.ascontiguousarray(boxes))
    return pyarrow.FixedSizeBinaryArray.from_buffers(pyarrow.binary(BOX.itemsize), len(boxes), [None, data])


def _of_binary(column: Any) -> NDArray[Any]:
    """Returns the records of a column, without copying."""
    records = numpy.frombuffer(column.buffers()[1], BOX)
    return records[column.offset : column.offset + len(column)]


# The exceptions of pyarrow for damaged bytes.
_DAMAGE = (pyarrow.ArrowException, OSError, ValueError, TypeError, KeyError, IndexError, OverflowError, MemoryError)


def _part(plan: Plan, file: Any) -> tuple[Any, dict[str, Any]] | None:
    """Returns a part and its note, if the part is complete and belongs to this plan."""
    reader = ipc.open_file(file)
    note = unsealed(reader.schema.metadata[_NOTE])
    if note is None or note["key"] != plan.key or reader.num_record_batches != len(note["tiles"]):
        return None
    return reader, note


def _batch(reader: Any, note: dict[str, Any], place: int) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Returns the ids and boxes of a batch, if they are undamaged."""
    batch = reader.get_batch(place)
    batch.validate()
    ids, boxes = batch.column(0).to_numpy(), _of_binary(batch.column(1))
    whole = batch.num_rows == note["counts"][place] and digest_of(ids, boxes) == note["digests"][place]
    return (ids, boxes) if whole else None


def _counts_of_part(plan: Plan, storage: Storage, number: int) -> NDArray[numpy.int64] | None:
    """Returns the number of boxes for each tile from an existing part, if the part is undamaged."""
    with storage.open(part_name(number)) as file:
        data = file.read_buffer()
    try:
        found = _part(plan, pyarrow.BufferReader(data))
        if found is None or any(_batch(*found, place) is None for place in range(len(found[1]["tiles"]))):
            return None
    except _DAMAGE:
        return None
    counts = numpy.zeros(len(plan.tiling), numpy.int64)
    counts[found[1]["tiles"]] = found[1]["counts"]
    return counts


def _gather(plan: Plan, storage: Storage, number: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Returns the boxes that a tile needs, from all parts."""
    ids, boxes = [numpy.empty(0, plan.source.id_type)], [numpy.empty(0, BOX)]
    for part in range(len(plan.splits)):
        found = _of_tile(plan, storage, part, number)
        if found is None:
            raise Error(
                f"{storage.url}/{part_name(part)}: is damaged or of another check: run the check again, which replaces damaged files",
                "File",
            )
        ids.append(found[0])
        boxes.append(found[1])
    return numpy.concatenate(ids), numpy.concatenate(boxes)


def _of_tile(plan: Plan, storage: Storage, part: int, tile: int) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Returns the boxes of a part for a tile; None if the part is damaged."""
    with storage.open(part_name(part)) as file:
        try:
            found = _part(plan, file)
            if found is None:
                return None
            reader, note = found
            if tile not in note["tiles"]:
                return numpy.empty(0, plan.source.id_type), numpy.empty(0, BOX)
            return _batch(reader, note, note["tiles"].index(tile))
        except OSError as error:
            # On a network, the next attempt may succeed. On a disk, the file is damaged.
            if storage.is_local:
                return None
            raise error
        except _DAMAGE:
            return None


def _result_of_tile(plan: Plan, storage: Storage, number: int) -> TileResult | None:
    """Returns the result of an existing tile, if its file is undamaged."""
    with storage.open(tile_name(number)) as file:
        data = file.read_buffer()
    try:
        table = parquet.read_table(pyarrow.BufferReader(data))
        columns = [numpy.ascontiguousarray(table[name].to_numpy()) for name in ("a", "b")]
        note = unsealed(table.schema.metadata[_NOTE], *columns)
    except _DAMAGE:
        return None
    if note is None or (note["key"], note["tile"]) != (plan.key, number):
        return None
    return TileResult(number, Totals(**note["totals"]), note["node"])


# The checker of this process. It keeps its memory and its GPU from tile to tile.
_checkers: dict[tuple[Any, ...], Checker] = {}


def _checker(options: Options) -> Checker:
    key = (options.backend, options.adapter, options.precision, options.margin)
    if key not in _checkers:
        backend, adapter, precision, margin = key
        _checkers[key] = Checker(backend=backend, adapter=adapter, precision=precision, margin=margin)  # type: ignore[arg-type]
    return _checkers[key]


def _find(
    options: Options, corners: NDArray[Any], ids: NDArray[Any], boxes: NDArray[Any]
) -> tuple[Totals, list[NDArray[Any]]]:
    """Finds the pairs of a tile. Divides the tile if memory runs out."""
    try:
        report = _checker(options).check_tile(corners, boxes)
    except OutOfMemory:
        # Releases the memory of the checker.
        _checkers.clear()
        halves = _halves(options, corners, boxes)
        if halves is None:
            raise
    else:
        pairs = ids[report.pairs]
        return _totals(report, pairs), [pairs]
    totals, found = Totals(), []
    for part, chosen in halves:
        more, some = _find(options, part, ids[chosen], boxes[chosen])
        totals.add(more)
        found.extend(some)
    return totals, found


def _totals(report: Report, pairs: NDArray[Any]) -> Totals:
    return Totals(
        candidate_pairs=report.candidate_pairs,
        colliding_pairs=report.colliding_pairs,
        touching_pairs=report.touching_pairs,
        near_pairs=report.near_pairs,
        undecided_pairs=report.undecided_pairs,
        undecided_after_f64=report.undecided_after_f64,
        checksum=int(checksum(pairs), 16) if pairs.dtype == numpy.uint32 else None,
    )


def _halves(
    options: Options, corners: NDArray[Any], boxes: NDArray[Any]
) -> list[tuple[NDArray[Any], NDArray[Any]]] | None:
    """Divides a tile into two parts with about equal numbers of boxes, with the boxes that each needs; None if a part would
    need all boxes."""
    centers = boxes["center"]
    inside = ((corners[0] <= centers) & (centers < corners[1])).all(axis=1)
    tiling = tile(boxes[inside], 2)
    places = tiling.assign(boxes, options.margin)
    halves = []
    for number, (low, high) in enumerate(tiling.tiles):
        chosen = places[places[:, 0] == number, 1]
        if len(chosen) == len(boxes):
            return None
        halves.append((numpy.stack([numpy.maximum(low, corners[0]), numpy.minimum(high, corners[1])]), chosen))
    return halves
