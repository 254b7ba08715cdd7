//! Twin of `shaders/narrow_phase/obb_obb/obb_sat_f64.wgsl`: the separating-axis test in f64, with
//! three answers. [`separating_axes`](super::separating_axes) gives the formulas and their bounds.
//! Unlike the shader, it returns the axes that it could not judge.
//!
//! The test consists of products and sums of numbers that start as f32: nothing overflows, divides
//! or takes a root, and any underflow is below the bound. About one pair in 10^12 is undecided,
//! apart from true contacts, all of which are.

use crate::geometry::rotation::{matrix, others, relative};
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::obb_obb::separating_axes::{ERROR_FACTOR, KAPPA};
use crate::shapes::obb::record::Obb;

/// The result of the test for a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The proved answer. Never [`Contact::Touching`]: rounding hides exact contact.
    Decided(Contact),
    /// These axes have an f of unknown sign. All others certainly have f < 0, or no length.
    Unclear(Axes),
}

/// A set of the fifteen axes: bit i is face i of A, bit 3 + j face j of B, bit 6 + 3 i + j edges i
/// of A and j of B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Axes(pub u16);

impl Axes {
    /// All fifteen axes.
    pub const ALL: Self = Self(0x7FFF);

    /// Returns the indices of the axes in the set, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        (0..15).filter(move |axis| self.0 >> axis & 1 != 0)
    }

    fn insert(&mut self, axis: usize) {
        self.0 |= 1 << axis;
    }
}

/// The two constants of the test. Tests also try wrong ones.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// See `ERROR_FACTOR`.
    pub error_factor: f64,
    /// See `KAPPA`.
    pub kappa: f64,
}

impl Bounds {
    /// The constants proved to be right.
    pub const PROVED: Self = Self {
        error_factor: ERROR_FACTOR,
        kappa: KAPPA,
    };
}

/// Decides the pair if rounding errors cannot change the answer. Both boxes must be valid
/// ([`Obb::problem`]).
pub fn classify(a: &Obb, b: &Obb) -> Decision {
    classify_within(a, b, Bounds::PROVED)
}

/// [`classify`] with other constants; its answers are proved only if both are at least those of
/// [`Bounds::PROVED`].
#[inline]
pub fn classify_within(a: &Obb, b: &Obb, bounds: Bounds) -> Decision {
    decide(&Terms::new(a, b), bounds, 0.0)
}

/// [`classify`] for boxes whose centers differ by `d`, wherever they are. Each component of `d` may
/// be off by 2^-53 (1 + 2^-51) of itself. Products of the smallest components lose at most 2^-1074
/// each, which the smallest normal number covers: the theorems `apart_f64_separated` and
/// `apart_f64_overlapping` of `proofs`.
pub(crate) fn classify_apart(a: &Obb, b: &Obb, d: [f64; 3]) -> Decision {
    decide(&Terms::apart(a, b, d), Bounds::PROVED, f64::MIN_POSITIVE)
}

#[inline]
fn decide(terms: &Terms, bounds: Bounds, underflow: f64) -> Decision {
    let size = terms.size();
    let error = bounds.error_factor * f64::EPSILON * size + underflow;
    let mut unclear = Axes::default();
    let mut face_max = f64::NEG_INFINITY;
    for axis in 0..6 {
        let f = if axis < 3 {
            terms.face_a(axis)
        } else {
            terms.face_b(axis - 3)
        };
        if f > error {
            return Decision::Decided(Contact::Separated);
        }
        face_max = face_max.max(f);
        if f >= -error || f.is_nan() {
            unclear.insert(axis);
        }
    }
    for i in 0..3 {
        for j in 0..3 {
            let f = terms.edges(i, j);
            if f > error {
                return Decision::Decided(Contact::Separated);
            }
            let sine = terms.sine(i, j);
            let too_parallel = sine < 0.5 && face_max < -(bounds.kappa * sine * size + 2.0 * error);
            if !(f < -error || too_parallel) {
                unclear.insert(6 + 3 * i + j);
            }
        }
    }
    if unclear == Axes::default() {
        Decision::Decided(Contact::Overlapping)
    } else {
        Decision::Unclear(unclear)
    }
}

/// The terms that the fifteen axes share, with the names of
/// [`separating_axes`](super::separating_axes).
pub(super) struct Terms {
    pub t: [f64; 3],
    pub g_a: [f64; 3],
    pub g_b: [f64; 3],
    c: [[f64; 3]; 3],
    s: f64,
}

impl Terms {
    pub fn new(a: &Obb, b: &Obb) -> Self {
        let (center_a, center_b) = (a.center.to_array(), b.center.to_array());
        let d = std::array::from_fn(|k| f64::from(center_b[k]) - f64::from(center_a[k]));
        Self::apart(a, b, d)
    }

    /// Returns the terms of boxes whose centers differ by `d`, wherever they are.
    #[inline]
    fn apart(a: &Obb, b: &Obb, d: [f64; 3]) -> Self {
        let (q_a, q_b) = (
            a.rotation.to_array().map(f64::from),
            b.rotation.to_array().map(f64::from),
        );
        let (m_a, n) = matrix(q_a);
        let (c, s) = matrix(relative(q_a, q_b));
        Self {
            t: std::array::from_fn(|i| m_a[0][i] * d[0] + m_a[1][i] * d[1] + m_a[2][i] * d[2]),
            g_a: a.half_extents.to_array().map(|h| n * f64::from(h)),
            g_b: b.half_extents.to_array().map(|h| n * f64::from(h)),
            c,
            s,
        }
    }

    pub fn size(&self) -> f64 {
        let sum = |v: &[f64; 3]| v[0].abs() + v[1].abs() + v[2].abs();
        sum(&self.t) + sum(&self.g_a) + sum(&self.g_b)
    }

    pub fn face_a(&self, i: usize) -> f64 {
        let row = self.c[i];
        self.s * (self.t[i].abs() - self.g_a[i])
            - (row[0].abs() * self.g_b[0] + row[1].abs() * self.g_b[1] + row[2].abs() * self.g_b[2])
    }

    pub fn face_b(&self, j: usize) -> f64 {
        let column = [self.c[0][j], self.c[1][j], self.c[2][j]];
        let distance = self.t[0] * column[0] + self.t[1] * column[1] + self.t[2] * column[2];
        distance.abs()
            - self.s * self.g_b[j]
            - (column[0].abs() * self.g_a[0] + column[1].abs() * self.g_a[1] + column[2].abs() * self.g_a[2])
    }

    pub fn edges(&self, i: usize, j: usize) -> f64 {
        let ([i1, i2], [j1, j2]) = (others(i), others(j));
        let c = &self.c;
        let distance = self.t[i2] * c[i1][j] - self.t[i1] * c[i2][j];
        distance.abs()
            - (self.g_a[i1] * c[i2][j].abs()
                + self.g_a[i2] * c[i1][j].abs()
                + self.g_b[j1] * c[i][j2].abs()
                + self.g_b[j2] * c[i][j1].abs())
    }

    /// Returns at least s times the sine of the angle between the edges, up to rounding.
    pub fn sine(&self, i: usize, j: usize) -> f64 {
        let [i1, i2] = others(i);
        self.c[i1][j].abs() + self.c[i2][j].abs()
    }
}
