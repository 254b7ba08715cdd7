//! Tests of the formulas of [`filter`](super::filter), rewritten as a compiler with fast math may
//! do it ([`rewriting`](crate::base::rewriting)), against their error bounds.

use glam::DVec3;

use crate::base::rewriting::Formula;
use crate::base::split_mix::SplitMix;
use crate::narrow_phase::obb_obb::rewritten::{Named, value_of};
use crate::narrow_phase::triangle_triangle::filter::{AREA_ERROR, CONE_ERROR, FLUSH, VOLUME_ERROR};

use Formula::Sum;

const U: f32 = 1.0 / (1u32 << 23) as f32;

/// A vector as the shader computes it, its size there, and its true value.
struct Difference {
    components: [Formula; 3],
    size: f32,
    truth: DVec3,
}

/// Returns four scaled points: an origin, and three others whose differences from it are vectors.
fn points(random: &mut SplitMix) -> [[f32; 3]; 4] {
    let far = if random.next().is_multiple_of(2) { 0.0 } else { 1e4 };
    let size = (random.unit() * -12.0).exp2();
    std::array::from_fn(|k| {
        let size = if k < 3 { size } else { 1.0 };
        std::array::from_fn(|_| (far + size * (2.0 * random.unit() - 1.0)) as f32)
    })
}

fn difference(named: &mut Named<'_>, [p, q]: [[f32; 3]; 2], fenced: bool) -> Difference {
    let points = [p, q].map(|point| named.numbers(point));
    let components = std::array::from_fn(|k| points[0][k].clone().minus(points[1][k].clone()));
    let components: [Formula; 3] = if fenced { named.fenced(components) } else { components };
    let largest = components.iter().map(|component| component.exactly().abs());
    let [p, q] = [p, q].map(|point| DVec3::from_array(point.map(f64::from)));
    Difference {
        size: largest.fold(0.0, f64::max) as f32,
        components,
        truth: p - q,
    }
}

fn by(a: &Formula, b: &Formula) -> Formula {
    a.clone().times(b.clone())
}

/// Returns the fraction of E that an answer needs if it compares a formula with E, given its true
/// value.
fn needed(named: &mut Named<'_>, formula: &Formula, error: &Formula, truth: f64) -> f64 {
    let e = error.exactly();
    let above = f64::from(value_of(formula.clone().minus(error.clone()), true, named.0));
    let below = f64::from(value_of(formula.clone().plus(error.clone()), false, named.0));
    ((above - (truth - e)) / e).max((truth + e - below) / e)
}

/// Tries a volume: a height, or one that orders the ends of intervals.
fn volume(named: &mut Named<'_>, factor: f32, fenced: bool) -> f64 {
    let [origin, others @ ..] = points(named.0);
    let [e, f, d] = others.map(|point| difference(named, [point, origin], fenced));
    let ([e_0, e_1, e_2], [f_0, f_1, f_2], [d_0, d_1, d_2]) = (&e.components, &f.components, &d.components);
    let cross = [
        by(e_1, f_2).minus(by(e_2, f_1)),
        by(e_2, f_0).minus(by(e_0, f_2)),
        by(e_0, f_1).minus(by(e_1, f_0)),
    ];
    let dot = Sum(cross.iter().zip([d_0, d_1, d_2]).map(|(c, d)| by(c, d)).collect());
    let sizes = named.numbers([e.size, f.size, d.size]);
    let product = sizes
        .into_iter()
        .fold(Formula::constant(factor * VOLUME_ERROR * U), Formula::times);
    let error = product.plus(Formula::constant(FLUSH));
    needed(named, &dot, &error, e.truth.cross(f.truth).dot(d.truth))
}

/// Tries an area in plan, compared with that of the triangle itself.
fn area(named: &mut Named<'_>, factor: f32, fenced: bool) -> f64 {
    let [origin, others @ ..] = points(named.0);
    let [e, own, w] = others.map(|point| difference(named, [point, origin], fenced));
    let of = |e: &Difference, w: &Difference| {
        by(&e.components[0], &w.components[1]).minus(by(&e.components[1], &w.components[0]))
    };
    let truly = |e: &Difference, w: &Difference| e.truth.x * w.truth.y - e.truth.y * w.truth.x;
    let own_area = value_of(of(&e, &own), named.0.next().is_multiple_of(2), named.0);
    let [own_area, size] = named.numbers([own_area, e.size]);
    let error = Formula::constant(factor * AREA_ERROR * U).times(size);
    let error = error.plus(Formula::constant(FLUSH));
    needed(
        named,
        &of(&e, &w).minus(own_area),
        &error,
        truly(&e, &w) - truly(&e, &own),
    )
}

/// Tries the turn of one vector from a common corner to another.
fn turn(named: &mut Named<'_>, factor: f32, fenced: bool) -> f64 {
    let [origin, first, second, _] = points(named.0);
    let [x, y] = [first, second].map(|point| difference(named, [point, origin], fenced));
    let sizes = named.numbers([x.size, y.size]);
    let product = sizes
        .into_iter()
        .fold(Formula::constant(factor * CONE_ERROR * U), Formula::times);
    let error = product.plus(Formula::constant(FLUSH));
    let formula = by(&x.components[0], &y.components[1]).minus(by(&x.components[1], &y.components[0]));
    needed(named, &formula, &error, x.truth.x * y.truth.y - x.truth.y * y.truth.x)
}

/// Returns the worst of volumes, areas and turns, with their constants times a factor.
fn worst(count: usize, factor: f32, fenced: bool) -> [f64; 3] {
    let mut random = SplitMix(41);
    let mut worst = [0f64; 3];
    for _ in 0..count {
        let of_volume = volume(&mut Named(&mut random, 0), factor, fenced);
        let of_area = area(&mut Named(&mut random, 0), factor, fenced);
        let of_turn = turn(&mut Named(&mut random, 0), factor, fenced);
        worst = [worst[0].max(of_volume), worst[1].max(of_area), worst[2].max(of_turn)];
    }
    worst
}

#[test]
fn rewritten_formulas_stay_within_their_bounds() {
    let worst = worst(50_000, 1.0, true);
    println!("at most {worst:.3?} of the bounds");
    assert!(worst.iter().all(|&worst| worst <= 1.0), "{worst:?}");
    // Otherwise the trials test nothing.
    assert!(worst.iter().all(|&worst| worst > 0.02), "{worst:?}");
}

#[test]
fn a_missing_fence_or_lower_bounds_give_wrong_answers() {
    let unfenced = worst(2_000, 1.0, false);
    let too_low = worst(50_000, 0.02, true);
    println!("without a fence {unfenced:.3?}, with a fiftieth {too_low:.3?} of the bounds");
    assert!(unfenced.iter().all(|&worst| worst > 1.0), "{unfenced:?}");
    assert!(too_low.iter().all(|&worst| worst > 1.0), "{too_low:?}");
}
