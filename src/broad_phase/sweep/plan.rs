//! The choice of the sort axes and of the number of strips, by predictions from a sample of the
//! bounds.

use crate::base::split_mix::mix;
use crate::geometry::bounds::{Bounds, ordered};
use crate::rules::filter::SetRules;

/// Number of bounds that are sampled.
const SAMPLES: usize = 4096;
/// Cost of going to another strip, in comparisons. An estimate: about fifteen nanoseconds at seven
/// comparisons each.
const SEARCH: f64 = 100.0;
/// Minimum number of boxes per strip: a pass over this many takes no longer than a few searches.
const LEAST: f64 = 512.0;
/// Maximum number of strips.
pub(super) const MOST_STRIPS: usize = 1 << 13;

/// The axes and the number of strips of a scene.
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

/// Returns a key that sorts boxes by world and then along an axis.
#[inline]
pub(super) fn key(world: u32, coordinate: f32) -> u64 {
    // -0 becomes 0: the extent from 0 to -0 is zero, and not negative.
    u64::from(world) << 32 | u64::from(ordered(coordinate + 0.0))
}

/// Samples about `count` of the bounds, one at a random place in each run of equal length, so that
/// the samples of a lattice are not all from one of its walls.
pub(super) fn sample(bounds: &[Bounds], count: usize) -> impl Iterator<Item = &Bounds> {
    let stride = bounds.len().div_ceil(count).max(1);
    (0..bounds.len() / stride).map(move |k| &bounds[k * stride + (mix(k as u64) % stride as u64) as usize])
}

/// Returns the plan with the smallest expected work.
///
/// Here n is the number of boxes of a world, `f` and `s` are the shares of them that begin within
/// the extent of one box on the first axis and on the second, and m is the number of strips. A box
/// is compared with about n f (1 / (2 m) + s) others and visits m s further strips. The sum is
/// smallest for the two axes with the smallest shares, and if m^2 = n f / (2 s [`SEARCH`]).
pub(super) fn plan(bounds: &[Bounds], rules: &SetRules) -> Plan {
    let sampled: Vec<(u32, &Bounds)> = sample(bounds, SAMPLES)
        .map(|bounds| (rules.world(bounds.id), bounds))
        .collect();
    let count = sampled.len() as f64;
    let others = others_of_worlds(&sampled);
    let shares: [f64; 3] = std::array::from_fn(|axis| {
        // Never 0, because overlaps may be missing from the sample.
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

/// Returns the sum over all samples of the number of others of the same world.
fn others_of_worlds(sampled: &[(u32, &Bounds)]) -> usize {
    let mut worlds: Vec<u32> = sampled.iter().map(|(world, _)| *world).collect();
    worlds.sort_unstable();
    worlds
        .chunk_by(|a, b| a == b)
        .map(|world| world.len() * (world.len() - 1))
        .sum()
}

/// Returns the sum over all samples of the number of others of the same world that begin within
/// their extent along an axis.
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
