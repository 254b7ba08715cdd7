"""What the logger "obbligato" of `logging` is told.

Warnings are failures that do not affect results, information is the GPU or the CPU that checks run on, and debugging is every check
with its broad phase.
"""

from __future__ import annotations

import logging

logger = logging.getLogger("obbligato")
# Without it, warnings would appear on stderr where a program has not asked for them.
logger.addHandler(logging.NullHandler())


def checked(
    engine: tuple[str, str | None, str | None],
    broad_phase: tuple[str, str] | None,
    counts: tuple[int, int, float],
    warnings: list[str],
    news: bool,
) -> None:
    """Tells the logger of a check: its engine if that is news, its broad phase, its counts, and new warnings of its checker."""
    backend, adapter, why = engine
    for warning in warnings:
        logger.warning("%s", warning)
    if news:
        reason = "" if why is None else f": {why}"
        logger.info("checks run on %s%s", "the CPU" if backend == "cpu" else f"the GPU {adapter}", reason)
    if logger.isEnabledFor(logging.DEBUG):
        phase = "pairs were given" if broad_phase is None else f"broad phase {broad_phase[0]}: {broad_phase[1]}"
        boxes, pairs, milliseconds = counts
        logger.debug("check of %d shapes on %s: %d pairs in %.3f ms; %s", boxes, backend, pairs, milliseconds, phase)
