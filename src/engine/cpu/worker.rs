//! The work on one range after the other: candidate pairs go through the narrow phase and the exact stage while in the caches, so
//! they need next to no memory.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use bytemuck::cast_slice;

use crate::base::config::{Config, Output, Precision};
use crate::base::error::{Error, Result};
use crate::base::memory;
use crate::base::memory::extend;
use crate::base::parallel;
use crate::broad_phase::hits::{BATCH, Found};
use crate::broad_phase::operations::Operations;
use crate::engine::cpu::tested::Tested;
use crate::engine::exact_stage::{Relation, decide, decide_each};
use crate::engine::findings::Findings;
use crate::geometry::pair::Pair;
use crate::narrow_phase::contact::Contact;
use crate::narrow_phase::moving_moving::moving_sat_cpu::moving_sat;
use crate::narrow_phase::obb_obb::exact::Tally;
use crate::narrow_phase::obb_obb::obb_distance_cpu::{Nearness, nearness};
use crate::narrow_phase::obb_obb::obb_sat_cpu::obb_sat;
use crate::narrow_phase::obb_obb::obb64_pairs::obb64_pairs;
use crate::narrow_phase::round::answers::{Answers, Question};
use crate::narrow_phase::round::box_round_cpu::box_round;
use crate::narrow_phase::round::round_round_cpu::round_round;
use crate::narrow_phase::round::sphere_sphere_cpu::sphere_sphere;
use crate::narrow_phase::table::meet_on_cpu;
use crate::narrow_phase::triangle_triangle::triangle_pairs_cpu::triangle_pairs;
use crate::outputs::report::Report;
use crate::outputs::sort_as_found::{PairsAsFound, sort_found};
use crate::outputs::sort_pairs_cpu::{Buckets, PairSorter};
use crate::rules::filter::PairRules;
use crate::shapes::bodies::set::{Bodies, BodyRef, Kind};
use crate::shapes::bodies::slot::Slot;
use crate::shapes::kind::Shape;
use crate::shapes::obb::record::Obb;
use crate::shapes::obb64::record::Obb64;
use crate::shapes::triangle::set::Triangles;

/// Bytes of a worker's lists of the pairs of one batch: candidates, and allowed, colliding and undecided ones.
const BATCH_BYTES: usize = 4 * BATCH * size_of::<Pair>();
/// Bytes of the lists of pairs that are kept from one call to the next: more than that is worth freeing.
pub(super) const MOST_KEPT: u64 = 8 << 20;

/// The state shared by all workers of one check.
pub(super) struct Shared<'a> {
    pub tested: Tested<'a>,
    rules: Option<&'a PairRules<'a>>,
    /// The rules, if boxes have their own margins.
    margins: Option<&'a PairRules<'a>>,
    output: Output,
    precision: Precision,
    margin: f32,
    list_touching: bool,
    pub count_operations: bool,
    /// A degree for each box that has one.
    degrees: &'a [AtomicU32],
    /// The number of pairs that may still be stored.
    room: AtomicU64,
    /// The buckets of the first boxes of pairs.
    buckets: Buckets,
    /// Whether a worker ran out of memory: then continuing is pointless.
    out_of_memory: AtomicBool,
}

impl<'a> Shared<'a> {
    /// The memory is for degrees.
    pub fn new(
        tested: Tested<'a>,
        rules: &'a PairRules<'a>,
        config: &Config,
        degrees: &'a mut Vec<AtomicU32>,
    ) -> Result<Self> {
        degrees.clear();
        if config.output == Output::Degrees {
            memory::resize_with(degrees, tested.count(), AtomicU32::default, "the degrees")?;
        }
        Ok(Self {
            tested,
            rules: rules.any(),
            margins: rules.have_margins().then_some(rules),
            output: config.output,
            precision: config.precision,
            margin: config.margin,
            list_touching: config.list_touching,
            count_operations: config.count_operations,
            degrees,
            room: AtomicU64::new(config.max_pairs.map_or(u64::MAX, |most| most as u64)),
            buckets: Buckets::new(tested.firsts()),
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

    /// Stops all workers if this one ran out of memory.
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

/// The findings of whoever takes one range after the other, and the memory for the work. It is kept for the next call.
#[derive(Default)]
pub(super) struct Worker {
    totals: Totals,
    pairs: PairsAsFound,
    touching_pairs: Vec<Pair>,
    candidates: Vec<Pair>,
    /// The pairs that the rules allow.
    allowed: Vec<Pair>,
    colliding: Vec<Pair>,
    undecided: Vec<Pair>,
}

/// What a worker counts.
#[derive(Clone, Copy, Default)]
struct Totals {
    candidates: u64,
    undecided: u64,
    tally: Tally,
    colliding: u64,
    touching: u64,
    near: u64,
    operations: Operations,
    narrow: Duration,
    exact: Duration,
    total: Duration,
}

/// Has workers test the candidate pairs of ranges of `grain` items: `walk` puts those of a range into the batch.
pub(super) fn work(
    workers: &mut Vec<Worker>,
    shared: &Shared,
    grain: usize,
    len: usize,
    walk: impl Fn(Range<usize>, &mut Batch) -> Operations + Sync + Send,
) -> Result<()> {
    let ranges = len.div_ceil(grain);
    let at_a_time = ranges.min(parallel::threads()).max(workers.len());
    workers.resize_with(at_a_time, Worker::default);
    // Nobody knows who will do how much: each has room for all that was found last, if that is little. So calls of the same size ask
    // for no memory.
    let sum = |count: fn(&Worker) -> usize| workers.iter().map(count).sum::<usize>();
    let last = [
        sum(|worker| worker.pairs.len()),
        sum(|worker| worker.touching_pairs.len()),
    ];
    let bytes = at_a_time * (last[0] + last[1]) * size_of::<Pair>();
    let room = if bytes as u64 <= MOST_KEPT { last } else { [0; 2] };
    for worker in &mut *workers {
        worker.begin(room, shared.buckets)?;
    }
    parallel::ranges_with(workers, grain, len, |range, worker| {
        worker.run(shared, |batch| walk(range, batch));
    });
    Ok(())
}

impl Worker {
    /// Forgets what it has found, and makes room for so many pairs and touching pairs.
    fn begin(&mut self, [pairs, touching]: [usize; 2], buckets: Buckets) -> Result<()> {
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

    /// Tests the candidate pairs that `walk` puts into the batch.
    fn run(&mut self, shared: &Shared, walk: impl FnOnce(&mut Batch) -> Operations) {
        let start = Instant::now();
        let mut batch = Batch { shared, worker: self };
        let operations = walk(&mut batch);
        batch.test_gathered();
        self.totals.operations += operations;
        self.totals.total += start.elapsed();
    }

    /// The most bytes of workers that find so many pairs, beside the sorted pairs.
    pub fn bytes_for(workers: usize, pairs: u64) -> u64 {
        let of_each = size_of::<Self>() + BATCH_BYTES;
        PairsAsFound::bytes_for(pairs, workers).saturating_add((workers * of_each) as u64)
    }

    /// Bytes held for pairs that it has found.
    pub fn bytes(&self) -> u64 {
        self.pairs.bytes() + (self.touching_pairs.capacity() * size_of::<Pair>()) as u64
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

/// The tests of the narrow phase.
#[derive(Clone, Copy)]
enum Test {
    Boxes,
    Balls,
    Rounds,
    BoxRound,
}

/// How many tests there are.
const TESTS: usize = 4;

impl Test {
    fn of(a: Kind, b: Kind) -> Self {
        match (a, b) {
            (Kind::Box, Kind::Box) => Self::Boxes,
            (Kind::Ball, Kind::Ball) => Self::Balls,
            (Kind::Box, _) | (_, Kind::Box) => Self::BoxRound,
            _ => Self::Rounds,
        }
    }
}

/// Sorts the pairs of a batch by their tests, and returns where those of each begin and the last end.
fn sort_by_test(pairs: &[Pair], test_of: impl Fn(&Pair) -> Test, sorted: &mut [Pair]) -> [usize; TESTS + 1] {
    let mut tests = [0u8; BATCH];
    let mut starts = [0; TESTS + 1];
    for (place, pair) in tests.iter_mut().zip(pairs) {
        let test = test_of(pair) as usize;
        *place = test as u8;
        starts[test + 1] += 1;
    }
    for test in 0..TESTS {
        starts[test + 1] += starts[test];
    }
    let mut next = starts;
    for (test, pair) in tests.iter().zip(pairs) {
        let place = &mut next[usize::from(*test)];
        sorted[*place] = *pair;
        *place += 1;
    }
    starts
}

/// Makes room for a batch, and for no more.
fn reserve_batch(list: &mut Vec<Pair>) {
    if list.capacity() < BATCH {
        list.reserve_exact(BATCH - list.len());
    }
}

/// Appends the pairs that the bits name.
fn keep_those(pairs: &[Pair], bits: u32, list: &mut Vec<Pair>) {
    let mut rest = bits;
    while rest != 0 {
        list.push(pairs[rest.trailing_zeros() as usize]);
        rest &= rest - 1;
    }
}

/// Candidate pairs on their way through the narrow phase.
pub(super) struct Batch<'a> {
    shared: &'a Shared<'a>,
    worker: &'a mut Worker,
}

impl Batch<'_> {
    /// Adds a candidate pair.
    #[inline]
    pub fn push(&mut self, pair: Pair) {
        self.worker.candidates.push(pair);
        if self.worker.candidates.len() == BATCH {
            self.test_gathered();
        }
    }

    fn test_gathered(&mut self) {
        let candidates = std::mem::take(&mut self.worker.candidates);
        self.test(&candidates);
        self.worker.candidates = candidates;
        self.worker.candidates.clear();
    }

    /// Takes what a walk has found.
    pub fn take(&mut self, pairs: &[Pair], found: Found) {
        match found {
            // Those within their margin collide with a margin only.
            Found::Colliding if !self.shared.has_margin() => self.with_allowed(pairs, Self::keep_all),
            _ => self.test(pairs),
        }
    }

    /// Runs the rules, the narrow phase and the exact stage on some candidate pairs.
    pub fn test(&mut self, candidates: &[Pair]) {
        self.with_allowed(candidates, Self::test_allowed);
    }

    /// Runs the rules on some candidate pairs, and a step on those that they allow.
    fn with_allowed(&mut self, candidates: &[Pair], step: fn(&mut Self, &[Pair])) {
        if candidates.is_empty() {
            return;
        }
        let Some(rules) = self.shared.rules else {
            return step(self, candidates);
        };
        let tested = self.shared.tested;
        let mut allowed = std::mem::take(&mut self.worker.allowed);
        allowed.clear();
        reserve_batch(&mut allowed);
        allowed.extend(candidates.iter().filter(|pair| rules.allow(tested.named(**pair))));
        step(self, &allowed);
        self.worker.allowed = allowed;
    }

    /// Keeps pairs that collide.
    fn keep_all(&mut self, pairs: &[Pair]) {
        if self.shared.out_of_memory.load(Relaxed) {
            return;
        }
        self.worker.totals.candidates += pairs.len() as u64;
        self.worker.colliding.clear();
        reserve_batch(&mut self.worker.colliding);
        self.worker.colliding.extend_from_slice(pairs);
        self.keep();
    }

    fn test_allowed(&mut self, candidates: &[Pair]) {
        let shared = self.shared;
        if shared.out_of_memory.load(Relaxed) {
            return;
        }
        self.worker.totals.candidates += candidates.len() as u64;
        self.worker.colliding.clear();
        match (shared.tested.sets(), shared.tested) {
            (Some(sets), _) => {
                let start = Instant::now();
                match shared.has_margin() {
                    true => self.test_distances(sets, candidates),
                    false => self.test_in_f32(sets, candidates),
                }
                let tested = Instant::now();
                self.worker.totals.narrow += tested - start;
                if !self.worker.undecided.is_empty() {
                    self.decide(sets.map(Bodies::from));
                    self.worker.totals.exact += tested.elapsed();
                }
            }
            (None, tested) if let Some(sets) = tested.bodies() => {
                let start = Instant::now();
                self.test_bodies(candidates);
                let tested = Instant::now();
                self.worker.totals.narrow += tested - start;
                if !self.worker.undecided.is_empty() {
                    self.decide(sets);
                    self.worker.totals.exact += tested.elapsed();
                }
            }
            (None, Tested::Moving { boxes, .. }) => {
                let start = Instant::now();
                moving_sat(boxes, candidates, &mut self.worker.colliding);
                self.worker.totals.narrow += start.elapsed();
            }
            (None, Tested::Triangles { triangles, .. }) => self.test_triangles(triangles, candidates),
            (None, Tested::Boxes64 { boxes, .. }) => self.test_boxes64(boxes, candidates),
            (None, Tested::Others { set, .. }) if set.shape() != Shape::Aabb || shared.has_margin() => {
                let start = Instant::now();
                let meet = |pair: &&Pair| meet_on_cpu(set, shared.tested.named(**pair), shared.margin_of(**pair));
                self.worker.colliding.extend(candidates.iter().filter(meet));
                self.worker.totals.narrow += start.elapsed();
            }
            // Bounds as they are: the broad phase has the answer.
            (None, _) => self.worker.colliding.extend_from_slice(candidates),
        }
        self.keep();
    }

    /// The narrow phase. Hits are kept without a branch, as they are practically random.
    fn test_in_f32(&mut self, sets: [&[Obb]; 2], candidates: &[Pair]) {
        let (colliding, undecided) = (&mut self.worker.colliding, &mut self.worker.undecided);
        [&mut *colliding, &mut *undecided].into_iter().for_each(reserve_batch);
        // Every pair is written where it would go, and overwritten if it is not kept.
        let mut count = colliding.len();
        colliding.resize(count + candidates.len(), Pair { a: 0, b: 0 });
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

    /// The narrow phase and the exact stage of triangles.
    fn test_triangles(&mut self, triangles: Triangles<'_>, candidates: &[Pair]) {
        let start = Instant::now();
        let Worker {
            totals,
            colliding,
            undecided,
            ..
        } = &mut *self.worker;
        [&mut *colliding, &mut *undecided].into_iter().for_each(reserve_batch);
        triangle_pairs(triangles, candidates, |pairs, verdicts| {
            keep_those(pairs, verdicts.meeting, colliding);
            keep_those(pairs, verdicts.undecided, undecided);
        });
        let tested = Instant::now();
        totals.narrow += tested - start;
        totals.undecided += undecided.len() as u64;
        let meet = |pair: &Pair| triangles.meet(pair.a as usize, pair.b as usize);
        colliding.extend(undecided.drain(..).filter(meet));
        totals.exact += tested.elapsed();
    }

    /// The narrow phase and the exact stage of boxes with centers in `f64`.
    fn test_boxes64(&mut self, boxes: &[Obb64], candidates: &[Pair]) {
        let (start, shared) = (Instant::now(), self.shared);
        let Worker {
            totals,
            colliding,
            undecided: named,
            touching_pairs,
            ..
        } = &mut *self.worker;
        [&mut *colliding, &mut *named].into_iter().for_each(reserve_batch);
        named.extend(candidates.iter().map(|pair| shared.tested.named(*pair)));
        let margin = |k: usize| shared.margin_of(candidates[k]);
        let margin: Option<&dyn Fn(usize) -> f32> = shared.has_margin().then_some(&margin);
        let counts = obb64_pairs(boxes, named, shared.precision, margin, |k, contact| {
            colliding.push(candidates[k]);
            totals.near += u64::from(contact == Contact::Separated);
            if contact == Contact::Touching {
                totals.touching += 1;
                if shared.list_touching {
                    shared.note(extend(touching_pairs, &[named[k]], "the touching pairs"));
                }
            }
        });
        named.clear();
        totals.undecided += counts.undecided;
        totals.tally += counts.tally;
        totals.narrow += start.elapsed();
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
                    self.worker.totals.near += 1;
                    self.worker.colliding.push(*pair);
                }
                Nearness::Colliding => self.worker.colliding.push(*pair),
                Nearness::Undecided => self.worker.undecided.push(*pair),
            }
        }
    }

    /// The narrow phase of bodies that are not all boxes: the pairs are sorted by the tests that they need.
    fn test_bodies(&mut self, candidates: &[Pair]) {
        let tested = self.shared.tested;
        match tested {
            Tested::Balls { records, balls } => {
                // Records have their margins in their radii; without any they are closer together than the balls.
                let has_margin = self.shared.has_margin();
                let ball = |place: u32| {
                    let record = &records[place as usize];
                    if has_margin {
                        balls[record.id as usize]
                    } else {
                        record.wide
                    }
                };
                self.test_in_lanes(candidates, |pairs, question, found| {
                    sphere_sphere(|pair| [ball(pair.a), ball(pair.b)], pairs, question, found);
                });
            }
            Tested::Bodies { slots, .. } => {
                let boxes = cast_slice::<Slot, Obb>(slots);
                let slot = |id: u32| slots[id as usize];
                self.test_by_kind(candidates, [boxes; 2], [slot; 2], [|id| slots[id as usize].kind(); 2]);
            }
            _ => {
                let Some(sets) = tested.bodies() else { return };
                let boxes = sets.map(|set| set.boxes);
                let slots = sets.map(|set| move |id| Slot::from(set.at(id)));
                self.test_by_kind(candidates, boxes, slots, sets.map(|set| move |id| set.kind(id)));
            }
        }
    }

    /// Sorts pairs of bodies, given the slots and the kinds of both sets, by the tests that they need. Positions of boxes are those in
    /// `boxes`.
    fn test_by_kind(
        &mut self,
        candidates: &[Pair],
        boxes: [&[Obb]; 2],
        slots: [impl Fn(u32) -> Slot + Copy; 2],
        kinds: [impl Fn(u32) -> Kind; 2],
    ) {
        let mut sorted = [Pair { a: 0, b: 0 }; BATCH];
        for candidates in candidates.chunks(BATCH) {
            let test_of = |pair: &Pair| Test::of(kinds[0](pair.a), kinds[1](pair.b));
            let ends = sort_by_test(candidates, test_of, &mut sorted);
            let queue = |test: Test| &sorted[ends[test as usize]..ends[test as usize + 1]];
            let both = |pair: Pair| [slots[0](pair.a), slots[1](pair.b)];
            match self.shared.has_margin() {
                true => self.test_distances(boxes, queue(Test::Boxes)),
                false => self.test_in_f32(boxes, queue(Test::Boxes)),
            }
            self.test_in_lanes(queue(Test::Balls), |pairs, question, found| {
                sphere_sphere(|pair| both(pair).map(|slot| slot.ball()), pairs, question, found);
            });
            self.test_in_lanes(queue(Test::Rounds), |pairs, question, found| {
                round_round(both, pairs, question, found);
            });
            self.test_in_lanes(queue(Test::BoxRound), |pairs, question, found| {
                box_round(both, pairs, question, found);
            });
        }
    }

    /// Runs a test of round bodies.
    fn test_in_lanes(
        &mut self,
        pairs: &[Pair],
        test: impl FnOnce(&[Pair], Question<&dyn Fn(Pair) -> f32>, &mut dyn FnMut(&[Pair], Answers)),
    ) {
        let shared = self.shared;
        let Worker {
            totals,
            colliding,
            undecided,
            ..
        } = &mut *self.worker;
        [&mut *colliding, &mut *undecided].into_iter().for_each(reserve_batch);
        let margin = |pair| shared.margin_of(pair);
        let question = Question {
            precision: shared.precision,
            margin: shared.has_margin().then_some(&margin as &dyn Fn(Pair) -> f32),
        };
        test(pairs, question, &mut |pairs, answers| {
            totals.near += u64::from(answers.near.count_ones());
            keep_those(pairs, answers.colliding | answers.near, colliding);
            keep_those(pairs, answers.undecided, undecided);
        });
    }

    /// The exact stage.
    fn decide(&mut self, sets: [Bodies<'_>; 2]) {
        let shared = self.shared;
        let Worker {
            totals,
            undecided,
            colliding,
            touching_pairs,
            ..
        } = &mut *self.worker;
        totals.undecided += undecided.len() as u64;
        let margin = |pair| shared.margin_of(pair);
        let placed = |pair| shared.tested.placed(pair);
        let found = |pair, relation| {
            if relation != Relation::Apart {
                colliding.push(pair);
            }
            totals.near += u64::from(relation == Relation::Near);
            if relation == Relation::Touching {
                totals.touching += 1;
                if shared.list_touching {
                    let pair = shared.tested.named(pair);
                    shared.note(extend(touching_pairs, &[pair], "the touching pairs"));
                }
            }
        };
        totals.tally += match shared.tested {
            Tested::Balls { records, .. } if !shared.has_margin() => {
                let ball = |place: u32| BodyRef::Sphere(&records[place as usize].wide);
                decide_each(undecided, |pair| [ball(pair.a), ball(pair.b)], margin, found)
            }
            _ => decide(sets, undecided, placed, margin, found),
        };
        undecided.clear();
    }

    /// Collects the colliding pairs.
    fn keep(&mut self) {
        let shared = self.shared;
        let Worker {
            totals,
            pairs,
            colliding,
            ..
        } = &mut *self.worker;
        totals.colliding += colliding.len() as u64;
        let named = |pair: &Pair| shared.tested.named(*pair);
        match shared.output {
            Output::Pairs => {
                let taken = shared.take(colliding.len());
                shared.note(pairs.extend(&colliding[..taken], shared.buckets, named));
            }
            Output::Degrees => colliding
                .iter()
                .flat_map(|pair| shared.tested.counted(named(pair)))
                .for_each(|id| {
                    shared.degrees[id].fetch_add(1, Relaxed);
                }),
            Output::Count => {}
        }
    }
}

/// The shares of these stages in the time of all workers.
pub(super) struct Shares {
    pub narrow: f64,
    pub exact: f64,
}

/// The findings of all workers.
pub(super) fn gather(
    shared: &Shared,
    workers: &mut [Worker],
    sorter: &mut PairSorter,
    config: &Config,
    old: Report,
) -> Result<(Findings, Shares)> {
    if shared.out_of_memory.load(Relaxed) {
        let found = workers.iter().map(|worker| worker.pairs.len() as u64).sum::<u64>();
        return Err(Error::OutOfMemory {
            what: "the pairs found so far",
            needed: found * size_of::<Pair>() as u64,
        });
    }
    let sum = |count: fn(&Totals) -> u64| workers.iter().map(|worker| count(&worker.totals)).sum::<u64>();
    let time = |time: fn(&Totals) -> Duration| workers.iter().map(|worker| time(&worker.totals)).sum::<Duration>();
    let time = |share| time(share).as_secs_f64() / time(|totals| totals.total).as_secs_f64().max(1e-9);
    let shares = Shares {
        narrow: time(|totals| totals.narrow),
        exact: time(|totals| totals.exact),
    };
    let decides = shared.precision == Precision::Exact && shared.tested.is_exact();
    let mut operations = Operations::default();
    workers.iter().for_each(|worker| operations += worker.totals.operations);
    let mut findings = Findings::new(config, old);
    findings.candidate_pairs = sum(|totals| totals.candidates);
    findings.colliding_pairs = sum(|totals| totals.colliding);
    findings.undecided_pairs = sum(|totals| totals.undecided);
    findings.undecided_after_f64 = sum(|totals| totals.tally.undecided_after_f64());
    findings.touching_pairs = decides.then_some(sum(|totals| totals.touching));
    findings.near_pairs = decides.then_some(sum(|totals| totals.near));
    findings.operations = shared.count_operations.then_some(operations);
    for worker in &*workers {
        extend(&mut findings.touching, &worker.touching_pairs, "the touching pairs")?;
    }
    sorter.sort(&mut findings.touching)?;
    sort_found(workers, shared.buckets, &mut findings.pairs)?;
    memory::reserve(&mut findings.degrees, shared.degrees.len(), "the degrees")?;
    let degrees = shared.degrees.iter().map(|degree| degree.load(Relaxed));
    findings.degrees.extend(degrees);
    Ok((findings, shares))
}
