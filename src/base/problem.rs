//! Problems with input.

/// Largest accepted deviation of a quaternion's length from 1.
///
/// A larger deviation is rejected as bad input ([`BoxProblem::Rotation`]): it is more often a
/// mistake than a rounding error. Within the tolerance nothing is normalised; see
/// [`Obb::rotation`](crate::Obb::rotation).
pub const ROTATION_LENGTH_TOLERANCE: f32 = 1e-3;

/// Largest accepted absolute coordinate or half extent: 2^60, about 1.15e18.
///
/// Up to this limit no sum or product in the bounds, the grid and the separating-axis test comes
/// near the largest `f32`; the proofs of their error bounds rely on it. A box beyond the limit is
/// rejected as bad input ([`BoxProblem::TooLarge`]) instead of giving a wrong answer.
pub const COORDINATE_LIMIT: f32 = (1u64 << 60) as f32;

/// A problem with a box or another body. Variants are checked in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BoxProblem {
    /// A NaN or infinity in center, half extents or rotation.
    #[error("has a number that is NaN or infinite")]
    NotFinite,
    /// A negative half extent.
    #[error("has a negative half extent")]
    NegativeExtent,
    /// A negative radius.
    #[error("has a negative radius")]
    NegativeRadius,
    /// A coordinate of `min` that exceeds that of `max`; see [`Aabb`](crate::shape::Aabb).
    #[error("has a min above its max")]
    Inverted,
    /// A quaternion whose length differs from 1 by more than [`ROTATION_LENGTH_TOLERANCE`].
    #[error("has a rotation whose length is not 1 (within {ROTATION_LENGTH_TOLERANCE})")]
    Rotation,
    /// A coordinate or half extent beyond [`COORDINATE_LIMIT`].
    #[error("has a coordinate beyond {COORDINATE_LIMIT:e}")]
    TooLarge,
}

/// A problem with a body in space that repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PeriodProblem {
    /// A width, along an axis that repeats, of the period or more.
    #[error("is as wide as the period along {axis}, or wider")]
    TooWide {
        /// The axis: 'x', 'y' or 'z'.
        axis: char,
    },
    /// A center more than [`MOST_PERIODS`](crate::shape::MOST_PERIODS) from the origin.
    #[error("is more than 2^50 periods from the origin along {axis}")]
    TooFar {
        /// The axis: 'x', 'y' or 'z'.
        axis: char,
    },
}

/// A problem with a body of a scene in the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlaneProblem {
    /// A center whose z is not 0.
    #[error("has a center off the plane z = 0")]
    OffPlane,
    /// A box that is rotated about an axis other than z, or a capsule whose segment leaves the
    /// plane.
    #[error("is turned out of the plane")]
    Tilted,
    /// A box with a half extent of 0 along z, and not along x and y.
    #[error("has no extent along z, where any above 0 will do")]
    NoHeight,
    /// A velocity or acceleration along z, or a turn about an axis other than z.
    #[error("moves out of the plane")]
    LeavesPlane,
}

/// A problem with a ray.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RayProblem {
    /// A NaN or infinity in origin or direction.
    #[error("has a number that is NaN or infinite")]
    NotFinite,
    /// An origin beyond [`COORDINATE_LIMIT`].
    #[error("has an origin beyond {COORDINATE_LIMIT:e}")]
    TooFar,
    /// The direction is zero.
    #[error("has no direction")]
    NoDirection,
    /// The limit is below 0 or NaN.
    #[error("has the limit {0}, which must be 0 or more")]
    Limit(f32),
}

/// The problem with a room or a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegionProblem {
    /// A problem with the box that it is made of.
    #[error(transparent)]
    Solid(#[from] BoxProblem),
    /// A room without extent along one of its axes, and therefore without an inside.
    #[error("has no extent along one of its axes")]
    Flat,
    /// A plane of a frustum contains a NaN or an infinity.
    #[error("has a number that is NaN or infinite in plane {0}")]
    NotFinite(usize),
    /// A plane of a frustum that has all of space on its outer side: a zero normal with a negative
    /// offset.
    #[error("has nothing on the inner side of plane {0}")]
    Empty(usize),
}

/// A problem with an upright cuboid.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UprightProblem {
    /// A NaN or an infinity.
    #[error("has a number that is NaN or infinite")]
    NotFinite,
    /// A negative half extent.
    #[error("has a negative half extent")]
    NegativeExtent,
    /// `z_min` is above `z_max`.
    #[error("has a z_min above its z_max")]
    Inverted,
    /// A direction whose length differs from 1 by more than [`ROTATION_LENGTH_TOLERANCE`].
    #[error("has a direction whose length is not 1 (within {ROTATION_LENGTH_TOLERANCE})")]
    Direction,
    /// Four corners that do not form a rectangle; see
    /// [`CORNER_TOLERANCE`](crate::shape::CORNER_TOLERANCE).
    #[error("has corners that do not form a rectangle (one is off by {off:.3e}, the tolerance is {tolerance:.3e})")]
    NoRectangle {
        /// The distance of a corner from that of the best-fitting rectangle, in the caller's unit.
        off: f64,
        /// The maximum distance allowed.
        tolerance: f64,
    },
    /// A coordinate or half extent beyond [`COORDINATE_LIMIT`].
    #[error("has a coordinate beyond {COORDINATE_LIMIT:e}")]
    TooLarge,
    /// A box without a vertical axis.
    #[error("has no vertical axis")]
    Tilted,
}

/// The largest angle that a box may turn during a step, in radians: 2^20, about 167,000 full turns.
///
/// Up to this angle the rotation at any time of the step is known to within 2^-32 radians in `f64`.
pub const TURN_LIMIT: f64 = (1u64 << 20) as f64;

/// A problem with the motion of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MotionProblem {
    /// A NaN or infinity.
    #[error("has a number that is NaN or infinite")]
    NotFinite,
    /// A negative [`uncertainty`](crate::motion::Motion::uncertainty).
    #[error("has a negative uncertainty")]
    NegativeUncertainty,
    /// A path that may end beyond [`COORDINATE_LIMIT`].
    #[error("leads beyond {COORDINATE_LIMIT:e} during the step")]
    TooFar,
    /// An angular velocity that turns the box by more than [`TURN_LIMIT`] during the step.
    #[error("turns by more than {TURN_LIMIT} radians during the step")]
    TurnsTooMuch,
}

/// A problem with the points or faces of a [`Solid`](crate::shape::Solid).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SolidProblem {
    /// No points.
    #[error("has no points")]
    NoPoints,
    /// A NaN or infinity.
    #[error("has a number that is NaN or infinite in point {point}")]
    NotFinite {
        /// Position of the first such point.
        point: usize,
    },
    /// A coordinate beyond [`COORDINATE_LIMIT`].
    #[error("has a coordinate beyond {COORDINATE_LIMIT:e} in point {point}")]
    TooLarge {
        /// Position of the first such point.
        point: usize,
    },
    /// Faces whose points all lie in one plane: make such a solid from its points.
    #[error("has faces that enclose no volume")]
    Flat,
    /// A face with fewer than three corners, with all corners on one line or not in one plane, or
    /// with a corner that is not one of the points.
    #[error("has a face that is not a flat polygon of its points (face {face})")]
    NoPolygon {
        /// Position of the face.
        face: usize,
    },
    /// A face with a point on its outer side.
    #[error(
        "has a point beyond face {face} (it is not convex, or the face is not counter-clockwise seen from outside)"
    )]
    NotConvex {
        /// Position of the face.
        face: usize,
    },
    /// Faces that leave a gap or cover something twice.
    #[error("has faces that do not close around it exactly once")]
    NotClosed,
}
