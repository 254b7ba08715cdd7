//! The numbers of a step in which bodies move straight: lengths, and the displacement of one body
//! as seen from the other.

use crate::base::arrays::Mapped;
use crate::narrow_phase::obb_obb::exact::scale::{Grain, Grain64};
use crate::narrow_phase::obb_obb::exact::wide::Wide;
use crate::narrow_phase::round::real::{Lengths, Near, Vector, minus, whole};

/// The number of bits of an `f64`'s digits.
const DIGITS: u32 = f64::MANTISSA_DIGITS;

/// The number of lower bits among them: integers are made of `i32`s.
const LOW: u32 = 27;

/// Returns the displacement of the second as seen from the first.
pub(super) fn near_way([from, to]: [[f32; 3]; 2], time: f64) -> Vector<Near> {
    [0, 1, 2].mapped(|k| (Near::exact(to[k]) - Near::exact(from[k])) * Near::exact(time))
}

/// A step in integers: lengths and displacements are multiples of one power of two.
pub(super) struct WholeStep<'a, const M: usize> {
    lengths: (Lengths<'a, M>, Grain64),
    speeds: ([[f32; 3]; 2], Grain),
    /// The digits of the step's length.
    digits: u64,
    /// The exponents of the powers of two by which lengths and displacements are rescaled.
    shifts: [u32; 2],
}

impl<'a, const M: usize> WholeStep<'a, M> {
    pub fn new(lengths: Lengths<'a, M>, speeds: [[f32; 3]; 2], time: f64) -> Self {
        let [[x0, y0, z0], [x1, y1, z1]] = speeds;
        let (grain, grain_of_speeds) = (lengths.grain(), Grain::of([x0, y0, z0, x1, y1, z1]));
        let (digits, exponent) = split(time);
        let exponents = match digits == 0 || grain_of_speeds.bits() == 0 {
            // There is no displacement.
            true => [grain.exponent; 2],
            false => [grain.exponent, grain_of_speeds.exponent + exponent],
        };
        let least = exponents[0].min(exponents[1]);
        Self {
            lengths: (lengths, grain),
            speeds: (speeds, grain_of_speeds),
            digits,
            shifts: exponents.mapped(|exponent| (exponent - least) as u32),
        }
    }

    /// Returns the number of bits of a length, or of a displacement if that takes more.
    pub fn bits(&self) -> i32 {
        let length = self.lengths.1.bits() + self.shifts[0] as i32;
        let way = self.speeds.1.bits() + DIGITS as i32 + self.shifts[1] as i32;
        length.max(way)
    }

    /// Returns the vector between the centers and the other lengths, and the displacement.
    pub fn numbers<const N: usize>(&self) -> ((Vector<Wide<N>>, [Wide<N>; M]), Vector<Wide<N>>) {
        let shifted = |number: Wide<N>, shift: u32| number * Wide::shifted(1, shift);
        let (apart, others) = self.lengths.0.whole::<N>(self.lengths.1);
        let lengths = (
            apart.mapped(|length| shifted(length, self.shifts[0])),
            others.mapped(|length| shifted(length, self.shifts[0])),
        );
        let low = (self.digits & ((1 << LOW) - 1)) as i32;
        let digits = Wide::shifted((self.digits >> LOW) as i32, LOW) + Wide::shifted(low, 0);
        let [from, to] = self.speeds.0.mapped(|speed| whole::<3, N>(self.speeds.1, speed));
        let way = minus(to, from).mapped(|speed| shifted(speed * digits, self.shifts[1]));
        (lengths, way)
    }
}

/// Splits a number that is not negative into digits and the exponent of the power of two to
/// multiply them by.
fn split(number: f64) -> (u64, i32) {
    let bits = number.to_bits();
    let (exponent, fraction) = ((bits >> (DIGITS - 1)) as i32, bits & ((1 << (DIGITS - 1)) - 1));
    let digits = fraction | u64::from(exponent != 0) << (DIGITS - 1);
    if digits == 0 {
        return (0, 0);
    }
    let zeros = digits.trailing_zeros();
    (digits >> zeros, exponent.max(1) - 1075 + zeros as i32)
}
