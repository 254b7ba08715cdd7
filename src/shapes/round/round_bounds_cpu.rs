//! Conservative bounds of balls and capsules; the widening is that of boxes, derived in `src/geometry/bounds.rs`, with the half length
//! and the radius for half extents.

use glam::Vec3;

use crate::base::error::Result;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{ABSOLUTE_ERROR, Bounds, CENTER_ERROR, EXTENT_ERROR, Gather, size_bin};
use crate::geometry::rotation::mat3;
use crate::shapes::bounds;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;

/// Checks balls, fills `bounds` with theirs, each widened by `margin` on every side, and returns what is gathered about them.
pub(crate) fn sphere_bounds<G: Gather>(
    spheres: &[Sphere],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
) -> Result<G> {
    fill(spheres, margin, bounds, Sphere::problem, |sphere| {
        (sphere.center, Vec3::splat(sphere.radius), sphere.radius)
    })
}

/// The same for capsules.
pub(crate) fn capsule_bounds<G: Gather>(
    capsules: &[Capsule],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
) -> Result<G> {
    fill(capsules, margin, bounds, Capsule::problem, |capsule| {
        let (columns, length_squared) = mat3(capsule.rotation);
        let reach = columns.z_axis.abs() * capsule.half_length / length_squared + capsule.radius;
        (capsule.center, reach, capsule.half_length + capsule.radius)
    })
}

/// Fills `bounds`, given the center of each, how far it reaches along the axes of the world, and the sum of its lengths.
fn fill<T: Sync, G: Gather>(
    records: &[T],
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
    problem: fn(&T) -> Option<crate::base::problem::BoxProblem>,
    reach: impl Fn(&T) -> (Vec3, Vec3, f32) + Sync + Send,
) -> Result<G> {
    bounds::fill(records, bounds, problem, |records, first, bounds, gathered: &mut G| {
        let mut valid = true;
        for ((id, record), place) in (first..).zip(records).zip(bounds) {
            if problem(record).is_some() {
                valid = false;
                continue;
            }
            let (center, reach, sum) = reach(record);
            let error = EXTENT_ERROR * sum + CENTER_ERROR * center.abs() + ABSOLUTE_ERROR;
            let widened = reach + error + margin(id);
            let mut own = Bounds {
                low: center - widened,
                tag: 0,
                high: center + widened,
                id,
            };
            let size = own.size();
            own.tag = size_bin(size);
            gathered.add(&own, size);
            *place = own;
        }
        valid
    })
}

/// The bounds of one.
fn bounds_of<T: Sync>(record: &T, fill: impl Fn(&[T], &mut [Bounds]) -> Result<()>) -> Aabb {
    let mut bounds = [Bounds {
        low: Vec3::NEG_INFINITY,
        tag: 0,
        high: Vec3::INFINITY,
        id: 0,
    }];
    // What is not valid has no bounds but those of all space.
    let _ = fill(std::slice::from_ref(record), &mut bounds);
    Aabb {
        min: bounds[0].low,
        max: bounds[0].high,
    }
}

impl Sphere {
    /// Axis-aligned bounds that contain the ball despite rounding: wider than it by at most some 1e-5 of its radius and 1e-6 of its
    /// coordinates. All of space if the ball is not valid.
    pub fn bounds(&self) -> Aabb {
        bounds_of(self, |sphere, bounds| sphere_bounds(sphere, |_| 0.0, bounds))
    }
}

impl Capsule {
    /// Axis-aligned bounds that contain the capsule despite rounding; see [`Sphere::bounds`].
    pub fn bounds(&self) -> Aabb {
        bounds_of(self, |capsule, bounds| capsule_bounds(capsule, |_| 0.0, bounds))
    }
}
