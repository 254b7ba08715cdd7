//! Builds a tree in no time: records along a Morton curve are cut into leaves, leaves into nodes, and so on to the root.
//!
//! A leaf takes five to eight records, and a node as many children: it ends where the curve leaves the largest cube. So no leaf reaches
//! far, most are full, and all are equally deep, whatever the records are.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::tree::node::{Eight, Extent, LEAF, Node, Nodes, WHAT, WIDTH};
use crate::geometry::bounds::Bounds;

/// The least that a leaf or a node takes, if it is not the last.
const LEAST: usize = 5;

/// What of a list of positions is cut off next: a height is how far an item is from the one before.
fn next_cut(first: usize, count: usize, height: impl Fn(usize) -> u16) -> usize {
    if count - first <= WIDTH {
        return count;
    }
    (first + LEAST..=first + WIDTH)
        .max_by_key(|&k| height(k))
        .unwrap_or(count)
}

/// Appends the items that begin a group.
fn cut(starts: &mut Vec<u32>, count: usize, height: impl Fn(usize) -> u16) -> Result<()> {
    memory::reserve(starts, count / LEAST + 2, WHAT)?;
    let mut first = 0;
    while first < count {
        starts.push(first as u32);
        first = next_cut(first, count, &height);
    }
    starts.push(count as u32);
    Ok(())
}

/// A level of nodes on its way.
struct Level {
    /// The first child of each node, and then the number of children.
    starts: Vec<u32>,
    /// The bounds of each node.
    extents: Vec<Extent>,
    /// One more than its last leaf.
    ends: Vec<u32>,
}

/// Builds the tree of sorted records, with the heights between them.
pub(crate) fn pack(nodes: &mut Nodes, records: &[Bounds], heights: &[u16]) -> Result<()> {
    nodes.clear();
    if records.is_empty() {
        return Ok(());
    }
    cut(&mut nodes.starts, records.len(), |k| heights[k])?;
    let starts = &nodes.starts;
    let leaves = starts.len() - 1;
    memory::make_scratch(&mut nodes.leaves, leaves, WHAT)?;
    let of = |leaf: usize| &records[starts[leaf] as usize..starts[leaf + 1] as usize];
    parallel::fill(&mut nodes.leaves, |leaf| Eight::new(of(leaf)));
    let mut levels: Vec<Level> = Vec::new();
    let mut extents = parallel::collect(leaves, WHAT, |leaf| Extent::of(of(leaf)))?;
    let mut ends: Vec<u32> = memory::collect((0..leaves).map(|leaf| leaf as u32 + 1), WHAT)?;
    loop {
        let count = extents.len();
        // Where a node begins, a leaf begins, and there a record.
        let height = |k: usize| heights[starts[ends[k - 1] as usize] as usize];
        let mut groups = Vec::new();
        cut(&mut groups, count, height)?;
        let parents = groups.len() - 1;
        let group = |k: usize| groups[k] as usize..groups[k + 1] as usize;
        let next_extents = parallel::collect(parents, WHAT, |k| {
            extents[group(k)].iter().copied().fold(Extent::EMPTY, Extent::union)
        })?;
        let next_ends = memory::collect((0..parents).map(|k| ends[group(k).end - 1]), WHAT)?;
        levels.push(Level {
            starts: groups,
            extents,
            ends,
        });
        (extents, ends) = (next_extents, next_ends);
        if parents == 1 {
            break;
        }
    }
    let total = levels.iter().map(|level| level.starts.len() - 1).sum();
    memory::make_scratch(&mut nodes.inner, total, WHAT)?;
    let mut rest = &mut nodes.inner[..];
    let mut first = 0;
    // The root's level is the last.
    for (k, level) in levels.iter().enumerate().rev() {
        let own;
        (own, rest) = rest.split_at_mut(level.starts.len() - 1);
        let next = first + own.len();
        parallel::fill(own, |parent| level.node(parent, (k > 0).then_some(next)));
        first = next;
    }
    Ok(())
}

impl Level {
    /// A node, whose children are leaves, or nodes numbered from `below` on.
    fn node(&self, parent: usize, below: Option<usize>) -> Node {
        let children = self.starts[parent] as usize..self.starts[parent + 1] as usize;
        let mut node = Node::EMPTY;
        node.end = [self.ends[children.end - 1]; WIDTH];
        for (lane, child) in children.enumerate() {
            node.bounds.set(lane, self.extents[child]);
            node.child[lane] = below.map_or(LEAF, |below| (below + child) as u32);
            node.end[lane] = self.ends[child];
        }
        node
    }
}
