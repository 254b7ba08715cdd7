"""Checks of scenes that are larger than one machine, tile by tile, as Ray tasks on many machines.

    python -m obbligato.cluster check s3://bucket/scene.parquet --out s3://bucket/pairs

Requires `pip install 'obbligato[cluster]'`.

A check has three steps. It reads row groups and writes each box to the tiles that it reaches (`work/part-*.arrow`).
It checks each tile and writes the pairs that the tile owns (`pairs/tile-*.parquet`). It adds up the totals
(`report.json`). One task writes each file, which appears as a whole or not at all. So tasks may fail and run again, or
twice, and a check that was killed resumes where it stopped. The pairs are those of one `obbligato.check`, whatever the
tiles.
"""

try:
    from obbligato.cluster.plan import Options
    from obbligato.cluster.run import check
except ModuleNotFoundError:
    raise ModuleNotFoundError("obbligato.cluster needs Ray and PyArrow: pip install 'obbligato[cluster]'")

__all__ = ["Options", "check"]
