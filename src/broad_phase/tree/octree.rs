//! An octree: records lie in the cubes that contain their centers, eight in each larger cube. The
//! nodes' bounds are those of their contents, and cubes that contain all records of a larger one
//! are skipped.
//!
//! Consecutive cubes along the curve share a leaf if they fit.

use crate::broad_phase::tree::assembly::{Divide, EVEN, Parts};
use crate::broad_phase::tree::node::WIDTH;
use crate::broad_phase::tree::order::{ROUND, octant_level};
use crate::geometry::bounds::Bounds;

/// Sorted records as cubes, given the heights between them.
pub(crate) struct Octants<'a> {
    pub heights: &'a [u16],
}

impl Divide for Octants<'_> {
    fn divide(&self, records: &mut [Bounds], first: usize, depth: usize) -> Parts {
        let count = records.len();
        let heights = &self.heights[first..first + count];
        // There are at most as many octants as in a cube, but there may be more worlds.
        let highest = heights[1..].iter().copied().max().unwrap_or(0);
        let level = octant_level(highest);
        let cuts = (1..count).filter(|&k| octant_level(heights[k]) == level);
        let octants = cuts.clone().count() + 1;
        if depth >= EVEN || highest % ROUND == 0 || octants > WIDTH {
            return Parts::even(count);
        }
        let mut starts = cuts.chain([count]);
        let mut next = starts.next();
        let mut start = 0;
        Parts::new(std::iter::from_fn(move || {
            let mut end = next?;
            next = starts.next();
            while let Some(more) = next.filter(|more| more - start <= WIDTH) {
                end = more;
                next = starts.next();
            }
            start = end;
            Some(end)
        }))
    }
}
