//! A model of fast-math compilers for tests of error bounds: expressions, random rewritings that
//! are equal in real numbers, and the worst-case values in `f32`, in which every operation is
//! rounded adversely.
//!
//! # Transformations that a compiler may apply
//!
//! Metal compiles with fast math, in the mode "relaxed" or "fast": wgpu 30 sets only the language
//! version and `preserveInvariance`, which concerns vertex positions, and naga writes no pragma.
//! FXC and DXC refactor everything that is not `precise`: wgpu passes no `/Gis`, and naga writes
//! `precise` for positions only. Vulkan allows the same unless an operation is marked
//! `NoContraction`, which naga does not write. One set of transformations is therefore assumed
//! everywhere, that of LLVM's flag `fast`:
//!
//! - sums and products are commuted and reassociated (`reassoc`), products distributed over sums,
//!   common factors taken out, equal terms collected, opposite ones cancelled, terms moved from one
//!   side of a comparison to the other;
//! - a product and a sum are fused, or not (`contract`);
//! - `x / y` is `x * (1 / y)` (`arcp`); roots and reciprocals are approximate (`afn`), within the
//!   accuracy that WGSL requires: 2.5 units in the last place for a quotient;
//! - infinities and NaNs are assumed not to occur, and -0 not to differ from 0 (`ninf`, `nnan`,
//!   `nsz`);
//! - operands and results below 2^-126 are flushed to zero, or not;
//! - `+ - *` return one of the two neighbours of the true result.
//!
//! No compiler adds terms that cancel: `(a - b)(a + b)` becomes `a² - b²`, but not the reverse.
//!
//! # Resulting error bound
//!
//! Let a polynomial expand to N monomials of degree at most D, each counted as often as it occurs,
//! and powers of two counted as repetitions. In any rewriting, a monomial passes through at most
//! N - 1 additions and D - 1 products: a sum of parts with M and N - M monomials adds one to at
//! most max(M, N - M) - 1 of its parts, and a product of parts with M and L expands to M L, where
//! (M - 1) + (L - 1) <= M L - 1. The value therefore errs by at most `(N + D - 2) u` times the sum
//! of the monomials' magnitudes, to first order, with u = 2^-23.
//!
//! This is small if the magnitudes are as small as the value's scale, and the bounds are derived
//! from it. It is not small if large numbers cancel by design: in `(c_B - c_A) R` far from the
//! origin, or in the square of a difference. A *fence* is placed there (`fenced` in
//! `shaders/shared/common.wgsl`): the bits of the number, exclusive-or a word that is zero, which
//! only the host knows. Everything before a fence is rounded to a number before anything after it
//! begins. Absolute values, minima, maxima and conversions separate in the same way: no polynomial
//! identity crosses them.

use crate::base::split_mix::SplitMix;

/// A formula.
#[derive(Clone, Debug)]
pub(crate) enum Formula {
    /// A number, and a name that identifies common factors.
    Number(u32, f32),
    Sum(Vec<Formula>),
    Product(Vec<Formula>),
    Abs(Box<Formula>),
}

use Formula::{Abs, Number, Product, Sum};

/// The name of constants.
const CONSTANT: u32 = u32::MAX;

/// Returns `true` with probability 1 / `times`.
fn once_in(random: &mut SplitMix, times: u64) -> bool {
    random.next().is_multiple_of(times)
}

/// Returns a random position below `length`.
fn position(random: &mut SplitMix, length: usize) -> usize {
    (random.next() % length as u64) as usize
}

impl Formula {
    pub fn constant(value: f32) -> Self {
        Number(CONSTANT, value)
    }

    pub fn times(self, other: Self) -> Self {
        Product(vec![self, other])
    }

    pub fn plus(self, other: Self) -> Self {
        Sum(vec![self, other])
    }

    pub fn minus(self, other: Self) -> Self {
        self.plus(other.negated())
    }

    pub fn negated(self) -> Self {
        Self::constant(-1.0).times(self)
    }

    pub fn twice(self) -> Self {
        Self::constant(2.0).times(self)
    }

    pub fn abs(self) -> Self {
        Abs(Box::new(self))
    }

    /// Returns the value in `f64`, which is exact compared with the errors of `f32`.
    pub fn exactly(&self) -> f64 {
        match self {
            Number(_, value) => f64::from(*value),
            Sum(terms) => terms.iter().map(Self::exactly).sum(),
            Product(factors) => factors.iter().map(Self::exactly).product(),
            Abs(inner) => inner.exactly().abs(),
        }
    }

    /// Rewrites the formula at random into one that is equal in real numbers.
    pub fn rewritten(self, random: &mut SplitMix) -> Self {
        match self {
            Number(..) => self,
            Abs(inner) => inner.rewritten(random).abs(),
            Sum(terms) => {
                let mut flat = Vec::new();
                for term in terms {
                    match term.rewritten(random) {
                        Sum(inner) if !once_in(random, 4) => flat.extend(inner),
                        term => flat.push(term),
                    }
                }
                if once_in(random, 2) {
                    factored(flat, random)
                } else {
                    Sum(flat)
                }
            }
            Product(factors) => {
                let mut flat = Vec::new();
                for factor in factors {
                    match factor.rewritten(random) {
                        Product(inner) => flat.extend(inner),
                        factor => flat.push(factor),
                    }
                }
                if once_in(random, 2) {
                    distributed(flat, random)
                } else {
                    Product(flat)
                }
            }
        }
    }

    /// Returns the value in `f32`, with nearly every rounding chosen to push the result upwards, or
    /// downwards.
    pub fn rounded(&self, upwards: bool, random: &mut SplitMix) -> f32 {
        match self {
            Number(_, value) => flushed(*value, random),
            Abs(inner) => inner.rounded(upwards == (inner.exactly() >= 0.0), random).abs(),
            Sum(terms) => {
                let values = terms.iter().map(|term| term.rounded(upwards, random)).collect();
                joined(values, |a, b| a + b, upwards, random)
            }
            Product(factors) => {
                let exact: Vec<f64> = factors.iter().map(Self::exactly).collect();
                let others = |k: usize| exact.iter().enumerate().filter(move |(i, _)| *i != k);
                let values = factors.iter().enumerate().map(|(k, factor)| {
                    let sign: f64 = others(k).map(|(_, x)| x.signum()).product();
                    factor.rounded(upwards == (sign > 0.0), random)
                });
                let values = values.collect();
                // The signs of later factors of a partial product are not taken into account.
                let positive = exact.iter().map(|x| x.signum()).product::<f64>() > 0.0;
                let magnitude = joined(values, |a, b| (a * b).abs(), upwards == positive, random).abs();
                if positive { magnitude } else { -magnitude }
            }
        }
    }
}

/// Multiplies out one of the sums of a product, or writes 2 x as x + x.
fn distributed(mut factors: Vec<Formula>, random: &mut SplitMix) -> Formula {
    if once_in(random, 8)
        && let Some(two) = factors
            .iter()
            .position(|factor| matches!(factor, Number(CONSTANT, 2.0)))
    {
        factors.swap_remove(two);
        return Sum(vec![Product(factors.clone()).rewritten(random), Product(factors)]);
    }
    let Some(place) = factors.iter().position(|factor| matches!(factor, Sum(_))) else {
        return Product(factors);
    };
    let Sum(terms) = factors.swap_remove(place) else {
        unreachable!("it is a sum")
    };
    let each = terms.into_iter().map(|term| {
        let mut own = factors.clone();
        own.push(term);
        Product(own).rewritten(random)
    });
    Sum(each.collect())
}

/// Factors out of a sum, from some of its terms, a factor that several have in common.
fn factored(terms: Vec<Formula>, random: &mut SplitMix) -> Formula {
    let name_of = |factor: &Formula| match factor {
        Number(name, _) if *name != CONSTANT => Some(*name),
        _ => None,
    };
    let names: Vec<u32> = terms
        .iter()
        .flat_map(|term| match term {
            Product(factors) => factors.iter().filter_map(name_of).collect(),
            _ => Vec::new(),
        })
        .collect();
    if names.is_empty() {
        return Sum(terms);
    }
    let chosen = names[position(random, names.len())];
    let (mut common, mut inside, mut outside) = (None, Vec::new(), Vec::new());
    for term in terms {
        match term {
            Product(mut factors) if !once_in(random, 8) => {
                match factors.iter().position(|factor| name_of(factor) == Some(chosen)) {
                    Some(place) => {
                        common = Some(factors.swap_remove(place));
                        // The remaining product may be empty.
                        factors.push(Formula::constant(1.0));
                        inside.push(Product(factors));
                    }
                    None => outside.push(Product(factors)),
                }
            }
            term => outside.push(term),
        }
    }
    if let Some(common) = common {
        outside.push(common.times(Sum(inside)));
    }
    Sum(outside)
}

/// Joins numbers two at a time, in random order: one after the other, or in a random tree.
fn joined(mut values: Vec<f32>, join: fn(f64, f64) -> f64, upwards: bool, random: &mut SplitMix) -> f32 {
    let one_by_one = once_in(random, 2);
    let fused = once_in(random, 2);
    while values.len() > 1 {
        let a = values.swap_remove(position(random, values.len()));
        let place = if one_by_one { 0 } else { position(random, values.len()) };
        let exact = join(f64::from(a), f64::from(values[place]));
        // Fusing skips a rounding; rounding to nearest is the closest approximation in `f32`.
        let upwards = if fused && once_in(random, 4) {
            None
        } else {
            Some(upwards)
        };
        values[place] = flushed(neighbour(exact, upwards), random);
    }
    values.pop().unwrap_or(0.0)
}

/// Returns one of the two `f32` next to a number, or the nearest.
fn neighbour(exact: f64, upwards: Option<bool>) -> f32 {
    let nearest = exact as f32;
    match (upwards, f64::from(nearest)) {
        (Some(true), value) if value < exact => nearest.next_up(),
        (Some(false), value) if value > exact => nearest.next_down(),
        _ => nearest,
    }
}

fn flushed(x: f32, random: &mut SplitMix) -> f32 {
    if x.is_subnormal() && once_in(random, 2) { 0.0 } else { x }
}

#[test]
fn rewriting_changes_only_rounding() {
    let mut random = SplitMix(5);
    for _ in 0..2000 {
        let number = |name: u32| Number(name, 1.0 + name as f32 / 3.0);
        let square = number(0).minus(number(1)).times(number(2).plus(number(0)).twice());
        let formula = square.plus(number(3).minus(number(4)).times(number(0)).abs());
        let exact = formula.exactly();
        let mut other = formula;
        for _ in 0..3 {
            other = other.rewritten(&mut random);
        }
        assert!((other.exactly() - exact).abs() < 1e-14 * 10.0, "{other:?}");
        let (low, high) = (other.rounded(false, &mut random), other.rounded(true, &mut random));
        assert!(
            (f64::from(low) - exact).abs() < 2e-5 && (f64::from(high) - exact).abs() < 2e-5,
            "{other:?}"
        );
    }
}
