//! The axes along which two boxes in motion are apart at a time, and estimates of how long their
//! gaps last. [`course`](super::course) derives the errors.

use fearless_simd::f64x4;
use fearless_simd::prelude::*;
use glam::DVec3;

use crate::base::lanes::{Simd, dispatch, level};
use crate::geometry::rotation::others;
use crate::narrow_phase::moving_moving::advancement::course::Moment;
use crate::narrow_phase::moving_moving::three_lanes::{endless, lanes};

/// The sine at or below which edges have no axis: a face axis gives the same gap, up to the error.
const PARALLEL: f64 = 1e-14;

/// The motion that an axis follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    World,
    A,
    B,
    /// The axis stays perpendicular to this edge of A and this one of B; its length is the sine of
    /// their angle.
    Edges([usize; 2]),
}

/// An axis of the separating-axis test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    /// The gap of the boxes along the axis, less the margin.
    pub gap: f64,
    /// A unit vector from A to B.
    pub normal: DVec3,
    /// The motions that the axis may follow, besides staying fixed.
    carriers: [Option<Carrier>; 2],
}

/// The axes along which gaps last longest, the best first: at most N, all with a gap, and with a
/// wide one if any is wide.
pub(super) struct Axes<const N: usize> {
    /// Set if a gap is wider than the bound.
    pub wide: bool,
    lasting: [Axis; N],
    count: usize,
}

impl<const N: usize> Axes<N> {
    pub fn lasting(&self) -> &[Axis] {
        &self.lasting[..self.count]
    }
}

/// Three axes; the last lane is one without a gap. An axis of edges is as long as the sine of the
/// edges' angle, an axis of a face has length 1.
struct Group<S: Simd> {
    /// The position of B's center along the axis, relative to A's.
    along: f64x4<S>,
    sine: f64x4<S>,
    /// The gap along the unscaled axis.
    gap: f64x4<S>,
    /// The approximate time in which the gap closes.
    lasts: f64x4<S>,
}

/// The terms that the groups share.
struct Terms<S: Simd> {
    simd: S,
    /// The axes of B seen from A.
    c: [[f64; 3]; 3],
    /// For each axis of A, its products with the three axes of B, and their absolute values.
    rows: [f64x4<S>; 3],
    sizes: [f64x4<S>; 3],
    h_a: [f64; 3],
    h_b: [f64; 3],
    /// The vector from A's center to B's, and its derivative.
    t: [f64; 3],
    v: [f64; 3],
    /// Set if time runs in both directions.
    either_way: bool,
    /// The speed at which rotation may close a gap, and the amount by which a gap is below that of
    /// the cores.
    spinning: f64,
    margin: f64,
    error: f64,
}

impl<S: Simd> Terms<S> {
    #[inline(always)]
    fn faces_of_a(&self) -> Group<S> {
        let (simd, [x, y, z], h) = (self.simd, self.c, self.h_b);
        let radius = endless(simd, self.h_a)
            + lanes(simd, x).abs() * h[0]
            + lanes(simd, y).abs() * h[1]
            + lanes(simd, z).abs() * h[2];
        let along = lanes(simd, self.t);
        self.group(
            along,
            lanes(simd, self.v),
            along.abs() - radius,
            f64x4::splat(simd, 1.0),
        )
    }

    #[inline(always)]
    fn faces_of_b(&self) -> Group<S> {
        let ([x, y, z], [x_size, y_size, z_size], h) = (self.rows, self.sizes, self.h_a);
        let radius = endless(self.simd, self.h_b) + x_size * h[0] + y_size * h[1] + z_size * h[2];
        let along = x * self.t[0] + y * self.t[1] + z * self.t[2];
        let rate = x * self.v[0] + y * self.v[1] + z * self.v[2];
        self.group(along, rate, along.abs() - radius, f64x4::splat(self.simd, 1.0))
    }

    /// Returns the axes of edge i of A with the edges of B.
    #[inline(always)]
    fn edges(&self, i: usize) -> Group<S> {
        let Self {
            simd,
            c,
            rows,
            sizes,
            h_a,
            h_b,
            t,
            v,
            ..
        } = self;
        let (simd, [k, l]) = (*simd, others(i));
        let sine = (rows[k] * rows[k] + rows[l] * rows[l]).sqrt();
        let along = rows[k] * t[l] - rows[l] * t[k];
        let rate = rows[k] * v[l] - rows[l] * v[k];
        // The two other axes of B.
        let next = lanes(simd, [c[1][i], c[2][i], c[0][i]]).abs() * lanes(simd, [h_b[2], h_b[0], h_b[1]]);
        let last = lanes(simd, [c[2][i], c[0][i], c[1][i]]).abs() * lanes(simd, [h_b[1], h_b[2], h_b[0]]);
        let gap = along.abs() - (sizes[l] * h_a[k] + sizes[k] * h_a[l] + next + last);
        // Scaling by the sine makes no gap wider. Nearly parallel edges have no axis, nor has the
        // last lane.
        let counts = sine.simd_gt(PARALLEL) & gap.simd_gt(-self.error);
        let gap = counts.select(gap, f64x4::splat(simd, f64::NEG_INFINITY));
        self.group(along, rate, gap, counts.select(sine, f64x4::splat(simd, 1.0)))
    }

    #[inline(always)]
    fn group(&self, along: f64x4<S>, rate: f64x4<S>, gap: f64x4<S>, sine: f64x4<S>) -> Group<S> {
        let gap = gap - sine * self.margin;
        let closing = along.simd_lt(0.0).select(rate, -rate);
        let closing = match self.either_way {
            true => closing.abs(),
            false => closing.max(0.0),
        };
        Group {
            along,
            sine,
            gap,
            lasts: gap / (closing + sine * self.spinning),
        }
    }
}

impl Moment<'_> {
    /// Returns the axes with the longest-lasting gaps among the fifteen (Gottschalk, Lin and
    /// Manocha, "OBBTree", 1996), and whether any gap is wider than `bound`. If `either_way`, time
    /// runs in both directions.
    #[inline(always)]
    pub fn gaps<S: Simd, const N: usize>(&self, simd: S, either_way: bool, bound: f64) -> Axes<N> {
        let groups = self.groups(simd, either_way);
        let mut lasts = [[0.0; 4]; 5];
        let (mut present, mut wide) = (0u32, 0u32);
        for (number, group) in groups.iter().enumerate() {
            lasts[number] = group.lasts.into();
            present |= (group.gap.simd_gt(0.0).to_bitmask() as u32) << (4 * number);
            wide |= (group.gap.simd_gt(group.sine * bound).to_bitmask() as u32) << (4 * number);
        }
        if wide != 0 {
            present = wide;
        }
        // The places of the longest-lasting axes, found without moving axes.
        let (mut longest, mut best) = ([-1.0; N], [0; N]);
        while present != 0 {
            let mut place = present.trailing_zeros() as usize;
            let mut time = lasts[place / 4][place % 4];
            present &= present - 1;
            for (longest, best) in longest.iter_mut().zip(&mut best) {
                if time > *longest {
                    std::mem::swap(&mut time, longest);
                    std::mem::swap(&mut place, best);
                }
            }
        }
        let count = longest.iter().take_while(|&&time| time >= 0.0).count();
        let nothing = Axis {
            gap: f64::NEG_INFINITY,
            normal: DVec3::X,
            carriers: [None; 2],
        };
        let mut lasting = [nothing; N];
        for (axis, &place) in lasting.iter_mut().zip(&best[..count]) {
            *axis = self.axis(&groups, place);
        }
        Axes {
            wide: wide != 0,
            lasting,
            count,
        }
    }

    /// Returns the axis with the widest gap.
    pub fn widest(&self) -> Axis {
        dispatch!(level(), simd => self.widest_in(simd))
    }

    #[inline(always)]
    fn widest_in<S: Simd>(&self, simd: S) -> Axis {
        let groups = self.groups(simd, false);
        let mut widest = (0, f64::NEG_INFINITY);
        for (number, group) in groups.iter().enumerate() {
            for (lane, gap) in <[f64; 4]>::from(group.gap / group.sine).into_iter().enumerate() {
                if gap > widest.1 {
                    widest = (4 * number + lane, gap);
                }
            }
        }
        self.axis(&groups, widest.0)
    }

    /// Returns the axes of A's faces, of B's faces, and of each edge of A with those of B.
    #[inline(always)]
    fn groups<S: Simd>(&self, simd: S, either_way: bool) -> [Group<S>; 5] {
        let [a, b] = &self.course.spins;
        let c = self.c.to_cols_array_2d();
        let [x, y, z] = c;
        let rows = [
            lanes(simd, [x[0], y[0], z[0]]),
            lanes(simd, [x[1], y[1], z[1]]),
            lanes(simd, [x[2], y[2], z[2]]),
        ];
        let terms = Terms {
            simd,
            c,
            rows,
            sizes: [rows[0].abs(), rows[1].abs(), rows[2].abs()],
            h_a: a.half.to_array(),
            h_b: b.half.to_array(),
            t: self.offset.to_array(),
            v: self.velocity.to_array(),
            either_way,
            spinning: a.speed * a.across + b.speed * b.across + self.course.drift.e * self.time,
            margin: self.margin,
            error: self.course.error,
        };
        [
            terms.faces_of_a(),
            terms.faces_of_b(),
            terms.edges(0),
            terms.edges(1),
            terms.edges(2),
        ]
    }

    /// Returns the axis at a lane, counted through all groups.
    #[inline(always)]
    fn axis<S: Simd>(&self, groups: &[Group<S>; 5], place: usize) -> Axis {
        let (number, lane) = (place / 4, place % 4);
        let group = &groups[number];
        let sign = 1f64.copysign(group.along[lane]);
        let (mut normal, c) = ([0.0; 3], self.c.to_cols_array_2d());
        let carrier = match number {
            0 => {
                normal[lane] = sign;
                Carrier::A
            }
            1 => {
                normal = c[lane].map(|part| part * sign);
                Carrier::B
            }
            _ => {
                let ([k, l], scale) = (others(number - 2), sign / group.sine[lane]);
                (normal[k], normal[l]) = (-c[lane][l] * scale, c[lane][k] * scale);
                // The axis turns with both boxes; if they turn together, with one.
                let speed = self.course.spins[0].speed;
                match (self.turns[0] - self.turns[1]).length_squared() < 0.25 * speed * speed {
                    true => Carrier::A,
                    false => Carrier::Edges([number - 2, lane]),
                }
            }
        };
        Axis {
            gap: group.gap[lane] / group.sine[lane],
            normal: DVec3::from_array(normal),
            carriers: [Some(carrier), None],
        }
    }

    /// Returns the motions that an axis may follow.
    #[inline(always)]
    pub fn carriers(&self, axis: &Axis) -> impl Iterator<Item = Carrier> {
        let turn = axis.carriers.into_iter().flatten().filter(|&carrier| match carrier {
            Carrier::World => false,
            Carrier::A => self.course.spins[0].speed > 0.0,
            Carrier::B => self.course.spins[1].speed > 0.0,
            // The length of such an axis changes the effect of the radii.
            Carrier::Edges(_) => {
                self.course.reach == 0.0 && self.course.spins[0].speed + self.course.spins[1].speed > 0.0
            }
        });
        std::iter::once(Carrier::World).chain(turn)
    }

    /// Returns how long the bounds along such an axis hold.
    #[inline(always)]
    pub fn holds_for(&self, carrier: Carrier) -> f64 {
        let [a, b] = &self.course.spins;
        match carrier {
            Carrier::World => f64::INFINITY,
            Carrier::A => 1.0 / a.speed,
            Carrier::B => 1.0 / b.speed,
            Carrier::Edges(_) => 1.0 / (a.speed + b.speed),
        }
    }

    /// Returns `true` if a gap along such an axis may last this long: the term of third order does
    /// not exceed it by then.
    #[inline(always)]
    pub fn pays(&self, axis: &Axis, carrier: Carrier, time: f64) -> bool {
        match carrier {
            Carrier::Edges(_) => {
                let turn = (self.course.spins[0].speed + self.course.spins[1].speed) * time;
                turn * turn * turn * self.offset.length() < 3.0 * axis.gap
            }
            _ => true,
        }
    }

    /// Returns the axis from one point to the other.
    pub fn between(&self, [on_a, on_b]: [DVec3; 2]) -> Axis {
        let apart = on_b - on_a;
        let distance = apart.length();
        Axis {
            gap: distance - self.margin,
            normal: apart / distance,
            carriers: [Some(Carrier::A), Some(Carrier::B)],
        }
    }
}
