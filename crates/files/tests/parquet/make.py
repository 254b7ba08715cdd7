"""Writes the Parquet files of this folder, so that not only files of our own are read. Needs pyarrow."""

import datetime
import decimal

import pyarrow as pa
import pyarrow.parquet as pq

NAMES = ["cx", "cy", "cz", "hx", "hy", "hz", "qx", "qy", "qz", "qw"]
# A row of cubes, each of which overlaps the next, but for a gap after the third.
CENTERS = [0.0, 1.5, 3.0, 9.0, 10.5]


def boxes(kind):
    rows = [[x, 0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0] for x in CENTERS]
    return {name: pa.array([row[k] for row in rows], kind) for k, name in enumerate(NAMES)}


def write(name, columns, **options):
    pq.write_table(pa.table(columns), name, **options)


floats, doubles = boxes(pa.float32()), boxes(pa.float64())
for compression in ["none", "snappy", "gzip", "zstd", "lz4"]:
    write(f"{compression}.parquet", floats, compression=compression)
write("pages2.parquet", floats, data_page_version="2.0", compression="snappy")
write("groups.parquet", floats, row_group_size=2)
write("split.parquet", floats, use_dictionary=False, column_encoding={name: "BYTE_STREAM_SPLIT" for name in NAMES})
write(
    "rules.parquet",
    doubles
    | {
        "id": pa.array(["e", "d", "c", "b", "a"]),
        "owner": pa.array([1, None, None, 2, 2], pa.int64()),
        "world": pa.array([0, 0, 0, 7, 7], pa.uint8()),
        "static": pa.array([False, True, False, False, True]),
        "memberships": pa.array([1, 2, 2, 4294967295, 1], pa.uint32()),
        "vx": pa.array([None, 1.0, 2.5, None, 0.0], pa.float64()),
        "note": pa.array(["a, b", None, '"', "", "z"]),
        "when": pa.array([datetime.datetime(2026, 1, 1)] * 5),
        "price": pa.array([decimal.Decimal("1.50")] * 5),
        "tags": pa.array([["x"], [], None, ["y", "z"], []]),
    },
)
write("gap.parquet", floats | {"cy": pa.array([0.0, None, 0.0, None, 0.0], pa.float32())})
write("nested.parquet", floats | {"cz": pa.array([{"m": 0.0}] * 5)})
write("words.parquet", floats | {"cx": pa.array(["0", "1.5", "3", "nine", "10.5"])})
write("signed.parquet", floats | {"id": pa.array([0, 1, 2, -3, 4], pa.int32())})
write("whole.parquet", floats | {"cx": pa.array([0, 1, 3, 9, 10], pa.int32())})
