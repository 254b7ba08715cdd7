//! Twin of `shaders/broad_phase/lbvh/lbvh_tree.wgsl`: the tree over sorted records.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::lbvh::layout::{BLOCK, END, LEAF, POSITION};
use crate::broad_phase::lbvh::lbvh_bounds_cpu::{bounds_of, unite};
use crate::broad_phase::lbvh::lbvh_keys_cpu::{Entry, box_of, sorted_entries, world_of};
use crate::geometry::bounds::Bounds;
use crate::rules::filter::SetRules;

/// What memory is for.
const WHAT: &str = "the tree";

/// A linear tree over bounds.
#[derive(Default)]
pub(crate) struct Lbvh {
    /// The bounds in the order of their keys; tags are escape links.
    pub records: Vec<Bounds>,
    /// The nodes: tags are escape links, ids the first children.
    pub nodes: Vec<Bounds>,
    /// The worlds that there are, ascending, and their first records.
    pub worlds: Vec<(u32, u32)>,
    entries: Vec<Entry>,
    blocks: Vec<Bounds>,
}

/// Sorted keys.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'a>(pub &'a [Entry]);

/// The records below a node, and its first child.
#[derive(Debug, PartialEq)]
pub(crate) struct Below {
    pub first: u32,
    pub last: u32,
    pub left: u32,
}

impl Keys<'_> {
    /// How many leading bits the keys of two records have in common; beyond the ends, less than any two records have.
    fn alike(self, i: u32, place: i64) -> i32 {
        let Some(&other) = usize::try_from(place).ok().and_then(|place| self.0.get(place)) else {
            return -1;
        };
        let differ = (self.0[i as usize] ^ other) >> 32 << 32;
        match differ {
            0 => 96 + (i ^ place as u32).leading_zeros() as i32,
            _ => differ.leading_zeros() as i32,
        }
    }

    /// Whether the records of a node extend from the record of its own number upwards, and not downwards.
    fn extends_up(self, i: u32) -> bool {
        self.alike(i, i64::from(i) + 1) > self.alike(i, i64::from(i) - 1)
    }

    /// What a walk comes to after a record: the largest subtree of the same world that begins with the next record.
    pub fn escape_from(self, last: u32) -> u32 {
        let next = last + 1;
        match self.0.get(next as usize) {
            Some(&entry) if world_of(entry) == world_of(self.0[last as usize]) => {
                if self.extends_up(next) {
                    next
                } else {
                    next | LEAF
                }
            }
            _ => END,
        }
    }

    /// The records of a node, and where it is divided.
    pub fn below(self, i: u32) -> Below {
        let own = i64::from(i);
        let step = if self.extends_up(i) { 1 } else { -1 };
        // No record of the node has less in common with its own.
        let least = self.alike(i, own - step);
        let mut most = 2;
        while self.alike(i, own + most * step) > least {
            most *= 2;
        }
        let (mut length, mut part) = (0, most / 2);
        while part > 0 {
            if self.alike(i, own + (length + part) * step) > least {
                length += part;
            }
            part /= 2;
        }
        let other = own + length * step;
        // What all of its records have in common; the records of one child have more.
        let common = self.alike(i, other);
        let (mut divided, mut part) = (0, length);
        while part > 1 {
            part = (part + 1) / 2;
            if self.alike(i, own + (divided + part) * step) > common {
                divided += part;
            }
        }
        let first = own.min(other);
        let left = own + divided * step + step.min(0);
        Below {
            first: first as u32,
            last: own.max(other) as u32,
            left: left as u32 | if left == first { LEAF } else { 0 },
        }
    }
}

impl Lbvh {
    /// Builds the tree. Takes time in proportion to n log n.
    pub fn sort(&mut self, bounds: &[Bounds], rules: &SetRules) -> Result<()> {
        let Self {
            records,
            nodes,
            worlds,
            entries,
            blocks,
        } = self;
        sorted_entries(entries, bounds, rules)?;
        let keys = Keys(entries);
        memory::make_scratch(records, bounds.len(), WHAT)?;
        parallel::fill(records, |i| Bounds {
            tag: keys.escape_from(i as u32),
            ..bounds[box_of(entries[i]) as usize]
        });
        unite(records, blocks)?;
        memory::make_scratch(nodes, bounds.len().saturating_sub(1), WHAT)?;
        parallel::fill(nodes, |i| {
            let below = keys.below(i as u32);
            Bounds {
                tag: keys.escape_from(below.last),
                id: below.left,
                ..bounds_of(records, blocks, below.first as usize, below.last as usize + 1)
            }
        });
        worlds.clear();
        let mut first = 0;
        while let Some(&entry) = entries.get(first) {
            memory::push(worlds, (world_of(entry), first as u32), WHAT)?;
            first += entries[first..].partition_point(|&other| world_of(other) == world_of(entry));
        }
        Ok(())
    }

    /// What is at a link.
    #[inline(always)]
    pub fn at(&self, link: u32) -> &Bounds {
        match link & LEAF {
            0 => &self.nodes[link as usize],
            _ => &self.records[(link & POSITION) as usize],
        }
    }

    /// The largest subtree that begins with a record.
    pub fn subtree_from(&self, first: u32) -> u32 {
        match self.nodes.get(first as usize) {
            Some(node) if node.id & POSITION >= first => first,
            _ => first | LEAF,
        }
    }

    /// Frees what only another build needs.
    pub fn release(&mut self) {
        (self.entries, self.blocks) = Default::default();
    }

    /// Bytes held.
    pub fn held(&self) -> u64 {
        let bounds = self.records.capacity() + self.nodes.capacity() + self.blocks.capacity();
        let bytes = bounds * size_of::<Bounds>()
            + self.entries.capacity() * size_of::<Entry>()
            + self.worlds.capacity() * size_of::<(u32, u32)>();
        bytes as u64
    }

    /// The most bytes that a build over so many boxes holds, each perhaps in a world of its own.
    pub fn most_bytes(boxes: u64) -> u64 {
        let bounds = 2 * boxes + boxes / (BLOCK as u64 - 1);
        bounds * size_of::<Bounds>() as u64 + boxes * (size_of::<Entry>() + size_of::<(u32, u32)>()) as u64
    }
}
