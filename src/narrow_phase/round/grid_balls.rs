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

use bytemuck::{Pod, Zeroable, cast};
use fearless_simd::prelude::*;
use fearless_simd::{f32x8, u32x8};
use wide::f32x4;

use crate::base::error::Result;
use crate::base::lanes::Simd;
use crate::base::parallel::GRAIN;
use crate::base::{memory, parallel};
use crate::broad_phase::grid::layout::{KEY_BITS, KEY_MASK};
use crate::broad_phase::grid::record::{Lanes, Record, Row};
use crate::broad_phase::hits::{Found, WalkHits};
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::narrow_phase::round::filter::FLUSH_SQUARE;
use crate::narrow_phase::round::sphere_sphere_cpu::ERROR;
use crate::rules::filter::SetRules;
use crate::shapes::obb::lanes::axes;
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
        sphere_statistics(self.spheres, |id| self.rules.widening(id, self.margin))
    }

    /// Returns the record of a sphere, without a key.
    #[inline(always)]
    pub fn record(&self, position: usize) -> Ball {
        let (Sphere { center, radius }, id) = (self.spheres[position], position as u32);
        let radius = radius + self.rules.widening(id, self.margin);
        Ball {
            wide: Sphere { center, radius },
            key: 0,
            id,
        }
    }
}

impl Record for Ball {
    type Lanes = BallList;
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
    fn key(&self) -> u32 {
        self.key
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

/// The number of spheres compared at a time: more than most rows of cells have.
const LANES: usize = 8;

/// Spheres, and the coordinates of their centers, their radii and the bits of their keys, each in a
/// separate list. The lists end with a few extra spheres that are nowhere.
#[derive(Default)]
pub(crate) struct BallList {
    pub records: Vec<Ball>,
    lists: [Vec<f32>; 5],
}

/// A part of the lists, and the number of entries before it in each.
type Part<'a> = (usize, [&'a mut [f32]; 5]);

/// Splits a part at the start of a chunk.
fn split<'a>((first, mut rest): Part<'a>, chunk: usize) -> (Part<'a>, Part<'a>) {
    let end = chunk * GRAIN;
    let before = rest.each_mut().map(|list| list.split_off_mut(..end - first));
    ((first, before.map(Option::unwrap_or_default)), (end, rest))
}

/// A sphere whose pairs are searched for, repeated in all lanes.
pub(crate) struct Walker<S: Simd> {
    simd: S,
    center: [f32x8<S>; 3],
    radius: f32x8<S>,
}

impl Lanes for BallList {
    type Record = Ball;
    type Walker<S: Simd> = Walker<S>;
    const BYTES: usize = size_of::<Ball>() + 5 * size_of::<f32>();

    fn make_room(&mut self, records: usize) -> Result<()> {
        Ok(memory::make_scratch(&mut self.records, records, "the grid")?)
    }

    fn unfilled(&mut self) -> &mut [Ball] {
        &mut self.records
    }

    fn fill(&mut self, _: usize) -> Result<()> {
        let Self { records, lists } = self;
        for list in &mut *lists {
            memory::make_scratch(list, records.len() + LANES, "the grid")?;
            list[records.len()..].fill(f32::NAN);
        }
        let whole = (0, lists.each_mut().map(|list| &mut list[..records.len()]));
        let chunks = 0..records.len().div_ceil(GRAIN);
        parallel::divide(
            chunks,
            whole,
            &split,
            &|_, (first, [x, y, z, radius, key]): Part<'_>| {
                for (k, ball) in records[first..][..x.len()].iter().enumerate() {
                    (x[k], y[k], z[k]) = ball.wide.center.into();
                    radius[k] = ball.wide.radius;
                    key[k] = f32::from_bits(ball.key);
                }
            },
        );
        Ok(())
    }

    #[inline(always)]
    fn record(&self, position: usize) -> Ball {
        self.records[position]
    }

    fn bytes(&self) -> usize {
        let numbers: usize = self.lists.iter().map(Vec::capacity).sum();
        self.records.capacity() * size_of::<Ball>() + numbers * size_of::<f32>()
    }

    #[inline(always)]
    fn walker<S: Simd>(simd: S, record: &Ball) -> Walker<S> {
        let Sphere { center, radius } = record.wide;
        Walker {
            simd,
            center: center.to_array().map(|x| f32x8::splat(simd, x)),
            radius: f32x8::splat(simd, radius),
        }
    }

    #[inline(always)]
    fn meet<S: Simd>(
        &self,
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
            let range = first..first + LANES;
            let load = |list: usize| f32x8::from_slice(simd, &self.lists[list][range.clone()]);
            let d = axes!(|i| load(i) - walker.center[i]);
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            let reach = load(3) + walker.radius;
            let squared_reach = reach * reach;
            let error = (square + squared_reach) * ERROR + FLUSH_SQUARE;
            let rest = square - squared_reach;
            let keys = load(4).bitcast::<u32x8<S>>();
            let same_row = ((keys ^ key) >> KEY_BITS).simd_eq(0);
            let in_row = same_row & ((keys - key) & KEY_MASK).simd_lt(length);
            let meet = (rest.simd_le(error) & in_row).to_bitmask() as u32;
            let colliding = (rest.simd_lt(-error) & in_row).to_bitmask() as u32;
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
}
