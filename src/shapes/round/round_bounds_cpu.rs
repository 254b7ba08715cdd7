//! Conservative bounds of spheres and capsules. The widening is that of boxes, derived in
//! `src/geometry/bounds.rs`, with the half length and the radius as half extents.

use bytemuck::cast;
use fearless_simd::prelude::*;
use glam::Vec3;
use wide::f32x4;

use crate::base::error::Result;
use crate::base::lanes::{Simd, axes};
use crate::base::problem::COORDINATE_LIMIT;
use crate::broad_phase::bounded::{Bounded, LaneBounds, MOST_LANES, statistics};
use crate::geometry::aabb::Aabb;
use crate::geometry::bounds::{ABSOLUTE_ERROR, Bounds, CENTER_ERROR, EXTENT_ERROR, Gather};
use crate::geometry::rotation::matrix;
use crate::geometry::scene_stats::Gathered;
use crate::shapes::bounds::{BoundsLanes, fill_lanes, validate};
use crate::shapes::obb::lanes::{FourBoxes, LANES, transposed};
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

/// Spheres, one per lane of the machine's vectors.
pub(crate) struct SphereLanes<S: Simd> {
    pub center: [S::f32s; 3],
    pub radius: S::f32s,
}

impl<S: Simd> SphereLanes<S> {
    /// Loads up to as many spheres as there are lanes. Missing ones are copies of the last.
    #[inline(always)]
    pub fn load(simd: S, spheres: &[Sphere]) -> Self {
        let mut fields = [S::f32s::splat(simd, 0.0); 4];
        for first in (0..S::f32s::LEN).step_by(LANES) {
            let rows = [0, 1, 2, 3].map(|lane| cast(spheres[(first + lane).min(spheres.len() - 1)]));
            for (field, values) in fields.iter_mut().zip(transposed(simd, rows)) {
                field.as_mut_slice()[first..first + LANES].copy_from_slice(values.as_slice());
            }
        }
        let [x, y, z, radius] = fields;
        Self {
            center: [x, y, z],
            radius,
        }
    }

    /// Returns the spheres in the first `count` lanes with radii larger by the margins of their
    /// lanes.
    #[inline(always)]
    pub fn widened(self, simd: S, margin: impl Fn(usize) -> f32, count: usize) -> Self {
        let mut margins = [0.0; MOST_LANES];
        for (lane, place) in margins[..count].iter_mut().enumerate() {
            *place = margin(lane);
        }
        let margins = S::f32s::from_slice(simd, &margins[..S::f32s::LEN]);
        Self {
            radius: self.radius + margins,
            ..self
        }
    }

    /// Returns the bounds of the spheres, the same numbers as [`ball_corners`].
    #[inline(always)]
    pub fn bounds(&self) -> LaneBounds<S> {
        let Self { center, radius } = self;
        let reach = axes!(|axis| reach(center[axis], *radius));
        LaneBounds {
            low: axes!(|axis| center[axis] - reach[axis]),
            high: axes!(|axis| center[axis] + reach[axis]),
        }
    }

    /// Returns `true` if all spheres are certainly valid.
    #[inline(always)]
    fn are_valid(&self) -> bool {
        let Self { center, radius } = self;
        let limited = axes!(|axis| center[axis].abs().simd_le(COORDINATE_LIMIT));
        let valid = radius.simd_ge(0.0) & radius.simd_le(COORDINATE_LIMIT);
        (valid & limited[0] & limited[1] & limited[2]).all_true()
    }
}

/// Returns how far the bounds of spheres reach along an axis, on either side of their centers.
#[inline(always)]
pub(crate) fn reach<F: SimdFloat<S, Element = f32>, S: Simd>(center: F, radius: F) -> F {
    radius + (radius * EXTENT_ERROR + center.abs() * CENTER_ERROR) + ABSOLUTE_ERROR
}

/// Checks spheres, and returns the statistics of their bounds in a scene of spheres alone.
pub(crate) fn sphere_statistics(spheres: &[Sphere], margin: impl Fn(u32) -> f32 + Sync + Send) -> Result<Gathered> {
    let (gathered, are_valid) = statistics(spheres, margin);
    if !are_valid {
        validate(spheres, Sphere::problem)?;
    }
    Ok(gathered)
}

/// Bounds of spheres alone. A margin enlarges the radius before it is rounded, unlike in
/// [`sphere_bounds`].
impl Bounded for Sphere {
    #[inline(always)]
    fn bounds<S: Simd>(simd: S, spheres: &[Self], margin: impl Fn(usize) -> f32) -> LaneBounds<S> {
        SphereLanes::load(simd, spheres)
            .widened(simd, margin, spheres.len())
            .bounds()
    }

    #[inline(always)]
    fn checked_bounds<S: Simd>(simd: S, spheres: &[Self], margin: impl Fn(usize) -> f32) -> (LaneBounds<S>, bool) {
        let lanes = SphereLanes::load(simd, spheres);
        // Spheres this close to the limits are rare.
        let are_valid = lanes.are_valid() || spheres.iter().all(|sphere| sphere.problem().is_none());
        (lanes.widened(simd, margin, spheres.len()).bounds(), are_valid)
    }
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
