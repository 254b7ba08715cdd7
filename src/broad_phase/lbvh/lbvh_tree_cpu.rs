//! The tree over sorted records. Twin of `shaders/broad_phase/lbvh/lbvh_tree.wgsl`.

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::lbvh::layout::{BLOCK, END, LEAF, POSITION};
use crate::broad_phase::lbvh::lbvh_bounds_cpu::{bounds_of, unite};
use crate::broad_phase::lbvh::lbvh_keys_cpu::{Entry, box_of, sorted_entries, world_of};
use crate::geometry::bounds::Bounds;
use crate::rules::filter::SetRules;

/// Label for out-of-memory errors.
const WHAT: &str = "the tree";

/// A linear tree over bounds.
#[derive(Default)]
pub(crate) struct Lbvh {
    /// The bounds in the order of their keys. Tags are escape links.
    pub records: Vec<Bounds>,
    /// The nodes. Tags are escape links, and ids are the first children.
    pub nodes: Vec<Bounds>,
    /// The worlds that occur, ascending, and their first records.
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
    /// Returns the number of leading bits that the keys of two records have in common. Beyond the
    /// ends of the list it is less than for any two records.
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

    /// Returns `true` if the records of a node extend upwards from the record with its own number,
    /// and `false` if they extend downwards.
    fn extends_up(self, i: u32) -> bool {
        self.alike(i, i64::from(i) + 1) > self.alike(i, i64::from(i) - 1)
    }

    /// Returns the link that a walk follows after a record: the largest subtree of the same world
    /// that begins with the next record.
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

    /// Returns the records of a node, and the place where it is divided.
    pub fn below(self, i: u32) -> Below {
        let own = i64::from(i);
        let step = if self.extends_up(i) { 1 } else { -1 };
        // No record of the node has fewer bits in common with its own record.
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
        // The bits that all of its records have in common. The records of one child have more.
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
    /// Builds the tree. Takes time proportional to n log n.
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

    /// Returns the node or record that a link names.
    #[inline(always)]
    pub fn at(&self, link: u32) -> &Bounds {
        match link & LEAF {
            0 => &self.nodes[link as usize],
            _ => &self.records[(link & POSITION) as usize],
        }
    }

    /// Returns the largest subtree that begins with a record.
    pub fn subtree_from(&self, first: u32) -> u32 {
        match self.nodes.get(first as usize) {
            Some(node) if node.id & POSITION >= first => first,
            _ => first | LEAF,
        }
    }

    /// Frees the memory that only another build needs.
    pub fn release(&mut self) {
        (self.entries, self.blocks) = Default::default();
    }

    /// Returns the number of bytes held.
    pub fn held(&self) -> u64 {
        let bounds = self.records.capacity() + self.nodes.capacity() + self.blocks.capacity();
        let bytes = bounds * size_of::<Bounds>()
            + self.entries.capacity() * size_of::<Entry>()
            + self.worlds.capacity() * size_of::<(u32, u32)>();
        bytes as u64
    }

    /// Returns the maximum number of bytes held by a build over this many boxes, each possibly in
    /// its own world.
    pub fn most_bytes(boxes: u64) -> u64 {
        let bounds = 2 * boxes + boxes / (BLOCK as u64 - 1);
        bounds * size_of::<Bounds>() as u64 + boxes * (size_of::<Entry>() + size_of::<(u32, u32)>()) as u64
    }
}
