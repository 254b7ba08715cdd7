//! Classifies spheres and capsules in rational arithmetic, by minimizing distances: no formula in
//! common with the narrow phase.

use std::cmp::Ordering;

use glam::{Quat, Vec3};

use crate::reference::rational::Rational;
use obbligato::{
    Obb, Obb64, Sphere,
    contact::Contact,
    region::{Enclosure, EnclosureState, Room},
    shape::{BodyRef, SweptSphere, Triangle},
};

pub(super) type Point = [Rational; 3];

pub(super) fn point(v: Vec3) -> Point {
    v.to_array().map(Rational::from)
}

pub(super) fn minus(u: &Point, v: &Point) -> Point {
    std::array::from_fn(|k| u[k].clone() - v[k].clone())
}

pub(super) fn dot(u: &Point, v: &Point) -> Rational {
    (0..3).fold(Rational::zero(), |sum, k| sum + u[k].clone() * v[k].clone())
}

/// Returns `u + t v`.
pub(super) fn along(u: &Point, v: &Point, t: &Rational) -> Point {
    std::array::from_fn(|k| u[k].clone() + v[k].clone() * t.clone())
}

fn contact_of(square: &Rational, reach: Rational) -> Contact {
    match square.cmp(&reach.square()) {
        Ordering::Less => Contact::Overlapping,
        Ordering::Equal => Contact::Touching,
        Ordering::Greater => Contact::Separated,
    }
}

/// Returns `true` if two spheres at constant velocities share a point at any time in an interval.
///
/// Evaluates the squared distance at the time in the interval at which it is smallest, which is a
/// fraction.
pub fn spheres_meet(balls: [&Sphere; 2], velocities: [Vec3; 2], [from, to]: [f64; 2]) -> bool {
    let apart = minus(&point(balls[1].center), &point(balls[0].center));
    let speed = minus(&point(velocities[1]), &point(velocities[0]));
    let [from, to] = [from, to].map(Rational::from);
    let closest = match dot(&speed, &speed) {
        rest if rest.is_zero() => from.clone(),
        square => -dot(&apart, &speed) / square,
    };
    let there = along(&apart, &speed, &closest.max(from).min(to));
    let reach = Rational::from(balls[0].radius) + Rational::from(balls[1].radius);
    dot(&there, &there) <= reach.square()
}

/// Returns the smallest of the squared distances from a point to the points `start + t way`, `t`
/// from 0 to 1.
fn to_segment(from: &Point, start: &Point, way: &Point) -> Rational {
    let offset = minus(from, start);
    let place = match dot(way, way) {
        point if point.is_zero() => Rational::zero(),
        square => (dot(&offset, way) / square).clamped(),
    };
    let rest = minus(&offset, &way.clone().map(|part| part * place.clone()));
    dot(&rest, &rest)
}

/// A capsule or a sphere in rational numbers: the ends of its core, and its radius.
struct Core {
    ends: [Point; 2],
    radius: Rational,
}

impl Core {
    /// Returns `None` for a box.
    fn of(body: BodyRef<'_>) -> Option<Self> {
        match body {
            BodyRef::Box(_) => None,
            BodyRef::Sphere(sphere) => Some(Self {
                ends: [point(sphere.center), point(sphere.center)],
                radius: sphere.radius.into(),
            }),
            BodyRef::Capsule(capsule) => {
                let [_, _, along] = axes(capsule.rotation);
                let end = |half: f32| self::along(&point(capsule.center), &along, &half.into());
                Some(Self {
                    ends: [end(-capsule.half_length), end(capsule.half_length)],
                    radius: capsule.radius.into(),
                })
            }
        }
    }
}

/// Classifies the contact of two bodies exactly, with the margin added to their radii.
///
/// Two boxes have an oracle of their own: for them, the result [`Contact::Separated`] means
/// nothing.
pub fn body_contact(a: BodyRef<'_>, b: BodyRef<'_>, margin: f64) -> Contact {
    let margin = Rational::from(margin);
    match (Core::of(a), Core::of(b), a, b) {
        (Some(a), Some(b), ..) => contact_of(&between_segments(&a.ends, &b.ends), a.radius + b.radius + margin),
        (Some(round), None, _, BodyRef::Box(obb)) | (None, Some(round), BodyRef::Box(obb), _) => {
            contact_of(&segment_to_box(&round.ends, obb), round.radius + margin)
        }
        _ => Contact::Separated,
    }
}

/// Returns `true` if two boxes are within a margin of each other, exactly.
pub fn boxes_within(a: &Obb64, b: &Obb64, margin: f64) -> bool {
    boxes_distance_square(a, b) <= Rational::from(margin).square()
}

/// Returns the squared distance of two boxes without rounding: the smallest from an edge of one box
/// to the other box.
pub fn boxes_distance_square(a: &Obb64, b: &Obb64) -> Rational {
    let center = |obb: &Obb64| obb.center.to_array().map(Rational::from);
    let half = |obb: &Obb64| point(obb.half_extents);
    let axes = [a, b].map(|obb| axes(obb.rotation));
    let least = |[a, b]: [&Obb64; 2], [of_a, of_b]: [&[Point; 3]; 2]| {
        let edges = edges_of(&center(a), &half(a), of_a);
        let squares = edges
            .iter()
            .map(|ends| segment_to_solid(ends, &center(b), half(b), of_b));
        squares.min().unwrap_or_else(Rational::zero)
    };
    least([a, b], [&axes[0], &axes[1]]).min(least([b, a], [&axes[1], &axes[0]]))
}

/// Returns the edges of a box, given its center, half extents and axes.
pub(super) fn edges_of(center: &Point, half: &Point, axes: &[Point; 3]) -> Vec<[Point; 2]> {
    let corner = |signs: usize| {
        (0..3).fold(center.clone(), |place, axis| match signs >> axis & 1 {
            0 => along(&place, &axes[axis], &-half[axis].clone()),
            _ => along(&place, &axes[axis], &half[axis]),
        })
    };
    let of_axis = |axis: usize| {
        (0..8)
            .filter(move |signs| signs >> axis & 1 == 0)
            .map(move |signs| [signs, signs | 1 << axis])
    };
    (0..3).flat_map(of_axis).map(|ends| ends.map(corner)).collect()
}

/// Returns `true` if two bodies, not both boxes, at constant velocities share a point at any time
/// in an interval, exactly. It tests the shape that one body sweeps over relative to the other.
pub fn bodies_meet(bodies: [BodyRef<'_>; 2], velocities: [Vec3; 2], times: [f64; 2]) -> bool {
    moved_bodies_meet(bodies, &point(Vec3::ZERO), velocities, times)
}

/// [`bodies_meet`], with the second body moved by a vector.
pub(super) fn moved_bodies_meet(
    [a, b]: [BodyRef<'_>; 2],
    moved: &Point,
    velocities: [Vec3; 2],
    times: [f64; 2],
) -> bool {
    let (first, second) = match (Core::of(a), Core::of(b), a, b) {
        (Some(a), Some(b), ..) => (Err(a), (b, [0, 1])),
        (None, Some(b), BodyRef::Box(a), _) => (Ok(a), (b, [0, 1])),
        (Some(a), None, _, BodyRef::Box(b)) => (Ok(b), (a, [1, 0])),
        _ => return false,
    };
    let (mut moves, [stays_at, moves_at]) = second;
    let direction = Rational::from(if moves_at == 1 { 1.0f64 } else { -1.0 });
    moves.ends = moves.ends.each_ref().map(|end| along(end, moved, &direction));
    let way = minus(&point(velocities[moves_at]), &point(velocities[stays_at]));
    let [from, to] = times.map(Rational::from);
    let ends = moves.ends.each_ref().map(|end| along(end, &way, &from));
    let swept = Patch {
        along: minus(&ends[1], &ends[0]),
        corner: ends.into_iter().next().unwrap_or_else(|| point(Vec3::ZERO)),
        way: way.map(|part| part * (to.clone() - from.clone())),
        is_triangle: false,
    };
    match first {
        Ok(obb) => swept.to_box(obb) <= moves.radius.square(),
        Err(core) => swept.to_segment(&core.ends) <= (core.radius + moves.radius).square(),
    }
}

/// The points `corner + s along + t way`, s and t from 0 to 1: a parallelogram. For a triangle,
/// also s + t <= 1.
struct Patch {
    corner: Point,
    along: Point,
    way: Point,
    is_triangle: bool,
}

impl Patch {
    fn at(&self, [s, t]: [&Rational; 2]) -> Point {
        along(&along(&self.corner, &self.along, s), &self.way, t)
    }

    fn sides(&self) -> Vec<[Point; 2]> {
        let (zero, one) = (Rational::zero(), Rational::from(1.0f64));
        let side = |from, to| [self.at(from), self.at(to)];
        let first = [side([&zero, &zero], [&one, &zero]), side([&zero, &zero], [&zero, &one])];
        let others = match self.is_triangle {
            true => vec![side([&one, &zero], [&zero, &one])],
            false => vec![side([&zero, &one], [&one, &one]), side([&one, &zero], [&one, &one])],
        };
        first.into_iter().chain(others).collect()
    }

    fn contains(&self, [s, t]: [&Rational; 2]) -> bool {
        let within = |part: &Rational| part.clone().clamped() == *part;
        within(s) && within(t) && (!self.is_triangle || within(&(s.clone() + t.clone())))
    }

    /// Returns the point where the squared length of `corner + s along + t way`, over the given
    /// coordinates, has no slope, if that is a single point inside.
    fn stationary(&self, corner: &[Rational], along: &[Rational], way: &[Rational]) -> Option<[Rational; 2]> {
        let sum = |u: &[Rational], v: &[Rational]| {
            let products = u.iter().zip(v).map(|(x, y)| x.clone() * y.clone());
            products.fold(Rational::zero(), |sum, product| sum + product)
        };
        let (uu, uw, ww) = (sum(along, along), sum(along, way), sum(way, way));
        let determinant = uu.clone() * ww.clone() - uw.square();
        if determinant.is_zero() {
            return None;
        }
        let (uc, wc) = (sum(along, corner), sum(way, corner));
        let s = (uw.clone() * wc.clone() - ww * uc.clone()) / determinant.clone();
        let t = (uw * uc - uu * wc) / determinant;
        self.contains([&s, &t]).then_some([s, t])
    }

    /// Returns the smallest of the squared distances to points of a segment: at a side, or from an
    /// end of the segment to the inside, or 0 if the segment goes through the inside.
    fn to_segment(&self, ends: &[Point; 2]) -> Rational {
        let sides = self.sides();
        let sides = sides.iter().map(|side| between_segments(side, ends));
        let mut least = sides.min().unwrap_or_else(Rational::zero);
        for end in ends {
            let from = minus(&self.corner, end);
            if let Some([s, t]) = self.stationary(&from, &self.along, &self.way) {
                let apart = minus(&self.at([&s, &t]), end);
                least = least.min(dot(&apart, &apart));
            }
        }
        // corner + s along + t way = start + r reach, by determinants.
        let reach = minus(&ends[1], &ends[0]);
        let right = minus(&ends[0], &self.corner);
        let determinant = |columns: [&Point; 3]| {
            let [u, v, w] = columns;
            (0..3).fold(Rational::zero(), |sum, k| {
                let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                sum + u[k].clone() * (v[i].clone() * w[j].clone() - v[j].clone() * w[i].clone())
            })
        };
        let back = reach.map(|part| -part);
        let whole = determinant([&self.along, &self.way, &back]);
        if !whole.is_zero() {
            let parts = [
                determinant([&right, &self.way, &back]),
                determinant([&self.along, &right, &back]),
                determinant([&self.along, &self.way, &right]),
            ];
            let [s, t, r] = parts.map(|part| part / whole.clone());
            if self.contains([&s, &t]) && r.clone().clamped() == r {
                return Rational::zero();
            }
        }
        least
    }

    /// Returns the smallest of the squared distances to points of a box.
    ///
    /// The squared distance is piecewise quadratic, with one piece for each set of faces that a
    /// point is beyond, and has no kinks. Its minimum is at a side, or inside at a point where the
    /// quadratic function for all faces that the point is beyond, or level with, has a single
    /// lowest point: otherwise one could move on from there without changing it.
    fn to_box(&self, obb: &Obb) -> Rational {
        let sides = self.sides();
        let sides = sides.iter().map(|side| segment_to_box(side, obb));
        let mut least = sides.min().unwrap_or_else(Rational::zero);
        let axes = axes(obb.rotation);
        let in_frame = |v: &Point| axes.each_ref().map(|axis| dot(axis, v));
        let half = point(obb.half_extents);
        let framed = Self {
            corner: in_frame(&minus(&self.corner, &point(obb.center))),
            along: in_frame(&self.along),
            way: in_frame(&self.way),
            ..*self
        };
        for state in 0..27 {
            let signs = [state % 3, state / 3 % 3, state / 9];
            let beyond: Vec<usize> = (0..3).filter(|&axis| signs[axis] > 0).collect();
            let pick = |v: &Point| beyond.iter().map(|&axis| v[axis].clone()).collect::<Vec<_>>();
            let corner: Vec<Rational> = beyond
                .iter()
                .map(|&axis| match signs[axis] {
                    1 => framed.corner[axis].clone() - half[axis].clone(),
                    _ => framed.corner[axis].clone() + half[axis].clone(),
                })
                .collect();
            if let Some([s, t]) = framed.stationary(&corner, &pick(&framed.along), &pick(&framed.way)) {
                least = least.min(self::beyond(&framed.at([&s, &t]), &half));
            }
        }
        least
    }
}

/// Returns `true` if a triangle and a body share a point, exactly.
///
/// Evaluates the smallest squared distance of a point of the triangle to the body, or to its core.
pub fn triangle_meets_body(triangle: &Triangle, body: BodyRef<'_>) -> bool {
    let [a, b, c] = triangle.corners.map(point);
    let patch = Patch {
        along: minus(&b, &a),
        way: minus(&c, &a),
        corner: a,
        is_triangle: true,
    };
    match (Core::of(body), body) {
        (Some(core), _) => patch.to_segment(&core.ends) <= core.radius.square(),
        (None, BodyRef::Box(obb)) => patch.to_box(obb).is_zero(),
        _ => false,
    }
}

/// Returns the distance of two bodies, one of which is round, exact except for the last bits of the
/// distance of their cores; 0 if they collide.
///
/// Two boxes have an oracle of their own: for them, the result is NaN.
pub fn body_distance(a: BodyRef<'_>, b: BodyRef<'_>) -> f64 {
    let (square, reach) = match (Core::of(a), Core::of(b), a, b) {
        (Some(a), Some(b), ..) => (between_segments(&a.ends, &b.ends), a.radius + b.radius),
        (Some(round), None, _, BodyRef::Box(obb)) | (None, Some(round), BodyRef::Box(obb), _) => {
            (segment_to_box(&round.ends, obb), round.radius)
        }
        _ => return f64::NAN,
    };
    match contact_of(&square, reach.clone()) {
        Contact::Separated => square.to_f64().sqrt() - reach.to_f64(),
        _ => 0.0,
    }
}

/// Classifies a capsule or a sphere relative to a room exactly. Returns [`Enclosure::default`] for
/// a box.
pub fn body_enclosure(room: &Room, body: BodyRef<'_>) -> Enclosure {
    let Some(round) = Core::of(body) else {
        return Enclosure::default();
    };
    let middle = |[u, v]: [Vec3; 2]| -> Point {
        let (u, v) = (point(u), point(v));
        let half = Rational::from(0.5f64);
        std::array::from_fn(|k| (u[k].clone() + v[k].clone()) * half.clone())
    };
    let solid = (middle(room.centers()), middle(room.half_extents()));
    let axes = axes(room.rotation());
    let mut walls = 0;
    for (k, axis) in axes.iter().enumerate() {
        let places = round.ends.each_ref().map(|end| dot(axis, &minus(end, &solid.0)));
        let [low, high] =
            [places.iter().min(), places.iter().max()].map(|place| place.cloned().unwrap_or_else(Rational::zero));
        let half = solid.1[k].clone();
        walls |= u8::from(low - round.radius.clone() <= -half.clone()) << (2 * k);
        walls |= u8::from(high + round.radius.clone() >= half) << (2 * k + 1);
    }
    let square = segment_to_solid(&round.ends, &solid.0, solid.1, &axes);
    let state = match (walls, contact_of(&square, round.radius)) {
        (0, _) => EnclosureState::Inside,
        (_, Contact::Separated) => EnclosureState::Outside,
        _ => EnclosureState::Crossing,
    };
    Enclosure { state, walls }
}

/// Classifies the contact of two capsules exactly.
///
/// The squared distance of two points, one on each segment, is a convex quadratic function over the
/// unit square. Its minimum is where its gradient is zero, if that is inside, or else on one of the
/// four sides.
pub fn swept_sphere_contact(a: &SweptSphere, b: &SweptSphere) -> Contact {
    let square = between_segments(&a.ends.map(point), &b.ends.map(point));
    contact_of(&square, Rational::from(a.radius) + Rational::from(b.radius))
}

/// Returns the smallest of the squared distances of points of two segments.
fn between_segments([p0, p1]: &[Point; 2], [q0, q1]: &[Point; 2]) -> Rational {
    let (u, v, w) = (minus(p1, p0), minus(q1, q0), minus(p0, q0));
    let sides = [
        to_segment(p0, q0, &v),
        to_segment(p1, q0, &v),
        to_segment(q0, p0, &u),
        to_segment(q1, p0, &u),
    ];
    let mut least = sides.into_iter().min().unwrap_or_else(Rational::zero);
    let (uu, uv, vv) = (dot(&u, &u), dot(&u, &v), dot(&v, &v));
    let (uw, vw) = (dot(&u, &w), dot(&v, &w));
    let determinant = uu.clone() * vv.clone() - uv.square();
    if !determinant.is_zero() {
        let s = (uv.clone() * vw.clone() - vv * uw.clone()) / determinant.clone();
        let t = (uu * vw - uv * uw) / determinant;
        if s.clone().clamped() == s && t.clone().clamped() == t {
            let apart = minus(&along(&w, &u, &s), &v.map(|part| part * t.clone()));
            least = least.min(dot(&apart, &apart));
        }
    }
    least
}

/// Classifies the contact of a capsule and a box exactly.
///
/// The squared distance of a point of the segment to the box is piecewise quadratic, between the
/// planes of the faces.
pub fn swept_sphere_box_contact(capsule: &SweptSphere, obb: &Obb) -> Contact {
    contact_of(&segment_to_box(&capsule.ends.map(point), obb), capsule.radius.into())
}

/// Returns the smallest of the squared distances of a point of a segment and one of a box.
fn segment_to_box(ends: &[Point; 2], obb: &Obb) -> Rational {
    segment_to_solid(ends, &point(obb.center), point(obb.half_extents), &axes(obb.rotation))
}

pub(super) fn segment_to_solid(ends: &[Point; 2], center: &Point, half: Point, axes: &[Point; 3]) -> Rational {
    let ends = ends.each_ref().map(|end| {
        let offset = minus(end, center);
        axes.each_ref().map(|axis| dot(axis, &offset))
    });
    let (start, way) = (&ends[0], minus(&ends[1], &ends[0]));
    let mut places = vec![Rational::zero(), Rational::from(1.0f64)];
    for axis in (0..3).filter(|&axis| !way[axis].is_zero()) {
        for side in [half[axis].clone(), -half[axis].clone()] {
            places.push(((side - start[axis].clone()) / way[axis].clone()).clamped());
        }
    }
    places.sort();
    places.dedup();
    let value = |place: &Rational| beyond(&along(start, &way, place), &half);
    let mut least = places.iter().map(value).min().unwrap_or_else(Rational::zero);
    for ends in places.windows(2) {
        let middle = (ends[0].clone() + ends[1].clone()) / Rational::from(2.0f64);
        // Half the slope at t = 0 and half the curvature of the parabola, summed over the planes
        // that the points in between are beyond.
        let (mut slope, mut curvature) = (Rational::zero(), Rational::zero());
        let there = along(start, &way, &middle);
        for axis in 0..3 {
            let side = match (there[axis].clone().size() > half[axis], there[axis].is_negative()) {
                (false, _) => continue,
                (true, true) => -half[axis].clone(),
                (true, false) => half[axis].clone(),
            };
            slope = slope + way[axis].clone() * (start[axis].clone() - side);
            curvature = curvature + way[axis].square();
        }
        if !curvature.is_zero() {
            let lowest = -slope / curvature;
            if ends[0] < lowest && lowest < ends[1] {
                least = least.min(value(&lowest));
            }
        }
    }
    least
}

/// Returns the squared distance from a point to the box about the origin.
fn beyond(point: &Point, half: &Point) -> Rational {
    (0..3).fold(Rational::zero(), |sum, k| {
        let excess = (point[k].clone().size() - half[k].clone()).max(Rational::zero());
        sum + excess.square()
    })
}

/// Returns the unit axes of a body: `v + 2 (w u × v + u × (u × v)) / |q|²` for a quaternion of
/// vector part `u`.
pub(super) fn axes(rotation: Quat) -> [Point; 3] {
    let [x, y, z, w] = rotation.to_array().map(Rational::from);
    let u = [x, y, z];
    let square = dot(&u, &u) + w.square();
    let cross = |p: &Point, q: &Point| -> Point {
        std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            p[i].clone() * q[j].clone() - p[j].clone() * q[i].clone()
        })
    };
    [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| {
        let axis = point(axis);
        let once = cross(&u, &axis);
        let twice = cross(&u, &once);
        std::array::from_fn(|k| {
            let turned = (once[k].clone() * w.clone() + twice[k].clone()) / square.clone();
            axis[k].clone() + Rational::from(2.0f64) * turned
        })
    })
}
