//! Along which axes bounds are sorted, and into how many strips, by what a sample of them promises.

use crate::base::split_mix::mix;
use crate::geometry::bounds::{Bounds, ordered};
use crate::rules::filter::SetRules;

/// Bounds that are looked at.
const SAMPLES: usize = 4096;
/// What it takes to go to another strip, in comparisons: an estimate, of some fifteen nanoseconds at seven comparisons each.
const SEARCH: f64 = 100.0;
/// The least boxes that a strip is made for: a pass over so many takes no longer than a few searches.
const LEAST: f64 = 512.0;
/// The most strips.
pub(super) const MOST_STRIPS: usize = 1 << 13;

/// How a scene is sorted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Plan {
    /// The axis that is swept, the one that is cut into strips, and the third.
    pub axes: [usize; 3],
    pub strips: usize,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            axes: [0, 1, 2],
            strips: 1,
        }
    }
}

/// Where a box is in the order of its world along an axis: its world, and a coordinate.
#[inline]
pub(super) fn key(world: u32, coordinate: f32) -> u64 {
    // -0 becomes 0: the extent from 0 to -0 is none, and not less.
    u64::from(world) << 32 | u64::from(ordered(coordinate + 0.0))
}

/// About so many of the bounds, one from each run of as many: those of a lattice must not all be from one of its walls.
pub(super) fn sample(bounds: &[Bounds], count: usize) -> impl Iterator<Item = &Bounds> {
    let stride = bounds.len().div_ceil(count).max(1);
    (0..bounds.len() / stride).map(move |k| &bounds[k * stride + (mix(k as u64) % stride as u64) as usize])
}

/// The plan that promises the least work.
///
/// Let n be the boxes of a world, `f` and `s` the shares of them that begin within an extent of one box on the first axis and on the second, and
/// m the strips. A box is compared with about n f (1 / (2 m) + s) others and goes to m s strips more. The sum is least for the two
/// axes with the least shares, and where m^2 = n f / (2 s [`SEARCH`]).
pub(super) fn plan(bounds: &[Bounds], rules: &SetRules) -> Plan {
    let sampled: Vec<(u32, &Bounds)> = sample(bounds, SAMPLES)
        .map(|bounds| (rules.world(bounds.id), bounds))
        .collect();
    let count = sampled.len() as f64;
    let others = others_of_worlds(&sampled);
    let shares: [f64; 3] = std::array::from_fn(|axis| {
        // Never 0: what a sample does not show may be there.
        (begin_within(&sampled, axis) as f64 + 1.0) / (others as f64 + 1.0)
    });
    let mut axes = [0, 1, 2];
    axes.sort_by(|&a, &b| shares[a].total_cmp(&shares[b]));
    let in_world =
        bounds.len() as f64 * (others as f64 / (count * (count - 1.0)).max(1.0)).max(1.0 / bounds.len().max(1) as f64);
    let per_strip = (2.0 * SEARCH * in_world * shares[axes[1]] / shares[axes[0]]).sqrt();
    let strips = (bounds.len() as f64 / per_strip.max(LEAST)).ceil() as usize;
    Plan {
        axes,
        strips: strips.clamp(1, MOST_STRIPS),
    }
}

/// How many others of its own world each has, all together.
fn others_of_worlds(sampled: &[(u32, &Bounds)]) -> usize {
    let mut worlds: Vec<u32> = sampled.iter().map(|(world, _)| *world).collect();
    worlds.sort_unstable();
    worlds
        .chunk_by(|a, b| a == b)
        .map(|world| world.len() * (world.len() - 1))
        .sum()
}

/// How many others of its own world begin within the extent of each along an axis, all together.
fn begin_within(sampled: &[(u32, &Bounds)], axis: usize) -> usize {
    let mut keys: Vec<u64> = sampled
        .iter()
        .map(|(world, bounds)| key(*world, bounds.low[axis]))
        .collect();
    keys.sort_unstable();
    let within = |&(world, bounds): &(u32, &Bounds)| {
        let [low, high] = [bounds.low, bounds.high].map(|corner| key(world, corner[axis]));
        keys.partition_point(|&other| other <= high) - keys.partition_point(|&other| other < low) - 1
    };
    sampled.iter().map(within).sum()
}
