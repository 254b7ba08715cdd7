//! Trees as broad phases.

use std::ops::Range;

use crate::base::error::Result;
use crate::base::lanes::{self, dispatch};
use crate::base::memory;
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::hits::Found;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::broad_phase::tree::assembly::assemble;
use crate::broad_phase::tree::node::{Eight, Extent, Node, Nodes, WHAT};
use crate::broad_phase::tree::octree::Octants;
use crate::broad_phase::tree::order::Order;
use crate::broad_phase::tree::packing::Packing;
use crate::broad_phase::tree::sah::Surfaces;
use crate::broad_phase::tree::walk::{self, Leaves};
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::rules::filter::SetRules;

/// A method of building a tree.
pub(crate) trait Build: Default + Sync {
    /// The minimum average number of records for each leaf and for each inner node.
    const RECORDS_OF: [u64; 2];

    /// Sorts the bounds into `records`, grouped by world, with worlds ascending, and builds the
    /// tree of them.
    fn build(
        &mut self,
        bounds: &[Bounds],
        rules: &SetRules,
        records: &mut Vec<Bounds>,
        nodes: &mut Nodes,
    ) -> Result<()>;

    fn release(&mut self);

    /// Returns the number of bytes held.
    fn bytes(&self) -> u64;
}

/// By the surface area heuristic: [`sah`](super::sah).
#[derive(Debug, Default)]
pub(crate) struct BySurface(Order);

/// Along a Morton curve: [`packing`](super::packing).
#[derive(Debug, Default)]
pub(crate) struct ByMorton(Order, Packing);

/// By octants: [`octree`](super::octree).
#[derive(Debug, Default)]
pub(crate) struct ByOctants(Order);

impl Build for BySurface {
    const RECORDS_OF: [u64; 2] = [4, 8];

    fn build(
        &mut self,
        bounds: &[Bounds],
        rules: &SetRules,
        records: &mut Vec<Bounds>,
        nodes: &mut Nodes,
    ) -> Result<()> {
        self.0.sort_worlds(bounds, rules, records)?;
        assemble(nodes, &Surfaces { rules }, records)
    }

    fn release(&mut self) {
        self.0.release();
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

impl Build for ByMorton {
    const RECORDS_OF: [u64; 2] = [5, 20];

    fn build(
        &mut self,
        bounds: &[Bounds],
        rules: &SetRules,
        records: &mut Vec<Bounds>,
        nodes: &mut Nodes,
    ) -> Result<()> {
        self.0.sort(bounds, rules, records)?;
        self.1.pack(nodes, records, &self.0.heights)
    }

    fn release(&mut self) {
        *self = Self::default();
    }

    fn bytes(&self) -> u64 {
        self.0.bytes() + self.1.bytes()
    }
}

impl Build for ByOctants {
    const RECORDS_OF: [u64; 2] = [2, 3];

    fn build(
        &mut self,
        bounds: &[Bounds],
        rules: &SetRules,
        records: &mut Vec<Bounds>,
        nodes: &mut Nodes,
    ) -> Result<()> {
        self.0.sort(bounds, rules, records)?;
        let octants = Octants {
            heights: &self.0.heights,
        };
        assemble(nodes, &octants, records)
    }

    fn release(&mut self) {
        self.0.release();
    }

    fn bytes(&self) -> u64 {
        self.0.bytes()
    }
}

/// The tree packed along a Morton curve: compared with [`BySurface`], its walks take slightly
/// longer, and its construction takes a third of the time.
pub(crate) type Tree = TreePhase<ByMorton>;
/// The tree of the surface area heuristic, which is used by [`Bvh`](super::bvh::Bvh).
#[cfg(test)]
pub(crate) type SurfaceTree = TreePhase<BySurface>;
/// The octree of tight boxes.
pub(crate) type Octree = TreePhase<ByOctants>;

/// Records in a tree.
#[derive(Debug, Default)]
pub(crate) struct TreePhase<B> {
    pub(super) records: Vec<Bounds>,
    pub(super) nodes: Nodes,
    worlds: Vec<World>,
    build: B,
}

/// The leaves that contain the records of a world.
#[derive(Clone, Copy, Debug)]
struct World {
    world: u32,
    leaves: Leaves,
}

impl<B: Build> TreePhase<B> {
    /// Returns the leaves with records of a world. They may contain records of other worlds.
    fn leaves_of(&self, world: u32) -> Leaves {
        match self.worlds.binary_search_by_key(&world, |other| other.world) {
            Ok(k) => self.worlds[k].leaves,
            Err(_) => Leaves { first: 0, end: 0 },
        }
    }

    fn find_worlds(&mut self, rules: &SetRules) -> Result<()> {
        self.worlds.clear();
        if rules.worlds.is_none() {
            return Ok(());
        }
        let mut leaf = 0;
        for (k, record) in self.records.iter().enumerate() {
            while self.nodes.starts[leaf + 1] as usize <= k {
                leaf += 1;
            }
            let world = rules.world(record.id);
            let end = leaf as u32 + 1;
            match self.worlds.last_mut().filter(|last| last.world == world) {
                Some(last) => last.leaves.end = end,
                None => {
                    let leaves = Leaves {
                        first: leaf as u32,
                        end,
                    };
                    memory::push(&mut self.worlds, World { world, leaves }, WHAT)?;
                }
            }
        }
        Ok(())
    }
}

impl<B: Build> PairSearch for TreePhase<B> {
    fn len(&self) -> usize {
        self.records.len()
    }

    fn pairs<const COUNT: bool>(
        &self,
        rules: &SetRules,
        range: Range<usize>,
        found: &mut dyn FnMut(&[Pair], Found),
    ) -> Operations {
        let (nodes, records) = (&self.nodes, &self.records[..]);
        // Worlds ascend, so the last record of a leaf determines the end.
        let until = |leaf: usize| {
            let last = &records[nodes.starts[leaf + 1] as usize - 1];
            self.leaves_of(rules.world(last.id)).end
        };
        let level = lanes::level();
        match self.worlds.len() {
            0..=1 => dispatch!(level, simd => walk::pairs::<_, false>(simd, nodes, records, range, until, found)),
            _ => dispatch!(level, simd => walk::pairs::<_, true>(simd, nodes, records, range, until, found)),
        }
    }

    fn record(&self, position: usize) -> Bounds {
        self.records[position]
    }

    fn meet<const COUNT: bool>(&self, movers: &[Bounds], rules: &SetRules, mut found: impl FnMut(Pair)) -> Operations {
        let mut operations = Operations::default();
        dispatch!(lanes::level(), simd => for (b, mover) in (0..).zip(movers) {
            let extent = Extent { low: mover.low, high: mover.high };
            let found = |record: usize| found(Pair { a: record as u32, b });
            operations += match self.worlds.len() {
                0 => walk::overlapping::<_, false>(simd, &self.nodes, extent, Leaves::ALL, found),
                _ => walk::overlapping::<_, true>(simd, &self.nodes, extent, self.leaves_of(rules.world(mover.id)), found),
            };
        });
        operations
    }
}

impl<B: Build> OverBounds for TreePhase<B> {
    fn build(&mut self, bounds: &mut [Bounds], _: &Gathered, rules: &SetRules) -> Result<()> {
        self.build.build(bounds, rules, &mut self.records, &mut self.nodes)?;
        self.find_worlds(rules)
    }

    fn sorted(&self) -> Sorted<'_> {
        Sorted(&self.records)
    }

    fn release_scratch(&mut self) {
        self.build.release();
    }

    fn bytes(&self) -> u64 {
        let records = self.records.capacity() * size_of::<Bounds>() + self.worlds.capacity() * size_of::<World>();
        records as u64 + self.nodes.bytes() + self.build.bytes()
    }

    fn bytes_for(boxes: u64) -> u64 {
        let [leaves, inner] = B::RECORDS_OF.map(|records| boxes / records + 2);
        let nodes = leaves * (size_of::<Eight>() + size_of::<u32>()) as u64 + inner * size_of::<Node>() as u64;
        // The nodes of all levels: each child has its bounds, its end and possibly the start of a
        // node.
        let levels = (leaves + inner) * (size_of::<Extent>() + 2 * size_of::<u32>()) as u64;
        boxes * (size_of::<Bounds>() + Order::BYTES) as u64 + nodes + levels
    }
}
