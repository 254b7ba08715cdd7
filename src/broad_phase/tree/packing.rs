//! Fast construction of a tree: records along a Morton curve are cut into leaves, leaves into
//! nodes, and so on to the root.
//!
//! A leaf takes five to eight records, and a node as many children: it ends where the curve leaves
//! the largest cube. As a result no leaf extends far, most are full, and all are equally deep, for
//! any records.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::tree::node::{Eight, Extent, LEAF, Node, Nodes, WHAT, WIDTH};
use crate::geometry::bounds::Bounds;

/// Minimum number of items of a leaf or a node, if it is not the last.
const LEAST: usize = 5;

/// Returns the next cut in a list of positions. A height is the distance of an item from the
/// previous one.
fn next_cut(first: usize, count: usize, height: impl Fn(usize) -> u16) -> usize {
    if count - first <= WIDTH {
        return count;
    }
    (first + LEAST..=first + WIDTH)
        .max_by_key(|&k| height(k))
        .unwrap_or(count)
}

/// Lists the first items of all groups, followed by the number of items.
fn cut(starts: &mut Vec<u32>, count: usize, height: impl Fn(usize) -> u16) -> Result<()> {
    starts.clear();
    memory::reserve(starts, count / LEAST + 2, WHAT)?;
    let mut first = 0;
    while first < count {
        starts.push(first as u32);
        first = next_cut(first, count, &height);
    }
    starts.push(count as u32);
    Ok(())
}

/// A level of nodes under construction.
#[derive(Debug, Default)]
struct Level {
    /// The bounds of each child.
    extents: Vec<Extent>,
    /// One more than the last leaf of each child.
    ends: Vec<u32>,
    /// The first child of each node, followed by the number of children.
    starts: Vec<u32>,
}

/// The working memory of the construction: levels, the lowest first.
#[derive(Debug, Default)]
pub(crate) struct Packing {
    levels: Vec<Level>,
}

impl Packing {
    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let level = |level: &Level| {
            let extents = level.extents.capacity() * size_of::<Extent>();
            extents + (level.ends.capacity() + level.starts.capacity()) * size_of::<u32>()
        };
        self.levels.iter().map(level).sum::<usize>() as u64
    }

    /// Builds the tree of sorted records, given the heights between them.
    pub fn pack(&mut self, nodes: &mut Nodes, records: &[Bounds], heights: &[u16]) -> Result<()> {
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
        let lowest = self.level(0)?;
        memory::make_scratch(&mut lowest.extents, leaves, WHAT)?;
        parallel::fill(&mut lowest.extents, |leaf| Extent::of(of(leaf)));
        memory::make_scratch(&mut lowest.ends, leaves, WHAT)?;
        parallel::fill(&mut lowest.ends, |leaf| leaf as u32 + 1);
        let mut top = 0;
        let mut total = 0;
        loop {
            let Level { extents, ends, starts } = self.level(top)?;
            // A node begins at the start of a leaf, and a leaf at a record.
            let height = |k: usize| heights[nodes.starts[ends[k - 1] as usize] as usize];
            cut(starts, extents.len(), height)?;
            let parents = starts.len() - 1;
            total += parents;
            if parents == 1 {
                break;
            }
            top += 1;
            self.lift(top, parents)?;
        }
        memory::make_scratch(&mut nodes.inner, total, WHAT)?;
        let mut rest = &mut nodes.inner[..];
        let mut first = 0;
        // The root's level is the last.
        for (k, level) in self.levels[..=top].iter().enumerate().rev() {
            let own;
            (own, rest) = rest.split_at_mut(level.starts.len() - 1);
            let next = first + own.len();
            parallel::fill(own, |parent| level.node(parent, (k > 0).then_some(next)));
            first = next;
        }
        Ok(())
    }

    /// Returns a level, and creates it if necessary.
    fn level(&mut self, number: usize) -> Result<&mut Level> {
        while self.levels.len() <= number {
            memory::push(&mut self.levels, Level::default(), WHAT)?;
        }
        Ok(&mut self.levels[number])
    }

    /// Creates the children of a level from the nodes below.
    fn lift(&mut self, number: usize, count: usize) -> Result<()> {
        self.level(number)?;
        let (below, above) = self.levels.split_at_mut(number);
        let (below, level) = (&below[number - 1], &mut above[0]);
        let group = |k: usize| below.starts[k] as usize..below.starts[k + 1] as usize;
        memory::make_scratch(&mut level.extents, count, WHAT)?;
        parallel::fill(&mut level.extents, |k| {
            below.extents[group(k)]
                .iter()
                .copied()
                .fold(Extent::EMPTY, Extent::union)
        });
        memory::make_scratch(&mut level.ends, count, WHAT)?;
        parallel::fill(&mut level.ends, |k| below.ends[group(k).end - 1]);
        Ok(())
    }
}

impl Level {
    /// Returns a node whose children are leaves, or nodes numbered from `below` on.
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
