//! The search for the boxes at rest whose bounds overlap those of each mover. Twin of
//! `shaders/broad_phase/lbvh/lbvh_query.wgsl`. The walk of a mover is that of a record before all
//! others of its world.

use crate::broad_phase::lbvh::layout::{END, LEAF, POSITION};
use crate::broad_phase::lbvh::lbvh_tree_cpu::Lbvh;
use crate::broad_phase::operations::Operations;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::rules::filter::SetRules;

/// Calls `found` for every candidate pair of a box at rest (`a`, its position) and a mover (`b`,
/// its position in the slice), whose worlds are given by the rules. Returns the amount of work if
/// `COUNT` is set.
#[inline]
pub(crate) fn lbvh_query<const COUNT: bool>(
    tree: &Lbvh,
    movers: &[Bounds],
    rules: &SetRules,
    mut found: impl FnMut(Pair),
) -> Operations {
    let mut comparisons = 0;
    for (b, mover) in (0..).zip(movers) {
        let world = rules.world(mover.id);
        let Ok(place) = tree.worlds.binary_search_by_key(&world, |&(world, _)| world) else {
            continue;
        };
        let mut link = tree.subtree_from(tree.worlds[place].1);
        while link != END {
            let there = tree.at(link);
            let (met, is_leaf) = (mover.overlaps(there), link >= LEAF);
            if COUNT {
                comparisons += 1;
            }
            if met & is_leaf {
                let a = link & POSITION;
                found(Pair { a, b });
            }
            link = if met & !is_leaf { there.id } else { there.tag };
        }
    }
    Operations { rows: 0, comparisons }
}
