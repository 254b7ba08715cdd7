//! The interval test in f64, with bounds on its errors.
//!
//! With the names of [`separating_axes`](crate::narrow_phase::obb_obb::separating_axes), and `v`
//! the velocity of B relative to A: along each axis L the test computes, all times the same factor,
//!
//! ```text
//! D = L·d,  V = L·v,  R = the sum of the radii
//! ```
//!
//! and the boxes overlap along L while `|D + t V| <= R`: if V is not 0, from `(D' - R) / |V|` to
//! `(D' + R) / |V|`, where `D' = -sign(V) D` is the distance that B still has to move.
//!
//! # The errors
//!
//! D and R are the summands of F, and V is a D with v instead of d. So, with `T` and `G` the sums
//! of the distances and of the extents in F, and with each of d and v rounded once,
//!
//! ```text
//! |error of D| + |error of R| <= E / 2,  E = K u (T(d) + G)
//! |error of V| <= W / 2,                 W = K u T(v)
//! ```
//!
//! by the proof at
//! [`DISTANCE_ERROR`](crate::narrow_phase::obb_obb::separating_axes::DISTANCE_ERROR), with K =
//! [`ERROR_FACTOR`] and u = 2^-52, twice what is necessary. No underflow matters: V is a sum of
//! products of at most seven `f32`, each at least 2^-1043 or 0, and W is at least 2^-200, because
//! T(v) is at least half of the largest component of v.
//!
//! - A bound on a time takes the numerator with E and the denominator with W on the safe side. The
//!   other half of E and W, at least 48 roundings of the numerator and of the denominator, covers
//!   the few roundings of sums, products and quotients.
//! - If |V| < 3 W, the direction is treated as unknown: B does not enter before it has crossed the
//!   gap `|D| - R` at the speed |V| + W, and does not leave before it has crossed `R - |D|`
//!   likewise.
//! - Otherwise `r = W / (|V| + W) <= 1/4`, and `1 / (|V| - W) = (1 / (|V| + W)) / (1 - 2 r) <= (1 /
//!   (|V| + W)) (1 + 4 r)`: one quotient serves both bounds.
//!
//! # Nearly parallel edges
//!
//! Along their axis D, V and R are lost in E and W. But
//! [`KAPPA`](crate::narrow_phase::obb_obb::separating_axes::KAPPA) holds at any time: if all six
//! face axes have `F < -(KAPPA S_ij Z + 2 E)`, the axis of edges i and j has F < 0. At such a time
//! the boxes overlap along the faces of A, whose distances add up to at most those radii,
//! `T <= G(A) + sqrt(3) G(B)`; so `Z < 2.8 G`, whatever the distance moved.
//!
//! Now `1.16 * 2.8 < 3.25`, and the error of `S_ij` adds less than 34 u Z, which is less than E. So
//! the edges do not separate the boxes during the interval that the faces leave with radii smaller
//! by `3.25 S_ij G + E`, if `S_ij < 0.5` and there is such an interval. Its ends are as good for
//! the edges as their own.

use fearless_simd::prelude::*;
use fearless_simd::{f64x4, mask64x4};
use glam::{DMat3, DVec3};

use crate::base::lanes::Simd;
use crate::geometry::rotation::{matrix, others, relative};
use crate::narrow_phase::moving_moving::three_lanes::{endless, lanes};
use crate::narrow_phase::obb_obb::exact::same_rotation;
use crate::narrow_phase::obb_obb::frame::Frame;
use crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes;
use crate::narrow_phase::obb_obb::separating_axes::ERROR_FACTOR;
use crate::shapes::moving::body::Body;

/// The result of the interval test in f64.
pub(super) enum Found {
    /// They do not meet.
    Apart,
    /// No axis certainly separates them at the start. If they are apart then, these axes decide the
    /// rest.
    PerhapsAtStart(Axes),
    /// They are apart at the start and meet.
    Meets(Entry),
    /// They are apart at the start; these axes decide the rest.
    Unclear(Axes),
}

/// The last axis along which two boxes come to overlap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The time of the entry: not later than the true one, and hardly earlier.
    pub time: f64,
    /// The number of the axis, as in [`Axes`](crate::narrow_phase::obb_obb::obb_sat_f64_cpu::Axes).
    pub axis: usize,
    /// Set if B is then on the + side of A.
    pub positive: bool,
}

/// Tests two bodies that move with different velocities, until `dt`. The boxes may be `closeness`
/// apart when they meet.
#[inline(always)]
pub(super) fn search<S: Simd>(simd: S, pair: &Pair, dt: f64, closeness: f64) -> Found {
    // The faces of one box rule out half of the pairs that do not meet.
    let of_a = pair.faces_of_a(simd).course(pair);
    let outer = Stay::outer([&of_a], pair.error);
    if outer.is_empty_until(dt) {
        return Found::Apart;
    }
    let of_b = pair.faces_of_b(simd).course(pair);
    let outer = outer.with(Stay::outer([&of_b], pair.error));
    if outer.is_empty_until(dt) {
        return Found::Apart;
    }
    // Boxes with equal rotations have only the axes of the faces.
    if pair.same_rotation {
        return found(pair, dt, closeness, outer, [&of_a, &of_b], None);
    }
    let x = pair.edges(simd, 0).course(pair);
    let y = pair.edges(simd, 1).course(pair);
    let z = pair.edges(simd, 2).course(pair);
    let outer = outer.with(Stay::outer([&x, &y, &z], pair.error));
    if outer.is_empty_until(dt) {
        return Found::Apart;
    }
    found(pair, dt, closeness, outer, [&of_a, &of_b], Some([&x, &y, &z]))
}

/// Combines the axes of faces, and those of edges unless rotations are equal, given the outer
/// bounds. Courses are borrowed because moving one would take as long as computing it.
#[inline(always)]
fn found<S: Simd>(
    pair: &Pair,
    dt: f64,
    closeness: f64,
    outer: Stay,
    faces: [&Course<S>; 2],
    edges: Option<[&Course<S>; 3]>,
) -> Found {
    if outer.entry == 0.0 {
        return Found::PerhapsAtStart(decisive(faces, edges, pair.error, outer, dt));
    }
    let of_faces = Stay::inner(faces, pair.error);
    let precision = f64::min(dt * LEAST_PRECISION, closeness / sum(pair.velocity));
    let is_clear = |inner: Stay| inner.entry <= f64::min(inner.exit, dt) && inner.entry - outer.entry <= precision;
    let is_known = match edges {
        None => is_clear(of_faces),
        Some(edges) => {
            is_clear(of_faces.with(Stay::inner(edges, pair.error)))
                || is_clear(of_faces) && is_clear(pair.by_faces(faces, edges, of_faces))
        }
    };
    if !is_known {
        return Found::Unclear(decisive(faces, edges, pair.error, outer, dt));
    }
    // A face that may be the last axis is preferred.
    let (group, lane, last) = match edges {
        Some([x, y, z]) if of_faces.entry < outer.entry => {
            let (group, lane) = last_of([
                x.earliest_entry(pair.error).into(),
                y.earliest_entry(pair.error).into(),
                z.earliest_entry(pair.error).into(),
            ]);
            (2 + group, lane, [x, y, z][group])
        }
        _ => {
            let [a, b] = faces;
            let (group, lane) = last_of([a.latest_entry(pair.error).into(), b.latest_entry(pair.error).into()]);
            (group, lane, faces[group])
        }
    };
    Found::Meets(Entry {
        time: outer.entry,
        axis: 3 * group + lane,
        positive: last.is_back.to_bitmask() >> lane & 1 == 1,
    })
}

/// Returns the axes that may have the last entry, or the first exit before `dt`, given the outer
/// bounds. All others have an entry before the last, and an exit after the first or after `dt`.
#[inline(always)]
fn decisive<S: Simd>(faces: [&Course<S>; 2], edges: Option<[&Course<S>; 3]>, error: f64, outer: Stay, dt: f64) -> Axes {
    let last = f64::min(outer.exit, dt);
    let mut axes = faces[0].decisive(error, outer.entry, last) | faces[1].decisive(error, outer.entry, last) << 3;
    if let Some([x, y, z]) = edges {
        axes |= x.decisive(error, outer.entry, last) << 6;
        axes |= y.decisive(error, outer.entry, last) << 9;
        axes |= z.decisive(error, outer.entry, last) << 12;
    }
    Axes(axes)
}

/// The promised precision of times, in steps.
const LEAST_PRECISION: f64 = 1.0 / (1u64 << 20) as f64;

/// Returns the group and the lane of the latest of these entries, the first of equal ones.
fn last_of<const N: usize>(entries: [[f64; 4]; N]) -> (usize, usize) {
    let mut last = ((0, 0), f64::NEG_INFINITY);
    for (group, entries) in entries.iter().enumerate() {
        for (lane, &entry) in entries.iter().take(3).enumerate() {
            if entry > last.1 {
                last = ((group, lane), entry);
            }
        }
    }
    last.0
}

/// Bounds on the interval in which the boxes overlap along all axes. As outer bounds, they do not
/// overlap along all axes before `entry` or after `exit`; as inner bounds, they do from `entry` to
/// `exit`.
#[derive(Clone, Copy)]
struct Stay {
    entry: f64,
    exit: f64,
}

impl Stay {
    #[inline(always)]
    fn outer<S: Simd, const N: usize>(courses: [&Course<S>; N], error: f64) -> Self {
        let mut ends = [courses[0].earliest_entry(error), courses[0].latest_exit(error)];
        for course in &courses[1..] {
            ends = narrowed(ends, [course.earliest_entry(error), course.latest_exit(error)]);
        }
        Self::of(ends)
    }

    #[inline(always)]
    fn inner<S: Simd, const N: usize>(courses: [&Course<S>; N], error: f64) -> Self {
        let mut ends = [courses[0].latest_entry(error), courses[0].earliest_exit(error)];
        for course in &courses[1..] {
            ends = narrowed(ends, [course.latest_entry(error), course.earliest_exit(error)]);
        }
        Self::of(ends)
    }

    #[inline(always)]
    fn of<S: Simd>([entry, exit]: [f64x4<S>; 2]) -> Self {
        Self {
            entry: greatest(entry).max(0.0),
            exit: -greatest(-exit),
        }
    }

    #[inline(always)]
    fn with(self, other: Self) -> Self {
        Self {
            entry: f64::max(self.entry, other.entry),
            exit: f64::min(self.exit, other.exit),
        }
    }

    #[inline(always)]
    fn is_empty_until(self, dt: f64) -> bool {
        self.entry > f64::min(self.exit, dt)
    }
}

/// Returns the later entries and the earlier exits.
#[inline(always)]
fn narrowed<S: Simd>([entry, exit]: [f64x4<S>; 2], [next_entry, next_exit]: [f64x4<S>; 2]) -> [f64x4<S>; 2] {
    [entry.max(next_entry), exit.min(next_exit)]
}

/// Returns `true` if spheres around the boxes never meet: B's center never comes as near to A's as
/// the sum of both radii, even on its whole line.
///
/// In f64 every length here is off by less than 8 u of |d|, |v| or the radii; the product `d × v`
/// by less than `8 u |d| |v|`.
#[inline(always)]
pub(super) fn pass_by(a: &Body, b: &Body) -> bool {
    let d = a.to(b);
    let v = b.motion.velocity.as_dvec3() - a.motion.velocity.as_dvec3();
    let [h_a, h_b] = [a, b].map(|body| body.obb.half_extents.as_dvec3().length_squared());
    let radius = h_a.sqrt() + h_b.sqrt();
    let reach = radius + SLACK * (radius + d.abs().element_sum());
    d.cross(v).length_squared() > reach * reach * v.length_squared() * (1.0 + SLACK)
}

/// 16 u with u = 2^-52: the relative safety margin of [`pass_by`].
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
        let in_a = |d: DVec3| [0, 1, 2].map(|i| m_a[0][i] * d[0] + m_a[1][i] * d[1] + m_a[2][i] * d[2]);
        let distance = in_a(a.to(b));
        let velocity = in_a(b.motion.velocity.as_dvec3() - a.motion.velocity.as_dvec3());
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

    /// Returns both boxes in the frame of A at a time.
    pub fn frame(&self, [a, b]: [&Body; 2], time: f64) -> Frame {
        let (per_n, per_s) = (1.0 / self.n, 1.0 / self.s);
        let rows = |m: &[[f64; 3]; 3], factor| DMat3::from_cols_array_2d(m).transpose() * factor;
        let way = DVec3::from_array(self.distance) + DVec3::from_array(self.velocity) * time;
        let half_extents = [a, b].map(|body| body.obb.half_extents.as_dvec3());
        Frame::of(rows(&self.m_a, per_n), way * per_n, rows(&self.c, per_s), half_extents)
    }

    #[inline(always)]
    fn faces_of_a<S: Simd>(&self, simd: S) -> Group<S> {
        let [x, y, z] = self.c;
        let [g_x, g_y, g_z] = self.g_b;
        let of_b = lanes(simd, [x[0], y[0], z[0]]).abs() * g_x
            + lanes(simd, [x[1], y[1], z[1]]).abs() * g_y
            + lanes(simd, [x[2], y[2], z[2]]).abs() * g_z;
        Group {
            distance: lanes(simd, self.distance) * self.s,
            speed: lanes(simd, self.velocity) * self.s,
            radius: endless(simd, self.g_a) * self.s + of_b,
        }
    }

    #[inline(always)]
    fn faces_of_b<S: Simd>(&self, simd: S) -> Group<S> {
        let ([x, y, z], [g_x, g_y, g_z]) = (self.rows(simd), self.g_a);
        let ([d_x, d_y, d_z], [v_x, v_y, v_z]) = (self.distance, self.velocity);
        Group {
            distance: x * d_x + y * d_y + z * d_z,
            speed: x * v_x + y * v_y + z * v_z,
            radius: endless(simd, self.g_b) * self.s + x.abs() * g_x + y.abs() * g_y + z.abs() * g_z,
        }
    }

    /// Returns the axes of edge i of A with each edge of B.
    #[inline(always)]
    fn edges<S: Simd>(&self, simd: S, i: usize) -> Group<S> {
        let ([k, l], rows, [x, y, z], [g_x, g_y, g_z]) = (others(i), self.rows(simd), self.c[i], self.g_b);
        let next = lanes(simd, [z, x, y]).abs() * lanes(simd, [g_y, g_z, g_x]);
        let last = lanes(simd, [y, z, x]).abs() * lanes(simd, [g_z, g_x, g_y]);
        let radius = rows[l].abs() * self.g_a[k] + rows[k].abs() * self.g_a[l] + next + last;
        Group {
            distance: rows[k] * self.distance[l] - rows[l] * self.distance[k],
            speed: rows[k] * self.velocity[l] - rows[l] * self.velocity[k],
            radius: radius + endless(simd, [0.0; 3]),
        }
    }

    /// Returns, for each axis of A, its products with the three axes of B.
    #[inline(always)]
    fn rows<S: Simd>(&self, simd: S) -> [f64x4<S>; 3] {
        [lanes(simd, self.c[0]), lanes(simd, self.c[1]), lanes(simd, self.c[2])]
    }

    /// Returns the bounds of all axes, where nearly parallel edges may take those of the faces; see
    /// the [module](self).
    #[inline(always)]
    fn by_faces<S: Simd>(&self, faces: [&Course<S>; 2], edges: [&Course<S>; 3], of_faces: Stay) -> Stay {
        let extents = sum(self.g_a) + sum(self.g_b);
        let mut all = of_faces;
        for (i, course) in edges.iter().enumerate() {
            let entries = <[f64; 4]>::from(course.latest_entry(self.error));
            let exits = <[f64; 4]>::from(course.earliest_exit(self.error));
            for j in 0..3 {
                let mut own = Stay {
                    entry: entries[j],
                    exit: exits[j],
                };
                let [k, l] = others(i);
                let sine = self.c[k][j].abs() + self.c[l][j].abs();
                let is_worse = own.entry > of_faces.entry || own.exit < of_faces.exit;
                if is_worse && sine < 0.5 {
                    // The faces with reduced radii.
                    let shrunk = Stay::inner(faces, 2.0 * self.error + PARALLEL * sine * extents);
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
}

/// [`KAPPA`](crate::narrow_phase::obb_obb::separating_axes::KAPPA) times the largest Z, in units of
/// G, at which the boxes can meet.
const PARALLEL: f64 = 3.25;

/// D, V and R of three axes; the last lane is an axis along which the boxes always overlap.
struct Group<S: Simd> {
    distance: f64x4<S>,
    speed: f64x4<S>,
    radius: f64x4<S>,
}

impl<S: Simd> Group<S> {
    #[inline(always)]
    fn course(&self, pair: &Pair) -> Course<S> {
        let size = self.speed.abs();
        let pace = 1.0 / (size + pair.speed_error);
        let is_known = size.simd_ge(3.0 * pair.speed_error);
        let is_back = self.speed.simd_lt(0.0);
        let to_go = is_back.select(self.distance, -self.distance);
        let apart = self.distance.abs();
        Course {
            enter: is_known.select(to_go, apart) - self.radius,
            leave: is_known.select(to_go, -apart) + self.radius,
            slowest: pace + pace * pace * (4.0 * pair.speed_error),
            pace,
            is_known,
            is_back,
        }
    }
}

/// The entry and exit of the boxes along three axes.
struct Course<S: Simd> {
    /// D' - R and D' + R.
    enter: f64x4<S>,
    leave: f64x4<S>,
    /// A lower and an upper bound of 1 / |V|.
    pace: f64x4<S>,
    slowest: f64x4<S>,
    /// Set if the sign of V is known; otherwise `slowest` is meaningless.
    is_known: mask64x4<S>,
    /// Set if V is below 0.
    is_back: mask64x4<S>,
}

impl<S: Simd> Course<S> {
    #[inline(always)]
    fn earliest_entry(&self, error: f64) -> f64x4<S> {
        (self.enter - error).max(0.0) * self.pace
    }

    #[inline(always)]
    fn latest_entry(&self, error: f64) -> f64x4<S> {
        let enter = self.enter + error;
        let entry = self.is_known.select(enter * self.slowest, self.splat(f64::INFINITY));
        enter.simd_le(0.0).select(self.splat(0.0), entry)
    }

    /// Returns times not later than the true ones if these are not negative; otherwise negative
    /// ones.
    #[inline(always)]
    fn earliest_exit(&self, error: f64) -> f64x4<S> {
        (self.leave - error) * self.pace
    }

    /// Returns times not earlier than the true ones if these are not negative; otherwise the sign
    /// is arbitrary.
    #[inline(always)]
    fn latest_exit(&self, error: f64) -> f64x4<S> {
        let exit = (self.leave + error) * self.slowest;
        self.is_known.select(exit, self.splat(f64::INFINITY))
    }

    /// Returns the lanes that may have an entry at or after `entry`, but after the start, or an
    /// exit at or before `exit`.
    #[inline(always)]
    fn decisive(&self, error: f64, entry: f64, exit: f64) -> u16 {
        let latest = self.latest_entry(error);
        let is_last = latest.simd_gt(0.0) & latest.simd_ge(entry);
        let is_first = self.earliest_exit(error).simd_le(exit);
        (is_last | is_first).to_bitmask() as u16 & 7
    }

    #[inline(always)]
    fn splat(&self, number: f64) -> f64x4<S> {
        f64x4::splat(self.pace.simd, number)
    }
}

fn sum(v: [f64; 3]) -> f64 {
    v[0].abs() + v[1].abs() + v[2].abs()
}

#[inline(always)]
fn greatest<S: Simd>(numbers: f64x4<S>) -> f64 {
    let greater = |x: f64, y: f64| if x > y { x } else { y };
    let [x, y, z, w] = numbers.into();
    greater(greater(x, y), greater(z, w))
}
