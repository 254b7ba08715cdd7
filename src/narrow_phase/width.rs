//! The width of a body along an axis of the world, compared with a length: the true answer for the
//! stored numbers.
//!
//! Half of the width of a box is the sum of `|M_j| h_j / |q|²`, where M is a row of the matrix of
//! its quaternion and h the half extents; a round body adds its radius. Multiplied by `|q|²`,
//! nothing is divided. `f64` with its error decides first, and integers decide the rest.

use crate::base::arrays::Mapped;
use std::cmp::Ordering;

use crate::base::problem::PeriodProblem;
use crate::geometry::period::{AXES, Period};
use crate::geometry::rotation::matrix;
use crate::narrow_phase::images::radius;
use crate::narrow_phase::obb_obb::exact::scale::{Grain, Grain64};
use crate::narrow_phase::round::bodies::Core;
use crate::narrow_phase::round::real::{Near, Real, whole, whole64, with_words};
use crate::shapes::bodies::set::BodyRef;

/// Returns the first axis along which a body is as wide as the period, if there is one.
pub(crate) fn too_wide(body: BodyRef<'_>, period: &Period) -> Option<PeriodProblem> {
    let is_wide = |axis: &usize| {
        let length = period.along(*axis);
        length.is_some_and(|length| 2.0 * radius(body) >= length && is_as_wide(body, *axis, length))
    };
    let axis = (0..3).find(is_wide)?;
    Some(PeriodProblem::TooWide { axis: AXES[axis] })
}

/// Returns `true` if a body is as wide as `length` along an axis, or wider.
pub(crate) fn is_as_wide(body: BodyRef<'_>, axis: usize, length: f64) -> bool {
    let ([x, y, z], radius, turn) = match Core::from(body) {
        Core::Box(obb) => (obb.half_extents.to_array(), 0.0, obb.rotation.to_array()),
        Core::Round(round) => ([0.0, 0.0, round.half_length], round.radius, round.rotation),
    };
    let [x, y, z, radius] = [x, y, z, radius].mapped(f64::from);
    let lengths = [x, y, z, radius, length];
    let near = compare(lengths.mapped(Near::exact), turn.mapped(Near::exact), axis);
    let order = near.unwrap_or_else(|| {
        let (grain, grain_of_turn) = (Grain64::of(lengths), Grain::of(turn));
        // A sum of four lengths, twice, and two factors of the rotation, which sum up four
        // products.
        let bits = grain.bits() + 2 * grain_of_turn.bits() + 8;
        with_words!(bits, exact((grain, lengths), (grain_of_turn, turn), axis))
    });
    order.is_ge()
}

fn exact<const N: usize>(
    (grain, lengths): (Grain64, [f64; 5]),
    (grain_of_turn, turn): (Grain, [f32; 4]),
    axis: usize,
) -> Ordering {
    let turn = whole::<4, N>(grain_of_turn, turn);
    compare(whole64(grain, lengths), turn, axis).unwrap_or(Ordering::Equal)
}

/// Compares the width with the last length.
fn compare<T: Real>([x, y, z, radius, length]: [T; 5], turn: [T; 4], axis: usize) -> Option<Ordering> {
    let (rows, n) = matrix(turn);
    let mut half = radius * n;
    for (entry, extent) in rows[axis].into_iter().zip([x, y, z]) {
        half = half + (entry * extent).size()?;
    }
    (half + half).compare(length * n)
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use super::*;
    use crate::shapes::obb::record::Obb;
    use crate::shapes::round::capsule::Capsule;
    use crate::shapes::round::sphere::Sphere;

    #[test]
    fn widths_are_exact() {
        let third = f32::from_bits(0x3EAA_AAAB);
        let upright = Obb::axis_aligned(Vec3::ONE, Vec3::new(third, 1.0, 2.0));
        let ball = Sphere::new(Vec3::ONE, third);
        let rod = Capsule::new(Vec3::ONE, 1.0, Quat::IDENTITY, third);
        let width = 2.0 * f64::from(third);
        for (body, axis, exact) in [
            (BodyRef::from(&upright), 0, width),
            (BodyRef::from(&upright), 2, 4.0),
            (BodyRef::from(&ball), 1, width),
            (BodyRef::from(&rod), 0, width),
            (BodyRef::from(&rod), 2, 2.0 + width),
        ] {
            let is = |length| is_as_wide(body, axis, length);
            assert_eq!(
                [exact, exact.next_down(), exact.next_up()].map(is),
                [true, true, false],
                "{body:?}"
            );
        }
        // Turned by half a right angle, about: the stored numbers decide, not the meant ones.
        let quarter = Quat::from_rotation_z(std::f32::consts::FRAC_PI_4);
        let plate = Obb::new(Vec3::ZERO, Vec3::new(1.0, 1.0, 0.0), quarter);
        let [z, w] = [quarter.z, quarter.w].map(f64::from);
        let entries = [w * w - z * z, 2.0 * z * w].map(f64::abs);
        let width = 2.0 * (entries[0] + entries[1]) / (w * w + z * z);
        assert!(is_as_wide(BodyRef::from(&plate), 0, width - 1e-12));
        assert!(!is_as_wide(BodyRef::from(&plate), 0, width + 1e-12));
    }
}
