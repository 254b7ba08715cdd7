//! Two round bodies: a capsule, and a capsule or a sphere.

use crate::base::arrays::Mapped;
use glam::DVec3;

use crate::geometry::feature::Feature;
use crate::narrow_phase::obb_obb::penetration::SLOP;
use crate::narrow_phase::round::closest::{Closest, Segment};
use crate::narrow_phase::round::distance::{Rounds, gap};
use crate::narrow_phase::round::manifold::{PARALLEL, Point, SIDE_BY_SIDE, Touch, across, part_at};

impl Rounds {
    /// Returns the contact along the axes of the world, relative to the middle of the first, or
    /// `None` if they do not collide.
    #[inline(always)]
    pub(super) fn touch(&self, collide: impl FnOnce() -> bool) -> Option<Touch> {
        let ([core_a, core_b], [a, b]) = (&self.cores, self.radii);
        let (closest, error) = (self.closest(), self.error());
        let way = closest.way();
        let length = way.length();
        if gap(length, a + b, error, collide).is_some() {
            return None;
        }
        let normal = match length > error {
            true => between_cores(&closest, [core_a, core_b]),
            false => where_cores_meet(&closest, [core_a, core_b]),
        };
        let depth = a + b - way.dot(normal);
        let [s, t] = closest.places;
        let features = [part_at(s, core_a.half), part_at(t, core_b.half)];
        let single = Touch::at(normal, depth, closest.on_a + a * normal, features);
        // A sphere has no direction.
        let cosine = core_a.along.dot(core_b.along);
        if cosine * cosine <= SIDE_BY_SIDE {
            return Some(single);
        }
        let slop = SLOP * (core_a.half + a).min(core_b.half + b) + error;
        Some(self.side_by_side(&single, slop).unwrap_or(single))
    }

    /// Returns the contact of two cores side by side: two points at the ends of the stretch that
    /// they share.
    #[inline(never)]
    fn side_by_side(&self, single: &Touch, slop: f64) -> Option<Touch> {
        let ([core_a, core_b], [a, b]) = (&self.cores, self.radii);
        let (u, v, center) = (core_a.along, core_b.along, core_b.middle - core_a.middle);
        let (cosine, middle) = (u.dot(v), center.dot(u));
        let advance = cosine.abs() * core_b.half;
        let [low, high] = [middle - advance, middle + advance];
        let [first, last] = [low.max(-core_a.half), high.min(core_a.half)];
        if last - first <= slop {
            return None;
        }
        // The - end of B is the one further along A if they point in opposite directions.
        let ends_of_b = if cosine > 0.0 { [1, 2] } else { [2, 1] };
        let at = |k: usize, place: f64| {
            let (end_of_a, end_of_b) = match k {
                0 => (-core_a.half >= low, low >= -core_a.half),
                _ => (core_a.half <= high, high <= core_a.half),
            };
            let features = match (end_of_a, end_of_b) {
                (true, _) => [Feature::Round(1 + k as u8), Feature::Round(0)],
                (_, true) => [Feature::Round(0), Feature::Round(ends_of_b[k])],
                _ => [Feature::Round(0); 2],
            };
            let way = center + v * ((place - middle) / cosine) - u * place;
            let height = way.dot(single.normal);
            let depth = a + b - height;
            let is_aside = (way - single.normal * height).length_squared() > slop * slop;
            (!is_aside && depth >= -slop).then(|| Point {
                on_a: u * place + a * single.normal,
                depth: depth.clamp(0.0, single.depth),
                features,
            })
        };
        Some(Touch {
            point: at(0, first)?,
            other: Some(at(1, last)?),
            features: [Feature::Round(0); 2],
            ..*single
        })
    }
}

/// Returns the direction, of length 1, in which B leaves A along the shortest way, if the cores are
/// apart.
#[inline(always)]
fn between_cores(closest: &Closest, [a, b]: [&Segment; 2]) -> DVec3 {
    let (way, u, v) = (closest.way(), a.along, b.along);
    let [s, t] = closest.places;
    let [on_a, on_b] = [a.is_inner(s), b.is_inner(t)];
    let both = u.cross(v);
    let base = match on_a & on_b & (both.length_squared() > PARALLEL * PARALLEL) {
        true => both,
        false => way,
    };
    // Multiplies by numbers instead of branching: which points are inner is unpredictable.
    let [of_a, of_b] = [on_a, on_b].mapped(|inner| f64::from(u8::from(inner)));
    let normal = base - u * (of_a * base.dot(u));
    towards(normal - v * (of_b * normal.dot(v)), way)
}

/// Returns the direction, of length 1, in which B leaves A if the cores meet.
#[inline(never)]
fn where_cores_meet(closest: &Closest, [a, b]: [&Segment; 2]) -> DVec3 {
    let (u, v) = (a.along, b.along);
    let both = u.cross(v);
    let longer = if a.half >= b.half { u } else { v };
    let normal = match both.length_squared() > PARALLEL * PARALLEL {
        true => across(across(both, u), v),
        false => longer.try_normalize().map_or(DVec3::X, DVec3::any_orthonormal_vector),
    };
    towards(normal, closest.way())
}

/// Returns a direction, or its opposite, of length 1: the one towards `way`.
#[inline(always)]
fn towards(direction: DVec3, way: DVec3) -> DVec3 {
    let length = direction.length();
    match length > 0.0 {
        true => direction / length.copysign(direction.dot(way)),
        false => DVec3::X,
    }
}
