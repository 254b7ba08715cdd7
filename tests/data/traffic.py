# Makes traffic.csv, the boxes around a moving car in street coordinates, from a log of the Argoverse 2 sensor dataset.
#
#   python3 tests/data/traffic.py FOLDER
#
# FOLDER has annotations_with_ego.feather and city_SE3_egovehicle.feather. Needs pyarrow.
import sys
from pathlib import Path

from pyarrow.feather import read_table

def times(p, q):  # Hamilton's product, components w, x, y, z
    (a, b, c, d), (e, f, g, h) = p, q
    return (a*e - b*f - c*g - d*h, a*f + b*e + c*h - d*g, a*g - b*h + c*e + d*f, a*h + b*g - c*f + d*e)

def pose(row):
    return tuple(row[k] for k in ("qw", "qx", "qy", "qz")), tuple(row[k] for k in ("tx_m", "ty_m", "tz_m"))

def rows(name):
    return read_table(Path(sys.argv[1], name)).to_pylist()

cars = {row["timestamp_ns"]: pose(row) for row in rows("city_SE3_egovehicle.feather")}
boxes = sorted(rows("annotations_with_ego.feather"), key=lambda row: row["timestamp_ns"])
frames = {time: frame for frame, time in enumerate(sorted({row["timestamp_ns"] for row in boxes}))}
tracks = {track: id for id, track in enumerate(sorted({row["track_uuid"] for row in boxes}))}
origin = cars[min(frames)][1]  # near the scene, where f32 has digits to spare
with open("traffic.csv", "w") as out:
    print("frame,id,category,cx,cy,cz,hx,hy,hz,qx,qy,qz,qw", file=out)
    for row in boxes:
        (turn, car), (own, at) = cars[row["timestamp_ns"]], pose(row)
        moved = times(times(turn, (0, *at)), (turn[0], -turn[1], -turn[2], -turn[3]))[1:]
        center = [a + b - c for a, b, c in zip(moved, car, origin)]
        half = [row[k] / 2 for k in ("length_m", "width_m", "height_m")]
        w, x, y, z = times(turn, own)
        about = frames[row["timestamp_ns"]], tracks[row["track_uuid"]], row["category"]
        print(*about, *center, *half, x, y, z, w, sep=",", file=out)
