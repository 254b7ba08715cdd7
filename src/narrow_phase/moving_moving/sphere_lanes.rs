//! When spheres that move straight are nearest to each other, in `f32`, as many pairs at a time as
//! the machine has lanes.
//!
//! # Formula
//!
//! With `d` from the center of A to that of B at time 0, `p` the path of B as seen from A during
//! the step, and `R` the sum of the radii, the centers are at `d + s p` a part `s` of the step
//! later. They are nearest at `s = -d·p / |p|²`, limited to the step. Spheres that meet are first
//! in contact `sqrt((R² - m²) / |p|²)` before, where `m` is the least distance of the two lines.
//!
//! # Error
//!
//! Let `S = |d| + |p| + R` and `u = 2^-24`. Two centers, two velocities and the product with `dt`
//! are rounded, so `d + s p` is off by at most `6 u S` for whatever `s`; its length, and that less
//! R, by `12 u S`. The product `d·p` is off by `5 u |d| |p|`, so s is off by `5 u (|d| / |p| + 1)`,
//! and the distance there is larger than the least by `5 u S`. Together this is less than
//! [`ERROR`] of S. Products of lengths from [`SHORTEST`] to the limit of coordinates neither
//! overflow nor lose digits that matter.

use fearless_simd::prelude::*;
use glam::Vec3;

use crate::base::lanes::{self, Simd, axes, dispatch};
use crate::geometry::pair::Pair;
use crate::shapes::round::sphere::Sphere;

/// The error of distances, relative to the sum of the distance of the centers, the path and the
/// radii.
#[cfg(test)]
const ERROR: f64 = 1.0 / (1u32 << 19) as f64;

/// Pairs whose lengths are all shorter are left to `f64`.
const SHORTEST: f32 = 1e-12;

/// The number of pairs compared at a time: a multiple of any machine's lanes.
const BLOCK: usize = 64;

/// Pairs of spheres that move straight.
pub(crate) struct SphereLanes {
    dt: f32,
    count: usize,
    pairs: [Pair; BLOCK],
    apart: [[f32; BLOCK]; 3],
    path: [[f32; BLOCK]; 3],
    reach: [f32; BLOCK],
}

/// The parts of the step after which pairs are nearest, and their distances then: 0 if they meet.
type Found = [[f32; BLOCK]; 2];

impl SphereLanes {
    /// Begins with no pairs. `dt` is the length of the step.
    pub fn new(dt: f64) -> Self {
        Self {
            dt: dt as f32,
            count: 0,
            pairs: [Pair { a: 0, b: 0 }; BLOCK],
            apart: [[0.0; BLOCK]; 3],
            path: [[0.0; BLOCK]; 3],
            reach: [0.0; BLOCK],
        }
    }

    /// Adds a pair, given its spheres and their velocities. Returns `false` if it is too small. If
    /// [`is_full`](Self::is_full), pairs must be [taken](Self::take) before.
    pub fn add(&mut self, pair: Pair, [a, b]: [&Sphere; 2], [of_a, of_b]: [Vec3; 2]) -> bool {
        let (apart, path) = (b.center - a.center, (of_b - of_a) * self.dt);
        let reach = a.radius + b.radius;
        if apart.abs().max(path.abs()).max_element().max(reach) < SHORTEST {
            return false;
        }
        let place = self.count;
        self.pairs[place] = pair;
        for axis in 0..3 {
            self.apart[axis][place] = apart[axis];
            self.path[axis][place] = path[axis];
        }
        self.reach[place] = reach;
        self.count += 1;
        true
    }

    pub fn is_full(&self) -> bool {
        self.count == BLOCK
    }

    /// Returns the pairs with the part of the step after which each is nearest, and its distance
    /// then: 0 if the spheres meet. None is left.
    pub fn take(&mut self) -> impl Iterator<Item = (Pair, f32, f32)> {
        let mut found = [[0.0; BLOCK]; 2];
        dispatch!(lanes::level(), simd => self.compare(simd, &mut found));
        let (pairs, count) = (self.pairs, std::mem::take(&mut self.count));
        let [times, distances] = found;
        (0..count).map(move |k| (pairs[k], times[k], distances[k]))
    }

    #[inline(always)]
    fn compare<S: Simd>(&self, simd: S, [times, distances]: &mut Found) {
        let splat = |number: f32| S::f32s::splat(simd, number);
        let (none, all) = (splat(0.0), splat(1.0));
        let within = |part: S::f32s| part.simd_gt(none).select(part, none).min(all);
        for first in (0..self.count).step_by(S::f32s::LEN) {
            let load = |list: &[f32; BLOCK]| S::f32s::from_slice(simd, &list[first..first + S::f32s::LEN]);
            let apart = axes!(|axis| load(&self.apart[axis]));
            let path = axes!(|axis| load(&self.path[axis]));
            let reach = load(&self.reach);
            let squared_path = dot(path, path).max(splat(f32::MIN_POSITIVE));
            let middle = -dot(apart, path) / squared_path;
            let at = |part: S::f32s| axes!(|axis| apart[axis] + path[axis] * part);
            let nearest = within(middle);
            let way = at(nearest);
            let gap = dot(way, way).sqrt() - reach;
            let meets = gap.simd_le(none);
            let (line, squared_reach) = (at(middle), reach * reach);
            let before = ((squared_reach - dot(line, line)).max(none) / squared_path).sqrt();
            let met_at_start = dot(apart, apart).simd_le(squared_reach);
            let contact = met_at_start.select(none, within(middle - before));
            let time = meets.select(contact, nearest);
            let distance = meets.select(none, gap);
            times[first..first + S::f32s::LEN].copy_from_slice(time.as_slice());
            distances[first..first + S::f32s::LEN].copy_from_slice(distance.as_slice());
        }
    }
}

#[inline(always)]
fn dot<V: Copy + std::ops::Add<Output = V> + std::ops::Mul<Output = V>>(a: [V; 3], b: [V; 3]) -> V {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use glam::DVec3;

    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::narrow_phase::moving_moving::closest_approach::closest_approach;
    use crate::shapes::moving::motion::Motion;
    use crate::shapes::moving::step::Step;

    /// Sizes, distances and paths over many powers of two, whole numbers among them, whose
    /// approaches end in exact contacts, and spheres at rest.
    #[test]
    fn spheres_are_nearest_when_f64_says_so_within_the_error() {
        let mut random = SplitMix(71);
        let mut meeting = 0;
        for k in 0..40_000 {
            let mut scale = || ((random.next() % 41) as i32 - 20) as f32;
            let [near, fast, wide] = [scale(), scale(), scale()].map(f32::exp2);
            let mut number = |size: f32| match k % 3 {
                0 => size * ((random.next() % 9) as f32 - 4.0),
                _ => size * (random.unit() as f32 - 0.5),
            };
            let mut vector = |size: f32| Vec3::from_array([(); 3].map(|()| number(size)));
            let centers = [vector(near), vector(near)];
            let mut velocities = [vector(fast), if k % 7 == 0 { Vec3::ZERO } else { vector(fast) }];
            let radii = [number(wide).abs(), number(wide).abs()];
            let [a, b] = [0, 1].map(|i| Sphere::new(centers[i], radii[i]));
            let dt = [0.0, 0.25, 1.0, 3.0][k % 4];
            if k % 4 == 2 {
                // Towards each other.
                velocities[1] = velocities[0] - (centers[1] - centers[0]) / dt as f32;
            }
            let mut lanes = SphereLanes::new(dt);
            if !lanes.add(Pair { a: 3, b: 9 }, [&a, &b], velocities) {
                continue;
            }
            let found: Vec<_> = lanes.take().collect();
            let &[(pair, part, distance)] = &found[..] else {
                panic!("{} pairs", found.len())
            };
            assert_eq!(pair, Pair { a: 3, b: 9 });
            assert!((0.0..=1.0).contains(&part), "{part}");

            let motions = velocities.map(Motion::linear);
            let expected = closest_approach([&a, &b], [&motions[0], &motions[1]], &Step::new(dt));
            let apart = b.center.as_dvec3() - a.center.as_dvec3();
            let path = (velocities[1].as_dvec3() - velocities[0].as_dvec3()) * dt;
            let reach = f64::from(a.radius) + f64::from(b.radius);
            let error = ERROR * (apart.length() + path.length() + reach);
            let at = |part: f64| DVec3::length(apart + path * part) - reach;
            let off = (f64::from(distance) - expected.distance).abs();
            assert!(
                off <= error,
                "{k}: {distance} {expected:?}, off by {off:e} of {error:e}"
            );
            // At that time they are as near, and before a contact they are not.
            assert!(
                (at(f64::from(part)).max(0.0) - f64::from(distance)).abs() <= error,
                "{k}"
            );
            if distance == 0.0 && part > 0.0 {
                meeting += 1;
                assert!(
                    (0..8).all(|eighth| at(f64::from(part) * f64::from(eighth) / 8.0) >= -error),
                    "{k}"
                );
            }
        }
        assert!(meeting > 500, "{meeting}");
    }

    #[test]
    fn full_blocks_are_taken_in_order() {
        let mut lanes = SphereLanes::new(1.0);
        let ball = |x: f32| Sphere::new(Vec3::new(x, 0.0, 0.0), 1.0);
        for k in 0..BLOCK as u32 {
            assert!(!lanes.is_full());
            assert!(lanes.add(
                Pair { a: k, b: k + 1 },
                [&ball(0.0), &ball(3.0 + k as f32)],
                [Vec3::ZERO; 2]
            ));
        }
        assert!(lanes.is_full());
        let found: Vec<_> = lanes.take().collect();
        let expected: Vec<_> = (0..BLOCK as u32)
            .map(|k| (Pair { a: k, b: k + 1 }, 0.0, 1.0 + k as f32))
            .collect();
        assert_eq!(found, expected);
        assert_eq!(lanes.take().count(), 0);
    }
}
