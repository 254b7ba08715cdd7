//! The part of one box's face that lies in front of a face of the other (Sutherland and Hodgman, "Reentrant Polygon
//! Clipping", Communications of the ACM 17, 1974).
//!
//! The *reference* face belongs to the axis of least overlap; the *incident* face is the face of the other box most
//! opposed to it. The incident face is clipped by the four *side planes* of the reference face, which stand on its
//! edges, and everything above the reference face is dropped. Points outside or above by at most the slop count as
//! inside and below, so noise neither cuts the corners of faces that end together nor drops points of faces that lie on
//! one another.
//!
//! One comparison, shared by both edges at a corner, decides whether the end of an edge is inside or outside: no corner
//! is ever counted twice or lost.

use std::mem::swap;

use glam::{DMat3, DVec3};

use crate::geometry::feature::{Feature, Ring};
use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::distance::Frame;

/// A quadrangle cut four times has at most eight corners.
const CAPACITY: usize = 8;

/// Two points of a manifold closer than this many times the slop are one.
const SAME: f64 = 4.0;

/// How much more one face must face the other, as a cosine, to replace an earlier one.
const FACING: f64 = 1e-4;

/// A corner of the polygon, and the edge that starts there.
#[derive(Clone, Copy)]
struct Vertex {
    /// In the coordinates of the reference face.
    at: [f64; 3],
    /// The line that the polygon follows from here to the next corner.
    follows: Line,
    /// What created the corner.
    origin: Origin,
}

/// The line of an edge of the polygon.
#[derive(Clone, Copy)]
enum Line {
    /// An edge of the incident face, by its index in the [ring](Ring).
    Incident(u8),
    /// The side plane on an edge of the reference face, by its index in the ring.
    Side(u8),
}

#[derive(Clone, Copy)]
enum Origin {
    /// A corner of the incident face, by its index in the ring.
    Corner(u8),
    /// Where a line meets a side plane.
    Crossing(Line, u8),
}

/// The corners of a polygon, in order.
struct Polygon {
    vertices: [Vertex; CAPACITY],
    len: usize,
}

impl Polygon {
    #[inline(always)]
    fn push(&mut self, vertex: Vertex) {
        // Only a polygon of no width, bent out of shape by rounding, has more corners than fit.
        if let Some(place) = self.vertices.get_mut(self.len) {
            *place = vertex;
            self.len += 1;
        }
    }

    #[inline(always)]
    fn vertices(&self) -> &[Vertex] {
        // Lets the compiler skip the bounds check.
        &self.vertices[..self.len.min(CAPACITY)]
    }

    /// Appends the part of another polygon that is at most the slop beyond a side plane. Edges that leave this part are
    /// cut at the plane.
    fn append_clipped(&mut self, other: &Self, plane: &SidePlane, slop: f64) {
        let vertices = other.vertices();
        let Some(first) = vertices.first() else { return };
        let mut here = plane.beyond(first);
        for (k, vertex) in vertices.iter().enumerate() {
            let next = vertices.get(k + 1).unwrap_or(first);
            let there = plane.beyond(next);
            let (inside, stays) = (here <= slop, there <= slop);
            if inside {
                self.push(*vertex);
            }
            if inside != stays {
                self.push(Vertex {
                    at: plane.crossing([vertex, next], [here, there], slop),
                    follows: if inside {
                        Line::Side(plane.place)
                    } else {
                        vertex.follows
                    },
                    origin: Origin::Crossing(vertex.follows, plane.place),
                });
            }
            here = there;
        }
    }
}

/// A plane on an edge of the reference face, across the face.
struct SidePlane {
    /// The index of the edge in the ring.
    place: u8,
    /// The axis that the plane's face is across, its side, and its distance from the center.
    axis: usize,
    sign: f64,
    half: f64,
}

impl SidePlane {
    /// How far a corner is beyond the plane.
    #[inline(always)]
    fn beyond(&self, vertex: &Vertex) -> f64 {
        self.sign * vertex.at[self.axis] - self.half
    }

    /// Where the line between two corners meets the plane, one of them beyond it by more than the slop, the other not:
    /// the latter itself, if it too is beyond the plane.
    #[inline(always)]
    fn crossing(&self, [from, to]: [&Vertex; 2], [here, there]: [f64; 2], slop: f64) -> [f64; 3] {
        let (inner, beyond) = if here <= slop { (from, here) } else { (to, there) };
        if beyond > 0.0 {
            return inner.at;
        }
        let part = here / (here - there);
        let between = |axis: usize| from.at[axis] + (to.at[axis] - from.at[axis]) * part;
        let mut at = [between(0), between(1), between(2)];
        at[self.axis] = self.sign * self.half;
        at
    }
}

/// A face of one box, and the other box in its coordinates: along the face's two axes from its center, and the height
/// above it.
pub(super) struct Reference {
    face: Face,
    /// The half extents of the face, and its distance from the center of its box.
    half: [f64; 2],
    height: f64,
    /// The center, axes and half extents of the other box.
    center: DVec3,
    axes: [DVec3; 3],
    extents: [f64; 3],
    /// The incident face: the face of the other box most opposed to the normal.
    incident: Face,
    slop: f64,
}

/// A face, given by its axis and whether it is on the + side.
#[derive(Clone, Copy)]
struct Face {
    axis: usize,
    positive: bool,
}

impl Face {
    fn feature(self) -> Feature {
        Feature::face(self.axis, self.positive)
    }

    fn ring(self) -> &'static Ring {
        &Ring::OF_FACES[2 * self.axis + usize::from(self.positive)]
    }
}

impl Reference {
    /// The face of the first box of a frame.
    #[inline(always)]
    pub fn new(frame: &Frame, axis: usize, positive: bool, slop: f64) -> Self {
        let sign = if positive { 1.0 } else { -1.0 };
        let [u, v] = others(axis);
        let seen = |of: [f64; 3]| DVec3::new(of[u], of[v], sign * of[axis]);
        let half = frame.h_a.to_array();
        let [x, y, z] = frame.c.to_cols_array_2d();
        let axes = [seen(x), seen(y), seen(z)];
        let facing = largest([axes[0].z.abs(), axes[1].z.abs(), axes[2].z.abs()]);
        Self {
            face: Face { axis, positive },
            half: [half[u], half[v]],
            height: half[axis],
            center: seen(frame.t.to_array()) - DVec3::new(0.0, 0.0, half[axis]),
            axes,
            extents: frame.h_b.to_array(),
            incident: Face {
                axis: facing,
                positive: axes[facing].z < 0.0,
            },
            slop,
        }
    }

    /// The features of a manifold: this face, and the supporting feature of the other box.
    pub fn features(&self) -> [Feature; 2] {
        [self.face.feature(), self.supporting_feature()]
    }

    /// The feature of the other box furthest against the normal: the face, edge or corner formed by the corners at most
    /// twice the slop behind the furthest.
    fn supporting_feature(&self) -> Feature {
        let corner = (0..3).fold(0, |corner, axis| corner | u8::from(self.axes[axis].z < 0.0) << axis);
        // Across an axis other than the main one, corners on both sides may support the box.
        let [k, l] = others(self.incident.axis);
        let level = |axis: usize| self.extents[axis] * self.axes[axis].z.abs() <= self.slop;
        match (level(k), level(l)) {
            (true, true) => self.incident.feature(),
            (true, false) => Feature::edge(k, corner),
            (false, true) => Feature::edge(l, corner),
            (false, false) => Feature::Corner(corner),
        }
    }

    /// The half extents of the face, and its distance from the center of its box.
    pub fn extents(&self) -> ([f64; 2], f64) {
        (self.half, self.height)
    }

    /// The two axes of the face and its normal, given the axes of its box.
    #[inline(always)]
    pub fn axes_in(&self, axes: &DMat3) -> [DVec3; 3] {
        let Face { axis, positive } = self.face;
        let [u, v] = others(axis);
        let axes = axes.to_cols_array_2d();
        let along = |axis: usize| DVec3::from_array(axes[axis]);
        [along(u), along(v), if positive { along(axis) } else { -along(axis) }]
    }

    /// Calls `each` with the contact points, in order around the polygon, and the features of this box and the other
    /// that meet there; returns their number: 0 only if the axis is not quite that of least overlap.
    #[inline(always)]
    pub fn points(&self, mut each: impl FnMut([f64; 3], [Feature; 2])) -> usize {
        let along = |axis: usize| self.axes[axis] * self.extents[axis];
        let [m, n] = others(self.incident.axis);
        let (out, m, n) = (along(self.incident.axis), along(m), along(n));
        let center = self.center + if self.incident.positive { out } else { -out };
        let [mut polygon, mut spare] = ring(center, m, n);
        let (mut polygon, mut spare) = (&mut polygon, &mut spare);

        let (reach, center) = ((m.abs() + n.abs()).to_array(), center.to_array());
        for (place, axis, sign) in [(1, 0, -1.0), (3, 0, 1.0), (2, 1, -1.0), (0, 1, 1.0)] {
            let half = self.half[axis];
            if sign * center[axis] + reach[axis] > half + self.slop {
                let plane = SidePlane {
                    place,
                    axis,
                    sign,
                    half,
                };
                spare.len = 0;
                spare.append_clipped(polygon, &plane, self.slop);
                swap(&mut polygon, &mut spare);
            }
        }
        let rings = [self.face.ring(), self.incident.ring()];
        self.distinct(polygon, |vertex| each(vertex.at, self.meeting(vertex.origin, rings)))
    }

    /// Calls `each` with the corners that are not above the face, once for coincident ones; returns their number.
    #[inline(always)]
    fn distinct(&self, polygon: &Polygon, mut each: impl FnMut(&Vertex)) -> usize {
        let same = SAME * self.slop;
        let repeats = |of: [f64; 3], at: [f64; 3]| {
            let differ = |axis: usize| (of[axis] - at[axis]).abs();
            // Compares all three: most corners differ, so the branch is predictable.
            (differ(0) <= same) & (differ(1) <= same) & (differ(2) <= same)
        };
        let (mut first, mut last) = ([f64::INFINITY; 3], [f64::INFINITY; 3]);
        let mut count = 0;
        for vertex in polygon.vertices() {
            if vertex.at[2] > self.slop || (repeats(first, vertex.at) | repeats(last, vertex.at)) {
                continue;
            }
            if count == 0 {
                first = vertex.at;
            }
            last = vertex.at;
            count += 1;
            each(vertex);
        }
        count
    }

    /// The features that meet in a corner of the polygon: of this box, and of the other.
    #[inline(always)]
    fn meeting(&self, origin: Origin, [this, other]: [&Ring; 2]) -> [Feature; 2] {
        let at = |numbers: &[u8; 4], place: u8| numbers[usize::from(place) % 4];
        match origin {
            Origin::Corner(place) => [self.face.feature(), Feature::Corner(at(&other.corners, place))],
            Origin::Crossing(Line::Incident(place), side) => [
                Feature::Edge(at(&this.edges, side)),
                Feature::Edge(at(&other.edges, place)),
            ],
            // The corner between an edge and the next belongs to the latter.
            Origin::Crossing(Line::Side(of), side) => {
                let later = if (of + 1) % 4 == side { side } else { of };
                [Feature::Corner(at(&this.corners, later)), self.incident.feature()]
            }
        }
    }
}

/// The corners of the face with this center and these half edges, with room for another polygon.
#[inline(always)]
fn ring(center: DVec3, m: DVec3, n: DVec3) -> [Polygon; 2] {
    let corner = |place: u8, at: DVec3| Vertex {
        at: at.to_array(),
        follows: Line::Incident(place),
        origin: Origin::Corner(place),
    };
    let (up, down) = (center + n, center - n);
    let [a, b, c, d] = [
        corner(0, up + m),
        corner(1, up - m),
        corner(2, down - m),
        corner(3, down + m),
    ];
    // There are four; the repeated first one only fills the array.
    let vertices = [a, b, c, d, a, a, a, a];
    [
        Polygon { vertices, len: 4 },
        Polygon {
            vertices: [a; CAPACITY],
            len: 0,
        },
    ]
}

/// The axis with the largest number; the first of nearly equal ones.
fn largest([x, y, z]: [f64; 3]) -> usize {
    let (first, most) = if y > x + FACING { (1, y) } else { (0, x) };
    if z > most + FACING { 2 } else { first }
}
