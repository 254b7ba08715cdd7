//! Bodies that move straight in space that repeats, in rational arithmetic: the oldest form of the
//! swept separating-axis test for two boxes, and the swept figure of a core for others. Nothing is
//! reduced modulo the period.

use glam::Vec3;

use crate::reference::rational::Rational;
use crate::reference::round::{Point, axes, dot, minus, moved_bodies_meet, point};
use obbligato::{Obb, shape::BodyRef};

/// The lengths of a period, and the whole numbers of periods by which the second body is moved.
type Place = ([Option<f64>; 3], [i64; 3]);

/// Returns the vector by which the second body is moved.
fn way((lengths, image): Place) -> Point {
    std::array::from_fn(|k| Rational::from(lengths[k].unwrap_or(0.0)) * Rational::from(image[k] as f64))
}

/// Returns `true` if a body and an image of another, at constant velocities, share a point at any
/// time from 0 to `time`, exactly.
pub fn image_meets(bodies: [BodyRef<'_>; 2], place: Place, velocities: [Vec3; 2], time: f64) -> bool {
    match bodies {
        [BodyRef::Box(a), BodyRef::Box(b)] => image_first_contact([a, b], place, velocities, time).is_some(),
        _ => moved_bodies_meet(bodies, &way(place), velocities, [0.0, time]),
    }
}

/// Returns the first time from 0 to `dt` at which a box and an image of another, at constant
/// velocities, share a point, without rounding.
///
/// Along each axis of the separating-axis test they overlap during an interval of time, and they
/// share a point while they overlap along all of them.
pub fn image_first_contact(boxes: [&Obb; 2], place: Place, velocities: [Vec3; 2], dt: f64) -> Option<Rational> {
    let [a, b] = boxes.map(|obb| point(obb.center));
    let moved = way(place);
    let apart: Point = std::array::from_fn(|k| b[k].clone() + moved[k].clone() - a[k].clone());
    let speed = minus(&point(velocities[1]), &point(velocities[0]));
    let own = boxes.map(|obb| axes(obb.rotation));
    let cross = |u: &Point, v: &Point| -> Point {
        std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            u[i].clone() * v[j].clone() - u[j].clone() * v[i].clone()
        })
    };
    let products = own[0].iter().flat_map(|u| own[1].iter().map(move |v| cross(u, v)));
    let (mut first, mut last) = (Rational::zero(), Rational::from(dt));
    for axis in own[0].iter().chain(&own[1]).cloned().chain(products) {
        let mut reach = Rational::zero();
        for (edges, obb) in own.iter().zip(boxes) {
            for (edge, half) in edges.iter().zip(point(obb.half_extents)) {
                reach = reach + (dot(edge, &axis) * half).size();
            }
        }
        let (distance, speed) = (dot(&apart, &axis), dot(&speed, &axis));
        if speed.is_zero() {
            if distance.size() > reach {
                return None;
            }
            continue;
        }
        let ends = [-reach.clone(), reach].map(|end| (end - distance.clone()) / speed.clone());
        let [enters, leaves] = ends;
        let (enters, leaves) = if enters <= leaves {
            (enters, leaves)
        } else {
            (leaves, enters)
        };
        (first, last) = (first.max(enters), last.min(leaves));
        if first > last {
            return None;
        }
    }
    Some(first)
}
