//! Upright cuboids: boxes rotated only about the vertical axis z, and their own tests.
//!
//! In plan, seen from above, an upright cuboid is a rectangle; along z it is an interval. Two of
//! them share a point if and only if both their rectangles and their intervals do, so five axes
//! suffice instead of fifteen: the two sides of each rectangle, and z.
//!
//! # Tolerance
//!
//! Plan tests run in `f64`, relative to the center of one of the two, so scenes far from the origin
//! keep their precision. They are conservative: a gap counts only if it is longer than
//! [`PLAN_TOLERANCE`] times the size of the pair. Intervals are compared exactly. For an answer for
//! the stored numbers without any rounding, use [`Obb::contact`](crate::Obb::contact), or
//! [`Checker`](crate::Checker) for scenes.

use crate::base::parallel;
use crate::base::problem::{COORDINATE_LIMIT, ROTATION_LENGTH_TOLERANCE, UprightProblem};
use glam::{DMat2, DVec2, Quat};

use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;

/// The shortest gap in plan that counts, in units of the pair's size: the sum of both coordinates
/// of the centers' distance and of all half extents in plan. 2^-46, about 1.4e-14.
///
/// Directions are off by 2 units of rounding, u = 2^-53, coordinates in the frame of a rectangle by
/// 8 u of the size, and gaps by 16 u. 2^-46 is 128 u: the edge test may add a few such gaps where
/// edges are nearly parallel. With a smaller tolerance, touching rectangles might be found
/// separate; with a larger one, rectangles further apart would count as touching.
pub const PLAN_TOLERANCE: f64 = 1.0 / (1u64 << 46) as f64;

/// Factor on squared distances that covers their rounding.
const WIDER: f64 = 1.0 + 16.0 * f64::EPSILON;

/// Returns a power of two to multiply lengths by so that their squares do not underflow, except
/// those negligible compared with `largest`, the largest length. Lengths span 1,134 exponents;
/// their squares span twice as many, which do not fit.
pub(crate) fn scale_of_squares(largest: f64) -> f64 {
    if largest < (-300f64).exp2() { 700f64.exp2() } else { 1.0 }
}

/// An upright cuboid: a rectangle in plan, from `z_min` to `z_max`, boundary included.
///
/// All lengths are in the caller's unit, in one right-handed world frame with z up. Zero extents
/// are allowed: walls without thickness, posts and points are cuboids. Every value is valid.
/// Numbers are `f64`, so corners keep their precision.
///
/// # To and from [`Obb`]
///
/// `Obb::from(upright)` rounds center, half extents and quaternion to the nearest `f32`, and may
/// thus move surfaces by about 1e-7 of the cuboid's size and coordinates. Cuboids that stand on z =
/// 0 still do; others that touch may end up an ulp apart. The box is in all groups.
/// `Upright::try_from(obb)` accepts boxes with an exactly vertical axis and any rotation about it;
/// its error is only about 1e-16.
///
/// ```
/// use obbligato::{glam::{DVec2, Quat, Vec3}, shape::Upright, Obb};
/// # fn main() -> obbligato::Result<()> {
/// let corners = [[0.0, 0.0], [2.0, 1.0], [2.0, 0.0], [0.0, 1.0]];
/// let table = Upright::from_corners(corners, 0.0, 0.75)?;
/// assert_eq!(table.center(), DVec2::new(1.0, 0.5));
///
/// let turned = Upright::new(DVec2::new(4.0, 0.5), DVec2::new(1.0, 0.5), DVec2::from_angle(0.3), [0.0, 1.0])?;
/// assert!(!table.overlaps(&turned));
///
/// let obb = Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_rotation_z(0.3));
/// assert_eq!(Upright::try_from(obb)?.z_max(), 1.0);
/// assert!(Upright::try_from(Obb::new(Vec3::ZERO, Vec3::ONE, Quat::from_rotation_x(0.3))).is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Upright {
    pub(crate) center: DVec2,
    pub(crate) half_extents: DVec2,
    /// A vector of length 1, except for rounding.
    pub(crate) direction: DVec2,
    pub(crate) z_min: f64,
    pub(crate) z_max: f64,
}

impl Upright {
    /// Creates the cuboid with this center and these half extents in plan, whose first side points
    /// along `direction`, the unit vector (cos, sin) of the yaw: counter-clockwise from x, seen
    /// from above ([`DVec2::from_angle`]). Vertically it extends from `z_min` to `z_max`.
    ///
    /// # Errors
    /// The first [`UprightProblem`] found. A direction's length may differ from 1 by
    /// [`ROTATION_LENGTH_TOLERANCE`]; it is normalised.
    pub fn new(
        center: DVec2,
        half_extents: DVec2,
        direction: DVec2,
        [z_min, z_max]: [f64; 2],
    ) -> Result<Self, UprightProblem> {
        let limit = f64::from(COORDINATE_LIMIT);
        let largest = center.abs().max(half_extents).max_element();
        if ![center, half_extents, direction, DVec2::new(z_min, z_max)]
            .iter()
            .all(|v| v.is_finite())
        {
            Err(UprightProblem::NotFinite)
        } else if half_extents.min_element() < 0.0 {
            Err(UprightProblem::NegativeExtent)
        } else if z_min > z_max {
            Err(UprightProblem::Inverted)
        } else if (direction.length() - 1.0).abs() > f64::from(ROTATION_LENGTH_TOLERANCE) {
            Err(UprightProblem::Direction)
        } else if largest.max(-z_min).max(z_max) > limit {
            Err(UprightProblem::TooLarge)
        } else {
            Ok(Self {
                center,
                half_extents,
                direction: direction / direction.length(),
                z_min,
                z_max,
            })
        }
    }

    /// Creates a cuboid from its yaw: the angle from x to the first side, in radians,
    /// counter-clockwise seen from above. Full turns do not matter.
    ///
    /// Sine and cosine are those of the machine's library, whose last bit may differ from
    /// another's: if the same bits are needed everywhere, pass a direction to [`Upright::new`].
    ///
    /// ```
    /// use obbligato::{glam::DVec2, shape::Upright};
    /// # fn main() -> obbligato::Result<()> {
    /// let half = DVec2::new(2.0, 0.5);
    /// let bench = Upright::from_yaw(DVec2::new(3.0, 1.0), half, std::f64::consts::FRAC_PI_2, [0.0, 0.45])?;
    /// assert!(bench.direction().distance(DVec2::Y) < 1e-15);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Upright::new`]; a yaw that is NaN or infinite is [`UprightProblem::NotFinite`].
    pub fn from_yaw(center: DVec2, half_extents: DVec2, yaw: f64, z: [f64; 2]) -> Result<Self, UprightProblem> {
        Self::new(center, half_extents, DVec2::from_angle(yaw), z)
    }

    /// Converts cuboids into boxes: `Obb::from` of each, on all cores with the feature `rayon`.
    ///
    /// [`Checker::check`](crate::Checker::check), [`Query::between`](crate::Query::between) and
    /// [`ContactQuery`](crate::query::ContactQuery) take the cuboids themselves, and make the boxes
    /// for one call. Functions that take only boxes take these.
    ///
    /// ```
    /// use obbligato::{glam::DVec2, shape::Upright, Backend, Checker, Config, Pair, Query};
    /// # fn main() -> obbligato::Result<()> {
    /// let agent = |x| Upright::from_yaw(DVec2::new(x, 0.0), DVec2::new(0.3, 0.2), 0.5, [0.0, 1.8]);
    /// let agents = [agent(0.0)?, agent(0.4)?, agent(5.0)?];
    /// let mut checker = Checker::new(Config { backend: Backend::Cpu, ..Config::default() })?;
    /// assert_eq!(checker.check(&agents)?.pairs()?, [Pair::new(0, 1)]);
    ///
    /// let (boxes, doors) = (Upright::to_boxes(&agents)?, Upright::to_boxes(&[agent(5.1)?])?);
    /// assert_eq!(checker.check(Query::between(&boxes, &doors))?.pairs()?, [Pair { a: 2, b: 0 }]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn to_boxes(cuboids: &[Self]) -> crate::base::error::Result<Vec<Obb>> {
        Ok(parallel::collect(cuboids.len(), "the boxes of upright cuboids", |k| {
            cuboids[k].into()
        })?)
    }

    /// Returns the center in plan.
    pub const fn center(&self) -> DVec2 {
        self.center
    }

    /// Returns half of the size in plan along the cuboid's first and second side, each >= 0.
    pub const fn half_extents(&self) -> DVec2 {
        self.half_extents
    }

    /// Returns the direction of the first side in plan, of length 1; the second is a quarter turn
    /// counter-clockwise from it.
    pub const fn direction(&self) -> DVec2 {
        self.direction
    }

    /// Returns the lower end.
    pub const fn z_min(&self) -> f64 {
        self.z_min
    }

    /// Returns the upper end, >= `z_min`.
    pub const fn z_max(&self) -> f64 {
        self.z_max
    }

    /// Returns `true` if the z intervals share a point, including one inside the other; touching
    /// counts. Exact.
    pub fn z_overlaps(&self, other: &Self) -> bool {
        self.z_min <= other.z_max && other.z_min <= self.z_max
    }

    /// Returns `true` if the bounding circles in plan are at most the safe distance `distance` >= 0
    /// apart: the first test, before all others.
    ///
    /// Conservative: `false` proves that the cuboids are further apart in plan. O(1).
    pub fn circles_within(&self, other: &Self, distance: f64) -> bool {
        let apart = other.center - self.center;
        let largest = apart.abs().max(self.half_extents).max(other.half_extents).max_element();
        let scale = scale_of_squares(largest.max(distance));
        let [apart, a, b] = [apart, self.half_extents, other.half_extents].map(|lengths| lengths * scale);
        let reach = a.length() + b.length() + distance * scale;
        apart.length_squared() <= reach * reach * WIDER
    }

    /// Returns `true` if the cuboids share a point: tests z, then the four axes in plan. See
    /// [`PLAN_TOLERANCE`].
    pub fn overlaps(&self, other: &Self) -> bool {
        self.z_overlaps(other) && self.plan_overlaps(other)
    }

    /// Returns the rotation from the frame of the rectangle to the world.
    pub(crate) fn axes(&self) -> DMat2 {
        DMat2::from_cols(self.direction, self.direction.perp())
    }

    /// Returns the corners in plan counter-clockwise, relative to a point near the cuboid.
    pub(crate) fn corners_from(&self, origin: DVec2) -> [DVec2; 4] {
        let center = self.center - origin;
        let [x, y] = [self.axes().x_axis, self.axes().y_axis];
        let (x, y) = (x * self.half_extents.x, y * self.half_extents.y);
        [center - x - y, center + x - y, center + x + y, center - x + y]
    }

    /// Returns the tolerance of plan tests for this pair, as a length.
    pub(crate) fn tolerance(&self, other: &Self) -> f64 {
        let apart = (other.center - self.center).abs();
        PLAN_TOLERANCE * (apart + self.half_extents + other.half_extents).element_sum()
    }
}

impl From<Upright> for Obb {
    fn from(upright: Upright) -> Self {
        let obb = Obb64::from(upright);
        obb.centered_at(obb.center.as_vec3())
    }
}

impl From<Upright> for Obb64 {
    /// Returns the same cuboid, with the center in `f64`.
    fn from(upright: Upright) -> Self {
        let middle = 0.5 * (upright.z_min + upright.z_max);
        let half = 0.5 * (upright.z_max - upright.z_min);
        let [turn_z, turn_w] = half_turn(upright.direction);
        Self::new(
            upright.center.extend(middle),
            upright.half_extents.extend(half).as_vec3(),
            Quat::from_xyzw(0.0, 0.0, turn_z as f32, turn_w as f32),
        )
    }
}

/// Returns the sine and cosine of half the angle of a direction, without functions whose results
/// differ between machines.
fn half_turn(direction: DVec2) -> [f64; 2] {
    let DVec2 { x, y } = direction;
    if x >= 0.0 {
        let cosine = (0.5 * (1.0 + x)).sqrt();
        [0.5 * y / cosine, cosine]
    } else {
        let sine = (0.5 * (1.0 - x)).sqrt();
        [sine, 0.5 * y / sine]
    }
}

impl TryFrom<Obb> for Upright {
    type Error = UprightProblem;

    /// Returns the same solid, if one of its axes is exactly vertical; groups are dropped.
    fn try_from(obb: Obb) -> Result<Self, UprightProblem> {
        let axis = vertical_axis(obb.rotation).ok_or(UprightProblem::Tilted)?;
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
        let h = obb.half_extents.as_dvec3();
        let center = obb.center.as_dvec3();
        Self::new(
            center.truncate(),
            DVec2::new(h[first], h[second]),
            plan_direction(obb.rotation, first).normalize_or(DVec2::X),
            [center.z - h[axis], center.z + h[axis]],
        )
    }
}

/// Returns the vertical axis of the box, if any: the one whose other two entries in its column of
/// the rotation matrix are zero, a condition that factors.
///
/// Column z is `(2(xz + wy), 2(yz - wx), ..)`, whose squares add up to `4 (x² + y²)(z² + w²)`.
/// Column x is `(w² + x² - y² - z², 2(xy + wz), ..)`; with a = w + ix and b = y + iz both vanish if
/// and only if `|a| = |b|` and `Im(ab) = 0`, that is `a = ±conj(b)`. Column y is analogous, with a
/// = w + iy and b = x - iz.
fn vertical_axis(rotation: Quat) -> Option<usize> {
    let [x, y, z, w] = rotation.to_array();
    if [x, y] == [0.0; 2] || [z, w] == [0.0; 2] {
        Some(2)
    } else if [w, x] == [y, -z] || [w, x] == [-y, z] {
        Some(0)
    } else if [w, y] == [x, z] || [w, y] == [-x, -z] {
        Some(1)
    } else {
        None
    }
}

/// Returns the horizontal part of an axis of the box, scaled by |q|².
fn plan_direction(rotation: Quat, axis: usize) -> DVec2 {
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    match axis {
        0 => DVec2::new(w * w + x * x - y * y - z * z, 2.0 * (x * y + w * z)),
        1 => DVec2::new(2.0 * (x * y - w * z), w * w - x * x + y * y - z * z),
        _ => DVec2::new(2.0 * (x * z + w * y), 2.0 * (y * z - w * x)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;

    #[test]
    fn only_exactly_vertical_axes_count_as_vertical() {
        let h = std::f32::consts::FRAC_1_SQRT_2;
        let cases = [
            ([0.0, 0.0, 0.6, 0.8], Some(2)),
            ([0.6, 0.8, 0.0, 0.0], Some(2)),
            ([0.0, h, 0.0, h], Some(0)),
            ([0.5, 0.5, 0.5, 0.5], Some(1)),
            ([-0.5, 0.5, 0.5, 0.5], Some(0)),
            ([h, 0.0, 0.0, h], Some(1)),
            ([0.1, -0.7, 0.1, 0.7], Some(0)),
            ([0.1, -0.7, 0.2, 0.7], None),
            ([1e-30, 0.0, 0.0, 1.0], None),
            ([0.36, 0.48, 0.64, 0.48], None),
        ];
        for (q, expected) in cases {
            let q = Quat::from_array(q);
            let found = vertical_axis(q);
            assert_eq!(found, expected, "{q}");
            let rotation = DMat3::from_quat(q.as_dquat().normalize());
            if let Some(axis) = found {
                let column = rotation.col(axis);
                assert!(column.truncate().length() < 1e-15, "{q}: {column}");
                let first = (axis + 1) % 3;
                let expected = rotation.col(first).truncate();
                let found = plan_direction(q, first).normalize();
                assert!((expected - found).length() < 1e-15, "{q}");
            }
        }
    }
}
