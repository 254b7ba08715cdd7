//! The result of a query for closest approaches.

use crate::base::engine::Engine;
use crate::base::timings::Timings;
use crate::geometry::pair::Pair;
use crate::narrow_phase::moving_moving::closest_approach::ClosestApproach;

/// Two bodies that come near each other during a step, with the moment at which they are nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Approaching {
    /// The bodies.
    pub pair: Pair,
    /// When they are nearest, and how near.
    pub nearest: ClosestApproach,
}

/// All pairs that come within a distance of each other during a step.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Approaches {
    /// The number of bodies given, in both sets if there are two.
    pub boxes: usize,
    /// The number of pairs whose swept bounds are within the distance.
    pub candidate_pairs: u64,
    /// The pairs, sorted by time, then by a, then by b. Each occurs once.
    pub approaches: Vec<Approaching>,
    /// The number of bytes of GPU memory held afterwards, as in
    /// [`Report::device_bytes`](crate::Report::device_bytes).
    pub device_bytes: u64,
    /// The engine that found the candidate pairs.
    pub engine: Engine,
    /// The duration.
    pub timings: Timings,
}
