//! Keys of records, and their sort. Twin of `shaders/broad_phase/lbvh/lbvh_keys.wgsl`, and of the
//! sort of the keys.

use glam::{UVec3, Vec3};

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::lbvh::layout::{BITS, SMALLEST_SPAN};
use crate::geometry::bounds::Bounds;
use crate::rules::filter::SetRules;

/// A record while it is sorted: its world, its place along the curve, and in the lowest 32 bits its
/// box.
pub(crate) type Entry = u128;

/// Returns the box of an entry.
pub(crate) fn box_of(entry: Entry) -> u32 {
    entry as u32
}

/// Returns the world of an entry.
pub(crate) fn world_of(entry: Entry) -> u32 {
    (entry >> 96) as u32
}

/// Creates the entries of bounds, and sorts them.
pub(crate) fn sorted_entries(entries: &mut Vec<Entry>, bounds: &[Bounds], rules: &SetRules) -> Result<()> {
    let nothing = || [Vec3::INFINITY, Vec3::NEG_INFINITY];
    let [low, high] = parallel::fold_ranges(
        bounds.len(),
        nothing,
        |range| {
            let own = &bounds[range];
            own.iter()
                .fold(nothing(), |[low, high], b| [low.min(b.low), high.max(b.high)])
        },
        |a, b| [a[0].min(b[0]), a[1].max(b[1])],
    );
    let cells = (1u32 << BITS) as f32 / (high - low).max_element().max(SMALLEST_SPAN);
    memory::make_scratch(entries, bounds.len(), "the tree")?;
    parallel::fill(entries, |i| {
        let b = &bounds[i];
        let center = 0.5 * b.low + 0.5 * b.high;
        let last = ((1u32 << BITS) - 1) as f32;
        let cell = ((center - low) * cells).clamp(Vec3::ZERO, Vec3::splat(last)).as_uvec3();
        Entry::from(rules.world(b.id)) << 96 | Entry::from(morton(cell)) << 32 | i as Entry
    });
    parallel::sort(entries);
    Ok(())
}

/// Returns the place of a cell along a Morton curve: the bits of its coordinates in turn, x first.
pub(crate) fn morton(cell: UVec3) -> u64 {
    spread(cell.x) | spread(cell.y) << 1 | spread(cell.z) << 2
}

/// Spreads the low 21 bits of a number, with two zeros between them.
fn spread(number: u32) -> u64 {
    let mut x = u64::from(number & ((1 << BITS) - 1));
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_alternate() {
        let mut expected = 0u64;
        for bit in 0..BITS {
            for axis in 0..3 {
                let mut cell = UVec3::ZERO;
                cell[axis] = 1 << bit;
                assert_eq!(morton(cell), 1 << (3 * bit + axis as u32), "bit {bit} of axis {axis}");
                expected |= morton(cell);
            }
        }
        assert_eq!(morton(UVec3::splat((1 << BITS) - 1)), expected);
        assert_eq!(expected, (1 << 63) - 1);
    }
}
