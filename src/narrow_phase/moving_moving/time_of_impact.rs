//! The first moment at which two boxes in motion meet.

use glam::DVec3;

/// The start of an [`Impact`](crate::motion::Impact).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ImpactState {
    /// The boxes share a point at time 0.
    Start,
    /// They meet later.
    Impact,
}

impl ImpactState {
    /// Returns the name in lower case, as in files: "start", "impact".
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Impact => "impact",
        }
    }
}

/// The first moment at which two boxes in motion share a point, as far as it is known.
///
/// If neither box turns or accelerates, the boxes certainly meet, and the time is within `2^-20 dt`
/// of the true one. Otherwise they come within the tolerance of each other, and may not meet. In
/// either case the time is never later than the true one, and at that time the boxes are no further
/// apart than the tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TimeOfImpact {
    /// The time in seconds, from 0 to `dt`; 0 if they share a point at the start.
    pub time: f64,
    /// [`ImpactState::Start`] if they share a point at the start.
    pub state: ImpactState,
    /// A unit vector from the first box to the second, in world space. At an impact it separates
    /// the boxes to within the tolerance; at a start it is the axis of least overlap.
    pub normal: DVec3,
    /// A point in the world within the tolerance of both boxes at that time.
    pub point: DVec3,
    /// `false` if the search ran out of steps before it was clear whether the boxes meet after
    /// `time`. They do not meet before `time`, and are then close to each other.
    pub is_resolved: bool,
}
