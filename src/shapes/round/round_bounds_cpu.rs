//! Conservative bounds of balls and capsules; the widening is that of boxes, derived in `src/geometry/bounds.rs`, with the half length
//! and the radius for half extents.

use bytemuck::cast;
use glam::Vec3;
use wide::f32x4;

use crate::base::error::Result;
use crate::base::problem::COORDINATE_LIMIT;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{ABSOLUTE_ERROR, Bounds, CENTER_ERROR, EXTENT_ERROR, Gather};
use crate::geometry::rotation::matrix;
use crate::shapes::bounds::{BoundsLanes, fill_lanes};
use crate::shapes::obb::lanes::{FourBoxes, LANES, axes};
use crate::shapes::obb::obb_bounds_cpu::are_valid;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;

/// Checks balls, fills `bounds` with theirs, each widened by `margin` on every side, and returns what is gathered about them. They are
/// numbered from `first` on.
pub(crate) fn sphere_bounds<G: Gather>(
    spheres: &[Sphere],
    first: u32,
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
) -> Result<G> {
    fill_lanes(spheres, first, margin, bounds, Sphere::problem, |spheres, margin| {
        let rows: [f32x4; LANES] = spheres.map(|sphere| cast(*sphere));
        let [x, y, z, radius] = f32x4::transpose(rows);
        let center = [x, y, z];
        let most = f32x4::splat(COORDINATE_LIMIT);
        // A comparison with NaN is false.
        let mut valid = radius.simd_ge(f32x4::ZERO) & radius.simd_le(most);
        center.iter().for_each(|x| valid &= x.abs().simd_le(most));
        let reach = axes!(|axis| widened(center[axis], radius, radius, margin));
        (BoundsLanes::around(center, reach), valid.all())
    })
}

/// The same for capsules.
pub(crate) fn capsule_bounds<G: Gather>(
    capsules: &[Capsule],
    first: u32,
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
) -> Result<G> {
    fill_lanes(capsules, first, margin, bounds, Capsule::problem, |capsules, margin| {
        let four = FourBoxes::of_rows(capsules.map(|capsule| cast(*capsule)));
        let [half_length, radius, _] = four.half;
        let (rows, square) = matrix(four.rotation);
        let reach = axes!(|axis| {
            let along = rows[axis][2].abs() * half_length / square;
            widened(four.center[axis], along + radius, half_length + radius, margin)
        });
        let half = [half_length, radius, f32x4::ZERO];
        let valid = are_valid(&FourBoxes { half, ..four }, square);
        (BoundsLanes::around(four.center, reach), valid)
    })
}

/// How far bounds reach from a coordinate of the center, given how far the body does and the sum of its lengths.
#[inline(always)]
fn widened(center: f32x4, reach: f32x4, sum: f32x4, margin: f32x4) -> f32x4 {
    let error = f32x4::splat(EXTENT_ERROR) * sum + f32x4::splat(CENTER_ERROR) * center.abs();
    reach + error + f32x4::splat(ABSOLUTE_ERROR) + margin
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
        bounds_of(self, |sphere, bounds| sphere_bounds(sphere, 0, |_| 0.0, bounds))
    }
}

impl Capsule {
    /// Axis-aligned bounds that contain the capsule despite rounding; see [`Sphere::bounds`].
    pub fn bounds(&self) -> Aabb {
        bounds_of(self, |capsule, bounds| capsule_bounds(capsule, 0, |_| 0.0, bounds))
    }
}
