//! Spheres as records of the grid, compared as spheres and not by their bounds: the test of
//! [`filter`](super::filter) takes no longer than one of bounds, and leaves almost nothing to the
//! narrow phase.
//!
//! Walks still use bounds: those of spheres among bodies of several kinds
//! (`src/shapes/round/round_bounds_cpu.rs`), computed when needed. Spheres that collide have bounds
//! that overlap, so each pair of them is found once. If a walk comes across spheres whose bounds do
//! not overlap, one axis proves that they are apart, by more than the filter's error.
//!
//! A margin enlarges radii: each by half of the margin of all pairs, rounded up, and by its own.
//! Spheres within their margin meet with the enlarged radii, except for one rounding of each
//! radius. So R is off by 2 u, as in the filter. Such pairs are candidates, whatever the filter
//! says.

use std::ops::Range;

use bytemuck::{Pod, Zeroable, cast};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u32x8};
use wide::f32x4;

use crate::base::error::Result;
use crate::base::lanes::{Simd, axes};
use crate::broad_phase::grid::columns::{Columns, ColumnsView, LANES, Numbers};
use crate::broad_phase::grid::layout::{KEY_BITS, KEY_MASK};
use crate::broad_phase::grid::record::{Lanes, Record, Row, View};
use crate::broad_phase::hits::{Found, PIECE, WalkHits, numbers_from};
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::narrow_phase::round::filter::FLUSH_SQUARE;
use crate::narrow_phase::round::sphere_sphere_cpu::ERROR;
use crate::rules::filter::SetRules;
use crate::shapes::round::round_bounds_cpu::{ball_corners, ball_size_bin, sphere_statistics};
use crate::shapes::round::sphere::Sphere;

/// A sphere in the grid.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Ball {
    /// The sphere, enlarged by its margin.
    pub wide: Sphere,
    key: u32,
    /// Position in the caller's slice.
    pub id: u32,
}

/// The spheres of a check, in the caller's order.
pub(crate) struct Balls<'a> {
    spheres: &'a [Sphere],
    rules: &'a SetRules<'a>,
    /// The margin of all pairs.
    margin: f64,
}

impl<'a> Balls<'a> {
    pub fn new(spheres: &'a [Sphere], rules: &'a SetRules<'a>, margin: f64) -> Self {
        Self { spheres, rules, margin }
    }

    /// Returns the statistics for planning a grid of the spheres, if they are valid.
    pub fn statistics(&self) -> Result<Gathered> {
        sphere_statistics(self.spheres, self.rules.widening(self.margin))
    }

    /// Returns the record of a sphere, without a key.
    #[inline(always)]
    pub fn record(&self, position: usize) -> Ball {
        let (Sphere { center, radius }, id) = (self.spheres[position], position as u32);
        let radius = radius + self.rules.widening(self.margin)(id);
        Ball {
            wide: Sphere { center, radius },
            key: 0,
            id,
        }
    }
}

impl Record for Ball {
    type Lanes = Columns<Self, 5>;
    // Measured: a row of such cells has about `LANES` records where spheres are sparse, and there
    // are half as many rows as of cells that are no larger than spheres.
    const CELLS: &[(f32, f32)] = &[(2.0, 6.0), (1.5, 4.0)];

    #[inline(always)]
    fn id(&self) -> u32 {
        self.id
    }

    #[inline(always)]
    fn bin(&self) -> u32 {
        ball_size_bin(self.corners())
    }

    #[inline(always)]
    fn with_key(self, key: u32) -> Self {
        Self { key, ..self }
    }

    #[inline(always)]
    fn corners(&self) -> [f32x4; 2] {
        ball_corners(cast(self.wide))
    }
}

/// The coordinates of the center, the radius and the bits of the key.
impl Numbers<5> for Ball {
    #[inline(always)]
    fn numbers(&self) -> [f32; 5] {
        let Sphere { center, radius } = self.wide;
        [center.x, center.y, center.z, radius, f32::from_bits(self.key)]
    }
}

/// A sphere whose pairs are searched for, repeated in all lanes.
pub(crate) struct Walker<S: Simd> {
    simd: S,
    center: [f32x8<S>; 3],
    radius: f32x8<S>,
}

/// Spheres whose pairs are searched for together, one per lane.
pub(crate) struct Walkers<S: Simd> {
    simd: S,
    /// The positions of the records.
    numbers: S::u32s,
    center: [S::f32s; 3],
    radius: S::f32s,
}

impl<S: Simd> Walkers<S> {
    /// Returns the walkers that the sphere with this number meets or may meet, and those that it
    /// certainly meets. With `AFTER`, only walkers before it do.
    #[inline(always)]
    fn meet<const AFTER: bool>(&self, center: [f32; 3], radius: f32, number: u32) -> [S::mask32s; 2] {
        let splat = |number: f32| S::f32s::splat(self.simd, number);
        let d = axes!(|axis| splat(center[axis]) - self.center[axis]);
        let [meet, colliding] = compare(d, splat(radius) + self.radius);
        if !AFTER {
            return [meet, colliding];
        }
        let before = self.numbers.simd_lt(number);
        [meet & before, colliding & before]
    }
}

impl Lanes for Columns<Ball, 5> {
    type Record = Ball;
    type View<'a> = ColumnsView<'a, Ball, 5>;
    const BYTES: usize = Self::BYTES;

    fn make_room(&mut self, records: usize) -> Result<()> {
        Self::make_room(self, records)
    }

    fn unfilled(&mut self) -> &mut [Ball] {
        &mut self.records
    }

    fn fill(&mut self) {
        Self::fill(self);
    }

    #[inline(always)]
    fn view(&self) -> ColumnsView<'_, Ball, 5> {
        Self::view(self)
    }

    fn bytes(&self) -> usize {
        Self::bytes(self)
    }
}

impl View for ColumnsView<'_, Ball, 5> {
    type Walker<S: Simd> = Walker<S>;
    type Walkers<S: Simd> = Walkers<S>;

    #[inline(always)]
    fn id(self, position: usize) -> u32 {
        self.records[position].id
    }

    #[inline(always)]
    fn key(self, position: usize) -> u32 {
        self.records[position].key
    }

    #[inline(always)]
    fn corners_of(self, position: usize) -> [f32x4; 2] {
        self.records[position].corners()
    }

    #[inline(always)]
    fn walker<S: Simd>(self, simd: S, position: usize) -> Walker<S> {
        let Sphere { center, radius } = self.records[position].wide;
        Walker {
            simd,
            center: axes!(|axis| f32x8::splat(simd, center[axis])),
            radius: f32x8::splat(simd, radius),
        }
    }

    #[inline(always)]
    fn meet<S: Simd>(
        self,
        walker: &Walker<S>,
        number: u32,
        row: Row,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) {
        let simd = walker.simd;
        let Row {
            key, length, records, ..
        } = row;
        let mut first = records.start;
        loop {
            let load = |list: usize| f32x8::from_slice(simd, self.lanes(list, first));
            let d = axes!(|i| load(i) - walker.center[i]);
            let [meet, colliding] = compare(d, load(3) + walker.radius);
            let keys = load(4).bitcast::<u32x8<S>>();
            let same_row = ((keys ^ key) >> KEY_BITS).simd_eq(0);
            let in_row = same_row & ((keys - key) & KEY_MASK).simd_lt(length);
            let meet = (meet & in_row).to_bitmask() as u32;
            let colliding = (colliding & in_row).to_bitmask() as u32;
            hits.few(number, first as u32, colliding, Found::Colliding);
            // Undecided pairs are rare, so a branch is cheaper than adding none.
            if meet != colliding {
                hits.few(number, first as u32, meet & !colliding, Found::Candidates);
            }
            first += LANES;
            if first >= records.end {
                break;
            }
        }
    }

    #[inline(always)]
    fn walkers<S: Simd>(self, simd: S, records: Range<usize>) -> (Walkers<S>, [f32x4; 2]) {
        let numbers = numbers_from(simd, records.start as u32);
        let center = axes!(|axis| self.vector(simd, axis, records.start));
        // Lanes without a record meet none.
        let is_one = numbers.simd_lt(records.end as u32);
        let walkers = Walkers {
            simd,
            numbers,
            center: axes!(|axis| is_one.select(center[axis], S::f32s::splat(simd, f32::NAN))),
            radius: self.vector(simd, 3, records.start),
        };
        let mut corners = self.corners_of(records.start);
        for record in records.start + 1..records.end {
            let [low, high] = self.corners_of(record);
            corners = [corners[0].fast_min(low), corners[1].fast_max(high)];
        }
        (walkers, corners)
    }

    #[inline(always)]
    fn meet_any<S: Simd, const AFTER: bool>(
        self,
        walkers: &Walkers<S>,
        run: Range<usize>,
        hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
    ) {
        let &Walkers { simd, numbers, .. } = walkers;
        let centers = axes!(|axis| self.run(axis, &run));
        // All are as long as the first, which the compiler then knows.
        let centers = axes!(|axis| &centers[axis][..centers[0].len()]);
        let radii = &self.run(3, &run)[..centers[0].len()];
        for first in (0..radii.len()).step_by(PIECE) {
            let piece = first..radii.len().min(first + PIECE);
            let mut is_undecided = S::mask32s::splat(simd, false);
            let room = hits.room(Found::Colliding, PIECE * S::f32s::LEN);
            for k in piece.clone() {
                let number = (run.start + k) as u32;
                let [meet, colliding] = walkers.meet::<AFTER>(axes!(|axis| centers[axis][k]), radii[k], number);
                room.put_lanes(simd, numbers, colliding, number);
                is_undecided |= meet & !colliding;
            }
            // Undecided pairs are rare, so finding them again is cheaper than adding none each
            // time.
            if is_undecided.any_true() {
                let room = hits.room(Found::Candidates, PIECE * S::f32s::LEN);
                for k in piece {
                    let number = (run.start + k) as u32;
                    let [meet, colliding] = walkers.meet::<AFTER>(axes!(|axis| centers[axis][k]), radii[k], number);
                    room.put_lanes(simd, numbers, meet & !colliding, number);
                }
            }
        }
    }
}

/// Returns the lanes whose spheres meet or may meet, and those whose spheres certainly meet, given
/// the differences of centers and the sums of radii.
#[inline(always)]
fn compare<S: Simd, F: SimdFloat<S, Element = f32>>(d: [F; 3], reach: F) -> [F::Mask; 2] {
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    let squared_reach = reach * reach;
    let error = (square + squared_reach) * ERROR + FLUSH_SQUARE;
    let rest = square - squared_reach;
    [rest.simd_le(error), rest.simd_lt(-error)]
}
