"""Scenes that are larger than a machine, checked by many: tile after tile, as tasks of Ray.

    python -m obbligato.cluster check s3://bucket/scene.parquet --out s3://bucket/pairs

Needs `pip install 'obbligato[cluster]'`.

A check reads row groups and writes each box to the tiles that it reaches (`work/part-*.arrow`); checks each tile and writes the pairs that
it owns (`pairs/tile-*.parquet`); and adds up (`report.json`). Each file is one task's, and appears whole or not at all, so a task may fail, be
done again or twice, and a check that was killed goes on where it stopped. The pairs are those of one `obbligato.check`, whatever the tiles.
"""

try:
    from obbligato.cluster.plan import Options
    from obbligato.cluster.run import check
except ModuleNotFoundError:
    raise ModuleNotFoundError("obbligato.cluster needs Ray and PyArrow: pip install 'obbligato[cluster]'")

__all__ = ["Options", "check"]
