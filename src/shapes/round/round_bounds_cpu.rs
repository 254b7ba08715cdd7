//! Conservative bounds of spheres and capsules. The widening is that of boxes, derived in
//! `src/geometry/bounds.rs`, with the half length and the radius as half extents.

use std::ops::Range;

use bytemuck::cast;
use glam::Vec3;
use wide::f32x4;

use crate::base::error::Result;
use crate::base::lanes::axes;
use crate::base::parallel;
use crate::base::problem::COORDINATE_LIMIT;
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{ABSOLUTE_ERROR, Bounds, CENTER_ERROR, EXTENT_ERROR, Gather, size_bin};
use crate::geometry::rotation::matrix;
use crate::geometry::scene_stats::Gathered;
use crate::shapes::bounds::{BoundsLanes, fill_lanes, validate};
use crate::shapes::obb::lanes::{FourBoxes, LANES};
use crate::shapes::obb::obb_bounds_cpu::are_valid;
use crate::shapes::round::capsule::Capsule;
use crate::shapes::round::sphere::Sphere;

/// Checks spheres, fills `bounds` with their bounds, each widened by `margin` on every side, and
/// returns the data gathered about them. They are numbered from `first`.
pub(crate) fn sphere_bounds<G: Gather>(
    spheres: &[Sphere],
    first: u32,
    margin: impl Fn(u32) -> f32 + Sync + Send,
    bounds: &mut [Bounds],
) -> Result<G> {
    fill_lanes(spheres, first, margin, bounds, Sphere::problem, |spheres, margin| {
        let ([x, y, z, radius], valid) = four_spheres(spheres);
        let center = [x, y, z];
        let reach = axes!(|axis| widened(center[axis], radius, radius, margin));
        (BoundsLanes::around(center, reach), valid)
    })
}

/// Checks spheres, and returns the statistics of their bounds with radii larger by `margin`; the
/// bounds are those of [`ball_corners`].
pub(crate) fn sphere_statistics(spheres: &[Sphere], margin: impl Fn(u32) -> f32 + Sync + Send) -> Result<Gathered> {
    let some = |range: Range<usize>| {
        let mut gathered = Gathered::default();
        let (mut low, mut high) = ([f32x4::splat(f32::INFINITY); 3], [f32x4::splat(f32::NEG_INFINITY); 3]);
        let mut all_valid = true;
        for first in range.clone().step_by(LANES) {
            // Missing spheres are copies of the last.
            let ids: [usize; LANES] = std::array::from_fn(|lane| (first + lane).min(range.end - 1));
            let ([x, y, z, radius], valid) = four_spheres(ids.map(|id| &spheres[id]));
            // Spheres this close to the limits are rare.
            all_valid &= valid || ids.iter().all(|id| spheres[*id].problem().is_none());
            let (center, radius) = ([x, y, z], radius + f32x4::new(ids.map(|id| margin(id as u32))));
            let reach = axes!(|axis| widened(center[axis], radius, radius, f32x4::ZERO));
            let bounds = BoundsLanes::around(center, reach);
            low = axes!(|axis| low[axis].fast_min(bounds.low[axis]));
            high = axes!(|axis| high[axis].fast_max(bounds.high[axis]));
            let sizes = bounds.size.to_array();
            sizes[..LANES.min(range.end - first)]
                .iter()
                .for_each(|size| gathered.add_size(*size));
        }
        let corner = |v: [f32x4; 3], lane: usize| Vec3::from(v.map(|x| x.to_array()[lane]));
        (0..LANES).for_each(|lane| gathered.add_corners(corner(low, lane), corner(high, lane)));
        (gathered, all_valid)
    };
    let merge = |a: (Gathered, bool), b: (Gathered, bool)| (a.0.merge(b.0), a.1 && b.1);
    let (gathered, valid) = parallel::fold_ranges(spheres.len(), || (Gathered::default(), true), some, merge);
    if !valid {
        validate(spheres, Sphere::problem)?;
    }
    Ok(gathered)
}

/// Returns the coordinates of the centers and the radii of spheres, and whether all are certainly
/// valid.
#[inline(always)]
fn four_spheres(spheres: [&Sphere; LANES]) -> ([f32x4; 4], bool) {
    let columns = f32x4::transpose(spheres.map(|sphere| cast(*sphere)));
    let [center @ .., radius] = &columns;
    let most = f32x4::splat(COORDINATE_LIMIT);
    // A comparison with NaN is false.
    let mut valid = radius.simd_ge(f32x4::ZERO) & radius.simd_le(most);
    center.iter().for_each(|x| valid &= x.abs().simd_le(most));
    (columns, valid.all())
}

/// Returns the corners of the bounds of one sphere, given its center and, in the fourth lane, its
/// radius. The fourth lanes of the corners are meaningless.
#[inline(always)]
pub(crate) fn ball_corners(ball: f32x4) -> [f32x4; 2] {
    let radius = f32x4::splat(ball.to_array()[3]);
    let reach = widened(ball, radius, radius, f32x4::ZERO);
    [ball - reach, ball + reach]
}

/// Returns the size bin of bounds with these corners.
#[inline(always)]
pub(crate) fn ball_size_bin([low, high]: [f32x4; 2]) -> u32 {
    let [x, y, z, _] = BoundsLanes::sizes([low, high]).to_array();
    size_bin(x.max(y).max(z))
}

/// Does the same as [`sphere_bounds`] for capsules.
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
        // Capsules in the plane have the length 1/√2, and others with it are rare.
        let valid = are_valid(&FourBoxes { half, ..four }, square);
        (BoundsLanes::around(four.center, reach), valid)
    })
}

/// Returns the reach of bounds from a coordinate of the center, given the reach of the body and the
/// sum of its lengths.
#[inline(always)]
fn widened(center: f32x4, reach: f32x4, sum: f32x4, margin: f32x4) -> f32x4 {
    let error = f32x4::splat(EXTENT_ERROR) * sum + f32x4::splat(CENTER_ERROR) * center.abs();
    reach + error + f32x4::splat(ABSOLUTE_ERROR) + margin
}

impl Capsule {
    /// Returns axis-aligned bounds that contain the capsule despite rounding: wider than it by at
    /// most about 1e-5 of its size and 1e-6 of its coordinates. All of space if the capsule is
    /// invalid.
    pub fn bounds(&self) -> Aabb {
        let mut bounds = [Bounds {
            low: Vec3::NEG_INFINITY,
            tag: 0,
            high: Vec3::INFINITY,
            id: 0,
        }];
        match capsule_bounds::<()>(std::slice::from_ref(self), 0, |_| 0.0, &mut bounds) {
            Ok(()) => Aabb::new(bounds[0].low, bounds[0].high),
            Err(_) => Aabb::new(Vec3::NEG_INFINITY, Vec3::INFINITY),
        }
    }
}
