"""What every wheel must find, on any machine: `python known_pairs.py`."""

import platform
import tempfile
from pathlib import Path

import numpy

import obbligato

KNOWN = {"crowd": (74_884, "5cea6bbc4a84c57e"), "bricks": (473_631, "6469e23cebb88314")}

for scene, known in KNOWN.items():
    boxes = obbligato.scene(scene, 50_000)
    report = obbligato.check(boxes, backend="cpu")
    assert (report.colliding_pairs, report.checksum) == known, f"{scene}: {report.colliding_pairs} pairs, checksum {report.checksum}"
    # By a file that is compressed in C.
    with tempfile.TemporaryDirectory() as folder:
        obbligato.write(Path(folder) / "boxes.parquet", boxes)
        again = obbligato.check(obbligato.read(Path(folder) / "boxes.parquet"), backend="cpu")
    assert again.checksum == report.checksum, f"{scene}: other pairs from a file"
    # The GPU's, where there is one.
    if obbligato.adapters():
        assert obbligato.check(boxes, backend="gpu").checksum == report.checksum, f"{scene}: other pairs on the GPU"
adapters = [adapter["name"] for adapter in obbligato.adapters()] or "no GPU"
print(f"obbligato {obbligato.__version__}, Python {platform.python_version()}, NumPy {numpy.__version__}, {platform.machine()}, {adapters}: as known")
