//! The exact answer for two boxes with centers in `f64`.
//!
//! The difference of two `f64` is the sum of two `f64`: its rounded value and the part lost to
//! rounding. If one of the boxes is moved by a multiple of a period, it is the sum of up to four.
//! If `f32` can hold the difference, the pair is one of boxes in `f32`, the first of which is at
//! the origin, and is decided like those. Otherwise intervals decide aligned boxes, `f64` decides
//! nearly all others, and integers decide the rest, as in [`exact`](super): a component of the
//! difference is the sum of as many integers.

use crate::base::arrays::Mapped;
use glam::{DVec3, Vec3};

use crate::geometry::rotation::matrix;
use crate::geometry::rounding::{exact_sum, exact_sum_of_four};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::exact::digits::Long;
use crate::narrow_phase::obb_obb::exact::scale::{Grain, Grain64};
use crate::narrow_phase::obb_obb::exact::wide::Wide;
use crate::narrow_phase::obb_obb::exact::wide_sat::{self, ScaledPair};
use crate::narrow_phase::obb_obb::exact::{Tally, aligned, classify_counted, same_rotation};
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::{self, Axes, Decision};
use crate::shapes::moving::body::Body;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;

/// The most parts of a vector between two centers: those of two coordinates, and of a multiple of a
/// period.
pub(crate) const PARTS: usize = 4;

/// The exact vector from the center of a box to that of another: its rounded value, and the parts
/// lost to rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apart {
    parts: [DVec3; PARTS],
}

impl Apart {
    #[inline]
    pub fn between(from: DVec3, to: DVec3) -> Self {
        let sums = [0, 1, 2].mapped(|k| exact_sum(to[k], -from[k]));
        let [rounded, rest] = [sums.mapped(|(sum, _)| sum), sums.mapped(|(_, rest)| rest)];
        Self {
            parts: [rounded.into(), rest.into(), DVec3::ZERO, DVec3::ZERO],
        }
    }

    /// Returns the vector of which each component is the sum of four numbers.
    pub fn summed(terms: [[f64; PARTS]; 3]) -> Self {
        let sums = terms.mapped(exact_sum_of_four);
        Self {
            parts: [0, 1, 2, 3].mapped(|part| DVec3::from_array(sums.mapped(|sum| sum[part]))),
        }
    }

    /// Returns the vector between the centers of two bodies before they move.
    pub fn of_bodies(from: &Body, to: &Body) -> Self {
        match (from.moved, to.moved) {
            (None, None) => Self::between(from.start(), to.start()),
            _ => Self::summed(from.terms_to(to)),
        }
    }

    /// Returns the opposite vector.
    pub fn reversed(&self) -> Self {
        Self {
            parts: self.parts.mapped(|part| -part),
        }
    }

    /// Returns the rounded value. Each component is off by at most 2^-53 (1 + 2^-51) of itself.
    #[inline]
    pub fn rounded(&self) -> DVec3 {
        self.parts[0]
    }

    /// Converts it to `f32`; rounds unless [`Apart::is_short`].
    #[inline]
    pub fn as_vec3(&self) -> Vec3 {
        self.rounded().as_vec3()
    }

    /// Returns `true` if `f32` can hold it.
    #[inline]
    pub fn is_short(&self) -> bool {
        self.parts().len() <= 1 && self.as_vec3().as_dvec3() == self.rounded()
    }

    /// Returns the rounded value and the parts lost to rounding, without those that are 0.
    pub fn parts(&self) -> &[DVec3] {
        let last = self.parts.iter().rposition(|part| *part != DVec3::ZERO);
        &self.parts[..last.map_or(0, |last| last + 1)]
    }

    /// Converts it to integers.
    pub fn apply<const N: usize>(&self, grain: Grain64) -> [Wide<N>; 3] {
        [0, 1, 2].mapped(|k| {
            let parts = self.parts().iter().map(|part| grain.apply(part[k]));
            parts.fold(Wide::shifted(0, 0), |sum, part| sum + part)
        })
    }
}

impl Obb64 {
    /// Returns the relation of this box and `other`; see [`Obb::contact`].
    pub fn contact(&self, other: &Self) -> Contact {
        let apart = Apart::between(self.center, other.center);
        let [a, b] = [self.centered_at(Vec3::ZERO), other.centered_at(apart.as_vec3())];
        classify(&a, &b, &apart, &mut Tally::default())
    }
}

/// Returns the relation of two boxes whose centers are `apart`, whatever those in the records.
pub(crate) fn classify_apart([a, b]: [&Obb; 2], apart: &Apart, tally: &mut Tally) -> Contact {
    let at = |obb: &Obb, center| Obb { center, ..*obb };
    classify(&at(a, Vec3::ZERO), &at(b, apart.as_vec3()), apart, tally)
}

/// Returns the relation of two boxes whose centers are `apart`. In `f32`, `a` is at the origin and
/// `b` where it is relative to `a`.
pub(crate) fn classify(a: &Obb, b: &Obb, apart: &Apart, tally: &mut Tally) -> Contact {
    if apart.is_short() {
        return classify_counted(a, b, tally);
    }
    if let Some(contact) = classify_aligned(a, b, apart) {
        tally.aligned += 1;
        return contact;
    }
    match obb_sat_f64_cpu::classify_apart(a, b, apart.rounded().to_array()) {
        Decision::Decided(contact) => {
            tally.f64 += 1;
            contact
        }
        Decision::Unclear(axes) => {
            tally.wide += 1;
            match same_rotation(a, b) {
                true => classify_parallel(a, b, apart, axes),
                false => classify_wide(a, b, apart, axes),
            }
        }
    }
}

/// Decides the pair if both boxes are world-aligned, and the vector has two parts at most.
fn classify_aligned(a: &Obb, b: &Obb, apart: &Apart) -> Option<Contact> {
    let [rounded, rest, ..] = apart.parts;
    let is_double = apart.parts().len() <= 2;
    is_double.then(|| aligned::classify_apart(a, b, |k| (rounded[k], rest[k])))?
}

/// Returns the grain of all lengths of the pair.
pub(crate) fn grain_of(a: &Obb, b: &Obb, apart: &Apart) -> Grain64 {
    let halves = [a, b].mapped(|obb| obb.half_extents.as_dvec3());
    let vectors = apart.parts().iter().chain(&halves);
    Grain64::of(vectors.flat_map(|vector| vector.to_array()))
}

/// Like `wide_sat::classify_long`. The numbers are no larger relative to the largest of them,
/// because the parts of a component together are at most the power of two that the first is below.
fn classify_wide(a: &Obb, b: &Obb, apart: &Apart, axes: Axes) -> Contact {
    let rotations = [a, b].mapped(Grain::of_rotation);
    let lengths = grain_of(a, b, apart);
    match -2 * (rotations[0].exponent + rotations[1].exponent) + lengths.bits() + 5 {
        ..=192 => largest::<3>(a, b, apart, rotations, lengths, axes),
        193..=256 => largest::<4>(a, b, apart, rotations, lengths, axes),
        257..=384 => largest::<6>(a, b, apart, rotations, lengths, axes),
        // The smallest f32 is 2^-149, the smallest f64 2^-1074, and lengths end at 2^61: at most
        // `2 (149 + 149) + 62 + 1074 + 5 = 1737` bits.
        _ => largest::<28>(a, b, apart, rotations, lengths, axes),
    }
}

/// Like `wide_sat::classify_parallel`.
fn classify_parallel(a: &Obb, b: &Obb, apart: &Apart, axes: Axes) -> Contact {
    let (rotation, lengths) = (Grain::of_rotation(a), grain_of(a, b, apart));
    match -2 * rotation.exponent + lengths.bits() + 5 {
        ..=192 => largest_parallel::<3>(a, b, apart, rotation, lengths, axes),
        193..=384 => largest_parallel::<6>(a, b, apart, rotation, lengths, axes),
        _ => largest_parallel::<28>(a, b, apart, rotation, lengths, axes),
    }
}

fn largest<const N: usize>(
    a: &Obb,
    b: &Obb,
    apart: &Apart,
    rotations: [Grain; 2],
    lengths: Grain64,
    axes: Axes,
) -> Contact {
    let turns = [
        rotations[0].apply(a.rotation.to_array()),
        rotations[1].apply(b.rotation.to_array()),
    ];
    let halves = [a, b].mapped(|obb| obb.half_extents.to_array().mapped(|h| lengths.apply(f64::from(h))));
    ScaledPair::<Long<N>>::of(turns, apart.apply(lengths), halves).largest(axes)
}

fn largest_parallel<const N: usize>(
    a: &Obb,
    b: &Obb,
    apart: &Apart,
    rotation: Grain,
    lengths: Grain64,
    axes: Axes,
) -> Contact {
    let (m, n) = matrix(rotation.apply::<4, N>(a.rotation.to_array()));
    let halves = [a, b].mapped(|obb| obb.half_extents.to_array().mapped(|h| lengths.apply(f64::from(h))));
    wide_sat::parallel::<Long<N>>(m, n, apart.apply(lengths), halves, axes)
}

/// Returns the answer of each arithmetic that can decide a pair, even if it is not used, for tests
/// that compare them.
#[cfg(feature = "unstable")]
pub fn classify_each_way64(a: &Obb64, b: &Obb64) -> Ways64 {
    let apart = Apart::between(a.center, b.center);
    let [a, b] = [a.centered_at(Vec3::ZERO), b.centered_at(apart.as_vec3())];
    Ways64 {
        short: apart
            .is_short()
            .then(|| classify_counted(&a, &b, &mut Tally::default())),
        aligned: classify_aligned(&a, &b, &apart),
        f64: obb_sat_f64_cpu::classify_apart(&a, &b, apart.rounded().to_array()),
        parallel: same_rotation(&a, &b).then(|| classify_parallel(&a, &b, &apart, Axes::ALL)),
        general: classify_wide(&a, &b, &apart, Axes::ALL),
    }
}

/// The answers of [`classify_each_way64`].
#[cfg(feature = "unstable")]
#[derive(Clone, Copy, Debug)]
pub struct Ways64 {
    /// As boxes in f32, if their difference is short.
    pub short: Option<Contact>,
    /// As intervals, if both boxes are world-aligned.
    pub aligned: Option<Contact>,
    /// In f64, if it decides.
    pub f64: Decision,
    /// In integers along the three common axes, if the rotations are equal.
    pub parallel: Option<Contact>,
    /// In integers along all axes.
    pub general: Contact,
}
