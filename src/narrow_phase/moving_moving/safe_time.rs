//! A time within which two bodies in motion cannot collide.
//!
//! Their distance d shrinks no faster than their points approach each other: in a time t by at most
//! `s t + k t² / 2`. Here s is the length of the relative velocity plus, for each box, the speed of
//! its points due to turning, `|w| |h|`. k is the length of the relative acceleration plus the
//! uncertainties of both. For capsules and spheres, d is the distance of the cores less the radii,
//! and h is the core's. So until `t = 2 d / (s + sqrt(s² + 2 k d))` they are apart. (B. Mirtich,
//! "Impulse-based Dynamic Simulation of Rigid Body Systems", 1996, has such bounds.)
//!
//! The distance is off by 3e-14 of the boxes' size and distance, the rest by fewer than 20
//! roundings. The result is reduced by more than that.

use crate::narrow_phase::obb_obb::distance::ClosestPoints;
use crate::shapes::bodies::set::BodyRef;
use crate::shapes::moving::body::MovingCore;
use crate::shapes::moving::motion::Motion;
use crate::shapes::obb::record::Obb;

/// A bound above the error of a distance, relative to the distance of the centers plus all half
/// extents.
const DISTANCE_ERROR: f64 = 6e-14;
/// A bound above the relative error of the remaining operations.
const ROUNDING: f64 = 1e-14;

/// Returns a time, in seconds from now, within which the two bodies in motion certainly share no
/// point: 0 if they collide now or are too close to tell, infinity if they do not approach each
/// other. The true time of impact, [`time_of_impact`](crate::motion::time_of_impact), is no
/// earlier. This function needs no search and no step. O(1).
///
/// Bodies and motions must be valid; a body is a box, a capsule, a sphere or a [`BodyRef`]. Groups
/// are ignored. For all boxes of a scene,
/// [`Tracker::safe_distances`](crate::tracking::Tracker::safe_distances) gives the same bound as
/// lengths.
///
/// ```
/// use obbligato::{glam::Vec3, motion::{safe_time, Motion}, Obb};
/// let cube = |x| Obb::axis_aligned(Vec3::new(x, 0.0, 0.0), Vec3::ONE);
/// let towards = Motion::linear(Vec3::new(4.0, 0.0, 0.0));
/// let time = safe_time(&cube(0.0), &towards, &cube(10.0), &Motion::REST);
/// assert!(time <= 2.0 && time > 1.999);
/// assert_eq!(safe_time(&cube(0.0), &towards, &cube(10.0), &towards), f64::INFINITY);
/// assert_eq!(safe_time(&cube(0.0), &towards, &cube(2.0), &Motion::REST), 0.0);
/// ```
pub fn safe_time<'a, 'b>(
    a: impl Into<BodyRef<'a>>,
    motion_a: &Motion,
    b: impl Into<BodyRef<'b>>,
    motion_b: &Motion,
) -> f64 {
    let (a, b) = (MovingCore::new(a.into(), motion_a), MovingCore::new(b.into(), motion_b));
    let reach = f64::from(a.core.radius) + f64::from(b.core.radius);
    let ([motion_a, motion_b], [a, b]) = ([a.motion, b.motion], [a.core.obb, b.core.obb]);
    let ClosestPoints { distance, .. } = a.closest_points(&b);
    let size = (b.center.as_dvec3() - a.center.as_dvec3()).length()
        + (a.half_extents.as_dvec3() + b.half_extents.as_dvec3()).element_sum()
        + reach;
    let distance = distance - reach - DISTANCE_ERROR * size;
    if distance <= 0.0 {
        return 0.0;
    }
    let relative = motion_b.velocity.as_dvec3() - motion_a.velocity.as_dvec3();
    let turning =
        |obb: Obb, motion: Motion| motion.angular_velocity.as_dvec3().length() * obb.half_extents.as_dvec3().length();
    let speed = relative.length() + turning(a, motion_a) + turning(b, motion_b);
    let pull = (motion_b.acceleration.as_dvec3() - motion_a.acceleration.as_dvec3()).length()
        + f64::from(motion_a.uncertainty)
        + f64::from(motion_b.uncertainty);
    let closing = speed + (speed * speed + 2.0 * pull * distance).sqrt();
    2.0 * distance * (1.0 - ROUNDING) / closing
}
