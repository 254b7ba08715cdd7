//! The part of one box's face that lies in front of a face of the other.
//!
//! The *reference* face belongs to the axis of least overlap; the *incident* face is the face of
//! the other box most opposed to it. Seen along the normal, they are a rectangle and a
//! parallelogram. Their intersection has at most eight corners. Each of them is one of these, found
//! by a few comparisons:
//!
//! - a corner of the incident face inside the rectangle;
//! - a place where an edge of the incident face enters or leaves the rectangle (Liang and Barsky,
//!   "A New Concept and Method for Line Clipping", ACM Transactions on Graphics 3, 1984: the part
//!   of the edge between the two sides across one axis of the face, and that between the two
//!   others, have the inside part in common);
//! - a corner of the rectangle inside the parallelogram. After the place where an edge leaves, such
//!   corners come before the place where the next edge enters.
//!
//! The corners thus come in order around the part, edge after edge. They are kept as bits until
//! they are computed. Everything above the reference face is dropped. Comparisons use a rectangle
//! wider by the slop, and accept points above it by at most the slop: noise neither cuts the
//! corners of faces that end together nor drops points of faces that lie on one another. The points
//! themselves lie on the original sides. Whether a corner is inside is decided once, for both edges
//! at it. One comparison decides both on which side of an edge a corner of the rectangle is, and
//! through which of the two sides at that corner the edge passes.

#[cfg(test)]
mod tests;

use glam::{DMat3, DVec3};
use wide::f64x4;

use crate::geometry::feature::{Feature, Ring};
use crate::geometry::rotation::others;
use crate::narrow_phase::obb_obb::frame::Frame;

/// The largest number of corners of the intersection of a rectangle and a parallelogram.
const MOST_CORNERS: usize = 8;

/// Two points of a manifold closer than this many times the slop are one.
const SAME: f64 = 4.0;

/// The amount by which one face must face the other more, as a cosine, to replace an earlier one.
const FACING: f64 = 1e-4;

/// The shortest length that edges are assumed to have along the axes of the reference face, in
/// units of the slop. Edges of a point, or perpendicular to an axis, then also cross its sides
/// somewhere.
const SHORTEST: f64 = 1.0 / 1024.0;

/// A face of one box, and the other box in its coordinates: along the face's two axes from its
/// center, and the height above it.
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

/// A face, given by its axis and side.
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
    /// Returns the face of the first box of a frame.
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

    /// Returns the features of a manifold: this face, and the supporting feature of the other box.
    pub fn features(&self) -> [Feature; 2] {
        [self.face.feature(), self.supporting_feature()]
    }

    /// Returns the feature of the other box furthest against the normal: the face, edge or corner
    /// formed by the corners at most twice the slop behind the furthest.
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

    /// Returns the half extents of the face, and its distance from the center of its box.
    pub fn extents(&self) -> ([f64; 2], f64) {
        (self.half, self.height)
    }

    /// Returns the two axes of the face and its normal, given the axes of its box.
    #[inline(always)]
    pub fn axes_in(&self, axes: &DMat3) -> [DVec3; 3] {
        let Face { axis, positive } = self.face;
        let [u, v] = others(axis);
        let axes = axes.to_cols_array_2d();
        let along = |axis: usize| DVec3::from_array(axes[axis]);
        [along(u), along(v), if positive { along(axis) } else { -along(axis) }]
    }

    /// Calls `each` with the contact points, in order around the part, and the features of this box
    /// and the other that meet there. Returns their number: 0 only if the axis is not quite that of
    /// least overlap.
    #[inline(always)]
    pub fn points(&self, each: impl FnMut([f64; 3], [Feature; 2])) -> usize {
        let mut distinct = Distinct::new(self.slop, each);
        let part = Part::new(self);
        let mut open = part.found;
        while open != 0 {
            let (at, features) = part.vertex(open.trailing_zeros() as usize);
            distinct.add(at, features);
            open &= open - 1;
        }
        distinct.count
    }
}

/// All four corners, as bits.
const ALL: u32 = 0b1111;

/// The number of bits of an edge of the incident face: the place where it begins or enters, the
/// place where it leaves, and the corners of the reference face from there on, at most three. After
/// those of the four edges come the bits of a reference face that lies inside all of them.
const BITS: usize = 6;
const OUT: usize = 1;
const CORNERS: usize = 2;

/// The intersection of two faces, in coordinates of the reference face. The second coordinate is
/// mirrored if the faces would otherwise go round in opposite directions. A place in the ring of
/// the reference face is then another one of its box.
struct Part<'a> {
    face: &'a Reference,
    /// The center of the incident face, and half of its edges.
    center: DVec3,
    m: DVec3,
    n: DVec3,
    /// A quarter of its area, seen along the normal.
    area: f64,
    mirrored: bool,
    /// By coordinate and place: the corners of the incident face, and the vectors from each to the
    /// next.
    corners: [[f64; 4]; 3],
    along: [[f64; 4]; 3],
    /// The reciprocals of these vectors.
    inverse: [[f64; 4]; 2],
    /// Bits by place: the corners inside, and the edges that enter, and leave, across the first
    /// axis.
    inside: u32,
    first_in: u32,
    first_out: u32,
    /// The corners of the part.
    found: u32,
}

impl<'a> Part<'a> {
    #[inline(always)]
    fn new(face: &'a Reference) -> Self {
        let along = |axis: usize| face.axes[axis] * face.extents[axis];
        let [m, n] = others(face.incident.axis);
        let (out, m, n) = (along(face.incident.axis), along(m), along(n));
        let center = face.center + if face.incident.positive { out } else { -out };
        let area = m.x * n.y - m.y * n.x;
        let mirror = DVec3::new(1.0, if area < 0.0 { -1.0 } else { 1.0 }, 1.0);
        let (center, m, n) = (center * mirror, m * mirror, n * mirror);
        let (p, q, m2, n2) = (m + n, m - n, m + m, n + n);
        // One edge ends and the next starts with the same number.
        let corners = |axis: usize| f64x4::splat(center[axis]) + f64x4::new([p[axis], -q[axis], -p[axis], q[axis]]);
        let along = |axis: usize| [-m2[axis], -n2[axis], m2[axis], n2[axis]];
        let corners = [corners(0), corners(1), corners(2)];
        let within = |axis: usize| corners[axis].abs().simd_le(f64x4::splat(face.half[axis] + face.slop));
        let inside = (within(0) & within(1)).to_bitmask();
        let mut part = Self {
            face,
            center,
            m,
            n,
            area: area.abs(),
            mirrored: area < 0.0,
            corners: corners.map(f64x4::to_array),
            along: [along(0), along(1), along(2)],
            inverse: [[0.0; 4]; 2],
            inside,
            first_in: 0,
            first_out: 0,
            found: spread(ALL),
        };
        if inside != ALL {
            part.cut();
        }
        part
    }

    /// Finds the corners of the part if some corners of the incident face are outside.
    #[inline(always)]
    fn cut(&mut self) {
        let (half, slop) = (self.face.half, self.face.slop);
        let lengths = f64x4::new([self.along[0][2], self.along[0][3], self.along[1][2], self.along[1][3]]);
        let sign = lengths.simd_lt(f64x4::ZERO) & f64x4::splat(-0.0);
        let inverse = (f64x4::ONE / lengths.abs().fast_max(f64x4::splat(SHORTEST * slop))) ^ sign;
        let [m_u, n_u, m_v, n_v] = inverse.to_array();
        self.inverse = [[-m_u, -n_u, m_u, n_u], [-m_v, -n_v, m_v, n_v]];
        // The places where edges cross the lines on the - and the + sides across an axis, as
        // fractions of their lengths.
        let lines = |axis: usize| {
            let (start, inverse) = (f64x4::new(self.corners[axis]), f64x4::new(self.inverse[axis]));
            let outer = f64x4::splat(half[axis] + slop);
            [(-outer - start) * inverse, (outer - start) * inverse]
        };
        let [u, v] = [lines(0), lines(1)];
        let ([enters_u, enters_v], [leaves_u, leaves_v]) = (
            [u, v].map(|[one, other]| one.fast_min(other)),
            [u, v].map(|[one, other]| one.fast_max(other)),
        );
        let (enters, leaves) = (enters_u.fast_max(enters_v), leaves_u.fast_min(leaves_v));
        let passes = enters.simd_lt(leaves) & enters.simd_lt(f64x4::ONE) & leaves.simd_gt(f64x4::ZERO);
        self.first_in = enters_u.simd_gt(enters_v).to_bitmask();
        self.first_out = leaves_u.simd_lt(leaves_v).to_bitmask();

        // The line of an edge meets the two sides at a corner of the reference face in an order
        // that shows on which side of it the corner is. The same comparison shows through which of
        // them the edge leaves.
        let [m_turns, n_turns] = [(m_u > 0.0) == (m_v > 0.0), (n_u > 0.0) == (n_v > 0.0)].map(u32::from);
        let turns = (m_turns * 0b0101) | (n_turns * 0b1010);
        let covers = |side_u: usize, side_v: usize| v[side_v].simd_gt(u[side_u]).to_bitmask() == turns;
        let covered = [covers(1, 1), covers(0, 1), covers(0, 0), covers(1, 0)];
        let covered = (0..4).fold(0, |bits, place| bits | u32::from(covered[place]) << place);
        let covered = if self.area > 0.0 { covered } else { 0 };

        let ends = (self.inside >> 1) | (self.inside << 3 & ALL);
        let crossing = self.inside | ends | passes.to_bitmask();
        let leaving = crossing & !ends;
        self.found = spread(crossing) | (spread(leaving) << OUT);
        if covered != 0 {
            for place in (0..4).filter(|place| leaving >> place & 1 == 1) {
                let following = (covered * 0x11) >> ((self.crossed(place, true) + 1) % 4);
                let run = following.trailing_ones().min(3);
                self.found |= ((1 << run) - 1) << (BITS * place + CORNERS);
            }
        }
        if self.found == 0 {
            self.found = covered << (4 * BITS + CORNERS);
        }
    }

    /// Returns the side of the reference face, by its place in the ring, through which an edge
    /// enters or leaves.
    #[inline(always)]
    fn crossed(&self, place: usize, out: bool) -> usize {
        let first = if out { self.first_out } else { self.first_in } as usize >> place & 1;
        let positive = (self.inverse[1 - first][place] > 0.0) == out;
        [[2, 0], [1, 3]][first][usize::from(positive)]
    }

    /// Returns the corner of the part that a bit stands for, and the features that meet there: of
    /// this box, and of the other.
    #[inline(always)]
    fn vertex(&self, bit: usize) -> ([f64; 3], [Feature; 2]) {
        let (edge, what) = (bit / BITS, bit % BITS);
        let (face, [this, other]) = (self.face, [self.face.face.ring(), self.face.incident.ring()]);
        let place = edge % 4;
        if what == 0 && self.inside >> place & 1 == 1 {
            let at = [0, 1, 2].map(|axis| self.corners[axis][place]);
            return (
                self.back(at),
                [face.face.feature(), Feature::Corner(other.corners[place])],
            );
        }
        let line = if edge == 4 { 3 } else { self.crossed(place, what > 0) };
        if what >= CORNERS {
            let place = (line + what - 1) % 4;
            let own = if self.mirrored { 3 - place } else { place };
            let features = [Feature::Corner(this.corners[own]), face.incident.feature()];
            return (self.corner(place), features);
        }
        let axis = usize::from(line % 2 == 0);
        let side = if line % 3 == 0 {
            face.half[axis]
        } else {
            -face.half[axis]
        };
        let part = ((side - self.corners[axis][place]) * self.inverse[axis][place]).clamp(0.0, 1.0);
        let mut at = [0, 1, 2].map(|axis| self.corners[axis][place] + part * self.along[axis][place]);
        if 0.0 < part && part < 1.0 {
            at[axis] = side;
        }
        let own = if self.mirrored { (6 - line) % 4 } else { line };
        (
            self.back(at),
            [Feature::Edge(this.edges[own]), Feature::Edge(other.edges[place])],
        )
    }

    /// Returns a corner of the reference face, and the height of the incident face there.
    #[inline(always)]
    fn corner(&self, place: usize) -> [f64; 3] {
        let on = |half: f64, positive: bool| if positive { half } else { -half };
        let [u, v] = [
            on(self.face.half[0], place == 0 || place == 3),
            on(self.face.half[1], place < 2),
        ];
        let (x, y) = (u - self.center.x, v - self.center.y);
        let along_m = ((x * self.n.y - y * self.n.x) / self.area).clamp(-1.0, 1.0);
        let along_n = ((y * self.m.x - x * self.m.y) / self.area).clamp(-1.0, 1.0);
        self.back([u, v, self.center.z + along_m * self.m.z + along_n * self.n.z])
    }

    /// Returns a point with the second coordinate no longer mirrored.
    #[inline(always)]
    fn back(&self, [u, v, height]: [f64; 3]) -> [f64; 3] {
        [u, if self.mirrored { -v } else { v }, height]
    }
}

/// Moves the bits of four places to those of four edges.
#[inline(always)]
fn spread(bits: u32) -> u32 {
    (bits & 1) | (bits & 2) << (BITS - 1) | (bits & 4) << (2 * BITS - 2) | (bits & 8) << (3 * BITS - 3)
}

/// Passes on the corners that are not above the face; coincident ones once.
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
        // Only rounding makes more corners than `MOST_CORNERS`.
        if at[2] > self.slop || (repeats(self.first) | repeats(self.last)) || self.count == MOST_CORNERS {
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

/// Returns the axis with the largest number; the first of nearly equal ones.
fn largest([x, y, z]: [f64; 3]) -> usize {
    let (first, most) = if y > x + FACING { (1, y) } else { (0, x) };
    if z > most + FACING { 2 } else { first }
}
