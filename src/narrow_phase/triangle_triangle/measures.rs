//! Volumes and areas between corners, with their true signs: in `f64` if they are far enough from
//! zero, else in integers.

use glam::{DVec3, Vec3};

use crate::narrow_phase::obb_obb::exact::scale::{Grain, split};
use crate::narrow_phase::obb_obb::exact::wide::Wide;

/// The fraction of its product of sizes above which a value in `f64` has the right sign: 2^-47.
///
/// A difference of two corners errs by 1 unit of 2^-53, a component of a cross product by 2 more, a
/// sum of three products by 3 more: 8 units of the magnitudes of 6 products. An area has fewer.
pub(super) const SIGN: f64 = 1.0 / (1u64 << 47) as f64;

/// The fraction of its product of sizes above which a value errs by at most 2^-36 of itself: 2^-11.
pub(super) const VALUE: f64 = 1.0 / (1u64 << 11) as f64;

/// The largest number of bits that numbers may have if sums of products of three differences must
/// fit in 128 bits.
const NARROW: i32 = 40;

/// Integers of 704 bits: numbers below 2^210, from 2^-149 to 2^60, have differences below 2^211,
/// and six products of three such are below 2^636.
type Broad = Wide<11>;

/// Returns six times the volume of the tetrahedron of four corners: positive if the last is above
/// the plane of the others, on the side from which they are seen counter-clockwise. It is 0 if and
/// only if the tetrahedron is flat.
#[inline]
pub(super) fn volume(corners: [Vec3; 4], least: f64) -> f64 {
    let [a, b, c, d] = corners.map(|corner| corner.as_dvec3());
    let (u, v, w) = (b - a, c - a, d - a);
    let value = w.dot(u.cross(v));
    match value.abs() > least * (size(u) * size(v) * size(w)) {
        true => value,
        false => exact_volume(corners),
    }
}

/// Returns twice the area of the triangle of three corners seen along an axis: positive if it turns
/// counter-clockwise in the plane of the two other axes, in cyclic order. It is 0 if and only if
/// the triangle is seen as a line or a point.
#[inline]
pub(super) fn area(axis: usize, corners: [Vec3; 3], least: f64) -> f64 {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let at = |corner: Vec3| [f64::from(corner[j]), f64::from(corner[k])];
    let [a, b, c] = corners.map(at);
    let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
    let value = u[0] * v[1] - u[1] * v[0];
    let largest = |v: [f64; 2]| v[0].abs().max(v[1].abs());
    match value.abs() > least * (largest(u) * largest(v)) {
        true => value,
        false => exact_area([j, k], corners),
    }
}

/// Returns the largest magnitude of a coordinate.
#[inline]
fn size(vector: DVec3) -> f64 {
    vector.abs().max_element()
}

#[cold]
fn exact_volume(corners: [Vec3; 4]) -> f64 {
    let grain = Grain::of(corners.iter().flat_map(|corner| corner.to_array()));
    if grain.bits() <= NARROW {
        let [u, v, w] = narrow_differences(corners, grain);
        let minor = |j: usize, k: usize| i128::from(u[j]) * i128::from(v[k]) - i128::from(u[k]) * i128::from(v[j]);
        let sum = |k: usize, minor: i128| i128::from(w[k]) * minor;
        let value = sum(0, minor(1, 2)) + sum(1, minor(2, 0)) + sum(2, minor(0, 1));
        return value as f64 * power_of_two(3 * grain.exponent);
    }
    let [u, v, w] = broad_differences(corners, grain);
    let minor = |j: usize, k: usize| u[j] * v[k] - u[k] * v[j];
    rounded(
        w[0] * minor(1, 2) + w[1] * minor(2, 0) + w[2] * minor(0, 1),
        3 * grain.exponent,
    )
}

#[cold]
fn exact_area([j, k]: [usize; 2], corners: [Vec3; 3]) -> f64 {
    let grain = Grain::of(corners.iter().flat_map(|corner| [corner[j], corner[k]]));
    if grain.bits() <= NARROW {
        let seen = corners.map(|corner| Vec3::new(corner[j], corner[k], 0.0));
        let [u, v] = narrow_differences(seen, grain);
        let value = i128::from(u[0]) * i128::from(v[1]) - i128::from(u[1]) * i128::from(v[0]);
        return value as f64 * power_of_two(2 * grain.exponent);
    }
    let seen = corners.map(|corner| Vec3::new(corner[j], corner[k], 0.0));
    let [u, v] = broad_differences(seen, grain);
    rounded(u[0] * v[1] - u[1] * v[0], 2 * grain.exponent)
}

/// Returns all corners but the first, less the first, as multiples of the grain.
fn narrow_differences<const N: usize, const M: usize>(corners: [Vec3; N], grain: Grain) -> [[i64; 3]; M] {
    let whole = corners.map(|corner| {
        corner.to_array().map(|number| {
            let (digits, power) = split(number);
            i64::from(digits) << (power - grain.exponent).max(0)
        })
    });
    std::array::from_fn(|i| [0, 1, 2].map(|k| whole[i + 1][k] - whole[0][k]))
}

/// [`narrow_differences`] in more words.
fn broad_differences<const N: usize, const M: usize>(corners: [Vec3; N], grain: Grain) -> [[Broad; 3]; M] {
    let whole = corners.map(|corner| grain.apply::<3, 11>(corner.to_array()));
    std::array::from_fn(|i| [0, 1, 2].map(|k| whole[i + 1][k] - whole[0][k]))
}

/// Returns an integer times a power of two, accurate to a few parts in 2^53.
fn rounded(number: Broad, exponent: i32) -> f64 {
    let (digits, power) = number.rounded();
    // Digits are below 2^128, and the product is in the range of f64 if it is not 0, but the power
    // alone may not be.
    let all = power + exponent;
    let first = all.max(-900);
    digits * power_of_two(first) * power_of_two(all - first)
}

/// Returns a power of two in the range of `f64`.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::split_mix::SplitMix;
    use crate::geometry::orientation;

    #[test]
    fn signs_and_values_match_adaptive_predicates() {
        let mut random = SplitMix(1);
        let (mut zeros, mut broad) = (0, 0);
        for round in 0..40_000 {
            let (spread, values) = ([1, 8, 60, 209][round % 4], [3, 17, 1 << 24][round / 4 % 3]);
            let mut number = || {
                let digits = (random.next() % values) as f32 - (values / 2) as f32;
                let power = 60 - 24 - (random.next() % spread) as i32;
                digits * 2f32.powi(power / 2) * 2f32.powi(power - power / 2)
            };
            let corners: [Vec3; 4] = std::array::from_fn(|_| Vec3::new(number(), number(), number()));
            let [a, b, c, d] = corners;
            let expected = orientation::above(a, b, c, d);
            let grain = Grain::of(corners.iter().flat_map(|corner| corner.to_array()));
            broad += usize::from(grain.bits() > NARROW);
            zeros += usize::from(expected == 0.0);
            let exact = exact_volume(corners);
            for found in [exact, volume(corners, SIGN), volume(corners, VALUE)] {
                assert_eq!(found.total_cmp(&0.0), (expected + 0.0).total_cmp(&0.0), "{corners:?}");
            }
            assert!(
                (volume(corners, VALUE) - exact).abs() <= exact.abs() * 2f64.powi(-36),
                "{corners:?}"
            );
            for (axis, expected) in orientation::areas(a, b, c).into_iter().enumerate() {
                let exact = exact_area([(axis + 1) % 3, (axis + 2) % 3], [a, b, c]);
                for found in [exact, area(axis, [a, b, c], SIGN), area(axis, [a, b, c], VALUE)] {
                    assert_eq!(found.total_cmp(&0.0), (expected + 0.0).total_cmp(&0.0), "{corners:?}");
                }
                let off = area(axis, [a, b, c], VALUE) - exact;
                assert!(off.abs() <= exact.abs() * 2f64.powi(-36), "{corners:?}");
            }
        }
        assert!(zeros > 200 && broad > 10_000, "{zeros} {broad}");
    }
}
