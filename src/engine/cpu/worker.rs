//! A worker: the working memory and the findings of a thread that tests candidate pairs.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::base::config::{Config, Output, Precision};
use crate::base::error::Result;
use crate::base::memory;
use crate::base::stop::Stop;
use crate::broad_phase::hits::BATCH;
use crate::broad_phase::operations::Operations;
use crate::broad_phase::small_worlds_cpu::SomeWorlds;
use crate::engine::cpu::repeated::Repeated;
use crate::engine::cpu::tested::Tested;
use crate::engine::query::resolved::{Visit, Wanted};
use crate::geometry::pair::Pair;
use crate::geometry::period::Image;
use crate::narrow_phase::obb_obb::exact::Tally;
use crate::outputs::sort_as_found::PairsAsFound;
use crate::outputs::sort_pairs_cpu::Buckets;
use crate::rules::filter::PairRules;

/// Size in bytes of a worker's lists of the pairs of one batch: candidates, and allowed, colliding
/// and undecided pairs.
const BATCH_BYTES: usize = 4 * BATCH * size_of::<Pair>();
/// Maximum number of bytes of pair lists kept from one call to the next. Larger lists are worth
/// freeing.
pub(super) const MOST_KEPT: u64 = 8 << 20;

/// The state shared by all workers of one check.
pub(super) struct Shared<'a> {
    pub tested: Tested<'a>,
    pub rules: Option<&'a PairRules<'a>>,
    /// The rules, if boxes have their own margins.
    margins: Option<&'a PairRules<'a>>,
    /// The images of bodies, if pairs may need more than the test of an open scene.
    pub repeated: Option<&'a Repeated<'a>>,
    pub output: Output,
    /// The visitor that receives pairs, regardless of the output.
    pub visit: Option<Visit<'a>>,
    pub precision: Precision,
    pub margin: f64,
    pub list_touching: bool,
    pub count_operations: bool,
    /// A degree for each box that has one.
    pub degrees: &'a [AtomicU32],
    /// The number of pairs that may still be stored.
    room: AtomicU64,
    /// The buckets of the first boxes of pairs.
    pub buckets: Buckets,
    /// Set if a worker has run out of memory. Continuing is then pointless.
    pub out_of_memory: AtomicBool,
    stop: &'a Stop,
    /// Set if a worker has found that the call is to stop.
    pub stopped: AtomicBool,
}

impl<'a> Shared<'a> {
    /// Creates the shared state. `degrees` provides the memory for degrees.
    pub fn new(
        tested: Tested<'a>,
        rules: &'a PairRules<'a>,
        config: &'a Wanted<'_>,
        degrees: &'a mut Vec<AtomicU32>,
    ) -> Result<Self> {
        degrees.clear();
        if config.output == Output::Degrees {
            memory::resize_with(degrees, tested.count(), AtomicU32::default, "the degrees")?;
        }
        Ok(Self {
            rules: rules.to_ask(),
            margins: rules.have_margins().then_some(rules),
            visit: config.visit,
            degrees,
            ..Self::of_pairs(tested, config)
        })
    }

    /// Creates the shared state of a check without rules, which returns no degrees.
    pub fn of_pairs(tested: Tested<'a>, config: &'a Config) -> Self {
        Self {
            tested,
            rules: None,
            margins: None,
            repeated: None,
            output: config.output,
            visit: None,
            precision: config.precision,
            margin: config.margin,
            list_touching: config.list_touching,
            count_operations: config.count_operations,
            degrees: &[],
            room: AtomicU64::new(config.max_pairs.map_or(u64::MAX, |most| most as u64)),
            buckets: Buckets::new(tested.firsts()),
            out_of_memory: AtomicBool::new(false),
            stop: &config.stop,
            stopped: AtomicBool::new(false),
        }
    }

    /// Returns `true` if pairs may have margins of their own.
    pub fn have_own_margins(&self) -> bool {
        self.margins.is_some()
    }

    /// Returns `true` if any pair has a margin.
    pub fn has_margin(&self) -> bool {
        self.margin > 0.0 || self.margins.is_some()
    }

    /// Returns the margin of a candidate pair.
    pub fn margin_of(&self, pair: Pair) -> f64 {
        match self.margins {
            Some(rules) => rules.margin(self.margin, self.tested.named(pair)),
            None => self.margin,
        }
    }

    /// Returns `true` if further findings of workers are useless.
    pub fn is_over(&self) -> bool {
        if self.stop.is_requested() {
            self.stopped.store(true, Relaxed);
        }
        self.stopped.load(Relaxed) || self.out_of_memory.load(Relaxed)
    }

    /// Stops all workers if this one ran out of memory.
    pub fn note(&self, outcome: Result<()>) {
        if outcome.is_err() {
            self.out_of_memory.store(true, Relaxed);
        }
    }

    /// Takes up to `wanted` from the remaining capacity.
    pub fn take(&self, wanted: usize) -> usize {
        if self.room.load(Relaxed) == u64::MAX {
            return wanted;
        }
        let take = |left: u64| Some(left.saturating_sub(wanted as u64));
        let before = self.room.fetch_update(Relaxed, Relaxed, take).unwrap_or(0);
        before.min(wanted as u64) as usize
    }
}

/// The findings of one worker, and its working memory. It is kept for the next call.
#[derive(Default)]
pub(super) struct Worker {
    pub totals: Totals,
    pub pairs: PairsAsFound,
    pub touching_pairs: Vec<Pair>,
    pub candidates: Vec<Pair>,
    /// The pairs that the rules allow.
    pub allowed: Vec<Pair>,
    pub colliding: Vec<Pair>,
    pub undecided: Vec<Pair>,
    /// The pairs of bodies that are where they are given, if space repeats.
    pub plain: Vec<Pair>,
    /// Pairs of which one body is moved by an image.
    pub moved: Vec<(Pair, Image)>,
    /// The bounds of bodies in small worlds.
    pub worlds: Option<Box<SomeWorlds>>,
}

/// The counters of a worker.
#[derive(Clone, Copy, Default)]
pub(super) struct Totals {
    pub candidates: u64,
    pub undecided: u64,
    pub tally: Tally,
    pub colliding: u64,
    pub touching: u64,
    pub near: u64,
    pub operations: Operations,
    pub narrow: Duration,
    pub exact: Duration,
    pub total: Duration,
}

impl Worker {
    /// Clears the findings, and reserves memory for this many pairs and touching pairs.
    pub fn begin(&mut self, [pairs, touching]: [usize; 2], buckets: Buckets) -> Result<()> {
        self.totals = Totals::default();
        self.pairs.clear();
        self.pairs.make_room(pairs, buckets)?;
        self.touching_pairs.clear();
        memory::reserve(&mut self.touching_pairs, touching, "the touching pairs")?;
        for list in [
            &mut self.candidates,
            &mut self.allowed,
            &mut self.colliding,
            &mut self.undecided,
        ] {
            list.clear();
            reserve_batch(list);
        }
        Ok(())
    }

    /// Returns the maximum number of bytes of workers that find this many pairs, not counting the
    /// sorted pairs.
    pub fn bytes_for(workers: usize, pairs: u64) -> u64 {
        let of_each = size_of::<Self>() + BATCH_BYTES;
        PairsAsFound::bytes_for(pairs, workers).saturating_add((workers * of_each) as u64)
    }

    /// Returns the number of bytes held that grow with the number of pairs, or of bodies in a
    /// world.
    pub fn bytes(&self) -> u64 {
        let touching = self.touching_pairs.capacity() * size_of::<Pair>();
        self.pairs.bytes() + (touching + self.worlds.as_ref().map_or(0, |some| some.bytes())) as u64
    }
}

impl AsRef<PairsAsFound> for Worker {
    fn as_ref(&self) -> &PairsAsFound {
        &self.pairs
    }
}

impl AsMut<PairsAsFound> for Worker {
    fn as_mut(&mut self) -> &mut PairsAsFound {
        &mut self.pairs
    }
}

/// Reserves memory for exactly one batch.
pub(super) fn reserve_batch(list: &mut Vec<Pair>) {
    if list.capacity() < BATCH {
        list.reserve_exact(BATCH - list.len());
    }
}
