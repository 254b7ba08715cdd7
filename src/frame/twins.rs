//! What the shaders of all stages have of Rust's records.

use crate::device::twins::{Twin, record};
use crate::geometry::bounds::{BINS, Bounds};
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::SceneStats;

/// `shaders/shared/common.wgsl` but for the boxes, and `scene_stats.wgsl`.
pub(crate) const COMMON: &[Twin] = &[
    record!("Bounds", Bounds, [low, tag, high, id]),
    record!("Pair", Pair, [a, b]),
    Twin::Record(
        "Segment",
        16,
        &[("number", 0), ("unused_a", 4), ("unused_b", 8), ("unused_c", 12)],
    ),
    Twin::Record("CandidateList", 72, &[("counters", 0), ("pairs", 64)]),
    record!(
        "SceneStats",
        SceneStats,
        [below, suspects, above, tilted, boxes_of_bin, largest_of_bin]
    ),
    record!(
        "SceneStatsAtomic",
        SceneStats,
        [below, suspects, above, tilted, boxes_of_bin, largest_of_bin]
    ),
    Twin::Constant("BINS", BINS as f64),
];
