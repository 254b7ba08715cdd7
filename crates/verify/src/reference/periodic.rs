//! Pairs in space that repeats, by brute force: every image of one body that may be near the other,
//! in rational arithmetic.
//!
//! A body is all points within a radius of a solid box, which may be a segment or a point. Two
//! bodies are compared by the smallest squared distance from an edge of one box to the other box.
//! Of two boxes without a radius, the oldest form of the separating-axis test shows whether they
//! touch: the projections of all edges onto all axes, in `f64` if that leaves no doubt. The image
//! is a translation by a rational vector. Nothing that decides is reduced modulo the period, and no
//! code is shared with the engine.

use glam::{DVec3, Quat, Vec3};

use crate::reference::pairs::gather;
use crate::reference::rational::Rational;
use crate::reference::round::{Point, axes, dot, edges_of, minus, point, segment_to_solid};
use crate::reference::separation::separation64;
use obbligato::{Bodies, Obb, Obb64, Pair, contact::Contact, shape::BodyRef};

/// An image of the second body of a pair: the whole numbers of periods by which it is moved, and
/// its relation to the first body.
pub type ImageContact = ([i64; 3], Contact);

/// Bounds are compared with this relative tolerance, far above the rounding errors of `f64`.
const TOLERANCE: f64 = 1e-9;

/// A body in rational numbers.
struct Solid {
    center: Point,
    half: Point,
    axes: [Point; 3],
    radius: Rational,
    is_box: bool,
    /// The box, if it is one.
    obb: Obb,
    /// A bound on the distance of its points from its center, and the center, rounded.
    reach: f64,
    rounded: DVec3,
}

impl Solid {
    fn new(body: BodyRef<'_>, center: DVec3) -> Self {
        let (half, turn, radius, is_box) = match body {
            BodyRef::Box(obb) => (obb.half_extents, obb.rotation, 0.0, true),
            BodyRef::Capsule(capsule) => {
                let half = Vec3::new(0.0, 0.0, capsule.half_length);
                (half, capsule.rotation, capsule.radius, false)
            }
            BodyRef::Sphere(sphere) => (Vec3::ZERO, Quat::IDENTITY, sphere.radius, false),
        };
        Self {
            center: center.to_array().map(Rational::from),
            half: point(half),
            axes: axes(turn),
            radius: radius.into(),
            is_box,
            obb: Obb::new(Vec3::ZERO, half, turn),
            reach: half.as_dvec3().length() + f64::from(radius),
            rounded: center,
        }
    }

    /// Returns the edges of the box, or the segment that a round body has in place of one.
    fn edges(&self, center: &Point) -> Vec<[Point; 2]> {
        let mut edges = edges_of(center, &self.half, &self.axes);
        if !self.is_box {
            // The last edges are along z, and all the same.
            edges.drain(..edges.len() - 1);
        }
        edges
    }

    /// Returns `true` if no image of another solid is within the margin, by the distance of centers
    /// modulo the period, if rounding leaves no doubt.
    fn is_far(&self, other: &Self, lengths: [Option<f64>; 3], margin: f64) -> bool {
        let (mut square, mut doubt) = (0.0, 0.0);
        for (k, length) in lengths.into_iter().enumerate() {
            let mut d = other.rounded[k] - self.rounded[k];
            if let Some(length) = length {
                let times = (d / length).round();
                d -= times * length;
                doubt += length * (times.abs() + 1.0) * TOLERANCE;
            }
            square += d * d;
        }
        let reach = (self.reach + other.reach + margin) * (1.0 + TOLERANCE) + doubt;
        square > reach * reach
    }
}

/// Returns the squared distance of the boxes of two solids whose centers are these.
fn square([a, b]: [&Solid; 2], [of_a, of_b]: [&Point; 2]) -> Rational {
    let to = |edges: Vec<[Point; 2]>, solid: &Solid, center: &Point| {
        let squares = edges
            .iter()
            .map(|ends| segment_to_solid(ends, center, solid.half.clone(), &solid.axes));
        squares.min().unwrap_or_else(Rational::zero)
    };
    to(a.edges(of_a), b, of_b).min(to(b.edges(of_b), a, of_a))
}

/// Returns the contact of two boxes whose centers are apart by `d`.
fn of_boxes([a, b]: [&Solid; 2], d: &Point) -> Contact {
    let cross = |u: &Point, v: &Point| -> Point {
        std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            u[i].clone() * v[j].clone() - u[j].clone() * v[i].clone()
        })
    };
    let products = a.axes.iter().flat_map(|u| b.axes.iter().map(move |v| cross(u, v)));
    let all = a.axes.iter().chain(&b.axes).cloned().chain(products);
    let mut touches = false;
    for axis in all.filter(|axis| !dot(axis, axis).is_zero()) {
        let mut gap = dot(d, &axis).size();
        for solid in [a, b] {
            for (edge, half) in solid.axes.iter().zip(&solid.half) {
                gap = gap - (dot(edge, &axis) * half.clone()).size();
            }
        }
        if gap.is_zero() {
            touches = true;
        } else if !gap.is_negative() {
            return Contact::Separated;
        }
    }
    if touches {
        Contact::Touching
    } else {
        Contact::Overlapping
    }
}

/// Returns the contact of two boxes whose centers are apart by `d`, if `f64` leaves no doubt.
fn by_separation([a, b]: [&Solid; 2], d: &Point) -> Option<Contact> {
    let d = DVec3::from_array(d.each_ref().map(Rational::to_f64));
    let [own, mut other] = [a.obb, b.obb].map(|obb| Obb64 {
        center: DVec3::ZERO,
        ..obb.into()
    });
    other.center = d;
    let separation = separation64(&own, &other);
    let is_clear = separation.abs() > TOLERANCE * (d.length() + a.reach + b.reach);
    is_clear.then_some(match separation > 0.0 {
        true => Contact::Separated,
        false => Contact::Overlapping,
    })
}

/// Returns the contact of A and of B moved by a vector, and whether they are within the margin.
fn relation([a, b]: [&Solid; 2], way: &Point, margin: &Rational) -> (Contact, bool) {
    let moved: Point = std::array::from_fn(|k| b.center[k].clone() + way[k].clone());
    let d = minus(&moved, &a.center);
    let reach = a.radius.clone() + b.radius.clone();
    if a.is_box && b.is_box {
        let contact = by_separation([a, b], &d).unwrap_or_else(|| of_boxes([a, b], &d));
        let within =
            contact.collides() || !margin.is_zero() && square([a, b], [&a.center, &moved]) <= margin.clone().square();
        return (contact, within);
    }
    let square = square([a, b], [&a.center, &moved]);
    let contact = match square.cmp(&reach.clone().square()) {
        std::cmp::Ordering::Less => Contact::Overlapping,
        std::cmp::Ordering::Equal => Contact::Touching,
        std::cmp::Ordering::Greater => Contact::Separated,
    };
    let within = contact.collides() || square <= (reach + margin.clone()).square();
    (contact, within)
}

/// Returns the images of B that collide with A, or are within the margin, in lexicographic order.
fn images([a, b]: [&Solid; 2], lengths: [Option<f64>; 3], margin: f64) -> Vec<ImageContact> {
    let reach = (a.reach + b.reach + margin) * (1.0 + TOLERANCE);
    // Every whole number that moves B near A along an axis, and one more on both sides.
    let range = |k: usize| match lengths[k] {
        Some(length) => {
            let middle = (a.rounded[k] - b.rounded[k]) / length;
            let most = reach / length + 1.0 + middle.abs() * 4.0 * f64::EPSILON;
            (middle - most).floor() as i64..=(middle + most).ceil() as i64
        }
        None => 0..=0,
    };
    let period = lengths.map(|length| Rational::from(length.unwrap_or(0.0)));
    let (exact_margin, square_reach) = (Rational::from(margin), Rational::from(reach).square());
    let mut found = Vec::new();
    for i in range(0) {
        for j in range(1) {
            for k in range(2) {
                let times = [i, j, k];
                let way: Point = std::array::from_fn(|axis| period[axis].clone() * Rational::from(times[axis] as f64));
                let d: Point =
                    std::array::from_fn(|axis| b.center[axis].clone() + way[axis].clone() - a.center[axis].clone());
                if dot(&d, &d) > square_reach {
                    continue;
                }
                let (contact, within) = relation([a, b], &way, &exact_margin);
                if within {
                    found.push((times, contact));
                }
            }
        }
    }
    found
}

/// Returns every pair of bodies that collide in space that repeats after these lengths, or are
/// within the margin, with all their images, both in order. Groups must meet.
///
/// O(n^2), and slow: for scenes of some hundred bodies.
pub fn periodic_pairs<'a>(
    bodies: impl Into<Bodies<'a>>,
    lengths: [Option<f64>; 3],
    margin: f64,
) -> Vec<(Pair, Vec<ImageContact>)> {
    let bodies = bodies.into();
    let solids: Vec<Solid> = (0..bodies.len() as u32)
        .map(|id| Solid::new(bodies.at(id), bodies.at(id).center().as_dvec3()))
        .collect();
    pairs_of(&solids, lengths, margin, |Pair { a, b }| {
        bodies.at(a).groups_meet(bodies.at(b))
    })
}

/// Returns the [`periodic_pairs`] of boxes with centers in `f64`.
pub fn periodic_pairs64(boxes: &[Obb64], lengths: [Option<f64>; 3], margin: f64) -> Vec<(Pair, Vec<ImageContact>)> {
    let solids: Vec<Solid> = boxes
        .iter()
        .map(|obb| Solid::new(BodyRef::Box(&obb.centered_at(Vec3::ZERO)), obb.center))
        .collect();
    pairs_of(&solids, lengths, margin, |Pair { a, b }| {
        boxes[a as usize].groups_meet(&boxes[b as usize])
    })
}

fn pairs_of(
    solids: &[Solid],
    lengths: [Option<f64>; 3],
    margin: f64,
    meet: impl Fn(Pair) -> bool + Sync + Send,
) -> Vec<(Pair, Vec<ImageContact>)> {
    gather(solids.len(), |a| {
        let partners = (a + 1..solids.len()).filter_map(|b| {
            let pair = Pair::new(a as u32, b as u32);
            if solids[a].is_far(&solids[b], lengths, margin) {
                return None;
            }
            let near = || Some(images([&solids[a], &solids[b]], lengths, margin)).filter(|found| !found.is_empty());
            Some((pair, meet(pair).then(near).flatten()?))
        });
        partners.collect()
    })
}
