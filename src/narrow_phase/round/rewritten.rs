//! Tests of the formulas of [`filter`](super::filter), rewritten as a compiler with fast math may
//! do it ([`rewriting`](crate::base::rewriting)), against their error bounds.

use glam::{DMat3, DQuat, DVec3};

use crate::base::rewriting::Formula;
use crate::base::split_mix::SplitMix;
use crate::narrow_phase::obb_obb::rewritten::{Named, matrix, relative, value_of};
use crate::narrow_phase::round::filter::{BOX_ERROR, FLUSH_LENGTH, FLUSH_SQUARE, SEGMENTS_ERROR, SPHERES_ERROR};

use Formula::Sum;

const U: f32 = 1.0 / (1u32 << 23) as f32;

/// A round body or a box, as numbers.
pub(crate) struct Body {
    pub center: [f32; 3],
    pub rotation: [f32; 4],
    pub half: [f32; 3],
    pub radius: f32,
}

impl Body {
    /// Returns a body of any proportions, anywhere.
    pub fn random(random: &mut SplitMix) -> Self {
        let mut unit = || random.unit() * 2.0 - 1.0;
        let rotation = DQuat::from_xyzw(unit(), unit(), unit(), unit()).normalize();
        let mut length = || (unit().abs() * (unit() * 6.0).exp2()) as f32;
        let (half, radius) = ([0; 3].map(|_| length()), length());
        let far = if unit() > 0.5 { 1e4 } else { 4.0 };
        Self {
            center: [0; 3].map(|_| (far + 8.0 * unit()) as f32),
            rotation: rotation.as_quat().to_array(),
            half,
            radius,
        }
    }

    /// Returns the rotation, exact up to `f64`.
    pub fn axes(&self) -> DMat3 {
        let q = self.rotation.map(f64::from);
        DMat3::from_quat(DQuat::from_array(q).normalize())
    }
}

pub(crate) fn vector(v: [f32; 3]) -> DVec3 {
    DVec3::from_array(v.map(f64::from))
}

fn values(formulas: &[Formula; 3]) -> DVec3 {
    DVec3::from_array(formulas.each_ref().map(Formula::exactly))
}

pub(crate) fn dot(u: &[Formula; 3], v: &[Formula; 3]) -> Formula {
    Sum((0..3).map(|k| u[k].clone().times(v[k].clone())).collect())
}

/// Returns a number with an error of at most this many u.
fn off_by(number: f64, units: f64, random: &mut SplitMix) -> f32 {
    (number * (1.0 + units * f64::from(U) * (2.0 * random.unit() - 1.0))) as f32
}

/// Computes `M(q) z / |q|²`.
pub(crate) fn direction(named: &mut Named<'_>, q: [Formula; 4]) -> [Formula; 3] {
    let (rows, square) = matrix(q);
    let square = value_of(square, named.0.next().is_multiple_of(2), named.0);
    let inverse = off_by(1.0 / f64::from(square), 2.5, named.0);
    let [inverse] = named.numbers([inverse]);
    let z = rows.map(|row| row[2].clone().times(inverse.clone()));
    named.fenced(z)
}

/// Computes the root of a sum of squares.
fn length(named: &mut Named<'_>, w: &[Formula; 3]) -> Formula {
    let square = value_of(dot(w, w), named.0.next().is_multiple_of(2), named.0);
    let root = off_by(f64::from(square).sqrt(), 6.0, named.0);
    let [root] = named.numbers([root]);
    root
}

/// The witnesses of two cores, in the numbers of a shader and with their true values.
pub(crate) struct Witnesses {
    length: Formula,
    gap: Formula,
    size: Vec<Formula>,
    /// The number that is added to E.
    pub slack: f32,
    /// The true distance of the points, and that of the projections times |w|.
    distance: f64,
    projections: f64,
    pub w: DVec3,
}

impl Witnesses {
    /// Returns E with this K, behind its fence.
    pub fn error(&self, named: &mut Named<'_>, reach: &Formula, factor: f32) -> Formula {
        let all = Sum([self.size.clone(), vec![reach.clone()]].concat());
        let error = Formula::constant(factor * U).times(all);
        let flushed = Formula::constant(FLUSH_LENGTH).plus(Formula::constant(self.slack));
        let [error] = named.fenced([error.plus(flushed)]);
        error
    }

    /// Returns the fraction of E that the worst of the two answers needs, with this K.
    pub fn worst(self, named: &mut Named<'_>, radii: [f32; 3], factor: f32) -> f64 {
        let exactly: f64 = radii.into_iter().map(f64::from).sum();
        let radii = named.numbers(radii);
        let [reach] = named.fenced([Sum(radii.to_vec())]);
        let error = self.error(named, &reach, factor);
        let e = error.exactly();
        let overlap = Sum(vec![self.length.clone(), error.clone(), reach.clone().negated()]);
        let overlap = f64::from(value_of(overlap, false, named.0));
        let longer = self.length.plus(Formula::constant(FLUSH_LENGTH));
        let apart = self.gap.minus(reach.plus(error).times(longer));
        let apart = f64::from(value_of(apart, true, named.0));
        let length = self.w.length();
        let off = (self.distance - exactly + e) - overlap;
        let off_apart = apart - (self.projections - exactly * length - e * length);
        (off / e).max(off_apart / (e * length))
    }
}

/// Returns the witnesses of two segments, at any points of them.
fn segments(a: &Body, b: &Body, named: &mut Named<'_>) -> Witnesses {
    let places = [a, b].map(|body| ((2.0 * named.0.unit() - 1.0) as f32) * body.half[0]);
    let centers = [a, b].map(|body| named.numbers(body.center));
    let d: [Formula; 3] = std::array::from_fn(|k| centers[1][k].clone().minus(centers[0][k].clone()));
    let d = named.fenced(d);
    let z = [a, b].map(|body| {
        let q = named.numbers(body.rotation);
        direction(named, q)
    });
    let [s, t] = named.numbers(places);
    let w: [Formula; 3] = std::array::from_fn(|k| {
        let along_b = t.clone().times(z[1][k].clone());
        Sum(vec![d[k].clone(), along_b, s.clone().times(z[0][k].clone()).negated()])
    });
    let w = named.fenced(w);
    let half = named.numbers([a.half[0], b.half[0]]);
    let radii = (0..2).map(|k| half[k].clone().times(dot(&w, &z[k]).abs()).negated());
    let gap = Sum(std::iter::once(dot(&w, &d)).chain(radii).collect());

    let direction = values(&w);
    let apart = vector(b.center) - vector(a.center);
    let axes = [a, b].map(|body| body.axes().z_axis);
    let truly = apart + axes[1] * f64::from(places[1]) - axes[0] * f64::from(places[0]);
    let radius = |k: usize, body: &Body| f64::from(body.half[0]) * direction.dot(axes[k]).abs();
    Witnesses {
        length: length(named, &w),
        gap,
        size: [d.map(Formula::abs).to_vec(), half.to_vec()].concat(),
        slack: 0.0,
        distance: truly.length(),
        projections: direction.dot(apart) - radius(0, a) - radius(1, b),
        w: direction,
    }
}

/// Returns the witnesses of a box and a segment, at any point of it.
fn box_and_segment(obb: &Body, round: &Body, named: &mut Named<'_>) -> Witnesses {
    let centers = [obb, round].map(|body| named.numbers(body.center));
    let d: [Formula; 3] = std::array::from_fn(|k| centers[1][k].clone().minus(centers[0][k].clone()));
    let d: [Formula; 3] = named.fenced(d);
    let [q_a, q_b] = [obb, round].map(|body| named.numbers(body.rotation));
    let (rows, square) = matrix(q_a.clone());
    let square = value_of(square, named.0.next().is_multiple_of(2), named.0);
    let inverse = off_by(1.0 / f64::from(square), 2.5, named.0);
    let [inverse] = named.numbers([inverse]);
    let middle: [Formula; 3] = std::array::from_fn(|i| {
        let column = Sum((0..3).map(|k| rows[k][i].clone().times(d[k].clone())).collect());
        column.times(inverse.clone())
    });
    let p = named.fenced(middle);
    let r = named.fenced(relative(&q_a, &q_b));
    let z = direction(named, r);
    let axes = obb.axes();
    let center = axes.transpose() * (vector(round.center) - vector(obb.center));
    let axis = axes.transpose() * round.axes().z_axis;
    seen_from_box(
        named,
        (p, z),
        (obb.half, round.half[0]),
        [center, axis, vector(obb.half)],
    )
}

/// Returns the witnesses in the frame of the box, given the middle and direction of the segment,
/// the half extents and the half length as a shader has them, and the true middle, direction and
/// half extents.
pub(crate) fn seen_from_box(
    named: &mut Named<'_>,
    (p, z): ([Formula; 3], [Formula; 3]),
    (half, half_length): ([f32; 3], f32),
    [center, axis, half_extents]: [DVec3; 3],
) -> Witnesses {
    let place = ((2.0 * named.0.unit() - 1.0) as f32) * half_length;
    let [t] = named.numbers([place]);
    let x: [Formula; 3] = std::array::from_fn(|k| p[k].clone().plus(t.clone().times(z[k].clone())));
    let x = named.fenced(x);
    let w: [Formula; 3] = std::array::from_fn(|k| {
        let point = x[k].exactly() as f32;
        let nearest = named.numbers([point.clamp(-half[k], half[k])]);
        x[k].clone().minus(nearest[0].clone())
    });
    let w = named.fenced(w);
    let halves = named.numbers(half);
    let [length_of_core] = named.numbers([half_length]);
    let radii = (0..3).map(|k| halves[k].clone().times(w[k].clone().abs()).negated());
    let along = length_of_core.clone().times(dot(&w, &z).abs()).negated();
    let gap = Sum(std::iter::once(dot(&w, &p)).chain(radii).chain([along]).collect());

    let direction = values(&w);
    let point = center + axis * f64::from(place);
    let own = direction.abs().dot(half_extents) + f64::from(half_length) * direction.dot(axis).abs();
    let size = [p.map(Formula::abs).to_vec(), halves.to_vec(), vec![length_of_core]].concat();
    Witnesses {
        length: length(named, &w),
        gap,
        size,
        slack: 0.0,
        distance: (point - point.clamp(-half_extents, half_extents)).length(),
        projections: direction.dot(center) - own,
        w: direction,
    }
}

/// Returns the fraction of E that the worst of two spheres' answers needs, with this K.
fn balls(a: &Body, b: &Body, named: &mut Named<'_>, factor: f32, fenced: bool) -> f64 {
    let centers = [a, b].map(|body| named.numbers(body.center));
    let d: [Formula; 3] = std::array::from_fn(|k| centers[1][k].clone().minus(centers[0][k].clone()));
    let d: [Formula; 3] = if fenced { named.fenced(d) } else { d };
    let radii = named.numbers([a.radius, b.radius]);
    let [reach] = named.fenced([Sum(radii.to_vec())]);
    let (square, of_reach) = (dot(&d, &d), reach.clone().times(reach));
    let error = Formula::constant(factor * U).times(square.clone().plus(of_reach.clone()));
    let [error] = named.fenced([error.plus(Formula::constant(FLUSH_SQUARE))]);
    let e = error.exactly();
    let apart = (vector(b.center) - vector(a.center)).length_squared();
    let truth = apart - (f64::from(a.radius) + f64::from(b.radius)).powi(2);
    let rest = square.minus(of_reach);
    let above = f64::from(value_of(rest.clone().minus(error.clone()), true, named.0));
    let below = f64::from(value_of(rest.plus(error), false, named.0));
    ((above - (truth - e)) / e).max((truth + e - below) / e)
}

/// Returns the worst of all three tests, with their constants times a factor.
fn worst(pairs: usize, factor: f32, fenced: bool) -> [f64; 3] {
    let mut random = SplitMix(31);
    let mut worst = [0f64; 3];
    for _ in 0..pairs {
        let (a, b) = (Body::random(&mut random), Body::random(&mut random));
        let radii = [a.radius, b.radius, 0.25];
        let mut named = Named(&mut random, 0);
        let of_balls = balls(&a, &b, &mut named, factor * SPHERES_ERROR, fenced);
        let of_segments = segments(&a, &b, &mut named).worst(&mut named, radii, factor * SEGMENTS_ERROR);
        let witnesses = box_and_segment(&a, &b, &mut named);
        let of_boxes = match witnesses.w.length() > 1e-3 {
            true => witnesses.worst(&mut named, radii, factor * BOX_ERROR),
            // The point is in the box, and the test says nothing.
            false => 0.0,
        };
        for (worst, one) in worst.iter_mut().zip([of_balls, of_segments, of_boxes]) {
            *worst = worst.max(one);
        }
    }
    worst
}

#[test]
fn rewritten_formulas_stay_within_their_bounds() {
    let worst = worst(20_000, 1.0, true);
    println!("at most {worst:.3?} of the bounds");
    assert!(worst.iter().all(|&worst| worst <= 1.0), "{worst:?}");
    // Otherwise the trials test nothing.
    assert!(worst.iter().all(|&worst| worst > 0.1), "{worst:?}");
}

#[test]
fn a_missing_fence_or_lower_bounds_give_wrong_answers() {
    let unfenced = worst(2_000, 1.0, false);
    let too_low = worst(20_000, 0.1, true);
    println!("without a fence {unfenced:.3?}, with a tenth {too_low:.3?} of the bounds");
    assert!(unfenced[0] > 1.0, "{unfenced:?}");
    assert!(too_low.iter().all(|&worst| worst > 1.0), "{too_low:?}");
}
