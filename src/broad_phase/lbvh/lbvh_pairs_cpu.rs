//! The search for each record's partners after itself. Twin of
//! `shaders/broad_phase/lbvh/lbvh_pairs.wgsl`. `layout.rs` proves that each pair is found once.

use std::ops::Range;

use crate::base::error::Result;
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::hits::{Found, WalkHits, room};
use crate::broad_phase::lbvh::layout::{END, LEAF, POSITION};
use crate::broad_phase::lbvh::lbvh_query_cpu::lbvh_query;
use crate::broad_phase::lbvh::lbvh_tree_cpu::Lbvh;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::rules::filter::SetRules;

impl PairSearch for Lbvh {
    fn len(&self) -> usize {
        self.records.len()
    }

    #[inline]
    fn pairs<const COUNT: bool>(
        &self,
        _: &SetRules,
        range: Range<usize>,
        found: &mut dyn FnMut(&[Pair], Found),
    ) -> Operations {
        let mut comparisons = 0;
        let mut rooms = [room(); 2];
        let mut hits = WalkHits::new(&mut rooms, found);
        for i in range {
            let record = &self.records[i];
            let mut link = record.tag;
            while link != END {
                let there = self.at(link);
                let (met, is_leaf) = (record.overlaps(there), link >= LEAF);
                if COUNT {
                    comparisons += 1;
                }
                hits.few(i as u32, link & POSITION, u32::from(met & is_leaf), Found::Candidates);
                link = if met & !is_leaf { there.id } else { there.tag };
            }
        }
        hits.flush();
        Operations { rows: 0, comparisons }
    }

    fn record(&self, position: usize) -> Bounds {
        self.records[position]
    }

    fn meet<const COUNT: bool>(&self, movers: &[Bounds], rules: &SetRules, found: impl FnMut(Pair)) -> Operations {
        lbvh_query::<COUNT>(self, movers, rules, found)
    }
}

impl OverBounds for Lbvh {
    fn build(&mut self, bounds: &mut [Bounds], _: &Gathered, rules: &SetRules) -> Result<()> {
        self.sort(bounds, rules)
    }

    fn sorted(&self) -> Sorted<'_> {
        Sorted(&self.records)
    }

    fn release_scratch(&mut self) {
        self.release();
    }

    fn bytes(&self) -> u64 {
        self.held()
    }

    fn bytes_for(boxes: u64) -> u64 {
        Self::most_bytes(boxes)
    }
}
