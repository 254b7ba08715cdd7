//! The part of a face of one box that lies before a face of the other (Sutherland and Hodgman, "Reentrant Polygon Clipping",
//! Communications of the ACM 17, 1974).
//!
//! The *reference* face belongs to the axis of least overlap; the *incident* face is the face of the other box that faces it
//! most. The incident face is clipped at the four *side planes* of the reference face, which stand on its edges, and what is
//! above the reference face is dropped. Up to the slop outside and above counts as inside and below, so that noise
//! neither cuts the corners of faces that end together nor drops points of faces that lie on one another.
//!
//! An end of an edge is inside or outside, by one comparison that both edges at that corner share: the result of a corner is
//! never counted twice, nor lost.

use glam::DVec3;

use super::super::distance::{Frame, others};
use super::LocalPoint;
use crate::Feature;
use crate::geometry::on_sides;

/// A quadrangle that is cut four times has at most eight corners.
const CAPACITY: usize = 8;

/// Two points of a manifold nearer to each other than so many times the slop are one.
const SAME: f64 = 4.0;

/// How much more one face must face the other, as a cosine, to take the place of one that comes before it.
const FACING: f64 = 1e-4;

/// A corner of the polygon, and the edge that leaves it.
#[derive(Clone, Copy)]
struct Vertex {
    /// Along the two axes of the reference face, from its center, and how far above it.
    at: DVec3,
    /// What the polygon follows from here to the next corner.
    follows: Line,
    /// Where it came from.
    origin: Origin,
}

/// What an edge of the polygon lies on.
#[derive(Clone, Copy)]
enum Line {
    /// An edge of the incident face: that from this corner of its ring to the next.
    Incident(u8),
    /// A side plane of the reference face.
    Side(u8),
}

#[derive(Clone, Copy)]
enum Origin {
    /// A corner of the incident face, by its place in the ring.
    Corner(u8),
    /// Where a line meets a side plane.
    Crossing(Line, u8),
}

/// The corners of a polygon, in order.
#[derive(Clone, Copy)]
struct Polygon {
    vertices: [Vertex; CAPACITY],
    len: usize,
}

impl Polygon {
    const EMPTY: Self = Self {
        vertices: [Vertex {
            at: DVec3::ZERO,
            follows: Line::Incident(0),
            origin: Origin::Corner(0),
        }; CAPACITY],
        len: 0,
    };

    #[inline(always)]
    fn push(&mut self, vertex: Vertex) {
        // Only a polygon that rounding has bent out of shape, hence of no width, has more corners than there is room for.
        if let Some(place) = self.vertices.get_mut(self.len) {
            *place = vertex;
            self.len += 1;
        }
    }

    fn vertices(&self) -> &[Vertex] {
        &self.vertices[..self.len]
    }

    /// The part with `sign * at[axis] <= half + slop`. Where an edge leaves it, it is cut at `half`.
    fn clipped(&self, axis: usize, sign: f64, half: f64, slop: f64) -> Self {
        let side = 2 * axis as u8 + u8::from(sign > 0.0);
        let beyond = |vertex: &Vertex| sign * vertex.at[axis] - half;
        let mut clipped = Self::EMPTY;
        let vertices = self.vertices();
        for (k, vertex) in vertices.iter().enumerate() {
            let next = &vertices[(k + 1) % vertices.len()];
            let (here, there) = (beyond(vertex), beyond(next));
            let (inside, stays) = (here <= slop, there <= slop);
            if inside {
                clipped.push(*vertex);
            }
            if inside != stays {
                clipped.push(Vertex {
                    // One is at most the slop and the other above it: they differ.
                    at: vertex.at.lerp(next.at, (here / (here - there)).clamp(0.0, 1.0)),
                    follows: if inside { Line::Side(side) } else { vertex.follows },
                    origin: Origin::Crossing(vertex.follows, side),
                });
            }
        }
        clipped
    }
}

/// The reference face, and the frame with its box at the origin.
pub(super) struct Reference<'a> {
    pub frame: &'a Frame,
    /// The axis that the face is across, and whether it is the face on its + side.
    pub axis: usize,
    pub positive: bool,
    pub slop: f64,
}

/// The face of the other box that faces most against the normal, as a ring of corners.
struct Incident {
    axis: usize,
    positive: bool,
}

impl Incident {
    /// The corner at a place of the ring.
    fn corner(&self, place: u8) -> u8 {
        let [m, n] = others(self.axis);
        let place = place % 4;
        let (on_m, on_n) = (place == 0 || place == 3, place < 2);
        u8::from(self.positive) << self.axis | u8::from(on_m) << m | u8::from(on_n) << n
    }

    /// The edge from there to the next.
    fn edge(&self, place: u8) -> Feature {
        let [m, n] = others(self.axis);
        Feature::edge(if place.is_multiple_of(2) { m } else { n }, self.corner(place))
    }
}

impl Reference<'_> {
    fn sign(&self) -> f64 {
        if self.positive { 1.0 } else { -1.0 }
    }

    /// The features of a manifold: this face, and what supports the other box.
    pub fn features(&self) -> [Feature; 2] {
        let along = -self.sign() * self.frame.c.transpose().col(self.axis);
        [
            Feature::face(self.axis, self.positive),
            supporting_feature(along, self.frame.h_b, self.slop),
        ]
    }

    fn incident(&self) -> Incident {
        let along = self.frame.c.transpose().col(self.axis);
        let axis = largest(along.abs());
        Incident {
            axis,
            positive: (self.sign() * along[axis]) < 0.0,
        }
    }

    /// The points of contact, in order around the polygon; none only if the axis is not quite that of least
    /// overlap.
    pub fn points(&self, mut each: impl FnMut(LocalPoint)) -> usize {
        let ([u, v], incident) = (others(self.axis), self.incident());
        let half = DVec3::new(self.frame.h_a[u], self.frame.h_a[v], 0.0);
        let mut polygon = self.ring(&incident);
        for axis in 0..2 {
            for sign in [-1.0, 1.0] {
                if polygon
                    .vertices()
                    .iter()
                    .any(|vertex| sign * vertex.at[axis] > half[axis] + self.slop)
                {
                    polygon = polygon.clipped(axis, sign, half[axis], self.slop);
                }
            }
        }
        let mut kept: [DVec3; CAPACITY] = [DVec3::ZERO; CAPACITY];
        let mut count = 0;
        let same = SAME * self.slop;
        for vertex in polygon.vertices().iter().filter(|vertex| vertex.at.z <= self.slop) {
            let at = vertex.at;
            let repeats = |other: DVec3| (other - at).abs().max_element() <= same;
            if count > 0 && (repeats(kept[0]) || repeats(kept[count - 1])) {
                continue;
            }
            kept[count] = at;
            count += 1;
            let [reference, incident] = self.origin(&incident, vertex.origin);
            each(LocalPoint {
                on_a: self.place(at.x.clamp(-half.x, half.x), at.y.clamp(-half.y, half.y), 0.0),
                on_b: self.place(at.x, at.y, at.z),
                depth: (-at.z).max(0.0),
                features: [reference, incident],
            });
        }
        count
    }

    /// From the coordinates of the reference face to the frame.
    fn place(&self, along_u: f64, along_v: f64, above: f64) -> DVec3 {
        let [u, v] = others(self.axis);
        let mut point = DVec3::ZERO;
        (point[u], point[v]) = (along_u, along_v);
        point[self.axis] = self.sign() * (self.frame.h_a[self.axis] + above);
        point
    }

    /// The incident face in the coordinates of the reference face.
    fn ring(&self, incident: &Incident) -> Polygon {
        let [u, v] = others(self.axis);
        let mut ring = Polygon::EMPTY;
        ring.len = 4;
        for place in 0..4u8 {
            let corner = self.frame.to_a(on_sides(self.frame.h_b, incident.corner(place)));
            let above = self.sign() * corner[self.axis] - self.frame.h_a[self.axis];
            ring.vertices[usize::from(place)] = Vertex {
                at: DVec3::new(corner[u], corner[v], above),
                follows: Line::Incident(place),
                origin: Origin::Corner(place),
            };
        }
        ring
    }

    /// The features that meet in a corner of the polygon: of the reference box, and of the other.
    fn origin(&self, incident: &Incident, origin: Origin) -> [Feature; 2] {
        let axes = others(self.axis);
        let bit = |side: u8| u8::from(side % 2 == 1) << axes[usize::from(side / 2)];
        let face = u8::from(self.positive) << self.axis;
        match origin {
            Origin::Corner(place) => [
                Feature::face(self.axis, self.positive),
                Feature::Corner(incident.corner(place)),
            ],
            Origin::Crossing(Line::Incident(place), side) => [
                Feature::edge(axes[1 - usize::from(side / 2)], face | bit(side)),
                incident.edge(place),
            ],
            Origin::Crossing(Line::Side(other), side) => [
                Feature::Corner(face | bit(side) | bit(other)),
                Feature::face(incident.axis, incident.positive),
            ],
        }
    }
}

/// What of a box is furthest in a direction, of unit length and in the box's own frame: the face, edge or corner of those
/// corners that are no more than twice the slop behind the furthest.
fn supporting_feature(direction: DVec3, half: DVec3, slop: f64) -> Feature {
    let main = largest(direction.abs());
    let corner = (0..3).fold(0, |corner, axis| corner | u8::from(direction[axis] > 0.0) << axis);
    // Across an axis that is not the main one, corners on both sides may support the box.
    let [k, l] = others(main);
    let level = |axis: usize| half[axis] * direction[axis].abs() <= slop;
    match (level(k), level(l)) {
        (true, true) => Feature::face(main, direction[main] > 0.0),
        (true, false) => Feature::edge(k, corner),
        (false, true) => Feature::edge(l, corner),
        (false, false) => Feature::Corner(corner),
    }
}

/// The axis with the largest number; of nearly equal ones the first.
fn largest(of: DVec3) -> usize {
    let first = if of.y > of.x + FACING { 1 } else { 0 };
    if of.z > of[first] + FACING { 2 } else { first }
}
