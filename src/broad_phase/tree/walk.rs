//! Walks of a tree, which find the leaves that may contain records that meet a box, and the pairs
//! of records.
//!
//! # Why each pair is found exactly once
//!
//! The records of a leaf walk together, with the bounds of all. Of two records in one leaf, the
//! first finds the pair. Of records in two leaves, the one in the leaf with the smaller number
//! finds it, because its walk visits only later leaves. A range of records that begins or ends
//! within a leaf walks for its own records of that leaf.

use std::ops::Range;

use crate::base::lanes::Simd;
use crate::broad_phase::hits::{BATCH, Found, WalkHits, room};
use crate::broad_phase::operations::Operations;
use crate::broad_phase::tree::node::{Eight, Extent, LEAF, Node, Nodes, STACK, WIDTH, Walker};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;

/// The leaves that a walk may find.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaves {
    pub first: u32,
    pub end: u32,
}

impl Leaves {
    pub const ALL: Self = Self {
        first: 0,
        end: u32::MAX,
    };
}

/// Calls `found` with every leaf among `leaves` that meets the walker, as the node it is a child
/// of, and its lane. Returns the number of nodes visited. `CUT` must be set if `leaves` has an end.
#[inline(always)]
pub(crate) fn for_each_leaf<S: Simd, const CUT: bool>(
    nodes: &Nodes,
    walker: &Walker<S>,
    leaves: Leaves,
    mut found: impl FnMut(&Node, usize),
) -> u64 {
    let simd = walker.simd;
    let mut looked = 0;
    let mut stack = [0; STACK];
    let mut waiting = usize::from(!nodes.inner.is_empty());
    while waiting > 0 {
        waiting -= 1;
        let node = &nodes.inner[stack[waiting] as usize];
        looked += 1;
        let mut mask = node.bounds.meet(walker) & node.from(simd, leaves.first);
        if CUT {
            mask &= node.until(simd, leaves.end);
        }
        while mask != 0 {
            let lane = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            match node.child[lane] {
                LEAF => found(node, lane),
                child => {
                    stack[waiting] = child;
                    waiting += 1;
                }
            }
        }
    }
    looked
}

/// Returns the bits of a mask, the lowest first.
#[inline(always)]
pub(crate) fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < u32::BITS).then_some(bit as usize)
    })
}

/// Records of one leaf that walk together.
pub(crate) struct Group<'a> {
    /// The records of the leaf.
    pub records: &'a [Bounds],
    /// The position of the first record.
    pub first: u32,
    /// Mask of the records that walk.
    pub own: u32,
}

impl<'a> Group<'a> {
    /// Creates the group of those records of a leaf that are in a range.
    #[inline(always)]
    pub fn new(nodes: &Nodes, records: &'a [Bounds], leaf: usize, range: &Range<usize>) -> Self {
        let whole = nodes.records_of(leaf);
        let from = range.start.max(whole.start) - whole.start;
        let until = range.end.min(whole.end) - whole.start;
        Self {
            records: &records[whole.clone()],
            first: whole.start as u32,
            own: (1 << until) - (1 << from),
        }
    }

    /// Returns the bounds of the records that walk.
    #[inline(always)]
    fn extent(&self) -> Extent {
        let own = self.own.trailing_zeros() as usize..(u32::BITS - self.own.leading_zeros()) as usize;
        Extent::of(&self.records[own])
    }
}

/// Adds the pairs of a record with the records of a leaf that a mask selects. The leaf begins with
/// the record `base`.
#[inline(always)]
fn add(hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>, record: u32, base: u32, mask: u32) {
    hits.few(record, base, mask, Found::Candidates);
}

/// Adds the pairs of a group, given the bounds of its leaf, with the records of a leaf, which is a
/// child of a node. Returns the number of records of the group whose bounds meet those of the leaf.
#[inline(always)]
fn meet_leaf<S: Simd>(
    simd: S,
    nodes: &Nodes,
    own: &Eight,
    group: &Group<'_>,
    (node, lane): (&Node, usize),
    hits: &mut WalkHits<'_, impl FnMut(&[Pair], Found)>,
) -> u32 {
    let other = node.end[lane] as usize - 1;
    let Extent { low, high } = node.bounds.get(lane);
    let walking = own.meet(&Walker::new(simd, low, high)) & group.own;
    let (others, base) = (&nodes.leaves[other], nodes.starts[other]);
    for k in bits(walking) {
        let record = &group.records[k];
        let mask = others.meet(&Walker::new(simd, record.low, record.high));
        add(hits, group.first + k as u32, base, mask);
    }
    walking.count_ones()
}

/// Calls `found` with batches of the pairs that the records in `range` find. `until` returns the
/// end of the leaves that the records of a leaf may meet, if there is one.
#[inline(always)]
pub(crate) fn pairs<S: Simd, const CUT: bool>(
    simd: S,
    nodes: &Nodes,
    records: &[Bounds],
    range: Range<usize>,
    until: impl Fn(usize) -> u32,
    found: impl FnMut(&[Pair], Found),
) -> Operations {
    let mut rooms = [room(); 2];
    let mut hits = WalkHits::new(&mut rooms, found);
    let mut operations = Operations::default();
    if range.is_empty() {
        return operations;
    }
    let leaves = nodes.leaf_of(range.start)..nodes.leaf_of(range.end - 1) + 1;
    for leaf in leaves {
        let group = Group::new(nodes, records, leaf, &range);
        let own = &nodes.leaves[leaf];
        for k in bits(group.own) {
            let record = &group.records[k];
            let later = own.meet(&Walker::new(simd, record.low, record.high)) & (u32::MAX << 1 << k);
            add(&mut hits, group.first + k as u32, group.first, later);
        }
        let Extent { low, high } = group.extent();
        let mut compared = group.own.count_ones() as u64;
        let later = Leaves {
            first: leaf as u32 + 1,
            end: if CUT { until(leaf) } else { u32::MAX },
        };
        let looked = for_each_leaf::<S, CUT>(nodes, &Walker::new(simd, low, high), later, |node, lane| {
            compared += 1 + u64::from(meet_leaf(simd, nodes, own, &group, (node, lane), &mut hits));
        });
        operations.comparisons += (compared + looked) * WIDTH as u64;
    }
    hits.flush();
    operations
}

/// Calls `found` with the position of every record among `leaves` that shares a point with a box.
#[inline(always)]
pub(crate) fn overlapping<S: Simd, const CUT: bool>(
    simd: S,
    nodes: &Nodes,
    extent: Extent,
    leaves: Leaves,
    mut found: impl FnMut(usize),
) -> Operations {
    let walker = Walker::new(simd, extent.low, extent.high);
    let mut compared = 0;
    let looked = for_each_leaf::<S, CUT>(nodes, &walker, leaves, |node, lane| {
        let leaf = node.end[lane] as usize - 1;
        compared += 1;
        for k in bits(nodes.leaves[leaf].meet(&walker)) {
            found(nodes.starts[leaf] as usize + k);
        }
    });
    Operations {
        rows: 0,
        comparisons: (compared + looked) * WIDTH as u64,
    }
}

/// Calls `found` with batches of the pairs of a record of a tree (`a`) and one of other records
/// (`b`), those in `range`.
#[inline(always)]
pub(crate) fn pairs_between<S: Simd>(
    simd: S,
    nodes: &Nodes,
    (other_nodes, others): (&Nodes, &[Bounds]),
    range: Range<usize>,
    mut found: impl FnMut(&[Pair], Found),
) {
    if range.is_empty() {
        return;
    }
    let swapped = |pairs: &[Pair], what: Found| {
        let mut swapped = [Pair { a: 0, b: 0 }; BATCH];
        for (swapped, pair) in swapped.iter_mut().zip(pairs) {
            *swapped = Pair { a: pair.b, b: pair.a };
        }
        found(&swapped[..pairs.len()], what);
    };
    let mut rooms = [room(); 2];
    let mut hits = WalkHits::new(&mut rooms, swapped);
    for leaf in other_nodes.leaf_of(range.start)..other_nodes.leaf_of(range.end - 1) + 1 {
        let group = Group::new(other_nodes, others, leaf, &range);
        let Extent { low, high } = group.extent();
        for_each_leaf::<S, false>(nodes, &Walker::new(simd, low, high), Leaves::ALL, |node, lane| {
            meet_leaf(simd, nodes, &other_nodes.leaves[leaf], &group, (node, lane), &mut hits);
        });
    }
    hits.flush();
}
