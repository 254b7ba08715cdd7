//! The work on one range: its candidate pairs go through the narrow phase and the exact stage while in the caches, so
//! they need next to no memory.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use crate::base::config::{Config, Output, Precision};
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::memory::extend;
use crate::base::parallel;
use crate::broad_phase::grid::grid_pairs_cpu::BATCH;
use crate::broad_phase::operations::Operations;
use crate::engine::exact_stage::{Relation, decide};
use crate::engine::findings::Findings;
use crate::geometry::bounds::Bounds;
use crate::geometry::pair::Pair;
use crate::narrow_phase::obb_obb::exact::Tally;
use crate::narrow_phase::obb_obb::obb_distance_cpu::{Nearness, nearness};
use crate::narrow_phase::obb_obb::obb_sat_cpu::obb_sat;
use crate::narrow_phase::table::meet_on_cpu;
use crate::rules::filter::PairRules;
use crate::shapes::kind::{Records, Shape};
use crate::shapes::obb::record::Obb;

/// What candidate pairs name, and how the caller wants them named.
#[derive(Clone, Copy)]
pub(crate) enum Tested<'a> {
    /// Two boxes from this list.
    Boxes(&'a [Obb]),
    /// Two records, by position. The boxes are in the same order.
    Records { records: &'a [Bounds], boxes: &'a [Obb] },
    /// Two records of these, which are in the caller's order, and which `narrow_phase/table.rs` tests one by one.
    Others { records: &'a [Bounds], set: Records<'a> },
    /// A box of the scene and a mover.
    Movers { scene: &'a [Obb], movers: &'a [Obb] },
}

impl<'a> Tested<'a> {
    /// The boxes that a candidate pair's `a` and `b` name.
    fn sets(self) -> Option<[&'a [Obb]; 2]> {
        match self {
            Self::Boxes(boxes) | Self::Records { boxes, .. } => Some([boxes, boxes]),
            Self::Movers { scene, movers } => Some([scene, movers]),
            Self::Others { .. } => None,
        }
    }

    /// The number of boxes the check is about: those with degrees.
    pub fn count(self) -> usize {
        match self {
            Self::Boxes(boxes) | Self::Records { boxes, .. } | Self::Movers { movers: boxes, .. } => boxes.len(),
            Self::Others { records, .. } => records.len(),
        }
    }

    /// A candidate pair in the caller's numbering.
    fn named(self, pair: Pair) -> Pair {
        match self {
            Self::Boxes(_) | Self::Movers { .. } => pair,
            Self::Records { records, .. } | Self::Others { records, .. } => {
                Pair::new(records[pair.a as usize].id, records[pair.b as usize].id)
            }
        }
    }

    /// Which of the caller's boxes count as members of a pair, in the caller's numbering.
    fn counted(self, Pair { a, b }: Pair) -> impl Iterator<Item = usize> {
        let in_scene = matches!(self, Self::Movers { .. });
        [a, b].into_iter().skip(usize::from(in_scene)).map(|id| id as usize)
    }
}

/// The state shared by all tasks of one check.
pub(super) struct Shared<'a> {
    tested: Tested<'a>,
    rules: Option<&'a PairRules<'a>>,
    /// The rules, if boxes have their own margins.
    margins: Option<&'a PairRules<'a>>,
    output: Output,
    precision: Precision,
    margin: f32,
    list_touching: bool,
    pub count_operations: bool,
    degrees: Vec<AtomicU32>,
    /// The number of pairs that may still be stored.
    room: AtomicU64,
    /// Whether a task ran out of memory: then continuing is pointless.
    out_of_memory: AtomicBool,
}

impl<'a> Shared<'a> {
    pub fn new(tested: Tested<'a>, rules: &'a PairRules<'a>, config: &Config) -> Result<Self> {
        let degrees = match config.output {
            Output::Degrees => tested.count(),
            _ => 0,
        };
        Ok(Self {
            tested,
            rules: rules.any(),
            margins: rules.have_margins().then_some(rules),
            output: config.output,
            precision: config.precision,
            margin: config.margin,
            list_touching: config.list_touching,
            count_operations: config.count_operations,
            degrees: memory::collect((0..degrees).map(|_| AtomicU32::default()), "the degrees")?,
            room: AtomicU64::new(config.max_pairs.map_or(u64::MAX, |most| most as u64)),
            out_of_memory: AtomicBool::new(false),
        })
    }

    /// Whether any pair has a margin.
    fn has_margin(&self) -> bool {
        self.margin > 0.0 || self.margins.is_some()
    }

    /// The margin of a candidate pair.
    fn margin_of(&self, pair: Pair) -> f32 {
        match self.margins {
            Some(rules) => self.margin + rules.margin(self.tested.named(pair)),
            None => self.margin,
        }
    }

    /// Stops all tasks if this one ran out of memory.
    fn note(&self, outcome: Result<()>) {
        if outcome.is_err() {
            self.out_of_memory.store(true, Relaxed);
        }
    }

    /// Takes up to `wanted` from the remaining room.
    fn take(&self, wanted: usize) -> usize {
        if self.room.load(Relaxed) == u64::MAX {
            return wanted;
        }
        let take = |left: u64| Some(left.saturating_sub(wanted as u64));
        let before = self.room.fetch_update(Relaxed, Relaxed, take).unwrap_or(0);
        before.min(wanted as u64) as usize
    }
}

/// The findings of one range.
#[derive(Default)]
pub(super) struct Task {
    candidates: u64,
    undecided: u64,
    tally: Tally,
    colliding: u64,
    touching: u64,
    near: u64,
    pairs: Vec<Pair>,
    touching_pairs: Vec<Pair>,
    operations: Operations,
    narrow: Duration,
    exact: Duration,
    total: Duration,
}

impl Task {
    /// Tests the candidate pairs that `walk` puts into the batch.
    pub fn run(shared: &Shared, walk: impl FnOnce(&mut Batch) -> Operations) -> Self {
        let start = Instant::now();
        let mut batch = Batch {
            shared,
            task: Self::default(),
            candidates: Vec::with_capacity(BATCH),
            allowed: Vec::new(),
            colliding: Vec::new(),
            undecided: Vec::new(),
        };
        let operations = walk(&mut batch);
        batch.test_gathered();
        Self {
            operations,
            total: start.elapsed(),
            ..batch.task
        }
    }
}

/// Candidate pairs on their way through the narrow phase.
pub(super) struct Batch<'a> {
    shared: &'a Shared<'a>,
    task: Task,
    candidates: Vec<Pair>,
    /// The pairs that the rules allow.
    allowed: Vec<Pair>,
    colliding: Vec<Pair>,
    undecided: Vec<Pair>,
}

impl Batch<'_> {
    /// Adds a candidate pair.
    #[inline]
    pub fn push(&mut self, pair: Pair) {
        self.candidates.push(pair);
        if self.candidates.len() == BATCH {
            self.test_gathered();
        }
    }

    fn test_gathered(&mut self) {
        let candidates = std::mem::take(&mut self.candidates);
        self.test(&candidates);
        self.candidates = candidates;
        self.candidates.clear();
    }

    /// Runs the rules, the narrow phase and the exact stage on some candidate pairs.
    pub fn test(&mut self, candidates: &[Pair]) {
        let Some(rules) = self.shared.rules else {
            return self.test_allowed(candidates);
        };
        let tested = self.shared.tested;
        let mut allowed = std::mem::take(&mut self.allowed);
        allowed.clear();
        allowed.extend(candidates.iter().filter(|pair| rules.allow(tested.named(**pair))));
        self.test_allowed(&allowed);
        self.allowed = allowed;
    }

    fn test_allowed(&mut self, candidates: &[Pair]) {
        let shared = self.shared;
        if shared.out_of_memory.load(Relaxed) {
            return;
        }
        self.task.candidates += candidates.len() as u64;
        self.colliding.clear();
        match (shared.tested.sets(), shared.tested) {
            (Some(sets), _) => {
                let start = Instant::now();
                match shared.has_margin() {
                    true => self.test_distances(sets, candidates),
                    false => self.test_in_f32(sets, candidates),
                }
                let tested = Instant::now();
                self.task.narrow += tested - start;
                if !self.undecided.is_empty() {
                    self.decide(sets);
                    self.task.exact += tested.elapsed();
                }
            }
            (None, Tested::Others { set, .. }) if set.shape() != Shape::Aabb || shared.has_margin() => {
                let start = Instant::now();
                let meet = |pair: &&Pair| meet_on_cpu(set, shared.tested.named(**pair), shared.margin_of(**pair));
                self.colliding.extend(candidates.iter().filter(meet));
                self.task.narrow += start.elapsed();
            }
            // Bounds as they are: the broad phase has the answer.
            (None, _) => self.colliding.extend_from_slice(candidates),
        }
        self.keep();
    }

    /// The narrow phase. Hits are kept without a branch, as they are practically random.
    fn test_in_f32(&mut self, sets: [&[Obb]; 2], candidates: &[Pair]) {
        let (colliding, undecided) = (&mut self.colliding, &mut self.undecided);
        // Every pair is written where it would go, and overwritten if it is not kept.
        colliding.resize(candidates.len(), Pair { a: 0, b: 0 });
        let mut count = 0;
        obb_sat(sets, candidates, self.shared.precision, |pairs, verdicts| {
            for (bit, pair) in pairs.iter().enumerate() {
                colliding[count] = *pair;
                count += (verdicts.overlapping >> bit & 1) as usize;
            }
            if verdicts.undecided != 0 {
                let those = |(bit, _): &(usize, &Pair)| verdicts.undecided >> bit & 1 == 1;
                undecided.extend(pairs.iter().enumerate().filter(those).map(|(_, pair)| *pair));
            }
        });
        colliding.truncate(count);
    }

    /// The narrow phase of checks with a margin.
    fn test_distances(&mut self, [a, b]: [&[Obb]; 2], candidates: &[Pair]) {
        let precision = self.shared.precision;
        for pair in candidates {
            let margin = self.shared.margin_of(*pair);
            let (a, b) = (&a[pair.a as usize], &b[pair.b as usize]);
            if !a.groups_meet(b) {
                continue;
            }
            match nearness(a, b, margin, precision) {
                Nearness::Beyond => {}
                Nearness::Near => {
                    self.task.near += 1;
                    self.colliding.push(*pair);
                }
                Nearness::Colliding => self.colliding.push(*pair),
                Nearness::Undecided => self.undecided.push(*pair),
            }
        }
    }

    /// The exact stage.
    fn decide(&mut self, sets: [&[Obb]; 2]) {
        let (shared, task, colliding) = (self.shared, &mut self.task, &mut self.colliding);
        task.undecided += self.undecided.len() as u64;
        let margin = |pair| shared.margin_of(pair);
        task.tally += decide(sets, &self.undecided, margin, |pair, relation| {
            if relation != Relation::Apart {
                colliding.push(pair);
            }
            task.near += u64::from(relation == Relation::Near);
            if relation == Relation::Touching {
                task.touching += 1;
                if shared.list_touching {
                    let pair = shared.tested.named(pair);
                    shared.note(extend(&mut task.touching_pairs, &[pair], "the touching pairs"));
                }
            }
        });
        self.undecided.clear();
    }

    /// Collects the colliding pairs.
    fn keep(&mut self) {
        let (shared, task) = (self.shared, &mut self.task);
        task.colliding += self.colliding.len() as u64;
        let named = |pair: &Pair| shared.tested.named(*pair);
        match shared.output {
            Output::Pairs => {
                let taken = shared.take(self.colliding.len());
                let reserved = memory::reserve(&mut task.pairs, taken, "the colliding pairs");
                if reserved.is_ok() {
                    task.pairs.extend(self.colliding[..taken].iter().map(named));
                }
                shared.note(reserved);
            }
            Output::Degrees => self
                .colliding
                .iter()
                .flat_map(|pair| shared.tested.counted(named(pair)))
                .for_each(|id| {
                    shared.degrees[id].fetch_add(1, Relaxed);
                }),
            Output::Count => {}
        }
    }
}

/// The shares of these stages in the time of all tasks.
pub(super) struct Shares {
    pub narrow: f64,
    pub exact: f64,
}

/// The findings of all tasks.
pub(super) fn gather(shared: Shared, tasks: Vec<Task>, config: &Config) -> Result<(Findings, Shares)> {
    if shared.out_of_memory.into_inner() {
        let found = tasks.iter().map(|task| task.pairs.len() as u64).sum::<u64>();
        return Err(Error::OutOfMemory {
            what: "the pairs found so far",
            needed: found * size_of::<Pair>() as u64,
        });
    }
    let sum = |count: fn(&Task) -> u64| tasks.iter().map(count).sum::<u64>();
    let time = |time: fn(&Task) -> Duration| tasks.iter().map(time).sum::<Duration>().as_secs_f64();
    let decides = shared.precision == Precision::Exact && shared.tested.sets().is_some();
    let mut operations = Operations::default();
    tasks.iter().for_each(|task| operations += task.operations);
    let shares = Shares {
        narrow: time(|task| task.narrow) / time(|task| task.total).max(1e-9),
        exact: time(|task| task.exact) / time(|task| task.total).max(1e-9),
    };
    let findings = Findings {
        candidate_pairs: sum(|task| task.candidates),
        colliding_pairs: sum(|task| task.colliding),
        undecided_pairs: sum(|task| task.undecided),
        undecided_after_f64: sum(|task| task.tally.undecided_after_f64()),
        touching_pairs: decides.then_some(sum(|task| task.touching)),
        near_pairs: decides.then_some(sum(|task| task.near)),
        touching: joined(tasks.iter().map(|task| &task.touching_pairs[..]).collect())?,
        pairs: joined(tasks.iter().map(|task| &task.pairs[..]).collect())?,
        degrees: shared.degrees.into_iter().map(AtomicU32::into_inner).collect(),
        operations: shared.count_operations.then_some(operations),
        ..Findings::new(config)
    };
    Ok((findings, shares))
}

/// Concatenates the lists.
fn joined(lists: Vec<&[Pair]>) -> Result<Vec<Pair>> {
    let mut all = memory::zeroed(lists.iter().map(|list| list.len()).sum(), "the colliding pairs")?;
    let mut rest = &mut all[..];
    let mut copies = Vec::with_capacity(lists.len());
    for list in lists {
        let (place, others) = rest.split_at_mut(list.len());
        copies.push((place, list));
        rest = others;
    }
    parallel::for_each(copies, |(place, list)| place.copy_from_slice(list));
    Ok(all)
}
