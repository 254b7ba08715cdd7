//! The part of one box's face that lies in front of a face of the other.
//!
//! The *reference* face belongs to the axis of least overlap; the *incident* face is the face of the other box most
//! opposed to it. Seen along the normal, a rectangle and a parallelogram overlap. What they share has at most eight corners,
//! and each of them is one of these, known by a few comparisons:
//!
//! - a corner of the incident face inside the rectangle;
//! - a place where an edge of the incident face comes into the rectangle or goes out (Liang and Barsky, "A New Concept and
//!   Method for Line Clipping", ACM Transactions on Graphics 3, 1984: the part of the edge between the two sides across one axis
//!   of the face, and that between the two others, share what is inside);
//! - a corner of the rectangle inside the parallelogram. Where an edge goes out, the corners from there on, as far as they are
//!   inside, come before the place where the next edge comes in.
//!
//! So the corners come in order around the part, edge after edge, and nothing but bits is kept. Whatever is above the reference
//! face is dropped. Comparisons are with a rectangle wider by the slop, and so with points above by at most the slop: noise neither
//! cuts the corners of faces that end together nor drops points of faces that lie on one another. The points themselves lie on
//! the sides as they are. Whether a corner is inside is decided once, for both edges at it; rounding elsewhere adds a corner next to
//! another one, or on an edge, or takes such a one away.

use glam::{DMat3, DVec3};
use wide::f64x4;

use crate::geometry::feature::{Feature, Ring};
use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::distance::Frame;
use crate::narrow_phase::obb_obb::manifold::MOST_POINTS;

/// Two points of a manifold closer than this many times the slop are one.
const SAME: f64 = 4.0;

/// How much more one face must face the other, as a cosine, to replace an earlier one.
const FACING: f64 = 1e-4;

/// Edges count as no shorter than this, in units of the slop, along the axes of the reference face: those of a point, or across an
/// axis, cross its sides somewhere.
const SHORTEST: f64 = 1.0 / 1024.0;

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

    /// Calls `each` with the contact points, in order around the part, and the features of this box and the other
    /// that meet there; returns their number: 0 only if the axis is not quite that of least overlap.
    #[inline(always)]
    pub fn points(&self, each: impl FnMut([f64; 3], [Feature; 2])) -> usize {
        let mut distinct = Distinct::new(self.slop, each);
        let incident = Incident::new(self);
        let inside = incident.inside(self);
        let cuts = match inside {
            ALL => Cuts::default(),
            _ => incident.cuts(self, inside),
        };
        let [this, other] = [self.face.ring(), self.incident.ring()];
        for place in 0..4 {
            if inside >> place & 1 == 1 {
                let features = [self.face.feature(), Feature::Corner(other.corners[place])];
                distinct.add(incident.start(place), features);
            } else if cuts.passing >> place & 1 == 1 {
                let (line, at) = incident.crossing(self, &cuts, place, false);
                let features = [
                    Feature::Edge(this.edges[incident.own_edge(line)]),
                    Feature::Edge(other.edges[place]),
                ];
                distinct.add(at, features);
            }
            if cuts.leaving >> place & 1 == 1 {
                let (line, at) = incident.crossing(self, &cuts, place, true);
                let features = [
                    Feature::Edge(this.edges[incident.own_edge(line)]),
                    Feature::Edge(other.edges[place]),
                ];
                distinct.add(at, features);
                let following = (line + 1..line + 5).map(|place| place % 4);
                for corner in following.take_while(|corner| cuts.covered >> corner & 1 == 1) {
                    let features = [
                        Feature::Corner(this.corners[incident.own_corner(corner)]),
                        self.incident.feature(),
                    ];
                    distinct.add(incident.corner(self, corner), features);
                }
            }
        }
        if inside | cuts.passing == 0 {
            for corner in (0..4).filter(|corner| cuts.covered >> corner & 1 == 1) {
                let features = [
                    Feature::Corner(this.corners[incident.own_corner(corner)]),
                    self.incident.feature(),
                ];
                distinct.add(incident.corner(self, corner), features);
            }
        }
        distinct.count
    }
}

/// All four corners, as bits.
const ALL: u32 = 0b1111;

/// The incident face in the coordinates of the reference face. The second of them is turned round where that lets both faces go
/// round the same way: then a place in the ring of the reference face is another one of its box.
struct Incident {
    center: DVec3,
    m: DVec3,
    n: DVec3,
    /// A quarter of its area, seen along the normal.
    area: f64,
    mirrored: bool,
    /// By coordinate and place: its corners, and the ways to the next.
    corners: [f64x4; 3],
    along: [f64x4; 3],
}

/// Where edges of the incident face cross the sides of the other: bits by place, of the edges but for the last.
#[derive(Default)]
struct Cuts {
    /// The edges with a part inside.
    passing: u32,
    /// Those that end outside.
    leaving: u32,
    /// Those that come in, and go out, across the first axis.
    first_in: u32,
    first_out: u32,
    /// One divided by the lengths along the two axes.
    inverse: [[f64; 4]; 2],
    /// The corners of the reference face inside all edges.
    covered: u32,
}

impl Incident {
    #[inline(always)]
    fn new(face: &Reference) -> Self {
        let along = |axis: usize| face.axes[axis] * face.extents[axis];
        let [m, n] = others(face.incident.axis);
        let (out, m, n) = (along(face.incident.axis), along(m), along(n));
        let center = face.center + if face.incident.positive { out } else { -out };
        let area = m.x * n.y - m.y * n.x;
        let mirror = DVec3::new(1.0, if area < 0.0 { -1.0 } else { 1.0 }, 1.0);
        let (center, m, n) = (center * mirror, m * mirror, n * mirror);
        let (p, q, m2, n2) = (m + n, m - n, m + m, n + n);
        // The same number at the end of one edge and the start of the next.
        let corners = |axis: usize| f64x4::splat(center[axis]) + f64x4::new([p[axis], -q[axis], -p[axis], q[axis]]);
        let along = |axis: usize| f64x4::new([-m2[axis], -n2[axis], m2[axis], n2[axis]]);
        Self {
            center,
            m,
            n,
            area: area.abs(),
            mirrored: area < 0.0,
            corners: [corners(0), corners(1), corners(2)],
            along: [along(0), along(1), along(2)],
        }
    }

    /// The corners inside, as bits.
    #[inline(always)]
    fn inside(&self, face: &Reference) -> u32 {
        let within = |axis: usize| {
            self.corners[axis]
                .abs()
                .simd_le(f64x4::splat(face.half[axis] + face.slop))
        };
        (within(0) & within(1)).to_bitmask()
    }

    #[inline(always)]
    fn cuts(&self, face: &Reference, inside: u32) -> Cuts {
        let shortest = f64x4::splat(SHORTEST * face.slop);
        let cut = |axis: usize| {
            let (along, outer) = (self.along[axis], f64x4::splat(face.half[axis] + face.slop));
            let sign = along.simd_lt(f64x4::ZERO) & f64x4::splat(-0.0);
            let inverse = (f64x4::ONE / along.abs().fast_max(shortest)) ^ sign;
            let one = (-outer - self.corners[axis]) * inverse;
            let other = (outer - self.corners[axis]) * inverse;
            (one.fast_min(other), one.fast_max(other), inverse.to_array())
        };
        let ((enters_u, leaves_u, inverse_u), (enters_v, leaves_v, inverse_v)) = (cut(0), cut(1));
        let (enters, leaves) = (enters_u.fast_max(enters_v), leaves_u.fast_min(leaves_v));
        let passes = enters.simd_lt(leaves) & enters.simd_lt(f64x4::ONE) & leaves.simd_gt(f64x4::ZERO);
        let ends = (inside >> 1) | (inside << 3 & ALL);
        let passing = inside | ends | passes.to_bitmask();

        let [u, v] = face.half.map(|half| half + face.slop);
        let u = f64x4::new([u, -u, -u, u]) - self.center.x;
        let v = f64x4::new([v, v, -v, -v]) - self.center.y;
        let area = f64x4::splat(self.area);
        let between_m = (u * self.n.y - v * self.n.x).abs().simd_lt(area);
        let between_n = (v * self.m.x - u * self.m.y).abs().simd_lt(area);
        Cuts {
            passing,
            leaving: passing & !ends,
            first_in: enters_u.simd_gt(enters_v).to_bitmask(),
            first_out: leaves_u.simd_lt(leaves_v).to_bitmask(),
            inverse: [inverse_u, inverse_v],
            covered: (between_m & between_n).to_bitmask(),
        }
    }

    /// A corner.
    #[inline(always)]
    fn start(&self, place: usize) -> [f64; 3] {
        self.back(self.corners.map(|corners| corners.to_array()[place]))
    }

    /// Where an edge comes in or goes out, and the place of the side that it crosses.
    #[inline(always)]
    fn crossing(&self, face: &Reference, cuts: &Cuts, place: usize, out: bool) -> (usize, [f64; 3]) {
        let first = if out { cuts.first_out } else { cuts.first_in } >> place & 1 == 1;
        let axis = usize::from(!first);
        let start = self.corners.map(|corners| corners.to_array()[place]);
        let along = self.along.map(|along| along.to_array()[place]);
        let positive = (along[axis] >= 0.0) == out;
        let side = if positive { face.half[axis] } else { -face.half[axis] };
        let part = ((side - start[axis]) * cuts.inverse[axis][place]).clamp(0.0, 1.0);
        let between = |axis: usize| start[axis] + part * along[axis];
        let mut at = [between(0), between(1), between(2)];
        if 0.0 < part && part < 1.0 {
            at[axis] = side;
        }
        let line = match (first, positive) {
            (false, true) => 0,
            (true, false) => 1,
            (false, false) => 2,
            (true, true) => 3,
        };
        (line, self.back(at))
    }

    /// A corner of the reference face, and the height of the incident one there.
    #[inline(always)]
    fn corner(&self, face: &Reference, place: usize) -> [f64; 3] {
        let on = |half: f64, positive: bool| if positive { half } else { -half };
        let at = [on(face.half[0], place % 3 == 0), on(face.half[1], place < 2)];
        let (u, v) = (at[0] - self.center.x, at[1] - self.center.y);
        let along_m = ((u * self.n.y - v * self.n.x) / self.area).clamp(-1.0, 1.0);
        let along_n = ((v * self.m.x - u * self.m.y) / self.area).clamp(-1.0, 1.0);
        let height = self.center.z + along_m * self.m.z + along_n * self.n.z;
        self.back([at[0], at[1], height])
    }

    /// A point with the second coordinate as it is.
    #[inline(always)]
    fn back(&self, [u, v, height]: [f64; 3]) -> [f64; 3] {
        [u, if self.mirrored { -v } else { v }, height]
    }

    /// The place of an edge of the reference face in the ring of its box.
    #[inline(always)]
    fn own_edge(&self, place: usize) -> usize {
        if self.mirrored { (6 - place) % 4 } else { place }
    }

    #[inline(always)]
    fn own_corner(&self, place: usize) -> usize {
        if self.mirrored { 3 - place } else { place }
    }
}

/// Hands on the corners that are not above the face, once for coincident ones.
struct Distinct<F> {
    slop: f64,
    first: [f64; 3],
    last: [f64; 3],
    count: usize,
    each: F,
}

impl<F: FnMut([f64; 3], [Feature; 2])> Distinct<F> {
    fn new(slop: f64, each: F) -> Self {
        Self {
            slop,
            first: [f64::INFINITY; 3],
            last: [f64::INFINITY; 3],
            count: 0,
            each,
        }
    }

    #[inline(always)]
    fn add(&mut self, at: [f64; 3], features: [Feature; 2]) {
        let same = SAME * self.slop;
        let repeats = |of: [f64; 3]| {
            let differ = |axis: usize| (of[axis] - at[axis]).abs();
            // Compares all three: most corners differ, so the branch is predictable.
            (differ(0) <= same) & (differ(1) <= same) & (differ(2) <= same)
        };
        // Only rounding makes more corners than there are.
        if at[2] > self.slop || (repeats(self.first) | repeats(self.last)) || self.count == MOST_POINTS {
            return;
        }
        if self.count == 0 {
            self.first = at;
        }
        self.last = at;
        self.count += 1;
        (self.each)(at, features);
    }
}

/// The axis with the largest number; the first of nearly equal ones.
fn largest([x, y, z]: [f64; 3]) -> usize {
    let (first, most) = if y > x + FACING { (1, y) } else { (0, x) };
    if z > most + FACING { 2 } else { first }
}
