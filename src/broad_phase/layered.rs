//! Layers for the CPU's broad phases, which do not support layers themselves: each layer is sorted
//! separately.
//!
//! A layer that meets itself is searched like a scene. Of two layers that meet each other, the
//! records of the smaller one are movers against the other. Two sets are thus compared in the same
//! way as movers and a prepared scene.

use std::ops::Range;

use crate::base::error::Result;
use crate::base::{memory, parallel};
use crate::broad_phase::bounds_lanes::Sorted;
use crate::broad_phase::grid::layout::GridLevel;
use crate::broad_phase::hits::{BATCH, Found};
use crate::broad_phase::operations::Operations;
use crate::broad_phase::phase::{OverBounds, PairSearch};
use crate::geometry::bounds::{Bounds, Gather};
use crate::geometry::pair::Pair;
use crate::geometry::scene_stats::Gathered;
use crate::rules::filter::SetRules;
use crate::rules::layers::{Layers, MAX_LAYERS};

/// Label for out-of-memory errors.
const WHAT: &str = "the broad phase by layers";
/// Number of bodies that a task searches for those of a layer.
const CHUNK: usize = 1 << 15;

/// A broad phase for each layer, or one if there are no layers.
pub(crate) struct Layered<P> {
    /// The phases in use come first; the others keep their memory.
    phases: Vec<P>,
    /// The start of the records of each layer in use, and the end of the last one's.
    starts: Vec<usize>,
    /// All records, layer by layer. Empty if all are in one layer.
    records: Vec<Bounds>,
    /// The layers that are built, one bit each. The others only walk.
    built: u8,
}

impl<P> Default for Layered<P> {
    fn default() -> Self {
        Self {
            phases: Vec::new(),
            starts: Vec::new(),
            records: Vec::new(),
            built: 0,
        }
    }
}

impl<P: OverBounds> Layered<P> {
    /// Sorts the bounds of a scene by layer, given their statistics. Layers that only walk are not
    /// built.
    pub fn build(&mut self, bounds: &mut [Bounds], stats: &Gathered, rules: &SetRules) -> Result<()> {
        let is_met = |layer| (0..=layer).any(|walker| rules.layers.meet(walker, layer));
        self.build_those(is_met, bounds, stats, rules)
    }

    /// Like [`Layered::build`], but builds all layers, for movers that may meet any.
    pub fn build_for_movers(&mut self, bounds: &mut [Bounds], stats: &Gathered, rules: &SetRules) -> Result<()> {
        self.build_those(|_| true, bounds, stats, rules)
    }

    fn build_those(
        &mut self,
        is_built: impl Fn(usize) -> bool,
        bounds: &mut [Bounds],
        stats: &Gathered,
        rules: &SetRules,
    ) -> Result<()> {
        let layers = &rules.layers;
        let count = layers.count() as usize;
        if count <= 1 {
            return self.only(bounds.len())?.build(bounds, stats, rules);
        }
        while self.phases.len() < count {
            memory::push(&mut self.phases, P::default(), WHAT)?;
        }
        self.starts.clear();
        memory::make_scratch(&mut self.records, bounds.len(), WHAT)?;
        let stats = partition(bounds, layers, &mut self.records, &mut self.starts);
        self.built = 0;
        // In this order, the layers that a layer walks to are built before it.
        for layer in (0..count).rev() {
            let own = &mut self.records[self.starts[layer]..self.starts[layer + 1]];
            let (before, after) = self.phases.split_at_mut(layer + 1);
            if is_built(layer) {
                self.built |= 1 << layer;
                before[layer].build(own, &stats[layer], rules)?;
                let sorted = before[layer].sorted();
                parallel::fill(own, |k| sorted.record(k));
            } else if let Some(met) = (layer + 1..count).find(|&other| layers.meet(layer, other)) {
                before[layer].sort_walkers(&after[met - layer - 1], own, rules)?;
            }
        }
        Ok(())
    }

    /// Returns the phase for a scene of this many bodies without layers, which the caller builds.
    pub fn only(&mut self, len: usize) -> Result<&mut P> {
        if self.phases.is_empty() {
            memory::push(&mut self.phases, P::default(), WHAT)?;
        }
        self.records = Vec::new();
        self.starts.clear();
        self.starts.extend([0, len]);
        self.built = 1;
        Ok(&mut self.phases[0])
    }

    /// Returns the number of layers.
    fn layers(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the phases of the layers that are built.
    fn built(&self) -> impl Iterator<Item = &P> {
        let phases = self.phases.iter().take(self.layers()).enumerate();
        phases
            .filter(|(layer, _)| self.built >> layer & 1 > 0)
            .map(|(_, phase)| phase)
    }

    /// Returns all records, by position.
    pub fn sorted(&self) -> Sorted<'_> {
        match self.layers() {
            1 => self.phases[0].sorted(),
            _ => Sorted(&self.records),
        }
    }

    /// Appends the levels of the grids of all layers, if they are grids.
    pub fn list_levels(&self, list: &mut Vec<GridLevel>) {
        self.built().for_each(|phase| phase.list_levels(list));
    }

    /// Performs [`OverBounds::meet_ids`] with the records of all layers.
    pub fn meet_ids<const COUNT: bool>(
        &self,
        movers: &[Bounds],
        rules: &SetRules,
        mut found: impl FnMut(Pair),
    ) -> Operations {
        let mut operations = Operations::default();
        for phase in self.built() {
            operations += phase.meet_ids::<COUNT>(movers, rules, &mut found);
        }
        operations
    }

    /// Groups movers that are close to each other, if that pays.
    pub fn sort_movers(&self, movers: Vec<Bounds>, rules: &SetRules) -> Result<Vec<Bounds>> {
        match self.built().max_by_key(|phase| phase.len()) {
            Some(largest) => largest.sort_movers(movers, rules),
            None => Ok(movers),
        }
    }

    /// Frees the memory that only [`pairs`](PairSearch::pairs) and another `build` need.
    pub fn release_scratch(&mut self) {
        self.phases.iter_mut().for_each(P::release_scratch);
    }

    /// Returns the number of bytes held.
    pub fn bytes(&self) -> u64 {
        let records = self.records.capacity() * size_of::<Bounds>();
        records as u64 + self.phases.iter().map(P::bytes).sum::<u64>()
    }
}

/// Groups the bounds by layer. Fills `starts` with the start of each layer and the end of the last,
/// and returns the statistics of each layer.
fn partition(
    bounds: &[Bounds],
    layers: &Layers,
    records: &mut [Bounds],
    starts: &mut Vec<usize>,
) -> [Gathered; MAX_LAYERS] {
    let layer_of = |record: &Bounds| layers.layer(record.id) as usize;
    let chunks: Vec<&[Bounds]> = bounds.chunks(CHUNK).collect();
    let counts = parallel::map(chunks, |chunk| {
        let mut counts = [0; MAX_LAYERS];
        chunk.iter().for_each(|record| counts[layer_of(record)] += 1);
        (chunk, counts)
    });
    let mut parts = Vec::new();
    let (mut rest, mut start) = (records, 0);
    for layer in 0..layers.count() as usize {
        starts.push(start);
        for &(chunk, counts) in &counts {
            let (own, others) = rest.split_at_mut(counts[layer]);
            parts.push((layer, chunk, own));
            (rest, start) = (others, start + counts[layer]);
        }
    }
    starts.push(start);
    let gathered = parallel::map(parts, |(layer, chunk, own)| {
        let mut stats = Gathered::default();
        let those = chunk.iter().filter(|record| layer_of(record) == layer);
        for (place, record) in own.iter_mut().zip(those) {
            *place = *record;
            stats.add(record, record.size());
        }
        (layer, stats)
    });
    gathered
        .into_iter()
        .fold(Default::default(), |mut all, (layer, stats)| {
            let so_far = std::mem::take(&mut all[layer]);
            all[layer] = so_far.merge(stats);
            all
        })
}

impl<P: OverBounds> PairSearch for Layered<P> {
    fn len(&self) -> usize {
        self.starts.last().copied().unwrap_or_default()
    }

    fn pairs<const COUNT: bool>(
        &self,
        rules: &SetRules,
        range: Range<usize>,
        found: &mut dyn FnMut(&[Pair], Found),
    ) -> Operations {
        let phases = &self.phases[..self.layers()];
        if let [only] = phases {
            return match rules.layers.meet(0, 0) {
                true => only.pairs::<COUNT>(rules, range, found),
                false => Operations::default(),
            };
        }
        let mut operations = Operations::default();
        let mut batch = Vec::with_capacity(BATCH);
        for (layer, phase) in phases.iter().enumerate() {
            let all = self.starts[layer]..self.starts[layer + 1];
            let own = range.start.max(all.start)..range.end.min(all.end);
            if own.is_empty() {
                continue;
            }
            let met = |other: usize| rules.layers.meet(layer, other);
            let at = |pair: Pair, [a, b]: [usize; 2]| Pair {
                a: pair.a + a as u32,
                b: pair.b + b as u32,
            };
            if met(layer) {
                let within = own.start - all.start..own.end - all.start;
                operations += phase.pairs::<COUNT>(rules, within, &mut |pairs, what| {
                    batch.clear();
                    batch.extend(pairs.iter().map(|pair| at(*pair, [all.start; 2])));
                    found(&batch, what);
                });
                batch.clear();
            }
            for other in (layer + 1..phases.len()).filter(|&other| met(other)) {
                let places = [self.starts[other], own.start];
                operations += phases[other].meet::<COUNT>(&self.records[own.clone()], rules, |pair| {
                    batch.push(at(pair, places));
                    if batch.len() == BATCH {
                        found(&batch, Found::Candidates);
                        batch.clear();
                    }
                });
            }
            if !batch.is_empty() {
                found(&batch, Found::Candidates);
                batch.clear();
            }
        }
        operations
    }

    fn record(&self, position: usize) -> Bounds {
        self.sorted().record(position)
    }

    /// All layers are [built](Self::build_for_movers), unless there are none.
    fn meet<const COUNT: bool>(&self, movers: &[Bounds], rules: &SetRules, mut found: impl FnMut(Pair)) -> Operations {
        let mut operations = Operations::default();
        for (phase, &first) in self.phases.iter().zip(&self.starts[..self.layers()]) {
            operations += phase.meet::<COUNT>(movers, rules, |Pair { a, b }| {
                found(Pair { a: a + first as u32, b });
            });
        }
        operations
    }
}
