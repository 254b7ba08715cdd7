//! Division of records by the surface area heuristic.
//!
//! The frequency with which a walk visits a node is about proportional to the surface of its
//! bounds. Records are therefore divided in two such that the sum of the surfaces of both parts,
//! each multiplied by the number of leaves that it needs, is smallest. The candidates are the
//! planes across each axis that divide the extent of the centers into bins. Of the parts of a node,
//! the one with the largest surface is divided further, until there are eight or all are leaves.
//! (Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007.)

use wide::{f32x4, u32x4};

use crate::base::parallel;
use crate::broad_phase::tree::assembly::{Divide, EVEN, Parts};
use crate::broad_phase::tree::node::{Extent, WIDTH};
use crate::geometry::bounds::Bounds;
use crate::rules::filter::SetRules;

/// Divides records by surface, after separating different worlds.
pub(crate) struct Surfaces<'a> {
    pub rules: &'a SetRules<'a>,
}

/// Number of bins along each axis, number of bins for few records, and maximum number of few
/// records.
const BINS: usize = 16;
const FEW_BINS: usize = 8;
const FEW: usize = 64;
/// Minimum number of records of a part, if there are as many. It bounds the memory of a tree.
const LEAST: usize = 4;
/// Number of records above which all threads are used.
const LARGE: usize = 4 * parallel::GRAIN;

/// Consecutive records, and half the surface of their bounds.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    area: f64,
}

impl Divide for Surfaces<'_> {
    fn divide(&self, records: &mut [Bounds], _: usize, depth: usize) -> Parts {
        let count = records.len();
        if depth >= EVEN {
            return Parts::even(count);
        }
        let mut parts = [Part {
            start: 0,
            end: count,
            area: f64::INFINITY,
        }; WIDTH];
        let mut number = 1;
        while number < WIDTH {
            let large = parts[..number]
                .iter()
                .enumerate()
                .filter(|(_, part)| part.end - part.start > WIDTH);
            let Some((k, &Part { start, end, .. })) = large.max_by(|a, b| a.1.area.total_cmp(&b.1.area)) else {
                break;
            };
            let (cut, [low, high]) = self.split(&mut records[start..end]);
            parts.copy_within(k..number, k + 1);
            parts[k] = Part {
                start,
                end: start + cut,
                area: low,
            };
            parts[k + 1] = Part {
                start: start + cut,
                end,
                area: high,
            };
            number += 1;
        }
        Parts::new(parts[..number].iter().map(|part| part.end))
    }
}

impl Surfaces<'_> {
    /// Sorts the records into two parts. Returns the start of the second, and the surfaces of both.
    fn split(&self, records: &mut [Bounds]) -> (usize, [f64; 2]) {
        let count = records.len();
        let world = |k: usize| self.rules.world(records[k].id);
        if self.rules.worlds.is_some() && world(0) != world(count - 1) {
            let middle = world(count / 2);
            let first = records.partition_point(|record| self.rules.world(record.id) < middle);
            let after = records.partition_point(|record| self.rules.world(record.id) <= middle);
            let cut = match first > 0 && (after == count || count / 2 - first <= after - count / 2) {
                true => first,
                false => after,
            };
            return (cut, [f64::INFINITY; 2]);
        }
        by_bins(records).unwrap_or_else(|| in_half(records))
    }
}

/// Returns a record's corners, with the tag and the id in the fourth lanes.
#[inline(always)]
fn corners(record: &Bounds) -> [f32x4; 2] {
    bytemuck::cast(*record)
}

#[inline(always)]
fn twice_center(record: &Bounds) -> f32x4 {
    // The fourth lane could otherwise be a subnormal number, which is slow.
    let coordinates: f32x4 = bytemuck::cast(u32x4::new([!0, !0, !0, 0]));
    let [low, high] = corners(record);
    (low & coordinates) + (high & coordinates)
}

/// Bounds for computations. The fourth lanes are unspecified.
#[derive(Clone, Copy)]
struct Box4 {
    low: f32x4,
    high: f32x4,
}

impl Box4 {
    #[inline(always)]
    fn empty() -> Self {
        Self {
            low: f32x4::splat(f32::INFINITY),
            high: f32x4::splat(f32::NEG_INFINITY),
        }
    }

    #[inline(always)]
    fn add(&mut self, low: f32x4, high: f32x4) {
        self.low = low.fast_min(self.low);
        self.high = high.fast_max(self.high);
    }

    /// Returns half of the surface, in `f64`, where it neither overflows nor underflows.
    #[inline(always)]
    fn half_area(&self) -> f64 {
        let [x, y, z, _] = (self.high - self.low).to_array().map(f64::from);
        x * y + y * z + z * x
    }
}

/// The records in a bin.
#[derive(Clone, Copy)]
struct Bin {
    extent: Box4,
    count: u32,
}

/// The bins along each axis.
struct Bins<const COUNT: usize>([[Bin; COUNT]; 3]);

impl<const COUNT: usize> Bins<COUNT> {
    fn empty() -> Self {
        let bin = Bin {
            extent: Box4::empty(),
            count: 0,
        };
        Self([[bin; COUNT]; 3])
    }

    fn of(records: &[Bounds], planes: &Planes) -> Self {
        let mut bins = Self::empty();
        for record in records {
            let [low, high] = corners(record);
            let [x, y, z, _] = planes.bins(record);
            for (axis, bin) in [x, y, z].into_iter().enumerate() {
                let bin = &mut bins.0[axis][bin as usize & (COUNT - 1)];
                bin.extent.add(low, high);
                bin.count += 1;
            }
        }
        bins
    }

    fn merge(mut self, other: Self) -> Self {
        for (own, other) in self.0.as_flattened_mut().iter_mut().zip(other.0.as_flattened()) {
            own.extent.add(other.extent.low, other.extent.high);
            own.count += other.count;
        }
        self
    }

    /// Returns the cheapest plane.
    fn best(&self, planes: &Planes) -> Option<Cut> {
        let mut best: Option<(f64, Cut)> = None;
        for (axis, bins) in self.0.iter().enumerate() {
            if planes.scale.to_array()[axis] == 0.0 {
                continue;
            }
            let mut above = [(0.0, 0); COUNT];
            let (mut extent, mut count) = (Box4::empty(), 0);
            for k in (1..COUNT).rev() {
                extent.add(bins[k].extent.low, bins[k].extent.high);
                count += bins[k].count;
                above[k] = (extent.half_area(), count);
            }
            let (mut extent, mut count) = (Box4::empty(), 0);
            for k in 1..COUNT {
                extent.add(bins[k - 1].extent.low, bins[k - 1].extent.high);
                count += bins[k - 1].count;
                let (area, others) = above[k];
                if count < LEAST as u32 || others < LEAST as u32 {
                    continue;
                }
                let areas = [extent.half_area(), area];
                let cost = areas[0] * leaves(count) + areas[1] * leaves(others);
                if best.as_ref().is_none_or(|best| cost < best.0) {
                    best = Some((
                        cost,
                        Cut {
                            axis,
                            bin: k as i32,
                            areas,
                        },
                    ));
                }
            }
        }
        best.map(|(_, cut)| cut)
    }
}

/// Returns the number of leaves that this many records need.
#[inline(always)]
fn leaves(records: u32) -> f64 {
    f64::from(records.div_ceil(WIDTH as u32))
}

/// The place where records are divided: before a bin of an axis.
struct Cut {
    axis: usize,
    bin: i32,
    /// Half the surfaces of both parts.
    areas: [f64; 2],
}

/// The planes between bins.
struct Planes {
    base: f32x4,
    /// The number of bins per unit of length; 0 if all centers are in one plane, or so close that
    /// it would be infinite.
    scale: f32x4,
    last: f32x4,
}

impl Planes {
    /// Creates the planes that divide the extent of twice the centers into this many bins, or
    /// returns `None` if all are in one place.
    fn new(centers: &Box4, bins: usize) -> Option<Self> {
        let scale = (centers.high - centers.low).to_array().map(|extent| {
            let scale = bins as f32 / extent;
            if scale.is_finite() { scale } else { 0.0 }
        });
        let scale = [scale[0], scale[1], scale[2], 0.0];
        scale.iter().any(|&scale| scale > 0.0).then_some(Self {
            base: centers.low,
            scale: f32x4::new(scale),
            last: f32x4::splat((bins - 1) as f32),
        })
    }

    /// Returns the bin of a record along each axis.
    #[inline(always)]
    fn bins(&self, record: &Bounds) -> [i32; 4] {
        let position = (twice_center(record) - self.base) * self.scale;
        position.fast_min(self.last).fast_trunc_int().to_array()
    }
}

/// Returns the bounds of twice the centers.
fn extent_of_centers(records: &[Bounds]) -> Box4 {
    let of = |records: &[Bounds]| {
        let mut all = Box4::empty();
        for record in records {
            let center = twice_center(record);
            all.add(center, center);
        }
        all
    };
    let merge = |mut all: Box4, other: Box4| {
        all.add(other.low, other.high);
        all
    };
    match records.len() {
        ..=LARGE => of(records),
        count => parallel::fold_ranges(count, Box4::empty, |range| of(&records[range]), merge),
    }
}

/// Divides records by the cheapest of all planes, if there is any.
fn by_bins(records: &mut [Bounds]) -> Option<(usize, [f64; 2])> {
    match records.len() {
        ..=FEW => by_planes::<FEW_BINS>(records),
        _ => by_planes::<BINS>(records),
    }
}

fn by_planes<const COUNT: usize>(records: &mut [Bounds]) -> Option<(usize, [f64; 2])> {
    let planes = Planes::new(&extent_of_centers(records), COUNT)?;
    let bins = match records.len() {
        ..=LARGE => Bins::<COUNT>::of(records, &planes),
        count => parallel::fold_ranges(
            count,
            Bins::empty,
            |range| Bins::of(&records[range], &planes),
            Bins::merge,
        ),
    };
    let Cut { axis, bin, areas } = bins.best(&planes)?;
    let mut middle = 0;
    // Every record is swapped, needed or not: a mispredicted branch would take longer.
    for k in 0..records.len() {
        let below = planes.bins(&records[k])[axis & 3] < bin;
        records.swap(k, middle);
        middle += usize::from(below);
    }
    Some((middle, areas))
}

/// Divides records in the middle along the axis on which their centers extend furthest.
fn in_half(records: &mut [Bounds]) -> (usize, [f64; 2]) {
    let centers = extent_of_centers(records);
    let [x, y, z, _] = (centers.high - centers.low).to_array();
    let longest = x.max(y).max(z);
    let middle = (records.len() / 2).next_multiple_of(WIDTH);
    if longest > 0.0 {
        let axis = [x, y, z].iter().position(|&extent| extent == longest).unwrap_or(0);
        let center = |record: &Bounds| record.low[axis] + record.high[axis];
        records.select_nth_unstable_by(middle, |a, b| center(a).total_cmp(&center(b)));
    }
    let (low, high) = records.split_at(middle);
    (middle, [low, high].map(|part| Extent::of(part).half_area()))
}
