//! The interval test in f64, with bounds on its errors.
//!
//! With the names of [`separating_axes`](crate::narrow_phase::obb_obb::separating_axes), and `v` the velocity of B relative to A: along
//! each axis L the test knows, all times the same factor,
//!
//! ```text
//! D = L·d,  V = L·v,  R = the sum of the radii
//! ```
//!
//! and the boxes overlap along L while `|D + t V| <= R`: for V other than 0 from `(D' - R) / |V|` to `(D' + R) / |V|`, where
//! `D' = -sign(V) D` is how far B still has to go.
//!
//! # The errors
//!
//! D and R are the summands of F, and V is a D with v instead of d. So with `T` and `G` the sums of the distances and of the extents in
//! F, each of d and v rounded once,
//!
//! ```text
//! |error of D| + |error of R| <= E / 2,  E = K u (T(d) + G)
//! |error of V| <= W / 2,                 W = K u T(v)
//! ```
//!
//! by what is shown at [`DISTANCE_ERROR`](crate::narrow_phase::obb_obb::separating_axes::DISTANCE_ERROR), with K =
//! [`ERROR_FACTOR`] and u = 2^-52, twice what it has to be. Nothing underflows that matters: V is a sum of products of at most seven
//! `f32`, each at least 2^-1043 or 0, and W at least 2^-200, as T(v) is at least half of the largest component of v.
//!
//! - A bound on a time takes the numerator with E and the denominator with W on the safe side. The other half of E and W, at
//!   least 48 roundings of the numerator and of the denominator, covers the few roundings of sums, products and quotients.
//! - If |V| < 3 W, the direction is taken to be unknown: B does not come before it has crossed the gap `|D| - R` at the speed |V| + W,
//!   and does not go before it has crossed `R - |D|` likewise.
//! - Otherwise `r = W / (|V| + W) <= 1/4`, and `1 / (|V| - W) = (1 / (|V| + W)) / (1 - 2 r) <= (1 / (|V| + W)) (1 + 4 r)`: one quotient
//!   serves both bounds.
//!
//! # Nearly parallel edges
//!
//! Along their axis D, V and R drown in E and W. But [`KAPPA`](crate::narrow_phase::obb_obb::separating_axes::KAPPA) holds at any time:
//! where all six face axes have `F < -(KAPPA S_ij Z + 2 E)`, the axis of edges i and j has F < 0. At such a time the boxes overlap along the
//! faces of A, whose distances add up to at most those radii, `T <= G(A) + sqrt(3) G(B)`; so `Z < 2.8 G`, whatever the way to
//! there. As `1.16 * 2.8 < 3.25`, and as the error of `S_ij` adds less than 34 u Z, which is less than E, the edges do not separate
//! the boxes during the interval that the faces leave with radii smaller by `3.25 S_ij G + E`, if `S_ij < 0.5` and there is
//! such an interval. Its ends are as good for the edges as their own.

use std::slice;

use glam::{DMat3, DVec3};
use wide::f64x4;

use crate::geometry::rotation::{matrix, others, relative};
use crate::narrow_phase::obb_obb::exact::same_rotation;
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::narrow_phase::obb_obb::separating_axes::ERROR_FACTOR;
use crate::shapes::moving::body::Body;

/// What f64 knows about a pair.
pub(super) enum Found {
    /// They do not meet.
    Apart,
    /// No axis certainly separates them at the start. If they are apart then, these axes tell all else.
    PerhapsAtStart(Axes),
    /// They are apart at the start and meet.
    Meets(Entry),
    /// They are apart at the start; these axes tell all else.
    Unclear(Axes),
}

/// The last axis along which two boxes come to overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// When they do: not later, and hardly earlier.
    pub time: f64,
    /// The number of the axis, as in [`Axes`](crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes).
    pub axis: usize,
    /// Whether B is then on the + side of A.
    pub positive: bool,
}

/// The test of two bodies that move with different velocities, until `dt`. The boxes may be `closeness` apart when they meet.
#[inline(always)]
pub(super) fn search(pair: &Pair, dt: f64, closeness: f64) -> Found {
    // Half of those that do not meet are told by the faces of one box.
    let of_a = pair.faces_of_a().course(pair);
    let outer = Stay::outer(slice::from_ref(&of_a), pair.error);
    if outer.is_empty_until(dt) {
        return Found::Apart;
    }
    let of_b = pair.faces_of_b().course(pair);
    let outer = outer.with(Stay::outer(slice::from_ref(&of_b), pair.error));
    if outer.is_empty_until(dt) {
        return Found::Apart;
    }
    let faces = [of_a, of_b];
    // The axes of equal rotations are those of the faces.
    let edges = (!pair.same_rotation).then(|| [0, 1, 2].map(|i| pair.edges(i).course(pair)));
    let outer = edges
        .iter()
        .fold(outer, |outer, edges| outer.with(Stay::outer(edges, pair.error)));
    if outer.is_empty_until(dt) {
        return Found::Apart;
    }
    if outer.entry == 0.0 {
        return Found::PerhapsAtStart(decisive(&faces, &edges, pair.error, outer, dt));
    }
    let of_faces = Stay::inner(&faces, pair.error);
    let precision = f64::min(dt * LEAST_PRECISION, closeness / sum(pair.velocity));
    let is_clear = |inner: Stay| inner.entry <= f64::min(inner.exit, dt) && inner.entry - outer.entry <= precision;
    let is_known = match &edges {
        None => is_clear(of_faces),
        Some(edges) => {
            is_clear(of_faces.with(Stay::inner(edges, pair.error)))
                || is_clear(of_faces) && is_clear(pair.by_faces(edges, of_faces))
        }
    };
    if !is_known {
        return Found::Unclear(decisive(&faces, &edges, pair.error, outer, dt));
    }
    // A face that may be the last is preferred.
    let last = match of_faces.entry >= outer.entry {
        true => last_of(&faces, |course| course.latest_entry(pair.error)),
        false => 6 + edges.map_or(0, |edges| last_of(&edges, |course| course.earliest_entry(pair.error))),
    };
    Found::Meets(Entry {
        time: outer.entry,
        axis: last,
        positive: pair.group(last / 3).speed.to_array()[last % 3] < 0.0,
    })
}

/// The axes that may be the last to let the boxes in, or the first to put them out before `dt`, given the bounds from outside. All
/// others let them in before the last, and put them out after the first or after `dt`.
#[cold]
fn decisive(faces: &[Course; 2], edges: &Option<[Course; 3]>, error: f64, outer: Stay, dt: f64) -> Axes {
    let mut axes = 0;
    for (group, course) in faces.iter().chain(edges.iter().flatten()).enumerate() {
        let entry = course.latest_entry(error);
        let is_last = entry.simd_gt(f64x4::ZERO) & entry.simd_ge(f64x4::splat(outer.entry));
        let is_first = course
            .earliest_exit(error)
            .simd_le(f64x4::splat(f64::min(outer.exit, dt)));
        axes |= ((is_last | is_first).to_bitmask() as u16 & 7) << (3 * group);
    }
    Axes(axes)
}

/// The promised precision of times, in steps.
const LEAST_PRECISION: f64 = 1.0 / (1u64 << 20) as f64;

/// The number of the axis with the latest of these entries, the first of equal ones.
fn last_of(courses: &[Course], entry: impl Fn(&Course) -> f64x4) -> usize {
    let mut last = (0, f64::NEG_INFINITY);
    for (group, course) in courses.iter().enumerate() {
        for (lane, entry) in entry(course).to_array().into_iter().take(3).enumerate() {
            if entry > last.1 {
                last = (3 * group + lane, entry);
            }
        }
    }
    last.0
}

/// When axes let the boxes in, and when they put them out. As bounds from outside, no axis lets them in before `entry`, and one puts them
/// out by `exit`; as bounds from inside, all axes have let them in by `entry`, and none puts them out before `exit`.
#[derive(Clone, Copy)]
struct Stay {
    entry: f64,
    exit: f64,
}

impl Stay {
    #[inline(always)]
    fn outer(courses: &[Course], error: f64) -> Self {
        Self::of(courses, |course| {
            [course.earliest_entry(error), course.latest_exit(error)]
        })
    }

    #[inline(always)]
    fn inner(courses: &[Course], error: f64) -> Self {
        Self::of(courses, |course| {
            [course.latest_entry(error), course.earliest_exit(error)]
        })
    }

    #[inline(always)]
    fn of(courses: &[Course], ends: impl Fn(&Course) -> [f64x4; 2]) -> Self {
        let (mut latest, mut earliest) = (f64x4::ZERO, f64x4::splat(f64::INFINITY));
        for course in courses {
            let [entry, exit] = ends(course);
            latest = latest.fast_max(entry);
            earliest = earliest.fast_min(exit);
        }
        Self {
            entry: greatest(latest),
            exit: -greatest(-earliest),
        }
    }

    fn with(self, other: Self) -> Self {
        Self {
            entry: f64::max(self.entry, other.entry),
            exit: f64::min(self.exit, other.exit),
        }
    }

    fn is_empty_until(self, dt: f64) -> bool {
        self.entry > f64::min(self.exit, dt)
    }
}

/// Whether spheres around the boxes never meet: B's center does not come as near to A's as both radii, not even on its line.
///
/// In f64 every length here errs by less than 8 u of |d|, |v| or the radii; the product `d × v` by less than `8 u |d| |v|`.
#[inline(always)]
pub(super) fn pass_by(a: &Body, b: &Body) -> bool {
    let d = b.obb.center.as_dvec3() - a.obb.center.as_dvec3();
    let v = b.motion.velocity.as_dvec3() - a.motion.velocity.as_dvec3();
    let [h_a, h_b] = [a, b].map(|body| body.obb.half_extents.as_dvec3().length_squared());
    let radius = h_a.sqrt() + h_b.sqrt();
    let reach = radius + SLACK * (radius + d.abs().element_sum());
    d.cross(v).length_squared() > reach * reach * v.length_squared() * (1.0 + SLACK)
}

/// 16 u with u = 2^-52: the part by which [`pass_by`] is on the safe side.
const SLACK: f64 = 16.0 * f64::EPSILON;

/// The terms that the axes share.
pub(super) struct Pair {
    m_a: [[f64; 3]; 3],
    n: f64,
    same_rotation: bool,
    distance: [f64; 3],
    velocity: [f64; 3],
    g_a: [f64; 3],
    g_b: [f64; 3],
    c: [[f64; 3]; 3],
    s: f64,
    /// E and W.
    error: f64,
    speed_error: f64,
}

impl Pair {
    #[inline(always)]
    pub fn new([a, b]: [&Body; 2]) -> Self {
        let [q_a, q_b] = [a, b].map(|body| body.obb.rotation.to_array().map(f64::from));
        let (m_a, n) = matrix(q_a);
        let (c, s) = matrix(relative(q_a, q_b));
        let along = |from: [f32; 3], to: [f32; 3]| {
            let d = [0, 1, 2].map(|k| f64::from(to[k]) - f64::from(from[k]));
            [0, 1, 2].map(|i| m_a[0][i] * d[0] + m_a[1][i] * d[1] + m_a[2][i] * d[2])
        };
        let distance = along(a.obb.center.to_array(), b.obb.center.to_array());
        let velocity = along(a.motion.velocity.to_array(), b.motion.velocity.to_array());
        let [g_a, g_b] = [a, b].map(|body| body.obb.half_extents.to_array().map(|h| n * f64::from(h)));
        let unit = ERROR_FACTOR * f64::EPSILON;
        Self {
            error: unit * (sum(distance) + sum(g_a) + sum(g_b)),
            speed_error: unit * sum(velocity),
            same_rotation: same_rotation(a.obb, b.obb),
            m_a,
            n,
            distance,
            velocity,
            g_a,
            g_b,
            c,
            s,
        }
    }

    /// Both boxes in the frame of A, at a time.
    pub fn frame(&self, [a, b]: [&Body; 2], time: f64) -> Frame {
        let (per_n, per_s) = (1.0 / self.n, 1.0 / self.s);
        let rows = |m: &[[f64; 3]; 3], factor| DMat3::from_cols_array_2d(m).transpose() * factor;
        let way = DVec3::from_array(self.distance) + DVec3::from_array(self.velocity) * time;
        let half_extents = [a, b].map(|body| body.obb.half_extents.as_dvec3());
        Frame::of(rows(&self.m_a, per_n), way * per_n, rows(&self.c, per_s), half_extents)
    }

    fn group(&self, number: usize) -> Group {
        match number {
            0 => self.faces_of_a(),
            1 => self.faces_of_b(),
            _ => self.edges(number - 2),
        }
    }

    #[inline(always)]
    fn faces_of_a(&self) -> Group {
        let c = &self.c;
        let column = |j: usize| lanes([c[0][j], c[1][j], c[2][j]]).abs() * self.g_b[j];
        Group {
            distance: lanes(self.distance) * self.s,
            speed: lanes(self.velocity) * self.s,
            radius: endless(self.g_a) * self.s + column(0) + column(1) + column(2),
        }
    }

    #[inline(always)]
    fn faces_of_b(&self) -> Group {
        let rows = self.rows();
        let along = |v: [f64; 3]| rows[0] * v[0] + rows[1] * v[1] + rows[2] * v[2];
        let of_a = |i: usize| rows[i].abs() * self.g_a[i];
        Group {
            distance: along(self.distance),
            speed: along(self.velocity),
            radius: endless(self.g_b) * self.s + of_a(0) + of_a(1) + of_a(2),
        }
    }

    /// Edge i of A with each of B.
    #[inline(always)]
    fn edges(&self, i: usize) -> Group {
        let ([k, l], rows, [x, y, z], [g_x, g_y, g_z]) = (others(i), self.rows(), self.c[i], self.g_b);
        let along = |v: [f64; 3]| rows[k] * v[l] - rows[l] * v[k];
        let next = lanes([z, x, y]).abs() * lanes([g_y, g_z, g_x]);
        let last = lanes([y, z, x]).abs() * lanes([g_z, g_x, g_y]);
        let radius = rows[l].abs() * self.g_a[k] + rows[k].abs() * self.g_a[l] + next + last;
        Group {
            distance: along(self.distance),
            speed: along(self.velocity),
            radius: radius + endless([0.0; 3]),
        }
    }

    /// For each axis of A, its products with the three axes of B.
    #[inline(always)]
    fn rows(&self) -> [f64x4; 3] {
        self.c.map(lanes)
    }

    /// The bounds of all axes, where nearly parallel edges may have those of the faces; see the [module](self).
    fn by_faces(&self, edges: &[Course; 3], of_faces: Stay) -> Stay {
        let extents = sum(self.g_a) + sum(self.g_b);
        let mut all = of_faces;
        for (i, course) in edges.iter().enumerate() {
            let entries = course.latest_entry(self.error).to_array();
            let exits = course.earliest_exit(self.error).to_array();
            for j in 0..3 {
                let mut own = Stay {
                    entry: entries[j],
                    exit: exits[j],
                };
                let [k, l] = others(i);
                let sine = self.c[k][j].abs() + self.c[l][j].abs();
                let is_worse = own.entry > of_faces.entry || own.exit < of_faces.exit;
                if is_worse && sine < 0.5 {
                    let shrunk = self.shrunk_faces(PARALLEL * sine * extents + self.error);
                    if shrunk.entry <= shrunk.exit {
                        own.entry = own.entry.min(shrunk.entry);
                        own.exit = own.exit.max(shrunk.exit);
                    }
                }
                all = all.with(own);
            }
        }
        all
    }

    /// The bounds of the faces with smaller radii.
    fn shrunk_faces(&self, by: f64) -> Stay {
        let faces = [self.faces_of_a(), self.faces_of_b()].map(|group| group.course(self));
        Stay::inner(&faces, self.error + by)
    }
}

/// [`KAPPA`](crate::narrow_phase::obb_obb::separating_axes::KAPPA) times the largest Z, in units of G, at which the boxes can meet.
const PARALLEL: f64 = 3.25;

/// D, V and R of three axes; the last lane is an axis along which the boxes always overlap.
struct Group {
    distance: f64x4,
    speed: f64x4,
    radius: f64x4,
}

impl Group {
    #[inline(always)]
    fn course(&self, pair: &Pair) -> Course {
        let size = self.speed.abs();
        let pace = 1.0 / (size + pair.speed_error);
        let is_known = size.simd_ge(f64x4::splat(3.0 * pair.speed_error));
        let to_go = self.distance ^ (!self.speed & f64x4::splat(-0.0));
        let apart = self.distance.abs();
        Course {
            enter: is_known.bitselect(to_go, apart) - self.radius,
            leave: is_known.bitselect(to_go, -apart) + self.radius,
            slowest: pace + pace * pace * (4.0 * pair.speed_error),
            pace,
            is_known,
        }
    }
}

/// How the boxes come to overlap along three axes, and cease to.
struct Course {
    /// D' - R and D' + R.
    enter: f64x4,
    leave: f64x4,
    /// 1 / |V|, at least and at most.
    pace: f64x4,
    slowest: f64x4,
    /// Whether the sign of V is known; otherwise the greatest of 1 / |V| means nothing.
    is_known: f64x4,
}

impl Course {
    #[inline(always)]
    fn earliest_entry(&self, error: f64) -> f64x4 {
        (self.enter - error).fast_max(f64x4::ZERO) * self.pace
    }

    #[inline(always)]
    fn latest_entry(&self, error: f64) -> f64x4 {
        let enter = self.enter + error;
        let entry = self
            .is_known
            .bitselect(enter * self.slowest, f64x4::splat(f64::INFINITY));
        enter.simd_le(f64x4::ZERO).bitselect(f64x4::ZERO, entry)
    }

    /// Not later than the true one where that is not negative; else negative, too.
    #[inline(always)]
    fn earliest_exit(&self, error: f64) -> f64x4 {
        (self.leave - error) * self.pace
    }

    /// Not earlier than the true one where that is not negative; else the sign may be any.
    #[inline(always)]
    fn latest_exit(&self, error: f64) -> f64x4 {
        let exit = (self.leave + error) * self.slowest;
        self.is_known.bitselect(exit, f64x4::splat(f64::INFINITY))
    }
}

fn sum(v: [f64; 3]) -> f64 {
    v[0].abs() + v[1].abs() + v[2].abs()
}

#[inline(always)]
fn lanes([x, y, z]: [f64; 3]) -> f64x4 {
    f64x4::new([x, y, z, 0.0])
}

/// With a last lane beyond all others.
#[inline(always)]
fn endless([x, y, z]: [f64; 3]) -> f64x4 {
    f64x4::new([x, y, z, f64::INFINITY])
}

#[inline(always)]
fn greatest(numbers: f64x4) -> f64 {
    let greater = |x: f64, y: f64| if x > y { x } else { y };
    let [x, y, z, w] = numbers.to_array();
    greater(greater(x, y), greater(z, w))
}
