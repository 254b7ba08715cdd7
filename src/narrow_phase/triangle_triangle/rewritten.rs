//! The error bounds of [`filter`](super::filter) against whatever a compiler with fast math may make of its formulas.

use crate::base::rewriting::Formula;
use crate::base::split_mix::SplitMix;
use crate::narrow_phase::triangle_triangle::filter::{AREA_ERROR, VOLUME_ERROR};

/// u of shaders: WGSL allows either neighbour of a result.
const UNIT: f64 = 1.0 / (1u64 << 23) as f64;

/// Three vectors of the sizes given, and formulas of their components.
fn vectors(random: &mut SplitMix, sizes: [f32; 3]) -> ([f64; 3], [[Formula; 3]; 3]) {
    let mut measured = [0.0f64; 3];
    let formulas = [0, 1, 2].map(|k| {
        [0, 1, 2].map(|axis| {
            let value = (random.unit() * 2.0 - 1.0) as f32 * sizes[k];
            measured[k] = f64::from(value.abs()).max(measured[k]);
            Formula::Number((3 * k + axis) as u32, value)
        })
    });
    (measured, formulas)
}

/// The largest error of a formula, rewritten at random and rounded so as to do the most harm, as a part of its bound.
fn largest(random: &mut SplitMix, formula: &Formula, bound: f64) -> f64 {
    let exact = formula.exactly();
    let mut other = formula.clone();
    for _ in 0..3 {
        other = other.rewritten(random);
    }
    let error = |upwards: bool, random: &mut SplitMix| (f64::from(other.rounded(upwards, random)) - exact).abs();
    error(true, random).max(error(false, random)) / bound
}

fn minor(u: &[Formula; 3], v: &[Formula; 3], j: usize, k: usize) -> Formula {
    let product = |j: usize, k: usize| u[j].clone().times(v[k].clone());
    product(j, k).minus(product(k, j))
}

#[test]
fn volumes_err_by_less_than_their_bound_however_they_are_written() {
    let mut random = SplitMix(1);
    let mut worst = 0.0f64;
    for _ in 0..20_000 {
        let sizes = [0; 3].map(|_| [1.0, 1.0, 1e-3][(random.next() % 3) as usize]);
        let ([x, y, z], [w, e, f]) = vectors(&mut random, sizes);
        let term = |k: usize| w[k].clone().times(minor(&e, &f, (k + 1) % 3, (k + 2) % 3));
        let volume = term(0).plus(term(1)).plus(term(2));
        let bound = f64::from(VOLUME_ERROR) * UNIT * (x * y * z);
        worst = worst.max(largest(&mut random, &volume, bound));
    }
    // The differences themselves take 3 of the 16.
    assert!((0.05..13.0 / 16.0).contains(&worst), "{worst}");
}

#[test]
fn areas_err_by_less_than_their_bound_however_they_are_written() {
    let mut random = SplitMix(2);
    let mut worst = 0.0f64;
    for _ in 0..20_000 {
        let ([x, y, _], [e, w, _]) = vectors(&mut random, [1.0, 4.0, 1.0]);
        // Of two that are compared each has half of it.
        let bound = f64::from(AREA_ERROR) / 2.0 * UNIT * x * (y / 4.0);
        worst = worst.max(largest(&mut random, &minor(&e, &w, 0, 1), bound));
    }
    assert!((0.05..6.0 / 8.0).contains(&worst), "{worst}");
}
